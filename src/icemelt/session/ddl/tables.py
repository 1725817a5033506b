"""Create tables: from columns, from a query, LIKE another table; and their error tables."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql.types import DataType as SparkType

from icemelt.catalog.edits import Edit, MakeTable, Options
from icemelt.catalog.records import SchemaObject, TableRecord
from icemelt.engine.spark_types import type_of
from icemelt.errors import ColumnNotFound, DefinitionRefused
from icemelt.names import (
    ObjectName,
    QualifiedName,
    fold,
    fold_column,
    path_component,
    validate_name,
)
from icemelt.quoting import quote
from icemelt.schema import Column, Primitive, contains, parse_iceberg, replace_unknown
from icemelt.session.ddl.constraints import DeclaredTable, add_constraint, renumber
from icemelt.session.ddl.defaults import evaluate_default
from icemelt.session.ddl.lifecycle import validate_kind
from icemelt.session.ddl.sizes import validate_schema_size
from icemelt.session.dml.writing import WriteTarget, append, shape_rows
from icemelt.session.queries.binding import (
    BoundQuery,
    bind_query,
    consumed,
    frame,
)
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.kinds import KINDS
from icemelt.session.runtime.options import (
    property_options,
    table_options,
    tracking_option,
)
from icemelt.spark_java import java_frame
from icemelt.spark_sql.own_columns import METADATA_COLUMNS
from icemelt.sql.statements import CreateTable
from icemelt.tables.error_log import ERROR_COLUMNS, error_table_name, has_error_columns
from icemelt.tables.metadata.document import (
    CONSTRAINTS_PROPERTY,
    KEY_PROPERTY,
    LAKE_PROPERTY,
    TableMetadata,
    constraint_document,
)
from icemelt.tables.writes.definition import (
    fields_from_spark,
    partition_table,
    schema_document,
    table_properties,
)
from icemelt.transactions.pending import Attempt
from icemelt.transactions.stats import version_stats

__all__ = [
    "NewTable",
    "creation_edit",
    "make_error_table",
    "make_table",
    "table_location",
    "validate_distinct_names",
]


@dataclass(frozen=True, slots=True)
class _Definition:
    columns: tuple[Column, ...]
    properties: Mapping[str, str]
    partition_by: tuple[str, ...] = ()


def make_error_table(
    core: Core, attempt: Attempt, table: QualifiedName, *, temporary: bool
) -> tuple[Edit, ...]:
    """Create the error table of a table unless it exists; return the edits to publish.

    Args:
        core: the session's parts.
        attempt: the attempt in which the table is created.
        table: the name of the table that gets an error table.
        temporary: whether this table is temporary.

    Raises:
        DefinitionRefused: the table is temporary, or its error table's name belongs to a table with
            other columns.
        ObjectExists: the name belongs to an object of another kind.
    """
    if temporary:
        raise DefinitionRefused(
            "A temporary table has no error table.", hint="Leave ERROR_LOGGING out."
        )
    name = error_table_name(table)
    existing = core.find_permanent_object(name)
    if existing is not None:
        validate_kind(KINDS[TableRecord.kind], name, existing)
        _validate_error_table(core, name, existing)
        return ()
    validate_name("table", name.name)
    schema = core.schema_of(name.database, name.schema)
    statement = CreateTable(name.as_written, ERROR_COLUMNS)
    error_log = make_table(core, attempt, statement, name)
    return (creation_edit(core, statement, error_log, schema.object_id),)


def _validate_error_table(core: Core, name: QualifiedName, existing: SchemaObject) -> None:
    """Refuse a table as error table that has other columns than an error table."""
    if isinstance(existing, TableRecord) and not has_error_columns(
        core.iceberg.metadata(existing.known_location).columns
    ):
        raise DefinitionRefused(
            f"Table {str(name)!r} has other columns than an error table.",
            hint=f"{KINDS[TableRecord.kind].free_name(name)} before.",
        )


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table with its first metadata file, not published yet.

    Attributes:
        object_id: the table's id.
        name: the full name.
        namespace: the namespace in Iceberg's catalog.
        metadata: the content of the metadata file.
        rows: how many rows the table begins with.
        moves: the edits that move the frontiers of the streams that the query consumed.
    """

    object_id: str
    name: QualifiedName
    namespace: str
    metadata: TableMetadata
    rows: int
    moves: tuple[Edit, ...] = ()


def make_table(
    core: Core, attempt: Attempt, statement: CreateTable, name: QualifiedName
) -> NewTable:
    """Write the first metadata file of a new table, and the rows of its query.

    Args:
        core: the session's parts.
        attempt: the attempt in which the table is created.
        statement: the parsed statement.
        name: the table's full name.
    """
    object_id = str(uuid.uuid4())
    bound = None if statement.query is None else bind_query(core, statement.query)
    moves: tuple[Edit, ...] = ()
    try:
        rows = None
        if bound is not None:
            moves = consumed(core, attempt, bound)
            rows = frame(core, bound)
        definition = _definition(core, statement, rows, has_changes=_reads_changes(bound))
        namespace = attempt.workspace.namespace
        location = table_location(core, name, object_id)
        properties = {**definition.properties, LAKE_PROPERTY: core.database.lake_id}
        options = property_options(statement.options)
        properties |= {name: value for name, value in options.items() if value is not None}
        schema = schema_document(definition.columns)
        validate_schema_size(str(name), [schema])
        document = {"schema": schema, "properties": properties}
        created = core.iceberg.create(namespace, object_id, document, location)
        if definition.partition_by:
            table = core.iceberg.table(namespace, object_id)
            partition_table(core.iceberg, table, definition.partition_by)
        if rows is not None:
            target = _target(core, attempt, created, object_id, name)
            append(core, shape_rows(core, rows, target, created.columns), target)
        if bound is not None:
            bound.resources.validate_read()
    finally:
        if bound is not None:
            bound.resources.release()
    metadata = attempt.workspace.current(object_id)
    count = 0 if metadata.current is None else metadata.current.count("added-records")
    return NewTable(object_id, name, name.namespace, metadata, count, moves)


def creation_edit(core: Core, statement: CreateTable, table: NewTable, schema_id: str) -> MakeTable:
    """Return the edit that publishes a new table.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        table: the new table.
        schema_id: the id of the schema.
    """
    return MakeTable(
        object_id=table.object_id,
        parent_id=schema_id,
        name=table.name,
        namespace=table.namespace,
        table_uuid=table.metadata.table_uuid,
        location=table.metadata.location,
        stats=version_stats(None, table.metadata, "CREATE"),
        tracked=tracking_option(statement.options) is not False,
        session_id=core.session_id if statement.temporary else None,
        options=table_options(statement.options, Options()),
    )


def table_location(core: Core, name: QualifiedName, object_id: str) -> str:
    """Return the location of a new table's folder, whose name has the table's id.

    A folder named by the table alone could be another table's, or leave the lake.

    Args:
        core: the session's parts.
        name: the table's full name.
        object_id: the table's id.
    """
    folder = f"{path_component(name.name)}-{object_id}"
    return f"{core.database.warehouse}/{folder}"


def _target(
    core: Core, attempt: Attempt, created: TableMetadata, object_id: str, name: QualifiedName
) -> WriteTarget:
    """Return a table that is not published yet as a target for its rows."""
    table = TableRecord(
        object_id=object_id,
        name=name,
        namespace="",
        owner=core.user,
        comment=None,
        created_at=0,
        table_uuid=created.table_uuid,
        pointer=created.location,
        known_location=created.location,
        version=0,
        snapshot_id=None,
    )
    return WriteTarget(table, created, attempt.workspace.relation(object_id))


def _reads_changes(bound: BoundQuery | None) -> bool:
    return bound is not None and bool(bound.moves or bound.plans)


def _definition(core: Core, statement: CreateTable, rows: Any, *, has_changes: bool) -> _Definition:
    if statement.like is not None:
        return _copy_definition(core, statement.like)
    columns: Sequence[Column] = statement.columns
    if rows is not None:
        columns = _query_columns(core, rows, statement.columns)
    _validate_names(columns, has_changes=has_changes)
    for column in statement.columns:
        if column.default is not None:
            evaluate_default(core, column, column.default)
    key = None
    if statement.primary_key is not None:
        names = [_find_key_column(columns, name).name for name in statement.primary_key.columns]
        key = (names, statement.primary_key.rely)
    properties = table_properties(columns, key) | _constraint_properties(core, columns, statement)
    return _Definition(tuple(columns), properties, statement.partition_by)


def _constraint_properties(
    core: Core, columns: Sequence[Column], statement: CreateTable
) -> dict[str, str]:
    """Return the properties with the UNIQUE and foreign keys, and the name of the primary key."""
    numbered = [replace(column, field_id=n) for n, column in enumerate(columns, start=1)]
    key, properties = statement.primary_key, {}
    ids = [_find_key_column(numbered, name).field_id or 0 for name in key.columns] if key else []
    if key is not None and key.name is not None:
        document = {"columns": ids, "rely": key.rely, "name": fold(key.name)}
        properties[KEY_PROPERTY] = json.dumps(document)
    table = DeclaredTable(core.full(statement.name), numbered, tuple(ids))
    for declared in statement.constraints:
        table = replace(table, constraints=add_constraint(core, table, declared))
    kept = constraint_document(table.constraints)
    return properties if kept is None else {**properties, CONSTRAINTS_PROPERTY: kept}


def _query_columns(core: Core, rows: Any, declared: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns of CREATE TABLE … AS: declared columns, or the columns of the query."""
    if not declared:
        validate_distinct_names(rows.columns)
        return _columns_of_rows(core, rows)
    if len(declared) != len(rows.columns):
        raise DefinitionRefused(
            f"The table declares {len(declared)} columns, its query gives {len(rows.columns)}.",
            hint="Declare a column for each column of the query, or none.",
        )
    return tuple(declared)


def _columns_of_rows(core: Core, rows: Any) -> tuple[Column, ...]:
    """Return the columns that store rows; an array of nothing, as `[]`, is a VARIANT."""
    is_typed = {field.name: _has_type(field.dataType) for field in rows.schema.fields}
    typed = rows.select(*(quote(name) for name, has_type in is_typed.items() if has_type))
    fields = fields_from_spark(core.iceberg, java_frame(typed).schema())
    kinds = {field["name"]: replace_unknown(parse_iceberg(field["type"])) for field in fields}
    variant = Primitive("variant")
    return tuple(Column(name, kinds.get(name, variant)) for name in is_typed)


def _has_type(spark_type: SparkType) -> bool:
    """Tell whether a column has a type that is stored; one of NULLs alone is VARCHAR."""
    kind = type_of(spark_type)
    return kind is None or isinstance(kind, Primitive) or not contains(kind, "unknown")


def _copy_definition(core: Core, name: ObjectName) -> _Definition:
    model = core.metadata(core.table(name))
    columns = model.columns
    key = model.key
    declared = None if key is None else (list(model.key_columns(key)), key.rely)
    properties = table_properties(columns, declared)
    numbers = {column.field_id: n for n, column in enumerate(columns, start=1)}
    constraints = [renumber(each, numbers) for each in model.constraints]
    kept = constraint_document(constraints)
    if kept is not None:
        properties[CONSTRAINTS_PROPERTY] = kept
    return _Definition(columns, properties)


def _validate_names(columns: Sequence[Column], *, has_changes: bool) -> None:
    """Refuse reserved column names; a table of changes keeps the names of the changes."""
    for column in columns:
        if not (has_changes and column.name in METADATA_COLUMNS):
            validate_name("column", column.name)
    validate_distinct_names([column.name for column in columns])


def validate_distinct_names(names: Sequence[str]) -> None:
    """Refuse column names that differ by case only.

    Raises:
        DefinitionRefused: two names differ by case only, or not at all.
    """
    seen: set[str] = set()
    for name in names:
        if fold_column(name) in seen:
            raise DefinitionRefused(
                f"Column {name!r} is there twice: names that differ by case only are one.",
                hint="Rename one of them, in a query with AS.",
            )
        seen.add(fold_column(name))


def _find_key_column(columns: Sequence[Column], name: str) -> Column:
    for column in columns:
        if fold(column.name) == fold(name):
            return column
    raise ColumnNotFound(
        f"Column {name!r} of the key does not exist.",
        hint=f"The columns are {', '.join(column.name for column in columns)}.",
    )
