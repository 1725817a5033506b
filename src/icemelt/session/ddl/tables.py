"""Statements that define tables: CREATE TABLE and ALTER TABLE."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from icemelt.catalog.edits import DropObject, Edit, MakeTable, Options
from icemelt.catalog.records import TableRecord
from icemelt.errors import ColumnNotFound, DefinitionRefused, ObjectExists
from icemelt.names import ObjectName, TableName, column_fold, fold, path_component, refuse_bad
from icemelt.schema import Column, known, parse_iceberg
from icemelt.session.ddl.defaults import checked_default
from icemelt.session.ddl.sizes import refuse_large
from icemelt.session.dml.writing import Target, append, shaped
from icemelt.session.queries.binding import (
    BoundQuery,
    bind_query,
    consumed,
    frame,
    lock_streams,
    reads,
    resolve_all,
)
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.options import (
    error_option,
    property_options,
    table_options,
    tracking_option,
)
from icemelt.spark_java import java_frame
from icemelt.spark_sql.own_columns import METADATA_COLUMNS
from icemelt.sql.statements import CreateTable
from icemelt.tables.error_log import ERROR_COLUMNS, error_table
from icemelt.tables.metadata.document import LAKE_PROPERTY, TableMetadata
from icemelt.tables.writes.definition import (
    from_spark,
    partition,
    properties_of,
    schema_document,
)
from icemelt.transactions.pending import Attempt, Pending
from icemelt.transactions.stats import version_stats

__all__ = ["create_table", "make_error_table", "table_location"]


@dataclass(frozen=True, slots=True)
class _Definition:
    columns: tuple[Column, ...]
    properties: Mapping[str, str]
    partition_by: tuple[str, ...] = ()


def create_table(core: Core, statement: CreateTable, history: History) -> str:
    """Run CREATE TABLE; return the word that says what happened."""
    name = core.full(statement.name)
    refuse_bad("table", name.name)
    schema, name = core.place_of(name)
    existing = _existing(core, name, temporary=statement.temporary)
    if existing is not None and _is_kept(core, statement, existing):
        core.record(history(0))
        return f"Table {str(name)!r} already exists, statement succeeded."

    def work(attempt: Attempt) -> Pending[None]:
        if statement.query is not None:
            lock_streams(core, statement.query.references)
        edits: list[Edit] = []
        if statement.replace:
            edits += _dropped(core, statement, name)
        made = _make(core, attempt, statement, name)
        edits.append(_edit(core, statement, made, schema.object_id))
        edits += made.moves
        return Pending(None, lambda: history(made.rows), edits=tuple(edits))

    if error_option(statement.options):
        make_error_table(core, name, temporary=statement.temporary)
    if statement.temporary and statement.query is None:
        core.run_alone(work)
        if existing is not None and core.settings.transaction is not None:
            core.settings.transaction.forget(existing.object_id)
    else:
        core.run(work)
    return f"Table {str(name)!r} successfully created."


def _is_kept(core: Core, statement: CreateTable, existing: TableRecord) -> bool:
    """Tell whether the table that is there stays.

    Raises:
        ObjectExists: the statement does not say what becomes of it.
    """
    name = str(existing.name)
    core.refuse_clash("Table", statement.name.last, existing.name.name)
    if not (statement.if_not_exists or statement.replace):
        raise ObjectExists(
            f"Table {name!r} already exists.",
            hint="CREATE OR REPLACE TABLE replaces it, CREATE TABLE IF NOT EXISTS keeps it.",
        )
    return statement.if_not_exists


def make_error_table(core: Core, table: TableName, *, temporary: bool) -> None:
    """Make the error table of a table, where it is not there.

    Raises:
        DefinitionRefused: the table is temporary.
    """
    if temporary:
        raise DefinitionRefused(
            "A temporary table has no error table.", hint="Leave ERROR_LOGGING out."
        )
    name = error_table(table)
    if core.permanent(name) is not None:
        return
    refuse_bad("table", name.name)
    schema = core.schema_of(name.database, name.schema)
    statement = CreateTable(ObjectName((name.database, name.schema, name.name)), ERROR_COLUMNS)

    def work(attempt: Attempt) -> Pending[None]:
        made = _make(core, attempt, statement, name)
        return Pending(None, None, edits=(_edit(core, statement, made, schema.object_id),))

    core.run(work)


def _dropped(core: Core, statement: CreateTable, name: TableName) -> list[DropObject]:
    """Return the edit that drops the table whose place the new one takes.

    One that the query reads has to be still as it was read.
    """
    found = _existing(core, name, temporary=statement.temporary)
    if found is None:
        return []
    version = None
    if statement.query is not None:
        references = statement.query.references
        state = resolve_all(core, references, ())
        read = core.resolver.resolve([name]).tables.get(name)
        is_read = name.folded in reads(core, state, references)
        if is_read and read is not None and read.object_id == found.object_id:
            version = read.version
    return [DropObject(found.object_id, version)]


def _existing(core: Core, name: TableName, *, temporary: bool) -> TableRecord | None:
    """Return the table whose place a new one takes: a temporary one stands beside a permanent.

    Raises:
        ObjectExists: a stream has the name.
    """
    if not temporary:
        return core.permanent(name)
    found = core.resolver.resolve([name]).tables.get(name)
    return None if found is None or found.session_id is None else found


@dataclass(frozen=True, slots=True)
class _Made:
    object_id: str
    name: TableName
    namespace: str
    metadata: TableMetadata
    rows: int
    moves: tuple[Edit, ...] = ()


def _make(core: Core, attempt: Attempt, statement: CreateTable, name: TableName) -> _Made:
    """Write a new table's first metadata file, and the rows of its query."""
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
        refuse_large(str(name), [schema])
        document = {"schema": schema, "properties": properties}
        created = core.iceberg.create(namespace, object_id, document, location)
        if definition.partition_by:
            table = core.iceberg.table(namespace, object_id)
            partition(core.iceberg, table, definition.partition_by)
        if rows is not None:
            target = _target(core, attempt, created, object_id, name)
            append(core, shaped(core, rows, target, created.columns), target)
    finally:
        if bound is not None:
            bound.lease.release()
    metadata = attempt.workspace.current(object_id)
    count = 0 if metadata.current is None else metadata.current.count("added-records")
    return _Made(object_id, name, name.namespace, metadata, count, moves)


def _edit(core: Core, statement: CreateTable, made: _Made, schema_id: str) -> MakeTable:
    return MakeTable(
        object_id=made.object_id,
        parent_id=schema_id,
        name=made.name,
        namespace=made.namespace,
        table_uuid=made.metadata.table_uuid,
        location=made.metadata.location,
        stats=version_stats(None, made.metadata, "CREATE"),
        tracked=tracking_option(statement.options) is not False,
        session_id=core.session_id if statement.temporary else None,
        options=table_options(statement.options, Options()),
    )


def table_location(core: Core, name: TableName, object_id: str) -> str:
    """Return a new table's own place: a name alone could be another table's, or leave the lake."""
    folder = f"{path_component(name.name)}-{object_id}"
    return f"{core.database.warehouse}/{folder}"


def _target(
    core: Core, attempt: Attempt, created: TableMetadata, object_id: str, name: TableName
) -> Target:
    table = TableRecord(
        object_id=object_id,
        name=name,
        namespace="",
        owner=core.user,
        comment=None,
        created_at=0,
        table_uuid=created.table_uuid,
        pointer=created.location,
        known=created.location,
        version=0,
        snapshot_id=None,
    )
    return Target(table, created, attempt.workspace.relation(object_id))


def _reads_changes(bound: BoundQuery | None) -> bool:
    return bound is not None and bool(bound.moves or bound.plans)


def _definition(core: Core, statement: CreateTable, rows: Any, *, has_changes: bool) -> _Definition:
    if statement.like is not None:
        return _like(core, statement.like)
    columns: Sequence[Column] = statement.columns
    if rows is not None:
        columns = _queried(core, rows, statement.columns)
    _refuse_names(columns, has_changes=has_changes)
    for column in statement.columns:
        if column.default is not None:
            checked_default(core, column, column.default)
    key = None
    if statement.primary_key is not None:
        names = [_column_of(columns, name).name for name in statement.primary_key.columns]
        key = (names, statement.primary_key.rely)
    return _Definition(tuple(columns), properties_of(columns, key), statement.partition_by)


def _queried(core: Core, rows: Any, declared: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns of CREATE TABLE … AS: the query's, under declared names and types."""
    if not declared:
        _refuse_twins(rows.columns)
        fields = from_spark(core.iceberg, java_frame(rows).schema())
        return tuple(Column(f["name"], known(parse_iceberg(f["type"]))) for f in fields)
    if len(declared) != len(rows.columns):
        raise DefinitionRefused(
            f"The table declares {len(declared)} columns, its query gives {len(rows.columns)}.",
            hint="Declare a column for each column of the query, or none.",
        )
    return tuple(declared)


def _like(core: Core, name: ObjectName) -> _Definition:
    model = core.metadata(core.table(name))
    columns = model.columns
    key = model.key
    declared = None if key is None else (list(model.key_columns(key)), key.rely)
    return _Definition(columns, properties_of(columns, declared))


def _refuse_names(columns: Sequence[Column], *, has_changes: bool) -> None:
    """Refuse names no column may have; a table made of changes keeps the names they came with."""
    for column in columns:
        if not (has_changes and column.name in METADATA_COLUMNS):
            refuse_bad("column", column.name)
    _refuse_twins([column.name for column in columns])


def _refuse_twins(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if column_fold(name) in seen:
            raise DefinitionRefused(
                f"Column {name!r} is there twice: names that differ by case only are one.",
                hint="Rename one of them, in a query with AS.",
            )
        seen.add(column_fold(name))


def _column_of(columns: Sequence[Column], name: str) -> Column:
    for column in columns:
        if fold(column.name) == fold(name):
            return column
    raise ColumnNotFound(
        f"Column {name!r} of the key does not exist.",
        hint=f"The columns are {', '.join(column.name for column in columns)}.",
    )
