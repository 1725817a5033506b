"""The columns of a stream beyond the columns of its source, and the columns of a directory table.

`DIRECTORY` has the columns of a directory table.
"""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.records import (
    REDO_LOG,
    SINGDATA,
    StreamRecord,
    StreamSource,
    ViewRecord,
)
from icemelt.errors import DefinitionRefused
from icemelt.names import fold
from icemelt.schema import Column
from icemelt.spark_sql.own_columns import (
    CHANGE_COLUMNS,
    COMMIT_COLUMNS,
    DIRECTORY_COLUMNS,
    RANGE_COLUMNS,
    TABLE_STREAM_COLUMNS,
)

__all__ = ["DIRECTORY", "log_columns", "own_columns", "refuse_taken", "shown_columns"]

_CHANGES, _COMMIT, _TABLE_STREAM, _RANGE, DIRECTORY = (
    tuple(Column(name, kind) for name, kind in columns.items())
    for columns in (
        CHANGE_COLUMNS,
        COMMIT_COLUMNS,
        TABLE_STREAM_COLUMNS,
        RANGE_COLUMNS,
        DIRECTORY_COLUMNS,
    )
)
_LOG = (*_CHANGES, *_COMMIT)


def own_columns(dialect: str, mode: str) -> tuple[Column, ...]:
    """Return a stream's own columns, by its dialect and mode.

    >>> [column.name for column in own_columns("SINGDATA", "DEFAULT")]
    ['__change_type', '__commit_version', '__commit_timestamp']
    """
    if dialect == SINGDATA:
        return _TABLE_STREAM
    return _LOG if mode == REDO_LOG else _CHANGES


def shown_columns(stream: StreamRecord, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return all columns of a stream in order; `columns` are the columns of its source."""
    own = own_columns(stream.dialect, stream.mode)
    return (*own, *columns) if stream.dialect == SINGDATA else (*columns, *own)


def log_columns(*, is_range: bool) -> tuple[Column, ...]:
    """Return the own columns of a redo log, or of CHANGES FROM where `is_range`."""
    return _RANGE if is_range else _LOG


def refuse_taken(source: StreamSource, columns: Sequence[Column], own: Sequence[Column]) -> None:
    """Refuse changes of a table or view that has a column with the name of a stream's own column.

    Args:
        source: the table or view.
        columns: the columns of the table or view.
        own: the stream's own columns.

    Raises:
        DefinitionRefused: a column has such a name.
    """
    names = {fold(column.name) for column in own}
    taken = [column.name for column in columns if fold(column.name) in names]
    if not taken:
        return
    kind = "View" if isinstance(source, ViewRecord) else "Table"
    hint = f'ALTER TABLE {source.name} RENAME COLUMN "{taken[0]}" TO another_name'
    if kind == "View":
        hint = f"CREATE OR REPLACE VIEW {source.name} AS … with another name for it."
    raise DefinitionRefused(
        f"{kind} {str(source.name)!r} has a column {taken[0]!r}, as its changes have of their own.",
        hint=hint,
    )
