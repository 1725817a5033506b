"""ROUND, CEIL, FLOOR and TRUNC: of exact numbers by Spark, of doubles by icemelt's own functions.

Spark's CEIL and FLOOR make a whole number of 64 bits of a double, the nearest if it is longer.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.schema import DecimalType, spark_type
from icemelt.sql.analysis.kinds import MAX_DIGITS, exact_digits, is_kind, kind_of
from icemelt.sql.spark.arguments import double, integer
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["ROUNDING", "truncate_number"]

# the digits of a number: more would cost Java time in vain
_MOST = 38
_MODES = {
    "HALF_AWAY_FROM_ZERO": ("round", "icemelt_round"),
    "HALF_TO_EVEN": ("bround", "icemelt_round_even"),
}
# of an exact number and digits that each row has, by Java
_OF_EACH_ROW = {
    "round": "HALF_UP",
    "bround": "HALF_EVEN",
    "ceil": "CEILING",
    "floor": "FLOOR",
    "truncate": "DOWN",
}


def truncate_number(call: Call) -> str:
    """Return a number without the digits behind the given ones."""
    if is_kind(call.arguments[0], "float", "double", "string"):
        return _of_double(call, "icemelt_truncate")
    if _is_null(call):
        return _null(call)
    of_each_row = _of_each_row(call, "truncate")
    if of_each_row is not None:
        return of_each_row
    number, digits = call.sql(0), _digits(call)
    return f"CASE WHEN {number} >= 0 THEN floor({number}{digits}) ELSE ceil({number}{digits}) END"


def _rounding(exact: str, floating: str) -> Entry:
    def build(call: Call) -> str:
        call.need(1, 2)
        return _rounded(call, exact, floating)

    return build


def _round(call: Call) -> str:
    call.need(1, 2, 3)
    modes = _MODES["HALF_AWAY_FROM_ZERO"]
    if len(call.arguments) > 2:  # noqa: PLR2004 - the mode
        written = (call.text(2) or "").upper()
        if written not in _MODES:
            call.refuse("the mode is not known.", f"Write one of {', '.join(map(repr, _MODES))}.")
        modes = _MODES[written]
    return _rounded(call, *modes)


def _rounded(call: Call, exact: str, floating: str) -> str:
    if is_kind(call.arguments[0], "float", "double", "string"):
        return _of_double(call, floating)
    if _is_null(call):
        return _null(call)
    return _of_each_row(call, exact) or f"{exact}({call.render(call.arguments[0])}{_digits(call)})"


def _of_double(call: Call, function: str) -> str:
    digits = integer(call, 1) if len(call.arguments) > 1 else "0"
    return f"{function}({double(call, 0)}, {digits})"


def _of_each_row(call: Call, function: str) -> str | None:
    """Return an exact number of the same digits, rounded to as many as each row says.

    None where the digits are a literal, or the number is not known to be exact.
    """
    exact = exact_digits(kind_of(call.arguments[0]))
    if exact is None or len(call.arguments) == 1 or call.whole(1) is not None:
        return None
    number = f"CAST({call.render(call.arguments[0])} AS STRING)"
    rounded = f"icemelt_rounded({number}, {integer(call, 1)}, '{_OF_EACH_ROW[function]}')"
    kind = DecimalType(min(MAX_DIGITS, exact.precision + 1), exact.scale)
    return f"CAST({rounded} AS {spark_type(kind)})"


def _is_null(call: Call) -> bool:
    return len(call.arguments) > 1 and isinstance(call.arguments[1].unnest(), exp.Null)


def _null(call: Call) -> str:
    """Return a NULL of the number's type: Spark takes NULL digits for none."""
    return f"if(true, NULL, {call.render(call.arguments[0])})"


def _digits(call: Call) -> str:
    if len(call.arguments) == 1:
        return ""
    whole = call.whole(1)
    if whole is not None and abs(whole) <= _MOST:
        return f", {call.render(call.arguments[1])}"
    clamped = f"greatest(least(CAST({call.sql(1)} AS BIGINT), {_MOST}L), -{_MOST}L)"
    return f", CAST({clamped} AS INT)"


ROUNDING: Mapping[str, Entry] = {
    "ROUND": _round,
    "BROUND": _rounding("bround", "icemelt_round_even"),
    **dict.fromkeys(("CEIL", "CEILING"), _rounding("ceil", "icemelt_ceil")),
    "FLOOR": _rounding("floor", "icemelt_floor"),
}
