"""SET and UNSET of session variables."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import NameRefused
from icemelt.names import fold
from icemelt.spark_sql.own_columns import METADATA_COLUMNS
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import Query, SetVariables, UnsetVariables

__all__ = ["read_set", "read_unset", "validate_variable"]

# `$ACTION` is METADATA$ACTION
_TAKEN = tuple(name.removeprefix("METADATA$") for name in METADATA_COLUMNS)


def read_set(reader: StatementReader) -> SetVariables:
    """Read `SET name = e`, `SET (a, b) = (e, f)` or `SET (a, b) = (SELECT …)`."""
    reader.need("SET")
    if not reader.is_at("("):
        name = _read_variable(reader)
        _need_equals(reader, name)
        return SetVariables((name,), _compose_row(reader, [reader.read_expression("a value")]))
    names = _read_variables(reader)
    _need_equals(reader, f"({', '.join(names)})")
    if not reader.is_at("(", "SELECT") and not reader.is_at("(", "WITH"):
        return SetVariables(names, _read_values(reader, names))
    reader.need("(")
    query = reader.read_query()
    reader.need(")")
    return SetVariables(names, reader.composer.compose_query(query))


def read_unset(reader: StatementReader) -> UnsetVariables:
    """Read `UNSET name` or `UNSET (a, b)`."""
    reader.need("UNSET")
    if reader.is_at("("):
        return UnsetVariables(_read_variables(reader))
    return UnsetVariables((_read_variable(reader),))


def validate_variable(name: str) -> str:
    """Return the folded name of a variable, after `$ACTION` and its like are refused.

    >>> validate_variable("My_Table")
    'my_table'
    """
    if name.upper() in _TAKEN:
        raise NameRefused(
            f"${name.upper()} is METADATA${name.upper()}, and no variable.",
            hint="Choose another name for the variable.",
        )
    return fold(name)


def _read_values(reader: StatementReader, names: tuple[str, ...]) -> Query:
    """Read a value in parentheses for each name."""
    reader.need("(")
    values = reader.read_list(lambda: reader.read_expression("a value"))
    reader.need(")")
    if len(values) != len(names):
        reader.fail(
            f"There are {len(names)} variables and {len(values)} values.",
            hint="Write one value for each variable.",
        )
    return _compose_row(reader, values)


def _compose_row(reader: StatementReader, values: list[exp.Expr]) -> Query:
    """Return the query that gives the values in one row."""
    columns = [exp.alias_(value, f"v{at}", quoted=True) for at, value in enumerate(values)]
    return reader.composer.compose_query(exp.Select(expressions=columns))


def _read_variables(reader: StatementReader) -> tuple[str, ...]:
    reader.need("(")
    names = reader.read_list(lambda: _read_variable(reader))
    reader.need(")")
    for at, name in enumerate(names):
        if name in names[:at]:
            reader.fail(f"Variable {name!r} is there twice.", hint="Write it once.")
    return tuple(names)


def _read_variable(reader: StatementReader) -> str:
    if reader.is_at("$"):
        reader.fail("A variable is set without its $.", hint="SET x = 5, then SELECT $x.")
    return validate_variable(reader.read_name("variable name"))


def _need_equals(reader: StatementReader, written: str) -> None:
    if not reader.take("="):
        hint = f"SET {written} = …; a session's settings: ALTER SESSION SET …."
        reader.fail(f"Expected = after {written}, found {reader.next_text}.", hint=hint)
