"""The columns that streams have beside their source's."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.records import (
    REDO_LOG,
    SINGDATA,
    StreamRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.errors import DefinitionRefused
from icemelt.names import fold
from icemelt.schema import Column
from icemelt.spark_sql.own_columns import (
    CHANGE_COLUMNS,
    COMMIT_COLUMNS,
    RANGE_COLUMNS,
    TABLE_STREAM_COLUMNS,
)

__all__ = ["log_columns", "own_columns", "refuse_taken", "shown_columns"]

_CHANGES, _COMMIT, _TABLE_STREAM, _RANGE = (
    tuple(Column(name, kind) for name, kind in columns.items())
    for columns in (CHANGE_COLUMNS, COMMIT_COLUMNS, TABLE_STREAM_COLUMNS, RANGE_COLUMNS)
)
_LOG = (*_CHANGES, *_COMMIT)


def own_columns(dialect: str, mode: str) -> tuple[Column, ...]:
    """Return the columns that a stream of a dialect and a mode has of its own.

    >>> [column.name for column in own_columns("SINGDATA", "DEFAULT")]
    ['__change_type', '__commit_version', '__commit_timestamp']
    """
    if dialect == SINGDATA:
        return _TABLE_STREAM
    return _LOG if mode == REDO_LOG else _CHANGES


def shown_columns(stream: StreamRecord, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return a stream's columns in order; `columns` are its source's."""
    own = own_columns(stream.dialect, stream.mode)
    return (*own, *columns) if stream.dialect == SINGDATA else (*columns, *own)


def log_columns(*, is_range: bool) -> tuple[Column, ...]:
    """Return the columns that a redo log has of its own, or one that CHANGES FROM asks for."""
    return _RANGE if is_range else _LOG


def refuse_taken(
    source: TableRecord | ViewRecord, columns: Sequence[Column], own: Sequence[Column]
) -> None:
    """Let only a source be asked for changes whose columns are called otherwise than theirs.

    Raises:
        DefinitionRefused: one has a name of these.
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
