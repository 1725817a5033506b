"""Table streams in Singdata's dialect: CREATE TABLE STREAM, and the words TABLE STREAM."""

from __future__ import annotations

from dataclasses import dataclass, field

from icemelt.errors import DefinitionRefused, NotYet
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import ChangeFormat, CreateStream, Existing, Point

__all__ = ["read_create_table_stream", "read_properties", "take_table_stream"]

_MODE, _INITIAL = "TABLE_STREAM_MODE", "SHOW_INITIAL_ROWS"
_MODES = {"STANDARD": ChangeFormat.DEFAULT, "APPEND_ONLY": ChangeFormat.APPEND_ONLY}
_VALUES = {_MODE: tuple(_MODES), _INITIAL: ("TRUE", "FALSE")}
_CLAUSES = ("TIMESTAMP", "COMMENT", "WITH")
_EXAMPLE = f"WITH PROPERTIES ('{_MODE}' = 'STANDARD')"
# words and signs that may follow TABLE STREAM if STREAM is the name of a table
_AFTER_TABLE_NAME = frozenset(
    {"(", ".", ",", ";", "ADD", "ALTER", "AS", "CASCADE", "CHANGE_TRACKING", "CLONE", "CLUSTER"}
    | {"COMMENT", "DROP", "LIKE", "MODIFY", "PARTITION", "PARTITIONED", "RENAME", "RESTRICT"}
    | {"RESUME", "SET", "SUSPEND", "SWAP", "TYPE", "UNSET"}
)


@dataclass(slots=True)
class _Clauses:
    """The clauses behind the source of a table stream; `words` has the first word of each."""

    point: Point | None = None
    comment: str | None = None
    properties: dict[str, str] | None = None
    words: set[str] = field(default_factory=set)


def take_table_stream(reader: StatementReader) -> bool:
    """Step over the words TABLE STREAM; return False, and stay, if STREAM is a table's name."""
    start = reader.mark()
    if not reader.take("TABLE", "STREAM"):
        return False
    if reader.is_at_end or reader.word in _AFTER_TABLE_NAME:
        reader.back(start)
        return False
    return True


def read_create_table_stream(reader: StatementReader, existing: Existing) -> CreateStream:
    """Read the rest of `CREATE [OR REPLACE] TABLE STREAM [IF NOT EXISTS]`."""
    name = reader.read_object_name("stream")
    source = _read_source(reader, name)
    clauses = _Clauses()
    while not reader.is_at_end:
        _read_clause(reader, clauses)
    if clauses.properties is None:
        reader.fail("A table stream needs its properties.", hint=f"Add {_EXAMPLE}.")
    if _MODE not in clauses.properties:
        hint = f"Write {_EXAMPLE}, or 'APPEND_ONLY'."
        raise DefinitionRefused(f"Table stream {str(name)!r} has no {_MODE}.", hint=hint)
    return CreateStream(
        name,
        source,
        "TABLE",
        clauses.point,
        _MODES[clauses.properties[_MODE]],
        show_initial_rows=clauses.properties.get(_INITIAL) == "TRUE",
        comment=clauses.comment,
        existing=existing,
        is_table_stream=True,
        context=reader.composer.slots.context,
    )


def read_properties(reader: StatementReader) -> dict[str, str]:
    """Read `('name' = 'value', …)`; return names in upper case with values as written."""
    reader.need("(")
    properties: dict[str, str] = {}
    while True:
        start = reader.mark()
        name = reader.read_string("a property").upper()
        if name in properties:
            reader.back(start)
            reader.fail(f"{name} is there twice.", hint="Write it once.")
        reader.need("=")
        properties[name] = reader.read_string("its value")
        if not reader.take(","):
            break
    if not reader.take(")"):
        reader.fail(
            f"Expected , or ), found {reader.next_text}.", hint="Close the properties with )."
        )
    return properties


def _read_source(reader: StatementReader, name: ObjectName) -> ObjectName:
    if not reader.take("ON"):
        hint = "Write ON TABLE and the table's name."
        reader.fail(f"Expected ON, found {reader.next_text}.", hint=hint)
    kind = reader.need_one("TABLE", "VIEW", "DYNAMIC", "MATERIALIZED")
    if kind == "VIEW":
        raise DefinitionRefused(
            "A table stream is on a table.",
            hint=f"CREATE STREAM {name} ON VIEW {reader.read_object_name('view')}",
        )
    if kind != "TABLE":
        raise NotYet(
            f"Table streams on a {kind.lower()} table or view are not built yet.",
            hint=f"CREATE TABLE STREAM {name} ON TABLE …",
        )
    return reader.read_object_name()


def _read_clause(reader: StatementReader, clauses: _Clauses) -> None:
    word = reader.word
    if word not in _CLAUSES:
        guess = find_nearest(word, _CLAUSES) if word else None
        hint = f"Did you mean {guess}?" if guess else "TIMESTAMP AS OF …, COMMENT '…' or WITH …."
        reader.fail(f"CREATE TABLE STREAM does not go on with {reader.next_text}.", hint=hint)
    if word in clauses.words:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    clauses.words.add(word)
    match word:
        case "TIMESTAMP":
            clauses.point = reader.composer.compose_point(reader.read_as_of())
        case "COMMENT":
            reader.skip()
            reader.take("=")
            clauses.comment = reader.read_comment()
        case _:
            reader.need("WITH")
            reader.need("PROPERTIES")
            clauses.properties = _read_known_properties(reader)


def _read_known_properties(reader: StatementReader) -> dict[str, str]:
    """Read the properties of a table stream; return names and values in upper case."""
    start = reader.mark()
    written = read_properties(reader)
    properties = {name: value.upper() for name, value in written.items()}
    for name, value in properties.items():
        if name not in _VALUES:
            reader.back(start)
            guess = find_nearest(name, _VALUES)
            hint = f"Did you mean {guess}?" if guess else f"They are {' and '.join(_VALUES)}."
            reader.fail(f"A table stream has no property {name!r}.", hint=hint)
        if value not in _VALUES[name]:
            reader.back(start)
            guess = find_nearest(value, _VALUES[name])
            hint = f"Did you mean '{guess}'?" if guess else f"'{name}' = '{_VALUES[name][0]}'"
            choices = " or ".join(f"'{choice}'" for choice in _VALUES[name])
            reader.fail(f"{name} is {choices}; found {written[name]!r}.", hint=hint)
    return properties
