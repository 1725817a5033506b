"""Read the load history of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.model import loads
from icemelt.catalog.queries.reading import schema_objects, table_row
from icemelt.catalog.records import ListedLoad, TableRecord
from icemelt.names import QualifiedName

__all__ = ["list_loads", "load_history"]


def load_history(
    connection: sa.Connection, table_id: str, paths: Sequence[str]
) -> dict[str, LoadRecord]:
    """Return the records of files read into a table, by path.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        paths: the paths to look for; a path without a record is left out.
    """
    found: dict[str, LoadRecord] = {}
    for part in split_values(paths):
        query = sa.select(loads).where(loads.c.table_id == table_id, loads.c.path.in_(part))
        for row in connection.execute(query):
            found[row.path] = _load_record(row)
    return found


def list_loads(
    connection: sa.Connection, tables: Iterable[TableRecord], until: int
) -> list[ListedLoad]:
    """Return the files read into some tables, with the names of the pipes that did so.

    Args:
        connection: a connection to the catalog's database.
        tables: the tables.
        until: the time of the last loads to return.
    """
    by_id = {table.object_id: table for table in tables}
    found: list[Any] = []
    for part in split_values(list(by_id)):
        query = sa.select(loads).where(loads.c.table_id.in_(part), loads.c.loaded_at <= until)
        found += connection.execute(query.order_by(loads.c.loaded_at, loads.c.path)).all()
    names = dict(_pipe_names(connection, {row.pipe_id for row in found} - {None}))
    return [
        ListedLoad(by_id[row.table_id], _load_record(row), row.loaded_at, names.get(row.pipe_id))
        for row in found
    ]


def _pipe_names(
    connection: sa.Connection, pipe_ids: Iterable[str]
) -> Iterator[tuple[str, QualifiedName]]:
    """Yield the names of pipes by their object ids; a dropped pipe has its last name."""
    for part in split_values(sorted(pipe_ids)):
        for row in connection.execute(schema_objects().where(table_row.c.object_id.in_(part))):
            yield row.object_id, QualifiedName(row.database_name, row.schema_name, row.name)


def _load_record(row: Any) -> LoadRecord:
    return LoadRecord(
        row.path,
        row.size,
        row.modified_at,
        row.rows_loaded,
        row.errors,
        row.status,
        row.rows_parsed,
        row.pipe_id,
        row.first_error,
        row.first_line,
        row.first_column,
    )
