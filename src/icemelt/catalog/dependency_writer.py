"""Write the sources of a view or stream to the registry, inside the transaction of a publication.

The view or stream is the reader of its sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.edits import SourcePosition
from icemelt.catalog.model import BY_ID, BY_NAME, dependencies
from icemelt.catalog.records import ViewSourceRecord
from icemelt.names import QualifiedName, fold
from icemelt.tables.writes.definition import schema_document

__all__ = ["add_stream_sources", "add_view_sources", "remove_dependencies"]

_NAMES = (
    *("database_name", "schema_name", "name"),
    *("folded_database", "folded_schema", "folded_name"),
)


def add_view_sources(
    connection: sa.Connection, reader_id: str, sources: Iterable[ViewSourceRecord]
) -> None:
    """Add the sources of a view: names, with the columns seen by the view.

    Args:
        connection: a connection in a write transaction.
        reader_id: the view's object id.
        sources: the tables and views in the view's query.
    """
    rows = [
        {
            "binding": BY_NAME,
            **_names(source.name),
            "columns": schema_document(source.columns)["fields"],
            "used": sorted(source.used),
        }
        for source in sources
    ]
    _add(connection, reader_id, rows)


def add_stream_sources(
    connection: sa.Connection,
    reader_id: str,
    source_id: str,
    positions: Iterable[SourcePosition],
) -> None:
    """Add the sources of a stream: its own source, and the objects under the source.

    Args:
        connection: a connection in a write transaction.
        reader_id: the stream's object id.
        source_id: the object id of the stream's own source.
        positions: the positions of all sources, with their names in the views.
    """
    names: dict[str, QualifiedName | None] = {source_id: None}
    names |= {position.source_id: position.name for position in positions}
    rows = [
        {"binding": BY_ID, "object_id": object_id, **_names(name)}
        for object_id, name in names.items()
    ]
    _add(connection, reader_id, rows)


def remove_dependencies(connection: sa.Connection, reader_id: str) -> None:
    """Remove the sources of a reader, before the reader is removed or gets other sources."""
    is_of_reader = dependencies.c.dependent_id == reader_id
    connection.execute(dependencies.delete().where(is_of_reader))


def _add(connection: sa.Connection, reader_id: str, rows: Iterable[dict[str, Any]]) -> None:
    values = [
        {"dependent_id": reader_id, "position": ordinal, **row} for ordinal, row in enumerate(rows)
    ]
    if values:
        connection.execute(dependencies.insert(), values)


def _names(name: QualifiedName | None) -> dict[str, str | None]:
    """Return the columns for a name; all columns are NULL where there is no name."""
    if name is None:
        return dict.fromkeys(_NAMES)
    parts = (name.database, name.schema, name.name)
    return dict(zip(_NAMES, (*parts, *map(fold, parts)), strict=True))
