"""Read the load history of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.model import former_loads, loads
from icemelt.catalog.queries.reading import schema_objects, table_row
from icemelt.catalog.records import ListedLoad, Moment, TableRecord
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
    connection: sa.Connection, tables: Iterable[TableRecord], moment: Moment, *, is_past: bool
) -> list[ListedLoad]:
    """Return the files read into some tables, with the names of the pipes that did so.

    Args:
        connection: a connection to the catalog's database.
        tables: the tables.
        moment: the moment as of which the loads are returned.
        is_past: whether it is the beginning of an open transaction: what was replaced since is
            among the former loads.
    """
    by_id = {table.object_id: table for table in tables}
    found: list[Any] = []
    for part in split_values(list(by_id)):
        for source in (loads, former_loads) if is_past else (loads,):
            query = sa.select(source).where(
                source.c.table_id.in_(part), source.c.loaded_at <= moment.time
            )
            if source is former_loads:
                query = query.where(former_loads.c.ended_in > moment.commit_number)
            found += connection.execute(query).all()
    found.sort(key=attrgetter("loaded_at", "path"))
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
