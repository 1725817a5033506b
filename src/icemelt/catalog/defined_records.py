"""Records of the kinds of objects whose own data is one JSON document: the definition.

Another such kind is a record with `kind`, `definition` and `from_definition`, in `DEFINED_KINDS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from icemelt.catalog.task_records import TaskRecord
from icemelt.names import QualifiedName
from icemelt.schema import Column, Primitive, VirtualColumn, parse_iceberg
from icemelt.tables.writes.definition import schema_document

__all__ = [
    "DEFINED_KINDS",
    "DefinedRecord",
    "Definition",
    "ExternalTableRecord",
    "FileFormatRecord",
    "FunctionRecord",
    "PipeRecord",
    "SequenceRecord",
    "StageRecord",
    "TaskRecord",
]

# what an object has of its own, as JSON
Definition = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FileFormatRecord:
    """A file format: a type of files, and how COPY INTO reads and writes files of the type.

    Args:
        object_id: the file format's object id.
        name: the full name.
        owner: the user who made the file format.
        comment: the comment, None without a comment.
        created_at: when the file format was made.
        file_type: CSV, JSON, PARQUET, ORC or AVRO.
        options: the values as written, by the options' upper-case names: `SKIP_HEADER` is `1`.
        dropped_at: when the file format was dropped, None for a live one.
    """

    kind: ClassVar[str] = "file format"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    file_type: str
    options: Mapping[str, str]
    dropped_at: int | None = None

    @property
    def definition(self) -> Definition:
        """The type and the options, as kept in the registry."""
        return {"file_type": self.file_type, "options": dict(self.options)}

    @classmethod
    def from_definition(cls, definition: Definition, session_id: str | None, **common: Any) -> Self:
        """Return the file format of a definition.

        Raises:
            ValueError: the object is temporary, as no file format is.
        """
        if session_id is not None:
            raise ValueError(session_id)
        return cls(file_type=definition["file_type"], options=definition["options"], **common)


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A stage: a folder of files, and how COPY INTO reads and writes the files.

    Args:
        object_id: the stage's object id.
        name: the full name.
        owner: the user who made the stage.
        comment: the comment, None without a comment.
        created_at: when the stage was made.
        url: the folder's location, None for a folder in the warehouse.
        format_name: the parts of the full name of the file format that COPY INTO uses; None without
            one.
        file_type: CSV, JSON, PARQUET, ORC or AVRO.
        options: the file format's options as in `FileFormatRecord`.
        session_id: the session of a temporary stage, None for a permanent stage.
        has_directory: whether the stage has a directory table.
        refreshes_itself: whether the directory table is refreshed in the background.
        refresh_within: the places below which a refresh in the background may list, as the session
            may that has last chosen the folder, or to refresh; None for all places.
        dropped_at: when the stage was dropped, None for a live stage.
    """

    kind: ClassVar[str] = "stage"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    url: str | None = None
    format_name: tuple[str, ...] | None = None
    file_type: str = "CSV"
    options: Mapping[str, str] = field(default_factory=dict)
    session_id: str | None = None
    has_directory: bool = False
    refreshes_itself: bool = False
    refresh_within: tuple[str, ...] | None = None
    dropped_at: int | None = None

    @property
    def definition(self) -> Definition:
        """The location, the file format and the directory table, as kept in the registry."""
        return {
            "url": self.url,
            "format_name": None if self.format_name is None else list(self.format_name),
            "file_type": self.file_type,
            "options": dict(self.options),
            "has_directory": self.has_directory,
            "refreshes_itself": self.refreshes_itself,
            "refresh_within": None if self.refresh_within is None else list(self.refresh_within),
        }

    @classmethod
    def from_definition(cls, definition: Definition, session_id: str | None, **common: Any) -> Self:
        """Return the stage of a definition."""
        name, within = definition["format_name"], definition["refresh_within"]
        return cls(
            session_id=session_id,
            url=definition["url"],
            format_name=None if name is None else tuple(name),
            file_type=definition["file_type"],
            options=definition["options"],
            has_directory=definition["has_directory"],
            refreshes_itself=definition["refreshes_itself"],
            refresh_within=None if within is None else tuple(within),
            **common,
        )


@dataclass(frozen=True, slots=True)
class ExternalTableRecord:
    """An external table: records of registered files of a stage, with columns computed of them.

    Args:
        object_id: the external table's object id.
        name: the full name.
        owner: the user who made the external table.
        comment: the comment, None without a comment.
        created_at: when the external table was made.
        stage_id: the object id of the stage that has the files.
        stage_name: the parts of the stage's full name when the external table was made.
        path: how the paths of the files begin, below the stage; empty for all files.
        pattern: the pattern that the paths below the location match, None for all files.
        virtual_columns: the columns after VALUE.
        partition_by: the names of the columns that are computed of a file's name alone.
        format_name: the parts of the full name of the file format, None for the type and options.
        file_type: the type of the files.
        options: the file format's options as in `FileFormatRecord`.
        skips_files: whether files with a record that cannot be read have no rows; else that is an
            error.
        refreshes_itself: whether the files are listed in the background.
        refresh_within: the places below which the background may list, as of a stage.
        dropped_at: when the external table was dropped, None for a live one.
    """

    kind: ClassVar[str] = "external table"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    stage_id: str
    stage_name: tuple[str, ...]
    path: str = ""
    pattern: str | None = None
    virtual_columns: tuple[VirtualColumn, ...] = ()
    partition_by: tuple[str, ...] = ()
    format_name: tuple[str, ...] | None = None
    file_type: str = "CSV"
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    skips_files: bool = False
    refreshes_itself: bool = False
    refresh_within: tuple[str, ...] | None = None
    dropped_at: int | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """VALUE, and the columns that are computed of it."""
        computed = (each.column for each in self.virtual_columns)
        return (Column("value", Primitive("variant")), *computed)

    @property
    def location(self) -> str:
        """The place of the files, as written in a statement."""
        return f"@{QualifiedName(*self.stage_name)}/{self.path}"

    @property
    def definition(self) -> Definition:
        """All that the external table has of its own, as kept in the registry."""
        within = self.refresh_within
        return {
            "stage_id": self.stage_id,
            "stage_name": list(self.stage_name),
            "path": self.path,
            "pattern": self.pattern,
            "virtual_columns": list(map(_column_document, self.virtual_columns)),
            "partition_by": list(self.partition_by),
            "format_name": None if self.format_name is None else list(self.format_name),
            "file_type": self.file_type,
            "options": dict(self.options),
            "skips_files": self.skips_files,
            "refreshes_itself": self.refreshes_itself,
            "refresh_within": None if within is None else list(within),
        }

    @classmethod
    def from_definition(cls, definition: Definition, session_id: str | None, **common: Any) -> Self:
        """Return the external table of a definition.

        Raises:
            ValueError: the object is temporary, as no external table is.
        """
        if session_id is not None:
            raise ValueError(session_id)
        name, within = definition["format_name"], definition["refresh_within"]
        columns = map(_read_column, definition["virtual_columns"])
        return cls(
            stage_id=definition["stage_id"],
            stage_name=tuple(definition["stage_name"]),
            path=definition["path"],
            pattern=definition["pattern"],
            virtual_columns=tuple(columns),
            partition_by=tuple(definition["partition_by"]),
            format_name=None if name is None else tuple(name),
            file_type=definition["file_type"],
            options=definition["options"],
            skips_files=definition["skips_files"],
            refreshes_itself=definition["refreshes_itself"],
            refresh_within=None if within is None else tuple(within),
            **common,
        )


def _column_document(virtual: VirtualColumn) -> Definition:
    """Return a virtual column, as kept in the registry."""
    (field_of_schema,) = schema_document([virtual.column])["fields"]
    document = {**field_of_schema, "expression": virtual.expression, "member": virtual.member}
    kind = virtual.column.type
    if isinstance(kind, Primitive) and kind.length is not None:
        # Iceberg's texts have no length
        document["length"] = kind.length
    return document


def _read_column(document: Definition) -> VirtualColumn:
    kind = parse_iceberg(document["type"])
    if isinstance(kind, Primitive) and "length" in document:
        kind = replace(kind, length=document["length"])
    column = Column(
        document["name"],
        kind,
        nullable=not document["required"],
        comment=document.get("doc"),
    )
    return VirtualColumn(column, document["expression"], document["member"])


@dataclass(frozen=True, slots=True)
class PipeRecord:
    """A pipe: a COPY INTO that loads the new files of a place, again and again.

    The pipe is bound to the table and the stage with which it was made, and to the location that
    the stage had then.

    Args:
        object_id: the pipe's object id.
        name: the full name; short names in the statement belong to the pipe's schema.
        owner: the user who made the pipe.
        comment: the comment, None without a comment.
        created_at: when the pipe was made.
        statement: the text of the COPY INTO.
        table: the parts of the full name of the table.
        table_id: the object id of the table.
        stage: the parts of the full name of the stage, None for files of a path.
        stage_id: the object id of the stage.
        stage_url: the location of the stage, None for a stage in the warehouse.
        file_format: the parts of the full name of the file format in the statement.
        has_format: whether the statement has a file format, and does not take the stage's.
        pattern: the pattern of PATTERN.
        timezone: the time zone in which the files' texts are read.
        ingests_itself: whether the pipe runs in the background.
        is_paused: whether the pipe loads nothing.
        load_within: the places below which the pipe may read, as the session might that made the
            pipe; None for all places.
        dropped_at: when the pipe was dropped, None for a live pipe.
    """

    kind: ClassVar[str] = "pipe"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    statement: str
    table: tuple[str, ...]
    table_id: str
    stage: tuple[str, ...] | None = None
    stage_id: str | None = None
    stage_url: str | None = None
    file_format: tuple[str, ...] | None = None
    has_format: bool = True
    pattern: str | None = None
    timezone: str = "UTC"
    ingests_itself: bool = False
    is_paused: bool = False
    load_within: tuple[str, ...] | None = None
    dropped_at: int | None = None

    @property
    def definition(self) -> Definition:
        """The statement, what it is bound to, and the switches, as kept in the registry."""
        return {
            "statement": self.statement,
            "table": list(self.table),
            "table_id": self.table_id,
            "stage": _as_list(self.stage),
            "stage_id": self.stage_id,
            "stage_url": self.stage_url,
            "file_format": _as_list(self.file_format),
            "has_format": self.has_format,
            "pattern": self.pattern,
            "timezone": self.timezone,
            "ingests_itself": self.ingests_itself,
            "is_paused": self.is_paused,
            "load_within": _as_list(self.load_within),
        }

    @classmethod
    def from_definition(cls, definition: Definition, session_id: str | None, **common: Any) -> Self:
        """Return the pipe of a definition.

        Raises:
            ValueError: the object is temporary, as no pipe is.
        """
        if session_id is not None:
            raise ValueError(session_id)
        parts = ("table", "stage", "file_format", "load_within")
        return cls(
            **{**definition, **{part: _as_tuple(definition[part]) for part in parts}}, **common
        )


@dataclass(frozen=True, slots=True)
class SequenceRecord:
    """A sequence: which numbers it gives out. The next number is in `catalog/next_values.py`.

    Args:
        object_id: the sequence's object id.
        name: the full name.
        owner: the user who made the sequence.
        comment: the comment, None without a comment.
        created_at: when the sequence was made.
        start: the first number.
        increment: the difference between two numbers, not 0.
        is_ordered: whether the sequence was made with ORDER.
        dropped_at: when the sequence was dropped, None for a live one.
    """

    kind: ClassVar[str] = "sequence"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    start: int = 1
    increment: int = 1
    is_ordered: bool = False
    dropped_at: int | None = None

    @property
    def definition(self) -> Definition:
        """The numbers and the order, as kept in the registry."""
        return {"start": self.start, "increment": self.increment, "is_ordered": self.is_ordered}

    @classmethod
    def from_definition(cls, definition: Definition, session_id: str | None, **common: Any) -> Self:
        """Return the sequence of a definition.

        Raises:
            ValueError: the object is temporary, as no sequence is.
        """
        if session_id is not None:
            raise ValueError(session_id)
        return cls(**definition, **common)


@dataclass(frozen=True, slots=True)
class FunctionRecord:
    """A function of a user: its name with the types of its arguments, and an expression.

    Args:
        object_id: the function's object id.
        name: the full name, whose last part has the types: `area(number, number)`.
        owner: the user who made the function.
        comment: the comment, None without a comment.
        created_at: when the function was made.
        arguments: name, type in SQL, and default of each argument; None for no default.
        returns: the type of the result in SQL.
        body: the text of the expression; short names in it are in the function's schema.
        is_strict: whether the result is NULL where an argument is.
        is_immutable: whether the function was made with IMMUTABLE.
        dropped_at: when the function was dropped, None for a live one.
    """

    kind: ClassVar[str] = "function"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    arguments: tuple[tuple[str, str, str | None], ...]
    returns: str
    body: str
    is_strict: bool = False
    is_immutable: bool = False
    dropped_at: int | None = None

    @property
    def own_name(self) -> str:
        """The name without the types of the arguments."""
        return self.name.name.rpartition("(")[0]

    @property
    def definition(self) -> Definition:
        """The arguments, the result and the expression, as kept in the registry."""
        return {
            "arguments": [list(argument) for argument in self.arguments],
            "returns": self.returns,
            "body": self.body,
            "is_strict": self.is_strict,
            "is_immutable": self.is_immutable,
        }

    @classmethod
    def from_definition(cls, definition: Definition, session_id: str | None, **common: Any) -> Self:
        """Return the function of a definition.

        Raises:
            ValueError: the object is temporary, as no function is.
        """
        if session_id is not None:
            raise ValueError(session_id)
        arguments = tuple((name, kind, default) for name, kind, default in definition["arguments"])
        return cls(**{**definition, "arguments": arguments}, **common)


def _as_list(parts: tuple[str, ...] | None) -> list[str] | None:
    return None if parts is None else list(parts)


def _as_tuple(parts: list[str] | None) -> tuple[str, ...] | None:
    return None if parts is None else tuple(parts)


DefinedRecord = (
    FileFormatRecord
    | StageRecord
    | ExternalTableRecord
    | PipeRecord
    | SequenceRecord
    | FunctionRecord
    | TaskRecord
)
DEFINED_KINDS: Mapping[str, type[DefinedRecord]] = {
    record.kind: record
    for record in (
        *(FileFormatRecord, StageRecord, ExternalTableRecord, PipeRecord),
        *(SequenceRecord, FunctionRecord, TaskRecord),
    )
}
