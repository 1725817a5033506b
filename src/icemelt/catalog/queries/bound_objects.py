"""Find objects by id, live or dropped: for what is bound to objects, whatever their names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.queries.definitions import defined_query, defined_record
from icemelt.catalog.queries.reading import schema_objects, table_row
from icemelt.names import QualifiedName

__all__ = ["BoundObject", "find_bound_objects"]


@dataclass(frozen=True, slots=True)
class BoundObject:
    """An object as it is now.

    Attributes:
        name: the full name.
        dropped_at: when the object was dropped, None for a live one.
        stage: the whole record of a stage, None for another kind.
    """

    name: QualifiedName
    dropped_at: int | None
    stage: StageRecord | None = None


def find_bound_objects(
    connection: sa.Connection, object_ids: Iterable[str]
) -> dict[str, BoundObject]:
    """Return objects by id; an object that is no longer in the registry is left out."""
    found: dict[str, BoundObject] = {}
    for part in split_values(sorted(object_ids)):
        chosen = table_row.c.object_id.in_(part)
        for row in connection.execute(schema_objects().where(chosen)):
            name = QualifiedName(row.database_name, row.schema_name, row.name)
            found[row.object_id] = BoundObject(name, row.dropped_at)
        stages = defined_query().where(chosen, table_row.c.kind == StageRecord.kind)
        for row in connection.execute(stages):
            stage = defined_record(row)
            assert isinstance(stage, StageRecord)  # noqa: S101 - as the condition says
            found[row.object_id] = BoundObject(stage.name, stage.dropped_at, stage)
    return found
