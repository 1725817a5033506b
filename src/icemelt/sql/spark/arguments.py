"""Arguments as the types that functions take: Spark refuses some, and converts others otherwise."""

from __future__ import annotations

from collections.abc import Callable

from icemelt.schema import DataType, DecimalType, Primitive
from icemelt.spark_sql.conversion import as_text, convert_value
from icemelt.sql.analysis.kinds import is_kind, kind_of
from icemelt.sql.spark.calls import Builder, Call

__all__ = [
    "bytes_or_text",
    "double",
    "entry_of",
    "has_bytes",
    "integer",
    "long",
    "text",
]

_STRING, _LONG, _DOUBLE = Primitive("string"), Primitive("long"), Primitive("double")
_MOST_INTEGER_DIGITS = 9
_UNKNOWN_OR_TEXT: tuple[DataType | None, ...] = (None, _STRING)

Convert = Callable[[Call, int], str]


def text(call: Call, position: int) -> str:
    """Return an argument as a text, written as Snowflake writes values."""
    kind, sql = kind_of(call.arguments[position]), call.sql(position)
    return sql if kind in _UNKNOWN_OR_TEXT else as_text(sql, kind)


def bytes_or_text(call: Call, position: int) -> str:
    """Return a binary unchanged, and any other argument as a text."""
    is_binary = is_kind(call.arguments[position], "binary")
    return call.sql(position) if is_binary else text(call, position)


def long(call: Call, position: int) -> str:
    """Return an argument as a whole number of 64 bits, a fraction rounded."""
    whole = call.whole(position)
    if whole is not None:
        return str(whole)
    if is_kind(call.arguments[position], "int", "long"):
        return call.sql(position)
    return convert_value(call.sql(position), kind_of(call.arguments[position]), _LONG)


def integer(call: Call, position: int) -> str:
    """Return an argument as a whole number of 32 bits, a fraction rounded."""
    whole = call.whole(position)
    if whole is not None and len(str(abs(whole))) <= _MOST_INTEGER_DIGITS:
        return str(whole)
    return f"CAST({long(call, position)} AS INT)"


def double(call: Call, position: int) -> str:
    """Return an argument as a double."""
    kind, sql = kind_of(call.arguments[position]), call.sql(position)
    if kind is None or kind == _DOUBLE:
        return sql
    if isinstance(kind, DecimalType) or is_kind(call.arguments[position], "int", "long", "float"):
        return f"CAST({sql} AS DOUBLE)"
    return convert_value(sql, kind, _DOUBLE)


def has_bytes(call: Call) -> bool:
    """Tell whether an argument is known to be a binary."""
    return any(is_kind(argument, "binary") for argument in call.arguments)


def entry_of(function: str, *counts: int, convert: Convert = text) -> Builder:
    """Return an entry for a function of texts.

    Args:
        function: the function of Spark.
        counts: how many arguments there may be; any number if empty.
        convert: returns the SQL of an argument.
    """

    def build(call: Call) -> str:
        if counts:
            call.need(*counts)
        arguments = ", ".join(convert(call, at) for at in range(len(call.arguments)))
        return f"{function}({arguments})"

    return build
