"""Databases and schemas; DROP and UNDROP of every kind of object."""

from __future__ import annotations

from icemelt.names import ObjectName
from icemelt.sql.dialect.written_names import write_name
from icemelt.sql.grammar.clones import read_clone
from icemelt.sql.grammar.functions import read_signature
from icemelt.sql.grammar.options import read_option_names, read_options
from icemelt.sql.grammar.refusals import refuse_sharing, require_known_kind
from icemelt.sql.grammar.table_streams import take_table_stream
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterContainer,
    CreateClone,
    CreateContainer,
    Drop,
    Existing,
    ObjectKind,
    SetOptions,
    Undrop,
    UnsetOptions,
)

__all__ = [
    "read_alter_container",
    "read_create_container",
    "read_drop",
    "read_kind",
    "read_name_of",
    "read_undrop",
    "take_kind",
]

# the kinds of two words, in the order in which they are looked for
_LONG_KINDS = {
    ObjectKind.FILE_FORMAT: ("FILE", "FORMAT"),
    ObjectKind.EXTERNAL_TABLE: ("EXTERNAL", "TABLE"),
}
_KINDS = (
    *("TABLE", "SCHEMA", "DATABASE", "STREAM", "VIEW", "STAGE", "PIPE", "SEQUENCE", "FUNCTION"),
    "TASK",
)


def read_create_container(
    reader: StatementReader, kind: ObjectKind, existing: Existing
) -> CreateContainer | CreateClone:
    """Read the rest of `CREATE [OR REPLACE] {DATABASE | SCHEMA} [IF NOT EXISTS]`.

    Args:
        reader: stands at the container's name.
        kind: DATABASE or SCHEMA.
        existing: says how CREATE treats an object of the same name.
    """
    name = reader.read_object_name(kind.value)
    refuse_sharing(reader, "REPLICA")
    if reader.is_at("CLONE"):
        return read_clone(reader, kind, name, existing)
    options = read_options(reader)
    return CreateContainer(kind, name, existing, options)


def read_alter_container(reader: StatementReader) -> AlterContainer:
    """Read `ALTER {DATABASE | SCHEMA} [IF EXISTS] name {SET | UNSET} …`."""
    reader.need("ALTER")
    kind = ObjectKind[reader.need_one("DATABASE", "SCHEMA")]
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name(kind.value)
    refuse_sharing(reader, "REFRESH", "PRIMARY")
    action: SetOptions | UnsetOptions
    if reader.need_one("SET", "UNSET") == "SET":
        action = SetOptions(read_options(reader))
    else:
        action = UnsetOptions(read_option_names(reader))
    return AlterContainer(kind, name, action, if_exists)


def read_drop(reader: StatementReader) -> Drop:
    """Read `DROP kind [IF EXISTS] name …`, of each `ObjectKind`, and of a TABLE STREAM."""
    reader.need("DROP")
    require_known_kind(reader, "DROP")
    kind = _read_kind(reader)
    if_exists = reader.take("IF", "EXISTS")
    name = read_name_of(reader, kind)
    if kind is ObjectKind.TASK and (reader.is_at("CASCADE") or reader.is_at("RESTRICT")):
        reader.fail(
            f"DROP TASK has no {reader.word}: it drops one task.",
            hint=f"DROP TASK {write_name(name)}; its children stay.",
        )
    cascade = reader.take_one("CASCADE", "RESTRICT") != "RESTRICT"
    return Drop(kind, name, if_exists, cascade)


def read_undrop(reader: StatementReader) -> Undrop:
    """Read `UNDROP kind name`, of each `ObjectKind`."""
    reader.need("UNDROP")
    require_known_kind(reader, "UNDROP")
    kind = _read_kind(reader)
    return Undrop(kind, read_name_of(reader, kind))


def _read_kind(reader: StatementReader) -> ObjectKind:
    if take_table_stream(reader):
        return ObjectKind.STREAM
    return read_kind(reader)


def read_kind(reader: StatementReader) -> ObjectKind:
    """Read the words for a kind of object: `TABLE`, `FILE FORMAT`."""
    kind = take_kind(reader)
    if kind is not None:
        return kind
    for words in _LONG_KINDS.values():
        if reader.is_at(words[0]):
            reader.need(*words)
    return ObjectKind[reader.need_one(*_KINDS, *map(" ".join, _LONG_KINDS.values()))]


def read_name_of(reader: StatementReader, kind: ObjectKind) -> ObjectName:
    """Read the name of an object: of a function with the types of its arguments."""
    if kind is ObjectKind.FUNCTION:
        return read_signature(reader)
    return reader.read_object_name(kind.value)


def take_kind(reader: StatementReader) -> ObjectKind | None:
    """Take the words for a kind of object, if they are next; else return None."""
    for kind, words in _LONG_KINDS.items():
        if reader.take(*words):
            return kind
    word = reader.take_one(*_KINDS)
    return None if word is None else ObjectKind[word]
