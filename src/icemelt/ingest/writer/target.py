"""The target of rows: a table as it was when a channel of the table was opened."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from icemelt.catalog.records import TableRecord
from icemelt.ingest.conversion.conversion import ConvertedRows, convert
from icemelt.ingest.conversion.partitions import PartitionRule, find_partition_rules
from icemelt.ingest.errors import TableRefused
from icemelt.ingest.left_out import has_default
from icemelt.ingest.writer.defaults import ColumnDefault, EvaluateDefaults, make_values
from icemelt.names import QualifiedName
from icemelt.schema import Column
from icemelt.tables.error_log import error_table_name, has_error_columns
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.writes.appending import is_written_by_arrow
from icemelt.transactions.resolver import Resolver

__all__ = ["IngestTarget", "error_log", "target_of"]

# the types that channels write; further types come from other engines
_TAKEN = re.compile(
    r"(boolean|int|long|float|double|decimal.*|string|binary|date|timestamp|timestamptz|variant)$"
)
_VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class IngestTarget:
    """A table with its columns and schema id; for another schema, channels have to be opened again.

    `logs_errors` says that the error table keeps rows passed over. `by_spark` says that Spark
    writes rows: those of the table, or those passed over. `partitions` are the partition fields
    whose values may be refused. `defaults` are the defaults of columns, by name.
    """

    table_id: str
    table_uuid: str
    name: QualifiedName
    schema_id: int
    columns: tuple[Column, ...]
    logs_errors: bool = False
    by_spark: bool = field(default=False, compare=False)
    partitions: tuple[PartitionRule, ...] = field(default=(), compare=False)
    defaults: Mapping[str, ColumnDefault] = field(default_factory=dict, compare=False)

    def with_defaults(
        self, evaluate: EvaluateDefaults, open_targets: Iterable[IngestTarget]
    ) -> IngestTarget:
        """Return the target with the defaults of its columns; an equal target has them already.

        Raises:
            TableRefused: a column has a default that channels do not evaluate.
        """
        if not any(map(has_default, self.columns)):
            return self
        for target in open_targets:
            if target == self:
                return target
        return replace(self, defaults=evaluate(self.name, self.columns))

    def convert(self, rows: Any) -> ConvertedRows:
        """Convert a client's rows; rows get the defaults of the columns that they leave out.

        Raises:
            MalformedRows: the rows cannot be converted, or the defaults would take too many bytes.
        """
        values = make_values(self.defaults, dt.datetime.now(dt.UTC))
        return convert(rows, self.columns, partitions=self.partitions, defaults=values)

    def is_still(self, table: TableRecord, metadata: TableMetadata) -> bool:
        """Tell whether a table is the target's table and has the target's columns."""
        return table.object_id == self.table_id and self == target_of(table, metadata)


def target_of(table: TableRecord, metadata: TableMetadata) -> IngestTarget:
    """Return a table as a target of rows.

    Raises:
        TableRefused: the table has a column that channels do not write.
    """
    schema_id = metadata.document["current-schema-id"]
    for column, document in zip(metadata.columns, metadata.schema_fields, strict=True):
        _refuse(table.name, column, document)
    uuid = metadata.table_uuid
    logs = metadata.logs_errors
    by_spark = logs or not is_written_by_arrow(metadata)
    rules = find_partition_rules(metadata)
    return IngestTarget(
        table.object_id, uuid, table.name, schema_id, metadata.columns, logs, by_spark, rules
    )


def error_log(resolver: Resolver, target: IngestTarget) -> TableRecord:
    """Return the error table of a target.

    Raises:
        TableRefused: the error table is missing, or has other columns.
    """
    name = error_table_name(target.name)
    table = resolver.resolve([name]).tables.get(name)
    if table is not None and has_error_columns(
        resolver.iceberg.metadata(table.known_location).columns
    ):
        return table
    raise TableRefused(
        f"Table {str(target.name)!r} logs errors, and {str(name)!r} "
        f"{'is not there' if table is None else 'has other columns than an error table'}.",
        hint=f"ALTER TABLE {target.name} SET ERROR_LOGGING = TRUE makes it"
        + ("." if table is None else "; rename the one that is there before."),
    )


def _refuse(table: QualifiedName, column: Column, field: Mapping[str, Any]) -> None:
    """Refuse a column with a default of another engine, or of a type unknown to channels."""
    if column.default is None and field.get("write-default") is not None:
        raise TableRefused(
            f"Column {column.name!r} of table {str(table)!r} has a default that another engine "
            "has set, and that icemelt does not know.",
            hint=f"ALTER TABLE {table} ALTER COLUMN {column.name} SET DEFAULT …",
        )
    kinds = list(_primitives(field["type"]))
    refused = [kind for kind in kinds if not _TAKEN.match(kind)]
    if field["type"] != _VARIANT and _VARIANT in kinds:
        refused.append(_VARIANT)
    if refused:
        raise TableRefused(
            f"Column {column.name!r} of table {str(table)!r} has, or has inside, the type "
            f"{refused[0]!r}, which channels do not write there.",
            hint="Ingest into a table without it; INSERT writes such columns.",
        )


def _primitives(kind: str | Mapping[str, Any]) -> Iterator[str]:
    """Yield the primitive types within a type of Iceberg's metadata."""
    if isinstance(kind, str):
        yield kind
        return
    parts = [kind[name] for name in ("element", "key", "value") if name in kind]
    for part in (*parts, *(part["type"] for part in kind.get("fields", ()))):
        yield from _primitives(part)
