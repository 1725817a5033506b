"""BOOLAND, TO_BOOLEAN and the like: numbers and texts as truth values."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.schema import DecimalType, Primitive
from icemelt.spark_sql.conversion import convert_value, try_convert
from icemelt.sql.analysis.kinds import is_kind, kind_of
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["LOGIC"]

_BOOLEAN = Primitive("boolean")


def _truth(call: Call, position: int) -> str:
    """Return a truth value: a boolean unchanged, or whether a rounded number differs from 0."""
    argument, sql = call.arguments[position], call.sql(position)
    if is_kind(argument, "boolean"):
        return sql
    if is_kind(argument, "int", "long"):
        return f"({sql} <> 0)"
    number = sql if isinstance(kind_of(argument), DecimalType) else f"CAST({sql} AS DOUBLE)"
    return f"(round({number}) <> 0)"


def _both(operator: str) -> Entry:
    def build(call: Call) -> str:
        call.need(2)
        return f"({_truth(call, 0)} {operator} {_truth(call, 1)})"

    return build


def _not(call: Call) -> str:
    call.need(1)
    return f"(NOT {_truth(call, 0)})"


def _to_boolean(call: Call) -> str:
    call.need(1)
    return convert_value(call.sql(0), kind_of(call.arguments[0]), _BOOLEAN)


def _try_to_boolean(call: Call) -> str:
    call.need(1)
    return try_convert(call.sql(0), kind_of(call.arguments[0]), _BOOLEAN)


LOGIC: Mapping[str, Entry] = {
    "BOOLAND": _both("AND"),
    "BOOLOR": _both("OR"),
    "BOOLXOR": _both("<>"),
    "BOOLNOT": _not,
    "TO_BOOLEAN": _to_boolean,
    "TRY_TO_BOOLEAN": _try_to_boolean,
}
