"""CREATE and ALTER SEQUENCE, and the words by which a column numbers its rows."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from icemelt.errors import DefinitionRefused
from icemelt.names import ObjectName
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.dialect.written_names import write_name
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterSequence,
    CreateSequence,
    Existing,
    Identity,
    RenameTable,
    SequenceAction,
    SetSequence,
    UnsetOptions,
)

__all__ = [
    "next_value_default",
    "read_alter_sequence",
    "read_create_sequence",
    "read_identity_words",
]

_NEXTVAL = "nextval"


def read_create_sequence(reader: StatementReader, existing: Existing) -> CreateSequence:
    """Read the rest of `CREATE [OR REPLACE | OR ALTER] SEQUENCE [IF NOT EXISTS]`."""
    name = reader.read_object_name("sequence")
    reader.take("WITH")
    values: dict[str, Any] = {}
    while not reader.is_at_end:
        if reader.take(","):
            continue
        if reader.take("COMMENT"):
            reader.take("=")
            values["comment"] = reader.read_comment()
        elif not _take_numbers(reader, values):
            hint = "START = 1 INCREMENT = 1 NOORDER COMMENT = '…'"
            reader.fail(f"A sequence does not go on with {reader.next_text}.", hint=hint)
    return CreateSequence(name, **values, existing=existing)


def read_alter_sequence(reader: StatementReader) -> AlterSequence:
    """Read the rest of `ALTER SEQUENCE`: `[IF EXISTS] name {RENAME TO | SET | UNSET} …`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("sequence")
    return AlterSequence(name, _read_action(reader), if_exists)


def read_identity_words(reader: StatementReader) -> Identity:
    """Read what follows AUTOINCREMENT: `(1, 10)`, or `START 1 INCREMENT 10`, and the order."""
    values: dict[str, Any] = {}
    if reader.take("("):
        values["start"] = _read_number(reader, "the first value")
        reader.need(",")
        values["increment"] = _read_increment(reader)
        reader.need(")")
    while not reader.is_at_end and _take_numbers(reader, values):
        pass
    return Identity(**values)


def next_value_default(node: exp.Expr) -> str | None:
    """Return the text of the default `sequence.NEXTVAL`, None for another expression.

    >>> next_value_default(exp.column("NEXTVAL", "S"))
    's.NEXTVAL'
    """
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return None
    *sequence, value = [fold_identifier(part) for part in node.parts]
    if not sequence or value.lower() != _NEXTVAL:
        return None
    return f"{write_name(ObjectName(tuple(sequence)))}.NEXTVAL"


def _read_action(reader: StatementReader) -> SequenceAction:
    if reader.take("RENAME"):
        reader.need("TO")
        return RenameTable(reader.read_object_name("sequence"))
    if reader.take("UNSET"):
        reader.need("COMMENT")
        return UnsetOptions(("COMMENT",))
    reader.take("SET")
    values: dict[str, Any] = {}
    while not reader.is_at_end:
        if reader.take(","):
            continue
        if reader.take("COMMENT"):
            reader.take("=")
            values["comment"] = reader.read_comment()
        elif reader.is_at("START") or not _take_numbers(reader, values):
            hint = "SET INCREMENT = 2, SET NOORDER, SET COMMENT = '…'"
            reader.fail(f"A sequence is not altered by {reader.next_text}.", hint=hint)
    if not values:
        reader.fail("Expected what to set, found the end.", hint="SET INCREMENT = 2")
    return SetSequence(**values)


def _take_numbers(reader: StatementReader, values: dict[str, Any]) -> bool:
    """Take START, INCREMENT, ORDER or NOORDER into `values`; return False for another word."""
    if reader.take("START"):
        reader.take("WITH")
        reader.take("=")
        values["start"] = _read_number(reader, "the first value")
    elif reader.take("INCREMENT"):
        reader.take("BY")
        reader.take("=")
        values["increment"] = _read_increment(reader)
    elif reader.take("ORDER"):
        values["is_ordered"] = True
    elif reader.take("NOORDER"):
        values["is_ordered"] = False
    else:
        return False
    return True


def _read_increment(reader: StatementReader) -> int:
    increment = _read_number(reader, "the increment")
    if increment == 0:
        raise DefinitionRefused(
            "The increment of a sequence is not 0.", hint="Write INCREMENT = 1."
        )
    return increment


def _read_number(reader: StatementReader, purpose: str) -> int:
    """Read a whole number with or without a sign."""
    sign = -1 if reader.take("-") else 1
    reader.take("+")
    return sign * reader.read_integer(purpose)
