"""An Iceberg table's metadata file, as plain data (Iceberg spec, *Table Metadata Fields*)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from icemelt.schema import Column, DataType, Primitive, can_widen, parse_iceberg
from icemelt.tables.metadata.defaults import write_default_text
from icemelt.tables.metadata.snapshots import CollapsedRun, CollapsedSnapshot, Snapshot, Snapshots

__all__ = [
    "Constraint",
    "Key",
    "PartitionField",
    "TableMetadata",
    "constraint_document",
    "parse_metadata",
    "parse_transform",
    "transform_function",
]

DEFAULT_PREFIX = "icemelt.default."
LENGTH_PREFIX = "icemelt.length."
KEY_PROPERTY = "icemelt.primary-key"
CONSTRAINTS_PROPERTY = "icemelt.constraints"
# the name of a primary key that none was given to
PRIMARY_NAME = "sys_constraint_primary"
LAKE_PROPERTY = "icemelt.lake"
KEPT_PROPERTY = "history.expire.min-snapshots-to-keep"
LOG_PROPERTY = "icemelt.snapshot-log-minutes"
ERROR_PROPERTY = "icemelt.error-logging"
DOMAINS_PROPERTY = "icemelt.row-domains"
# Iceberg's own: whether files that the metadata names may be removed
COLLECTION_PROPERTY = "gc.enabled"
_LOG_MINUTES = 10
KEPT_SNAPSHOTS = 2**31 - 1  # the most that Iceberg can count: all of them
_TIME_TRANSFORMS = ("year", "month", "day", "hour")
# the format version that brought row lineage
_ROW_IDS_FROM = 3


@dataclass(frozen=True, slots=True)
class Key:
    """A declared key as Iceberg field ids: a renamed column stays in the key."""

    field_ids: tuple[int, ...]
    rely: bool
    name: str = PRIMARY_NAME


@dataclass(frozen=True, slots=True)
class Constraint:
    """A UNIQUE key or a foreign key, as Iceberg field ids.

    Attributes:
        name: the folded name.
        field_ids: the columns.
        rely: whether RELY is written.
        table_id: the id of the referenced table, None for the table itself.
        references: the referenced columns; empty for a UNIQUE key.
    """

    name: str
    field_ids: tuple[int, ...]
    rely: bool = False
    table_id: str | None = None
    references: tuple[int, ...] = ()


def constraint_document(constraints: Sequence[Constraint]) -> str | None:
    """Return the table property that keeps constraints, None for no constraint.

    >>> constraint_document([Constraint("one", (1,))])
    '[["one", [1], false, null, []]]'
    """
    rows = [[c.name, c.field_ids, c.rely, c.table_id, c.references] for c in constraints]
    return json.dumps(rows) if rows else None


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A partition field: a column, and a transform of the column.

    `width` is the width of a bucket or of a truncation as a statement writes it, with a comma
    behind; otherwise it is empty.
    """

    column: str
    transform: str
    width: str = ""


def parse_transform(text: str) -> tuple[str, str]:
    """Return the name of a partition transform, and the width as `PartitionField` has it.

    >>> parse_transform("bucket[4]"), parse_transform("day")
    (('bucket', '4, '), ('day', ''))
    """
    name, _, width = text.partition("[")
    return name, f"{width.rstrip(']')}, " if width else ""


def transform_function(name: str) -> str:
    """Return the name of Iceberg's function of a partition transform.

    >>> transform_function("day"), transform_function("bucket")
    ('days', 'bucket')
    """
    return f"{name}s" if name in _TIME_TRANSFORMS else name


@dataclass(frozen=True, slots=True)
class TableMetadata:
    """The content of one metadata file; `document` is the JSON itself."""

    location: str
    table_uuid: str
    format_version: int
    columns: tuple[Column, ...]
    properties: Mapping[str, str]
    current_snapshot_id: int | None
    snapshots: Snapshots
    next_row_id: int
    document: Mapping[str, Any]

    @property
    def has_row_ids(self) -> bool:
        """Whether rows have ids (Iceberg spec, *Row Lineage*)."""
        return self.format_version >= _ROW_IDS_FROM

    @property
    def key(self) -> Key | None:
        """The declared primary key."""
        text = self.properties.get(KEY_PROPERTY)
        if text is None:
            return None
        document = json.loads(text)
        name = document.get("name", PRIMARY_NAME)
        return Key(tuple(document["columns"]), document["rely"], name)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The declared UNIQUE keys and foreign keys."""
        return tuple(
            Constraint(name, tuple(ids), rely, table_id, tuple(references))
            for name, ids, rely, table_id, references in json.loads(
                self.properties.get(CONSTRAINTS_PROPERTY, "[]")
            )
        )

    @property
    def row_domains(self) -> tuple[tuple[int, str], ...]:
        """The namespaces of row ids, each with its first `_row_id`, in ascending order.

        A clone has the namespaces of its source for the rows that it began with, then its own: the
        table's UUID.
        """
        text = self.properties.get(DOMAINS_PROPERTY)
        if text is None:
            return ((0, self.table_uuid),)
        return tuple((first_row_id, domain) for first_row_id, domain in json.loads(text))

    @property
    def collects_files(self) -> bool:
        """Whether other engines may remove files that the table's metadata names."""
        return self.properties.get(COLLECTION_PROPERTY, "true").lower() != "false"

    @property
    def schema_fields(self) -> Sequence[Mapping[str, Any]]:
        """The fields of the current schema, as in the document."""
        return _find_schema(self.document)

    @property
    def spec_fields(self) -> list[Mapping[str, Any]]:
        """The fields of the partition spec of new files, as in the document."""
        number = self.document.get("default-spec-id", 0)
        specs = self.document.get("partition-specs", ())
        return [field for spec in specs if spec["spec-id"] == number for field in spec["fields"]]

    @property
    def partition_fields(self) -> list[PartitionField]:
        """The partition fields of new files (Iceberg spec, *Partition Specs*)."""
        names = {column.field_id: column.name for column in self.columns}
        return [
            PartitionField(names[field["source-id"]], *parse_transform(field["transform"]))
            for field in self.spec_fields
            if field["transform"] != "void" and field["source-id"] in names
        ]

    @property
    def current(self) -> Snapshot | None:
        """The current snapshot."""
        if self.current_snapshot_id is None:
            return None
        return self.snapshots.get(self.current_snapshot_id)

    def with_collapsed(self, collapsed: Iterable[CollapsedSnapshot]) -> TableMetadata:
        """Return the metadata with snapshots that may have left the log, from the registry."""
        snapshots = self.snapshots.with_collapsed(collapsed)
        return self if snapshots is self.snapshots else replace(self, snapshots=snapshots)

    def key_columns(self, key: Key | Constraint) -> tuple[str, ...]:
        """Return the names of the key's columns; a dropped column is left out."""
        by_id = {column.field_id: column.name for column in self.columns}
        return tuple(by_id[field_id] for field_id in key.field_ids if field_id in by_id)

    def find_key(self, field_ids: Sequence[int]) -> Key | Constraint | None:
        """Return the primary or UNIQUE key of columns; None where the columns are no key any more.

        A foreign key that references the columns goes with their key.
        """
        wanted = set(field_ids)
        if not wanted <= {column.field_id for column in self.columns}:
            return None
        keys = (self.key, *(each for each in self.constraints if not each.references))
        return next((key for key in keys if key and set(key.field_ids) == wanted), None)

    def ancestry(self, snapshot_id: int | None) -> Iterator[Snapshot]:
        """Yield a snapshot and its ancestors, newest first, as far as they are known.

        A surviving snapshot stands for its collapsed run.
        """
        while snapshot_id is not None and snapshot_id in self.snapshots:
            snapshot = self.snapshots.include_run(self.snapshots[snapshot_id])
            yield snapshot
            snapshot_id = snapshot.parent_id

    def chain(self, start: int | None, end: int | None) -> list[Snapshot] | None:
        """Return the snapshots after `start` up to `end`, oldest first.

        None if `start` is not an ancestor of `end`, or a snapshot between them is unknown. A
        `start` of None is the empty table before the first snapshot.
        """
        found: list[Snapshot] = []
        begun = None if start is None else self.snapshots.get(start)
        for snapshot in self.ancestry(end):
            if snapshot.snapshot_id == start:
                return found[::-1]
            if begun is not None and _is_inside(begun, snapshot):
                rest = CollapsedRun(begun.sequence_number, begun.snapshot_id)
                return [snapshot.with_changes_since(begun, rest), *found[::-1]]
            found.append(snapshot)
        complete = end is None or (found and found[-1].parent_id is None)
        return found[::-1] if start is None and complete else None

    def path_between(self, start: int | None, end: int | None) -> list[Snapshot]:
        """Return the snapshots on the path from `start` to `end`, back and forth, in any order."""
        before, after = (
            {snapshot.snapshot_id: snapshot for snapshot in self.ancestry(snapshot_id)}
            for snapshot_id in (start, end)
        )
        return [(before.get(i) or after[i]) for i in before.keys() ^ after.keys()]

    def find_retyped_column(self, snapshot_id: int | None) -> tuple[Column, Column] | None:
        """Return a column at a snapshot, and the current column if it cannot hold the old values.

        Only a replacement of the table by another engine makes such a column.
        """
        snapshot = self.snapshots.get(-1 if snapshot_id is None else snapshot_id)
        if snapshot is None or snapshot.schema_id in {None, self.document.get("current-schema-id")}:
            return None
        today = {column.field_id: column for column in self.columns}
        for old in _columns(self.document, {}, snapshot.schema_id):
            new = today.get(old.field_id)
            if new is not None and not can_widen(old.type, new.type):
                return old, new
        return None

    @property
    def keeps_history(self) -> bool:
        """Whether other engines' expiry, with default arguments, removes no snapshot of main.

        A setting of the main branch takes precedence over arguments of any engine, too.
        """
        main = self.document.get("refs", {}).get("main")
        if main is not None:
            return bool(main.get("min-snapshots-to-keep") == KEPT_SNAPSHOTS)
        return self.properties.get(KEPT_PROPERTY) == str(KEPT_SNAPSHOTS)

    @property
    def log_minutes(self) -> int:
        """Minutes that a snapshot stays in the log after the next one, before it may collapse."""
        written = self.properties.get(LOG_PROPERTY, "")
        return int(written) if written.isdecimal() else _LOG_MINUTES

    @property
    def logs_errors(self) -> bool:
        """Whether rejected rows are kept in the error table."""
        return self.properties.get(ERROR_PROPERTY) == "true"

    @property
    def has_tightened_columns(self) -> bool:
        """Whether a column is NOT NULL now and was not always: older rows may hold NULL there."""
        return bool(self._tightened_ids())

    def relax_columns(self) -> dict[str, Any]:
        """Return the document with tightened columns nullable, to read older rows."""
        document = dict(self.document)
        ids = self._tightened_ids()
        if ids:
            document["schemas"] = [_relax_fields(schema, ids) for schema in document["schemas"]]
        return document

    def _tightened_ids(self) -> set[int]:
        required = {column.field_id for column in self.columns if not column.nullable}
        return {
            field["id"]
            for schema in self.document.get("schemas", ())
            for field in schema["fields"]
            if field["id"] in required and not field["required"]
        }

    def document_at(self, snapshot_id: int | None) -> dict[str, Any]:
        """Return the document of the table with the current schema, and another current snapshot.

        Engines that read it give old rows in the current columns, defaults included.
        """
        document = self.relax_columns()
        kept = [s for s in document.get("snapshots", ()) if s["snapshot-id"] == snapshot_id]
        document["snapshots"] = kept
        document["snapshot-log"] = []
        document["metadata-log"] = []
        document["statistics"] = []
        document["partition-statistics"] = []
        document["current-snapshot-id"] = -1 if snapshot_id is None else snapshot_id
        main = {"snapshot-id": snapshot_id, "type": "branch"}
        document["refs"] = {} if snapshot_id is None else {"main": main}
        return document


def parse_metadata(text: str, location: str) -> TableMetadata:
    """Parse a metadata file's JSON; `location` is the file's location."""
    document = json.loads(text)
    current = document.get("current-snapshot-id")
    properties = document.get("properties", {})
    return TableMetadata(
        location=location,
        table_uuid=document.get("table-uuid", ""),
        format_version=document["format-version"],
        columns=_columns(document, properties),
        properties=properties,
        current_snapshot_id=None if current in (None, -1) else current,
        snapshots=Snapshots(document.get("snapshots", ())),
        next_row_id=document.get("next-row-id", 0),
        document=document,
    )


def _is_inside(collapsed: Snapshot, last: Snapshot) -> bool:
    """Return whether a snapshot collapsed into `last`, or into the same snapshot and is earlier."""
    is_of_it = collapsed.surviving_snapshot_id == last.stored_id
    return is_of_it and collapsed.sequence_number < last.sequence_number


def _relax_fields(schema: Mapping[str, Any], ids: Collection[int]) -> dict[str, Any]:
    fields = [
        {**field, "required": False} if field["id"] in ids else field for field in schema["fields"]
    ]
    return {**schema, "fields": fields}


def _columns(
    document: Mapping[str, Any], properties: Mapping[str, str], schema_id: int | None = None
) -> tuple[Column, ...]:
    columns = []
    for field in _find_schema(document, schema_id):
        kind = _with_length(field, properties)
        default = properties.get(f"{DEFAULT_PREFIX}{field['id']}")
        if default is None:
            default = write_default_text(kind, field.get("write-default"))
        columns.append(
            Column(
                name=field["name"],
                type=kind,
                nullable=not field["required"],
                default=default,
                comment=field.get("doc"),
                field_id=field["id"],
            )
        )
    return tuple(columns)


def _find_schema(
    document: Mapping[str, Any], schema_id: int | None = None
) -> Sequence[Mapping[str, Any]]:
    """Return the fields of a schema; None for the current schema."""
    if "schemas" not in document:
        schema = document["schema"]
    else:
        wanted = document["current-schema-id"] if schema_id is None else schema_id
        schema = next(s for s in document["schemas"] if s["schema-id"] == wanted)
    fields: Sequence[Mapping[str, Any]] = schema["fields"]
    return fields


def _with_length(field: Mapping[str, Any], properties: Mapping[str, str]) -> DataType:
    length = properties.get(f"{LENGTH_PREFIX}{field['id']}")
    data_type = parse_iceberg(field["type"])
    if length is not None and data_type == Primitive("string"):
        return Primitive("string", int(length))
    return data_type
