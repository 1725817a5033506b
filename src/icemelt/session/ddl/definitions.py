"""GET_DDL: the statement that creates an object as it is."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from icemelt.catalog.defined_records import (
    ExternalTableRecord,
    FileFormatRecord,
    FunctionRecord,
    PipeRecord,
    SequenceRecord,
    StageRecord,
    TaskRecord,
)
from icemelt.catalog.parameters import find_own_options
from icemelt.catalog.queries.reading import tracking_spans
from icemelt.catalog.records import ERROR, SchemaObject, StreamRecord, TableRecord, ViewRecord
from icemelt.errors import DataError, NotYet, ObjectError, SqlError
from icemelt.names import QualifiedName, identifier
from icemelt.schema import Column, sql_type
from icemelt.session.ddl.constraints import find_referenced
from icemelt.session.files.format_values import FormatValues
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.hiding import shown_location
from icemelt.session.runtime.options import PROPERTIES
from icemelt.session.runtime.task_webhooks import find_left_out, leave_out_webhooks
from icemelt.session.timeline.pipe_state import shown_statement
from icemelt.session.timeline.stream_state import recreate_statement
from icemelt.sql.dialect.written_names import (
    full_name,
    string_literal,
    written_name,
)
from icemelt.sql.parse import parse_signature, parse_statement
from icemelt.sql.statements import CreateTable, ObjectKind, read_identity
from icemelt.tables.metadata.document import PRIMARY_NAME, Constraint, Key, TableMetadata

__all__ = ["define_task", "find_definition", "view_definition"]

Record = TypeVar("Record", bound=SchemaObject)
_PLAIN_VALUE = re.compile(r"[A-Z_]+|[0-9]+")


def find_definition(core: Core, kind: ObjectKind, name: str) -> str:
    """Return the statement that creates an object; all names are full names.

    Args:
        core: the session's parts.
        kind: the kind of the object.
        name: the object's name.

    Raises:
        ObjectNotFound: there is no such object.
        NotYet: the object is of another kind, or SQL has no words for a part of it.
    """
    define = _DEFINITIONS.get(kind)
    if define is not None:
        return define(core, name)
    raise NotYet(
        f"GET_DDL of a {kind.value} is not built yet.",
        hint=f"DESCRIBE {kind.name} {name} tells what is in it.",
    )


def view_definition(view: ViewRecord) -> str:
    """Return the statement that creates a view; the query has the text of CREATE VIEW."""
    columns = ", ".join(_column(column) for column in view.columns)
    head = f"CREATE OR REPLACE VIEW {full_name(view.name)}({columns}){_comment(view.comment)}"
    return f"{head} AS {view.query}"


def _stream_definition(stream: StreamRecord) -> str:
    """Return the statement that creates a stream; the new stream begins now, without the offset."""
    missing = "" if stream.on_missing == ERROR else f" ON_MISSING = {stream.on_missing}"
    return recreate_statement(stream) + missing + _comment(stream.comment)


def _file_format_definition(found: FileFormatRecord) -> str:
    head = f"CREATE OR REPLACE FILE FORMAT {full_name(found.name)} {_format_options(found)}"
    return head + _comment(found.comment)


def _function_definition(found: FunctionRecord) -> str:
    name = QualifiedName(found.name.database, found.name.schema, found.own_name)
    arguments = ", ".join(
        f"{identifier(argument)} {kind}" + ("" if default is None else f" DEFAULT {default}")
        for argument, kind, default in found.arguments
    )
    manner = " STRICT" if found.is_strict else ""
    manner += " IMMUTABLE" if found.is_immutable else ""
    head = f"CREATE OR REPLACE FUNCTION {full_name(name)}({arguments}) RETURNS {found.returns}"
    body = string_literal(found.body)
    return f"{head} LANGUAGE SQL{manner}{_comment(found.comment)} AS {body}"


def _sequence_definition(found: SequenceRecord) -> str:
    order = "ORDER" if found.is_ordered else "NOORDER"
    head = f"CREATE OR REPLACE SEQUENCE {full_name(found.name)} START WITH {found.start}"
    return f"{head} INCREMENT BY {found.increment} {order}{_comment(found.comment)}"


def _stage_definition(core: Core, stage: StageRecord) -> str:
    manner = "" if stage.session_id is None else "TEMPORARY "
    head = f"CREATE OR REPLACE {manner}STAGE {full_name(stage.name)}"
    url = "" if stage.url is None else f" URL = {string_literal(shown_location(core, stage.url))}"
    written = _format_options(stage)
    if stage.format_name is not None:
        written = f"FORMAT_NAME = {full_name(QualifiedName(*stage.format_name))}"
    directory = ""
    if stage.has_directory:
        itself = " AUTO_REFRESH = TRUE" if stage.refreshes_itself else ""
        directory = f" DIRECTORY = (ENABLE = TRUE{itself})"
    return f"{head}{url}{directory} FILE_FORMAT = ({written}){_comment(stage.comment)}"


def _external_definition(table: ExternalTableRecord) -> str:
    columns = ", ".join(
        f"{identifier(each.column.name)} {sql_type(each.column.type)} AS ({each.expression})"
        f"{'' if each.column.nullable else ' NOT NULL'}"
        f"{_column_comment(each.column)}"
        for each in table.virtual_columns
    )
    partitions = ", ".join(map(identifier, table.partition_by))
    written = _format_options(table)
    if table.format_name is not None:
        written = f"FORMAT_NAME = {full_name(QualifiedName(*table.format_name))}"
    place = f"@{full_name(QualifiedName(*table.stage_name))}/{table.path}"
    parts = (
        f"CREATE OR REPLACE EXTERNAL TABLE {full_name(table.name)}",
        f"({columns})" if columns else "",
        f" PARTITION BY ({partitions})" if partitions else "",
        f" LOCATION = {string_literal(place)}",
        "" if table.pattern is None else f" PATTERN = {string_literal(table.pattern)}",
        f" FILE_FORMAT = ({written})",
        " ON_ERROR = SKIP_FILE" if table.skips_files else "",
        " AUTO_REFRESH = TRUE" if table.refreshes_itself else "",
    )
    return "".join(parts) + _comment(table.comment)


def _pipe_definition(core: Core, pipe: PipeRecord) -> str:
    itself = " AUTO_INGEST = TRUE" if pipe.ingests_itself else ""
    head = f"CREATE OR REPLACE PIPE {full_name(pipe.name)}{itself}{_comment(pipe.comment)}"
    return f"{head} AS {shown_statement(core, pipe)}"


def _is_plain(name: str, value: str) -> bool:
    return value.isdigit() or name == "OVERLAP_POLICY"


def define_task(
    task: TaskRecord, verb: str = "CREATE OR REPLACE", left_out: Iterable[str] = ()
) -> str:
    """Return the statement that creates a task, suspended; names of others are full names.

    Args:
        task: the task.
        verb: the words before TASK.
        left_out: the options that the session may not see, each of which a comment names.
    """

    def beside(name: str) -> str:
        return full_name(replace(task.name, name=name))

    options = "".join(
        f" {name} = {value if _is_plain(name, value) else string_literal(value)}"
        for name, value in task.options.items()
    )
    options += "".join(f" /* {name} is set by who runs the server */" for name in left_out)
    after = f" AFTER {', '.join(map(beside, task.after))}" if task.after else ""
    last = "" if task.finalizes is None else f" FINALIZE = {beside(task.finalizes)}"
    when = "" if task.condition is None else f" WHEN {task.condition}"
    head = f"{verb} TASK {full_name(task.name)}{options}{_comment(task.comment)}"
    return f"{head}{after}{last}{when} AS {task.body}"


def _format_options(found: FileFormatRecord | StageRecord | ExternalTableRecord) -> str:
    """Return the type and the options of files, as written in a statement."""
    values = FormatValues(found.options)
    options = "".join(f" {name} = {_option(values, name)}" for name in found.options)
    return f"TYPE = {found.file_type}{options}"


def _option(values: FormatValues, name: str) -> str:
    """Return an option's value as written in a statement: `1`, `TRUE`, `';'`, `('', 'NULL')`."""
    if name == "NULL_IF":
        return f"({', '.join(map(string_literal, values.texts(name, ())))})"
    value = values.text(name, "")
    return value if _PLAIN_VALUE.fullmatch(value) else string_literal(value)


def _table_definition(core: Core, table: TableRecord) -> str:
    """Return the statement that creates a table without rows.

    The statement is parsed again: a statement that would create another table is refused.
    """
    metadata, key = core.metadata(table), ""
    if metadata.key is not None:
        name = metadata.key.name
        named = "" if name == PRIMARY_NAME else f"CONSTRAINT {identifier(name)} "
        key = f", {named}PRIMARY KEY {_key_columns(metadata, metadata.key)}"
    key += "".join(f", {text}" for text in _constraints(core, table, metadata))
    columns = ", ".join(map(_table_column, metadata.columns))
    kind = "TABLE" if table.session_id is None else "TEMPORARY TABLE"
    text = f"CREATE OR REPLACE {kind} {full_name(table.name)}({columns}{key})"
    text += _partitions(metadata) + _options(core, table, metadata)
    _validate_definition(table, metadata, text)
    return text


def _key_columns(metadata: TableMetadata, key: Key | Constraint) -> str:
    names = ", ".join(map(identifier, metadata.key_columns(key)))
    return f"({names}){' RELY' if key.rely else ''}"


def _constraints(core: Core, table: TableRecord, metadata: TableMetadata) -> Iterator[str]:
    """Yield the UNIQUE and foreign keys of a table; those on dropped tables are left out."""
    for constraint in metadata.constraints:
        named = f"CONSTRAINT {identifier(constraint.name)}"
        if not constraint.references:
            yield f"{named} UNIQUE {_key_columns(metadata, constraint)}"
            continue
        found = find_referenced(core, table, metadata, constraint)
        if found is not None:
            other, names = found
            columns = ", ".join(map(identifier, metadata.key_columns(constraint)))
            rely = " RELY" if constraint.rely else ""
            references = f"{full_name(other)}({', '.join(map(identifier, names))}){rely}"
            yield f"{named} FOREIGN KEY ({columns}) REFERENCES {references}"


def _table_column(column: Column) -> str:
    text = f"{identifier(column.name)} {sql_type(column.type)}"
    if not column.nullable:
        text += " NOT NULL"
    identity = read_identity(column.default)
    if identity is not None:
        text += " AUTOINCREMENT" + str(identity).removeprefix("IDENTITY")
    elif column.default is not None:
        text += f" DEFAULT {column.default}"
    return text + ("" if column.comment is None else f" COMMENT {string_literal(column.comment)}")


def _partitions(metadata: TableMetadata) -> str:
    written = [
        identifier(field.column)
        if field.transform == "identity"
        else f"{field.transform.upper()}({field.width}{identifier(field.column)})"
        for field in metadata.partition_fields
    ]
    return f" PARTITION BY ({', '.join(written)})" if written else ""


def _options(core: Core, table: TableRecord, metadata: TableMetadata) -> str:
    with core.database.read() as connection:
        own = find_own_options(connection, table.object_id)
        spans = tracking_spans(connection, table.object_id)
    options = {
        "DATA_RETENTION_TIME_IN_DAYS": own.retention_days,
        "MAX_DATA_EXTENSION_TIME_IN_DAYS": own.extension_days,
        **{name: metadata.properties.get(held) for name, held in PROPERTIES.items()},
    }
    text = "".join(f" {name} = {value}" for name, value in options.items() if value is not None)
    if not any(span.until_commit is None for span in spans):
        text += " CHANGE_TRACKING = FALSE"
    return text + _comment(own.comment)


def _validate_definition(table: TableRecord, metadata: TableMetadata, text: str) -> None:
    """Refuse a statement unless it creates exactly the columns of a table.

    Raises:
        NotYet: a column would differ, for example as another engine chose the type.
    """
    columns = _parse_columns(text)
    if not columns:
        # find the column whose own text cannot be parsed
        at_fault = (
            column
            for column in metadata.columns
            if not _parse_columns(f"CREATE TABLE alone ({_table_column(column)})")
        )
        raise _column_error(table, next(at_fault, metadata.columns[0]), None)
    for has, would in itertools.zip_longest(metadata.columns, columns):
        if would is None or replace(has, field_id=would.field_id) != would:
            raise _column_error(table, has, would)


def _parse_columns(text: str) -> tuple[Column, ...]:
    """Return the columns of a CREATE TABLE statement, empty where the text cannot be parsed."""
    with contextlib.suppress(SqlError, ObjectError, DataError):
        statement = parse_statement(text)
        return statement.columns if isinstance(statement, CreateTable) else ()
    return ()


def _column_error(table: TableRecord, has: Column, would: Column | None) -> NotYet:
    """Return the error for a column with no statement to create it.

    Args:
        table: the table.
        has: the column as it is.
        would: the column that the statement would create, None for no column.
    """
    if would is not None and replace(has, field_id=would.field_id, nullable=False) == would:
        return NotYet(
            f"Column {has.name!r} of the primary key of {str(table.name)!r} may be NULL; CREATE "
            "TABLE makes it NOT NULL.",
            hint=f"ALTER TABLE {table.name} ALTER COLUMN {identifier(has.name)} SET NOT NULL.",
        )
    return NotYet(
        f"Column {has.name!r} of table {str(table.name)!r} has no words that make it anew.",
        hint=f"DESCRIBE TABLE {table.name} tells what it is.",
    )


def _column(column: Column) -> str:
    return identifier(column.name) + _column_comment(column)


def _column_comment(column: Column) -> str:
    return "" if column.comment is None else f" COMMENT {string_literal(column.comment)}"


def _comment(comment: str | None) -> str:
    return "" if comment is None else f" COMMENT = {string_literal(comment)}"


def _task_definition(core: Core, name: str) -> str:
    task = core.object_of(TaskRecord, written_name(name))
    return define_task(leave_out_webhooks(core, task), left_out=find_left_out(core, task))


def _of_kind(record: type[Record], define: Callable[[Record], str]) -> Callable[[Core, str], str]:
    """Return what gives the definition of an object of a kind by its written name."""
    return lambda core, name: define(core.object_of(record, written_name(name)))


_DEFINITIONS: Mapping[ObjectKind, Callable[[Core, str], str]] = {
    ObjectKind.VIEW: _of_kind(ViewRecord, view_definition),
    ObjectKind.STREAM: _of_kind(StreamRecord, _stream_definition),
    ObjectKind.TABLE: lambda core, name: _table_definition(core, core.table(written_name(name))),
    ObjectKind.FILE_FORMAT: _of_kind(FileFormatRecord, _file_format_definition),
    ObjectKind.STAGE: lambda core, name: _stage_definition(
        core, core.object_of(StageRecord, written_name(name))
    ),
    ObjectKind.EXTERNAL_TABLE: _of_kind(ExternalTableRecord, _external_definition),
    ObjectKind.PIPE: lambda core, name: _pipe_definition(
        core, core.object_of(PipeRecord, written_name(name))
    ),
    ObjectKind.SEQUENCE: _of_kind(SequenceRecord, _sequence_definition),
    ObjectKind.FUNCTION: lambda core, name: _function_definition(
        core.object_of(FunctionRecord, parse_signature(name))
    ),
    ObjectKind.TASK: _task_definition,
}
