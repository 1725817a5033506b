"""A running ALTER TABLE: one Iceberg transaction, and edits of the registry."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from icemelt.catalog.edits import Edit
from icemelt.catalog.edits import Options as TableOptions
from icemelt.names import fold_column
from icemelt.quoting import quote
from icemelt.schema import Column, DataType
from icemelt.session.dml.writing import WriteTarget
from icemelt.session.runtime.columns import find_column, require_column
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.tables.metadata.document import TableMetadata, parse_metadata
from icemelt.tables.writes.definition import iceberg_type

__all__ = ["Alteration"]


@dataclass(slots=True)
class Alteration:
    """A table under alteration.

    Attributes:
        core: the session's parts.
        target: the table in the workspace.
        java: Iceberg's open transaction on the table, committed at the end.
        edits: the edits of the registry so far.
        options: the table's own parameters, None until an action changes one.
    """

    core: Core
    target: WriteTarget
    java: Any
    edits: list[Edit] = field(default_factory=list)
    options: TableOptions | None = None

    @property
    def name(self) -> str:
        """The table's full name."""
        return str(self.target.table.name)

    @property
    def object_id(self) -> str:
        """The table's id."""
        return self.target.table.object_id

    def state(self) -> TableMetadata:
        """Return the table's definition after the actions so far."""
        metadata = self.java.table().operations().current()
        parser = self.core.iceberg.java_class("TableMetadataParser")
        return parse_metadata(parser.toJson(metadata), self.target.base.location)

    def column(self, name: str) -> Column:
        """Return the column with a name.

        Raises:
            ColumnNotFound: there is no such column.
        """
        return require_column(self.state().columns, name, self.name)

    def find(self, name: str) -> Column | None:
        """Return the column with a name, None where there is none."""
        return find_column(self.state().columns, name)

    def twin(self, name: str) -> Column | None:
        """Return the column that Spark cannot tell from a name, None where there is none."""
        columns = self.state().columns
        return next((c for c in columns if fold_column(c.name) == fold_column(name)), None)

    def has_had_rows(self) -> bool:
        """Tell whether a kept version has rows, which a read at a point would return."""
        snapshots = self.target.base.snapshots.values()
        return any(snapshot.count("total-records") for snapshot in snapshots)

    def nulls(self, column: Column) -> int:
        """Return how many rows have NULL in a column; every row, if the column is new."""
        base = self.target.base
        before = next((c for c in base.columns if c.field_id == column.field_id), None)
        if base.current is None or (before is not None and not before.nullable):
            return 0
        condition = "true" if before is None else f"{quote(before.name)} IS NULL"
        relation = self.core.iceberg.pin(base.location)
        with translated(self.core.spark):
            query = f"SELECT count(*) FROM {relation} WHERE {condition}"
            return int(run_sql(self.core, query).collect()[0][0])

    def set_properties(self, values: Mapping[str, str | None]) -> None:
        """Set table properties; None as a value removes the property."""
        present = self.state().properties
        update = self.java.updateProperties()
        for key, value in values.items():
            if value is not None:
                update.set(key, value)
            elif key in present:
                update.remove(key)
        update.commit()

    def literal(self, data_type: DataType, default: Any) -> Any:
        """Return Iceberg's literal for a default in Iceberg's single-value JSON."""
        document = {
            "id": 1,
            "name": "value",
            "required": False,
            "type": iceberg_type(data_type, itertools.count(2)),
            "write-default": default,
        }
        schema = {"type": "struct", "schema-id": 0, "fields": [document]}
        parser = self.core.iceberg.java_class("SchemaParser")
        return parser.fromJson(json.dumps(schema)).findField(1).writeDefaultLiteral()
