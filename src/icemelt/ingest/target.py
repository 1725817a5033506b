"""What rows are ingested into: a table as it was when a channel of it was opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.catalog.records import TableRecord
from icemelt.ingest.errors import TableRefused
from icemelt.names import TableName
from icemelt.schema import Column, Primitive, contains, display
from icemelt.tables.metadata import TableMetadata

__all__ = ["Target", "target_of"]

# types of other engines' tables
_REFUSED = frozenset(
    {"fixed", "geography", "geometry", "time", "timestamp_ns", "timestamptz_ns", "unknown", "uuid"}
)
_VARIANT = Primitive("variant")


@dataclass(frozen=True, slots=True)
class Target:
    """A table's columns under the id of their schema; channels are opened anew for another one."""

    table_id: str
    table_uuid: str
    name: TableName
    schema_id: int
    columns: tuple[Column, ...]

    def is_still(self, table: TableRecord, metadata: TableMetadata) -> bool:
        """Tell whether a table is this one and has these columns."""
        return table.object_id == self.table_id and self == target_of(table, metadata)


def target_of(table: TableRecord, metadata: TableMetadata) -> Target:
    """Return a table as a target of rows.

    Raises:
        TableRefused: it is temporary, or has a column that channels do not write.
    """
    if table.session_id is not None:
        raise TableRefused(
            f"Table {str(table.name)!r} is temporary: only its session sees it.",
            hint="Ingest into a table that others see, too: CREATE TABLE.",
        )
    _refuse_columns(table.name, metadata.columns)
    schema_id = metadata.document["current-schema-id"]
    uuid = metadata.table_uuid
    return Target(table.object_id, uuid, table.name, schema_id, metadata.columns)


def _refuse_columns(name: TableName, columns: Sequence[Column]) -> None:
    for column in columns:
        if column.default is not None:
            raise TableRefused(
                f"Column {column.name!r} of table {str(name)!r} has a default that is not NULL; "
                "channels do not know it.",
                hint=f"ALTER TABLE {name} ALTER COLUMN {column.name} DROP DEFAULT",
            )
        nested_variant = column.type != _VARIANT and contains(column.type, _VARIANT.name)
        if nested_variant or any(contains(column.type, name) for name in _REFUSED):
            raise TableRefused(
                f"Column {column.name!r} of table {str(name)!r} has type {display(column.type)}, "
                "which channels do not write.",
                hint="Ingest into a table without it; INSERT writes such columns.",
            )
