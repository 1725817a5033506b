"""Read the objects of the registry that have a definition, as file formats and stages."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.defined_records import DEFINED_KINDS, DefinedRecord
from icemelt.catalog.model import definitions
from icemelt.catalog.queries.reading import schema_objects, table_row
from icemelt.names import QualifiedName

__all__ = ["defined_by_id", "defined_query", "defined_record"]


def defined_query() -> sa.Select[Any]:
    """Return the query of all objects with a definition, live and dropped.

    The rows are for `defined_record`.
    """
    is_defined = definitions.c.object_id == table_row.c.object_id
    return schema_objects(definitions.c.definition).join(definitions, is_defined)


def defined_by_id(connection: sa.Connection, object_id: str) -> DefinedRecord | None:
    """Return the object with a definition of an id, live or dropped; None where there is none."""
    query = defined_query().where(table_row.c.object_id == object_id)
    row = connection.execute(query).first()
    return None if row is None else defined_record(row)


def defined_record(row: Any) -> DefinedRecord:
    """Return the object of a row of `defined_query`."""
    return DEFINED_KINDS[row.kind].from_definition(
        row.definition,
        row.session_id,
        object_id=row.object_id,
        name=QualifiedName(row.database_name, row.schema_name, row.name).in_space_of(row.kind),
        owner=row.owner,
        comment=row.comment,
        created_at=row.created_at,
        dropped_at=row.dropped_at,
    )
