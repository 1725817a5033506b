"""Columns of a table: names, types, constraints, keys, partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import DefinitionRefused, NotYet
from icemelt.names import find_nearest, fold
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.grammar.constraints import read_column_constraint, refuse_column_clause
from icemelt.sql.grammar.sequences import next_value_default, read_identity_words
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import PrimaryKey, TableKey

__all__ = [
    "read_column",
    "read_default",
    "read_partitions",
    "with_key_not_null",
]

_FUNCTIONS_OF_CONTEXT = {
    "CURRENT_TIMESTAMP": "current_timestamp()",
    "CURRENT_USER": "current_user()",
}
_UNITS = {"YEAR": "years", "MONTH": "months", "DAY": "days", "HOUR": "hours"}


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column as read, and the keys declared by the column's own constraints."""

    column: Column
    keys: tuple[TableKey, ...] = ()


# Iceberg's partition transforms count in 32 bits
_LARGEST_WIDTH = 2**31 - 1


def read_column(reader: StatementReader) -> ReadColumn:
    """Read `name type [NOT NULL] [DEFAULT e | AUTOINCREMENT …] [PRIMARY KEY …] [UNIQUE] …`."""
    name = reader.read_name("column name")
    data_type = reader.read_type()
    nullable, default, comment = True, None, None
    keys: list[TableKey] = []
    while not reader.is_at_end and not reader.is_at(",") and not reader.is_at(")"):
        if reader.take("NOT", "NULL"):
            nullable = False
        elif reader.take("NULL"):
            nullable = True
        elif reader.take("DEFAULT"):
            default = read_default(reader)
        elif reader.take_one("AUTOINCREMENT", "IDENTITY") is not None:
            default = str(read_identity_words(reader))
        elif reader.take("COMMENT"):
            comment = reader.read_comment()
        else:
            keys += _read_keys(reader, name)
    return ReadColumn(Column(name, data_type, nullable, default, comment), tuple(keys))


def read_default(reader: StatementReader) -> str:
    """Read a DEFAULT as Spark SQL: an expression without columns and without queries.

    CURRENT_TIMESTAMP and CURRENT_USER become Spark's functions, not values of the statement: a
    default is evaluated at every insert. `sequence.NEXTVAL` stays as it is written.

    Raises:
        DefinitionRefused: the expression holds a column, a query, or another value of the session.
    """
    node = reader.read_operand("a default")
    sequence = next_value_default(node)
    if sequence is not None:
        return sequence
    for part in node.walk():
        is_column = isinstance(part, exp.Column) and not is_unit(part)
        if is_column or isinstance(part, exp.Query):
            found_text = "a query" if isinstance(part, exp.Query) else part.sql("snowflake")
            message = f"A DEFAULT is an expression without columns and queries, found {found_text}."
            raise DefinitionRefused(message, hint="Use a constant, or CURRENT_TIMESTAMP().")
    before = len(reader.composer.slots.user_functions)
    text = reader.composer.compose_expression(node)
    if len(reader.composer.slots.user_functions) > before:
        raise NotYet(
            "A DEFAULT that calls a function of a user is not supported: the function may change.",
            hint="Write the expression itself.",
        )
    for reference in reader.composer.slots.context:
        if reference.slot not in text:
            continue
        if reference.name not in _FUNCTIONS_OF_CONTEXT:
            message = f"A DEFAULT cannot be {reference.name}."
            raise DefinitionRefused(message, hint="Use a constant, or CURRENT_TIMESTAMP().")
        text = text.replace(reference.slot, _FUNCTIONS_OF_CONTEXT[reference.name])
    return text


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


def _read_keys(reader: StatementReader, column: str) -> list[TableKey]:
    """Read a constraint of a column; no key where CONSTRAINT has a name for another clause."""
    is_named = reader.is_at("CONSTRAINT")
    key = read_column_constraint(reader, column)
    if key is None and not is_named:
        refuse_column_clause(reader)
    return [] if key is None else [key]


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
