"""The kinds of objects in a schema, with the hint for a name that belongs to another kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from icemelt.catalog.defined_records import (
    DefinedRecord,
    ExternalTableRecord,
    FileFormatRecord,
    FunctionRecord,
    PipeRecord,
    SequenceRecord,
    StageRecord,
    TaskRecord,
)
from icemelt.catalog.records import (
    InformationRecord,
    ReadableObject,
    SchemaObject,
    StreamRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.errors import WrongObjectKind
from icemelt.names import QualifiedName

__all__ = ["KINDS", "SchemaKind", "find_external_table", "require_rows"]


@dataclass(frozen=True, slots=True)
class SchemaKind:
    """A kind of object in a schema, with the words of the statements about the kind.

    Args:
        record: the record in the registry; its `kind` is the name of the kind.
        free_name: returns the statement that frees an object's name for another object.
        create_again: returns how to create the object again, where UNDROP finds no dropped one.
        instead: returns what to type where this kind is expected, and the name belongs to the given
            object of another kind.
        rows: returns what to name where rows are to be written, and the name belongs to the given
            object; None for a kind that has rows of its own.
    """

    record: type[SchemaObject]
    free_name: Callable[[QualifiedName], str]
    create_again: Callable[[QualifiedName], str]
    instead: Callable[[SchemaObject], str]
    rows: Callable[[SchemaObject], str] | None = None

    @property
    def name(self) -> str:
        """The name of the kind: `stream`."""
        return self.record.kind

    @property
    def word(self) -> str:
        """The name at the beginning of a sentence: `Stream`."""
        return self.name.capitalize()

    @property
    def with_article(self) -> str:
        """The name in a sentence: `a stream`, `an external table`."""
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"

    @property
    def keyword(self) -> str:
        """The name in a statement: `STREAM`."""
        return self.name.upper()


def _write_kind(found: SchemaObject) -> str:
    if isinstance(found, InformationRecord):
        return _read_information(found)
    return f"Write {found.kind.upper()}."


def _read_information(found: SchemaObject) -> str:
    return f"Its rows are what icemelt knows of objects: SELECT * FROM {found.name}"


def _other_than_stream(found: SchemaObject) -> str:
    if isinstance(found, InformationRecord):
        return _read_information(found)
    if isinstance(found, TableRecord):
        return f"CREATE STREAM name ON TABLE {found.name}"
    return "Name a stream that it reads."


def _source_of(found: SchemaObject) -> str:
    if isinstance(found, StreamRecord):
        return f"Name its {found.source_kind}, {found.source.name}."
    return "Name a table."


_ALL_KINDS = (
    SchemaKind(
        TableRecord,
        free_name=lambda name: f"ALTER TABLE {name} RENAME TO another_name",
        create_again=lambda _: "SHOW TABLES HISTORY lists what was dropped.",
        instead=_write_kind,
    ),
    SchemaKind(
        StreamRecord,
        free_name=lambda name: f"DROP STREAM {name}",
        create_again=lambda name: (
            f"CREATE STREAM {name} ON TABLE … AT (…) makes another from a point."
        ),
        instead=_other_than_stream,
        rows=_source_of,
    ),
    SchemaKind(
        ViewRecord,
        free_name=lambda name: f"ALTER VIEW {name} RENAME TO another_name",
        create_again=lambda name: f"CREATE VIEW {name} AS … makes it anew.",
        instead=_write_kind,
        rows=lambda _: "Name a table that it reads; SHOW VIEWS has its text.",
    ),
    SchemaKind(
        FileFormatRecord,
        free_name=lambda name: f"ALTER FILE FORMAT {name} RENAME TO another_name",
        create_again=lambda name: f"CREATE FILE FORMAT {name} TYPE = … makes it anew.",
        instead=lambda _: "SHOW FILE FORMATS lists the file formats.",
        rows=lambda found: (
            f"COPY INTO t FROM '/path' FILE_FORMAT = (FORMAT_NAME = {found.name}) loads files."
        ),
    ),
    SchemaKind(
        StageRecord,
        free_name=lambda name: f"ALTER STAGE {name} RENAME TO another_name",
        create_again=lambda name: f"CREATE STAGE {name} URL = '…' makes it anew.",
        instead=lambda _: "SHOW STAGES lists the stages.",
        rows=lambda found: f"SELECT $1 FROM @{found.name} reads its files, COPY INTO loads them.",
    ),
    SchemaKind(
        ExternalTableRecord,
        free_name=lambda name: f"ALTER EXTERNAL TABLE {name} RENAME TO another_name",
        create_again=lambda name: f"CREATE EXTERNAL TABLE {name} (…) LOCATION = … makes it anew.",
        instead=_write_kind,
        rows=lambda found: (
            f"CREATE TABLE t AS SELECT * FROM {found.name} keeps its rows; its files are others'."
        ),
    ),
    SchemaKind(
        PipeRecord,
        free_name=lambda name: f"DROP PIPE {name}",
        create_again=lambda name: f"CREATE PIPE {name} AS COPY INTO … makes it anew.",
        instead=lambda _: "SHOW PIPES lists the pipes.",
        rows=lambda found: (
            f"SELECT SYSTEM$PIPE_STATUS('{found.name}') tells of it; name the table that it loads."
        ),
    ),
    SchemaKind(
        SequenceRecord,
        free_name=lambda name: f"ALTER SEQUENCE {name} RENAME TO another_name",
        create_again=lambda name: f"CREATE SEQUENCE {name} makes it anew.",
        instead=lambda _: "SHOW SEQUENCES lists the sequences.",
        rows=lambda found: f"SELECT {found.name}.NEXTVAL gives its next number.",
    ),
    SchemaKind(
        FunctionRecord,
        free_name=lambda name: f"DROP FUNCTION {name}",
        create_again=lambda name: f"CREATE FUNCTION {name.name} … makes it anew.",
        instead=lambda _: "SHOW USER FUNCTIONS lists the functions.",
        rows=lambda found: f"SELECT {found.name.name} calls it.",
    ),
    SchemaKind(
        TaskRecord,
        free_name=lambda name: f"DROP TASK {name}",
        create_again=lambda name: f"CREATE TASK {name} … AS … makes it anew.",
        instead=lambda _: "SHOW TASKS lists the tasks.",
    ),
    SchemaKind(
        InformationRecord,
        free_name=lambda _: "Choose a name in another schema",
        create_again=lambda _: "icemelt makes it of what the registry has.",
        instead=_read_information,
        rows=_read_information,
    ),
)
KINDS: Mapping[str, SchemaKind] = {kind.name: kind for kind in _ALL_KINDS}


def require_rows(found: SchemaObject) -> ReadableObject:
    """Return an object that can stand in FROM.

    Raises:
        WrongObjectKind: the object is of a kind without rows.
    """
    if isinstance(found, ExternalTableRecord) or not isinstance(found, DefinedRecord):
        return found
    rows = KINDS[found.kind].rows
    raise WrongObjectKind(
        f"{str(found.name)!r} is {KINDS[found.kind].with_article}: it has no rows.",
        hint="Name a table." if rows is None else rows(found),
    )


def find_external_table(record: SchemaObject) -> ExternalTableRecord | None:
    """Return the external table whose files an object has, a stream on one included."""
    source = record.source if isinstance(record, StreamRecord) else record
    return source if isinstance(source, ExternalTableRecord) else None
