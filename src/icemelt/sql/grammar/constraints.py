"""Constraints of tables: PRIMARY KEY, UNIQUE, FOREIGN KEY and REFERENCES. None is enforced."""

from __future__ import annotations

from typing import NoReturn

from icemelt.errors import DefinitionRefused, Never, NotYet
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import DropConstraint, ForeignKey, PrimaryKey, TableKey, UniqueKey

__all__ = [
    "at_constraint",
    "read_cascade",
    "read_column_constraint",
    "read_constraint",
    "read_constraint_drop",
    "refuse_column_clause",
]

_LATER = {
    "CHECK": "Checks are planned.",
    "AUTOINCREMENT": "Identity columns are planned.",
    "IDENTITY": "Identity columns are planned.",
    "COLLATE": "Collations are planned.",
    "MASKING": "Masking policies are planned.",
    "AS": "Computed columns are planned.",
}
# what Snowflake reads of a constraint, in words that it does not heed either
_UNHEEDED = (
    ("NOT", "ENFORCED"),
    ("NOT", "DEFERRABLE"),
    ("DEFERRABLE",),
    ("INITIALLY", "IMMEDIATE"),
    ("INITIALLY", "DEFERRED"),
    ("ENABLE",),
    ("DISABLE",),
    ("NOVALIDATE",),
    ("VALIDATE",),
    ("MATCH", "FULL"),
    ("MATCH", "SIMPLE"),
    ("MATCH", "PARTIAL"),
)
_EVENTS = ("DELETE", "UPDATE")


def at_constraint(reader: StatementReader) -> bool:
    """Tell whether a constraint of the table is next, not a column."""
    return (
        reader.is_at("CONSTRAINT")
        or reader.is_at("PRIMARY", "KEY")
        or reader.is_at("FOREIGN", "KEY")
        or reader.is_at("UNIQUE")
        or reader.is_at("CHECK", "(")
    )


def read_constraint(reader: StatementReader) -> TableKey:
    """Read `[CONSTRAINT n] {PRIMARY KEY | UNIQUE | FOREIGN KEY} (a, …) …` of a table."""
    name = reader.read_name("constraint name") if reader.take("CONSTRAINT") else None
    if reader.take("FOREIGN", "KEY"):
        columns = reader.read_names("column name")
        return _read_references(reader, columns, name)
    if reader.take("UNIQUE"):
        return UniqueKey(reader.read_names("column name"), _read_reliance(reader), name)
    if not reader.is_at("PRIMARY", "KEY"):
        refuse_column_clause(reader)
    reader.need("PRIMARY", "KEY")
    return PrimaryKey(reader.read_names("column name"), _read_reliance(reader), name)


def read_column_constraint(reader: StatementReader, column: str) -> TableKey | None:
    """Read `[CONSTRAINT n] {PRIMARY KEY | UNIQUE | [FOREIGN KEY] REFERENCES …}` of a column.

    None where the next words are no such constraint, as NOT NULL behind CONSTRAINT.

    Args:
        reader: stands behind the type of the column, or behind a clause.
        column: the name of the column.
    """
    name = reader.read_name("constraint name") if reader.take("CONSTRAINT") else None
    if reader.take("PRIMARY", "KEY"):
        return PrimaryKey((column,), _read_reliance(reader), name)
    if reader.take("UNIQUE"):
        return UniqueKey((column,), _read_reliance(reader), name)
    if reader.take("FOREIGN", "KEY") or reader.is_at("REFERENCES"):
        return _read_references(reader, (column,), name)
    return None


def read_constraint_drop(reader: StatementReader) -> DropConstraint | None:
    """Read the rest of `DROP {CONSTRAINT n | UNIQUE (…) | FOREIGN KEY (…)}`; None for others."""
    found = None
    if reader.take("CONSTRAINT"):
        found = DropConstraint(reader.read_name("constraint name"))
    elif reader.take("UNIQUE"):
        found = DropConstraint(None, "UNIQUE", reader.read_names("column name"))
    elif reader.take("FOREIGN", "KEY"):
        found = DropConstraint(None, "FOREIGN KEY", reader.read_names("column name"))
    if found is not None:
        read_cascade(reader)
    return found


def read_cascade(reader: StatementReader) -> None:
    """Step over CASCADE, which is meant without it as well.

    Raises:
        NotYet: RESTRICT is written.
    """
    if not reader.take("CASCADE") and reader.is_at("RESTRICT"):
        raise NotYet(
            "DROP of a key with RESTRICT is not supported: foreign keys that reference it go with "
            "it.",
            hint="SHOW EXPORTED KEYS IN TABLE … lists them. Leave RESTRICT out.",
        )


def refuse_column_clause(reader: StatementReader) -> NoReturn:
    """Raise for a clause that no column or table of icemelt has."""
    for word, message in _LATER.items():
        if reader.word == word:
            raise NotYet(message, hint=f"Leave {word} out.")
    if reader.is_at("WITH") or reader.is_at("TAG"):
        raise NotYet("Policies and tags are not supported.", hint="Leave them out.")
    hint = "Write NOT NULL, DEFAULT …, PRIMARY KEY, UNIQUE, REFERENCES …, COMMENT '…', or a comma."
    reader.fail(f"A column does not go on with {reader.next_text}.", hint=hint)


def _read_references(
    reader: StatementReader, columns: tuple[str, ...], name: str | None
) -> ForeignKey:
    """Read `REFERENCES table [(a, …)] [ON DELETE …] …`.

    Args:
        reader: stands at REFERENCES.
        columns: the columns of the foreign key.
        name: the name of the constraint, None where none is written.
    """
    reader.need("REFERENCES")
    table = reader.read_object_name()
    referenced = reader.read_names("column name") if reader.is_at("(") else ()
    if referenced and len(referenced) != len(columns):
        raise DefinitionRefused(
            f"The foreign key has {len(columns)} columns, and references {len(referenced)}.",
            hint="Name as many columns behind REFERENCES.",
        )
    return ForeignKey(columns, table, referenced, _read_reliance(reader), name)


def _read_reliance(reader: StatementReader) -> bool:
    """Read the properties of a key; return whether RELY is on. Other properties have no meaning."""
    rely = False
    while True:
        if reader.take("RELY"):
            rely = True
        elif reader.take("NORELY"):
            rely = False
        elif reader.is_at("ENFORCED"):
            hint = "Leave ENFORCED out; RELY promises a primary key."
            raise Never("Keys are not enforced.", hint=hint)
        elif not (any(reader.take(*words) for words in _UNHEEDED) or _take_event(reader)):
            return rely


def _take_event(reader: StatementReader) -> bool:
    """Step over `ON DELETE NO ACTION` and its like; others than NO ACTION would be enforced."""
    if not reader.take("ON"):
        return False
    event = reader.need_one(*_EVENTS)
    if not (reader.take("NO", "ACTION") or reader.take("RESTRICT")):
        raise Never(
            f"ON {event} of a foreign key does nothing: keys are not enforced.",
            hint=f"Leave it out, or write ON {event} NO ACTION.",
        )
    return True
