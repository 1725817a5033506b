"""Columns of a table: names, types, constraints, keys, partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import DefinitionRefused, Never, NotYet
from icemelt.names import find_nearest, fold
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import PrimaryKey

__all__ = [
    "at_constraint",
    "read_column",
    "read_default",
    "read_key",
    "read_partitions",
    "with_key_not_null",
]

_LATER = {
    "UNIQUE": "Unique keys are planned.",
    "FOREIGN": "Foreign keys are planned.",
    "REFERENCES": "Foreign keys are planned.",
    "CHECK": "Checks are planned.",
    "AUTOINCREMENT": "Identity columns are planned.",
    "IDENTITY": "Identity columns are planned.",
    "COLLATE": "Collations are planned.",
    "MASKING": "Masking policies are planned.",
    "AS": "Computed columns are planned.",
}
_FUNCTIONS_OF_CONTEXT = {
    "CURRENT_TIMESTAMP": "current_timestamp()",
    "CURRENT_USER": "current_user()",
}
_UNITS = {"YEAR": "years", "MONTH": "months", "DAY": "days", "HOUR": "hours"}


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column as read, and the primary key declared by the column's own constraint."""

    column: Column
    key: PrimaryKey | None = None


# Iceberg's partition transforms count in 32 bits
_LARGEST_WIDTH = 2**31 - 1


def read_column(reader: StatementReader) -> ReadColumn:
    """Read `name type [NOT NULL] [DEFAULT e] [PRIMARY KEY …] [COMMENT '…']`."""
    name = reader.read_name("column name")
    data_type = reader.read_type()
    nullable, default, comment = True, None, None
    key: PrimaryKey | None = None
    while not reader.is_at_end and not reader.is_at(",") and not reader.is_at(")"):
        if reader.take("NOT", "NULL"):
            nullable = False
        elif reader.take("NULL"):
            nullable = True
        elif reader.take("DEFAULT"):
            default = read_default(reader)
        elif reader.take("COMMENT"):
            comment = reader.read_comment()
        elif reader.take("CONSTRAINT"):
            reader.read_name("constraint name")
        elif reader.take("PRIMARY", "KEY"):
            key = PrimaryKey((name,), _read_reliance(reader))
        else:
            _refuse_constraint(reader)
            break
    return ReadColumn(Column(name, data_type, nullable, default, comment), key)


def read_default(reader: StatementReader) -> str:
    """Read a DEFAULT as Spark SQL: an expression without columns and without queries.

    CURRENT_TIMESTAMP and CURRENT_USER become Spark's functions, not values of the statement: a
    default is evaluated at every insert.

    Raises:
        DefinitionRefused: the expression holds a column, a query, or another value of the session.
    """
    node = reader.read_operand("a default")
    for part in node.walk():
        is_column = isinstance(part, exp.Column) and not is_unit(part)
        if is_column or isinstance(part, exp.Query):
            found_text = "a query" if isinstance(part, exp.Query) else part.sql("snowflake")
            message = f"A DEFAULT is an expression without columns and queries, found {found_text}."
            raise DefinitionRefused(message, hint="Use a constant, or CURRENT_TIMESTAMP().")
    text = reader.composer.compose_expression(node)
    for reference in reader.composer.slots.context:
        if reference.slot not in text:
            continue
        if reference.name not in _FUNCTIONS_OF_CONTEXT:
            message = f"A DEFAULT cannot be {reference.name}."
            raise DefinitionRefused(message, hint="Use a constant, or CURRENT_TIMESTAMP().")
        text = text.replace(reference.slot, _FUNCTIONS_OF_CONTEXT[reference.name])
    return text


def at_constraint(reader: StatementReader) -> bool:
    """Tell whether a constraint of the table is next, not a column."""
    return (
        reader.is_at("CONSTRAINT")
        or reader.is_at("PRIMARY", "KEY")
        or reader.is_at("FOREIGN", "KEY")
        or reader.is_at("UNIQUE")
        or reader.is_at("CHECK", "(")
    )


def read_key(reader: StatementReader) -> PrimaryKey:
    """Read `[CONSTRAINT n] PRIMARY KEY (a, …) [RELY | NORELY]`."""
    if reader.take("CONSTRAINT"):
        reader.read_name("constraint name")
    if not reader.is_at("PRIMARY", "KEY"):
        _refuse_constraint(reader)
    reader.need("PRIMARY", "KEY")
    columns = reader.read_names("column name")
    return PrimaryKey(columns, _read_reliance(reader))


def with_key_not_null(columns: Sequence[Column], keys: Sequence[PrimaryKey]) -> tuple[Column, ...]:
    """Return the columns of a table, with the columns of the key NOT NULL as in Snowflake.

    Raises:
        DefinitionRefused: there are two keys, or the key names a column that the table lacks.
    """
    if len(keys) > 1:
        raise DefinitionRefused("A table has one primary key.", hint="Name its columns in one key.")
    members = {fold(name) for key in keys for name in key.columns}
    table_columns = {fold(column.name) for column in columns}
    for name in (name for key in keys for name in key.columns if columns):
        if fold(name) not in table_columns:
            guess = find_nearest(name, [column.name for column in columns])
            hint = f"Did you mean '{guess}'?" if guess else "Name columns of the table."
            raise DefinitionRefused(f"The key's column '{name}' is not in the table.", hint=hint)
    return tuple(
        Column(
            column.name, column.type, nullable=False, default=column.default, comment=column.comment
        )
        if fold(column.name) in members
        else column
        for column in columns
    )


def read_partitions(reader: StatementReader) -> tuple[str, ...]:
    """Read `(a, bucket(4, b), day(c))` as partition transforms in Spark SQL."""
    reader.need("(")
    transforms = reader.read_list(lambda: _transform(reader.read_operand("a column")))
    reader.need(")")
    return tuple(transforms)


def _read_reliance(reader: StatementReader) -> bool:
    """Read the properties of a key; return whether RELY is on. Other properties have no meaning."""
    rely = False
    while True:
        if reader.take("RELY"):
            rely = True
        elif reader.take("NORELY"):
            rely = False
        elif reader.is_at("ENFORCED"):
            hint = "Leave ENFORCED out, or promise the key with RELY."
            raise Never("Primary keys are not enforced.", hint=hint)
        elif not (
            reader.take("NOT", "ENFORCED")
            or reader.take("NOT", "DEFERRABLE")
            or reader.take("INITIALLY", "IMMEDIATE")
            or reader.take_one("DISABLE", "NOVALIDATE")
        ):
            return rely


def _refuse_constraint(reader: StatementReader) -> None:
    for word, message in _LATER.items():
        if reader.word == word:
            raise NotYet(message, hint=f"Leave {word} out.")
    if reader.is_at("WITH") or reader.is_at("TAG"):
        raise NotYet("Policies and tags are not supported.", hint="Leave them out.")
    hint = "Write NOT NULL, DEFAULT …, PRIMARY KEY, COMMENT '…', or a comma."
    reader.fail(f"A column does not go on with {reader.next_text}.", hint=hint)


def _transform(node: exp.Expr) -> str:
    if isinstance(node, exp.Column) and not node.table:
        return quote(fold_identifier(node.this))
    if isinstance(node, exp.Anonymous):
        text = _transform_call(node.name.upper(), list(node.expressions))
        if text is not None:
            return text
    if isinstance(node, exp.Cast) and node.to.this == exp.DType.DATE:
        return f"days({_transform(node.this)})"
    hint = "Use a column, YEAR, MONTH, DAY, HOUR, BUCKET(n, column) or TRUNCATE(n, column)."
    raise NotYet(f"A table is not partitioned by {node.sql('snowflake')}.", hint=hint)


def _transform_call(name: str, arguments: list[exp.Expr]) -> str | None:
    columns = [column for column in arguments if isinstance(column, exp.Column)]
    numbers = [column.name for column in arguments if isinstance(column, exp.Literal)]
    if len(columns) == len(arguments) == 1:
        unit = _UNITS.get(name.removesuffix("S"), "days" if name in {"DATE", "TO_DATE"} else None)
        return None if unit is None else f"{unit}({_transform(columns[0])})"
    if len(columns) != 1 or len(numbers) != 1:
        return None
    if name in {"BUCKET", "TRUNCATE"} and numbers[0].isdecimal():
        if len(numbers[0]) > len(str(_LARGEST_WIDTH)) or int(numbers[0]) > _LARGEST_WIDTH:
            raise DefinitionRefused(
                f"{name} has a whole number up to {_LARGEST_WIDTH}, found {numbers[0][:40]}.",
                hint=f"PARTITION BY ({name}(16, column))",
            )
        return f"{name.lower()}({numbers[0]}, {_transform(columns[0])})"
    if name == "DATE_TRUNC" and numbers[0].upper() in _UNITS:
        return f"{_UNITS[numbers[0].upper()]}({_transform(columns[0])})"
    return None
