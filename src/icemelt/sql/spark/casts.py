"""Casts by Snowflake's rules: rounding to whole numbers, strings that fit the type's length."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.schema import (
    DataType,
    DecimalType,
    ListType,
    MapType,
    Primitive,
    StructType,
    spark_type,
)
from icemelt.spark_sql.conversion import convert_value, rounding_type, try_convert
from icemelt.spark_sql.moments import cut_seconds
from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.data_types import binary_length, cast_type, time_digits
from icemelt.sql.analysis.kinds import is_kind, is_numeric, kind_of, path_keys
from icemelt.sql.analysis.zoned_times import unzoned_operand
from icemelt.sql.spark.variants import access, as_variant

__all__ = ["cast", "element_cast"]

_ANY_ARRAY = "ARRAY<VARIANT>"


def cast(node: exp.Cast, render: Callable[[exp.Expr], str]) -> str:
    """Return `CAST` or `TRY_CAST` as Spark SQL; `sql.conversion` has Snowflake's rules."""
    word = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
    if node.to.this in {exp.DType.ARRAY, exp.DType.LIST} and not node.to.expressions:
        return _to_array(node.this, word, render)
    target, operand = cast_type(node.to), unzoned_operand(node.this, node.to)
    sql = None
    if isinstance(operand, (exp.JSONExtract, exp.Bracket)) and word == "CAST":
        sql = _read_inside(operand, target, render)
    sql = element_cast(operand, target, word, render) if sql is None else sql
    digits, length = time_digits(node.to), binary_length(node.to)
    if digits is not None:
        return cut_seconds(sql, digits)
    return sql if length is None else _short_enough(sql, length, word)


def _short_enough(sql: str, length: int, word: str) -> str:
    """Return a binary value within a length: a longer value is an error, NULL for TRY_CAST."""

    def check(value: str) -> str:
        refused = f"raise_error('icemelt-binary-length:{length}')" if word == "CAST" else "NULL"
        return f"CASE WHEN octet_length({value}) > {length} THEN {refused} ELSE {value} END"

    return evaluate_once(sql, check)


def element_cast(
    node: exp.Expr, target: DataType, word: str, render: Callable[[exp.Expr], str]
) -> str:
    """Return an expression cast to a type.

    Args:
        node: the expression.
        target: the type.
        word: CAST or TRY_CAST.
        render: returns the SQL of an expression.
    """
    kind, convert = kind_of(node), try_convert if word == "TRY_CAST" else convert_value
    match target:
        case Primitive("variant"):
            return as_variant(node, render)
        case Primitive("date") if is_numeric(node):
            raise NotYet("A number is not cast to DATE.", hint="Use DATE_FROM_PARTS or DATEADD.")
        case MapType() | StructType() | ListType() if kind is None:
            return convert(as_variant(node, render), Primitive("variant"), target)
        case Primitive("string", length) if length is not None:
            return _fitting(convert(render(node), kind, target), length, word)
        case _:
            return convert(render(node), kind, target)


def _fitting(text: str, length: int, word: str) -> str:
    """Return a text within a length: too long a text is an error for CAST, NULL for TRY_CAST."""

    def fit(text: str) -> str:
        if word == "TRY_CAST":
            return f"CASE WHEN length({text}) <= {length} THEN {text} END"
        refused = f"raise_error(concat('icemelt-cast-length:{length}:', left({text}, 100)))"
        return f"CASE WHEN length({text}) > {length} THEN {refused} ELSE {text} END"

    return evaluate_once(text, fit)


def _to_array(node: exp.Expr, word: str, render: Callable[[exp.Expr], str]) -> str:
    kind = kind_of(node)
    if isinstance(kind, ListType):
        return render(node)
    if is_kind(node, "string", "long", "boolean", "date") or isinstance(kind, DecimalType):
        return f"array({as_variant(node, render)})"
    return f"{word}({as_variant(node, render)} AS {_ANY_ARRAY})"


def _read_inside(node: exp.Expr, target: DataType, render: Callable[[exp.Expr], str]) -> str | None:
    """Read a constant path of a variant directly as the target type; None for other expressions."""
    if kind_of(node) != Primitive("variant"):
        return None
    if isinstance(node, exp.JSONExtract):
        keys = path_keys(node)
    else:
        literals = [index for index in node.expressions if isinstance(index, exp.Literal)]
        if len(literals) != 1:
            return None
        keys = [literals[0].name if literals[0].is_string else int(literals[0].name)]
    match target:
        case Primitive("long"):
            return f"CAST({access(node.this, keys, render, 'decimal(38,0)')} AS BIGINT)"
        case Primitive("string", length) if length is not None:
            return _fitting(access(node.this, keys, render, "string"), length, word="CAST")
        case Primitive("binary" | "boolean" | "variant"):
            return None
        case _:
            middle = rounding_type(target)
            read = access(node.this, keys, render, spark_type(middle).lower())
            return read if middle == target else f"CAST({read} AS {spark_type(target)})"
