"""Functions of numbers: powers and logarithms, angles, bits, chance.

A function of doubles that has no value for its arguments, as the root of -1, is an error; Spark
would give NULL, NaN or infinity.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.sql.analysis.kinds import is_kind
from icemelt.sql.spark.arguments import double, entry_of, has_bytes, long
from icemelt.sql.spark.calls import Builder, Call, Entry

__all__ = ["NUMBERS"]

_CHECKED = ("ACOS", "ACOSH", "ASIN", "ASINH", "ATANH", "COSH", "COT", "EXP", "LN", "SINH", "SQRT")
_BIT_HINT = "Write whole numbers, or two binaries of one length."


def _bits(operator: str, of_bytes: str) -> Builder:
    def build(call: Call) -> str:
        call.need(2)
        if not has_bytes(call):
            return f"({long(call, 0)} {operator} {long(call, 1)})"
        if not all(
            isinstance(each, exp.Null) or is_kind(each, "binary") for each in call.arguments
        ):
            call.refuse("a binary and another value are not combined.", _BIT_HINT)
        return f"{of_bytes}({call.all()})"

    return build


def _bit_not(call: Call) -> str:
    call.need(1)
    return f"icemelt_bytes_not({call.all()})" if has_bytes(call) else f"(~{long(call, 0)})"


def _shift(function: str) -> Builder:
    def build(call: Call) -> str:
        if has_bytes(call):
            call.refuse("a binary is not shifted.", "Write whole numbers.")
        return entry_of(function, 2, convert=long)(call)

    return build


def _bucket(call: Call) -> str:
    call.need(4)
    bounds = ", ".join(double(call, at) for at in range(3))
    return f"icemelt_bucket({bounds}, {long(call, 3)})"


def _uniform(call: Call) -> str:
    """Return UNIFORM: a value that the third argument decides; a constant gives the same always."""
    call.need(3)
    low, high, part = call.sql(0), call.sql(1), f"icemelt_uniform({long(call, 2)})"
    if all(is_kind(bound, "int", "long") for bound in call.arguments[:2]):
        return f"CAST(floor({low} + {part} * ({high} - {low} + 1)) AS BIGINT)"
    return f"({double(call, 0)} + {part} * ({double(call, 1)} - {double(call, 0)}))"


def _normal(call: Call) -> str:
    call.need(3)
    return f"({double(call, 0)} + {double(call, 1)} * icemelt_normal({long(call, 2)}))"


NUMBERS: Mapping[str, Entry] = {
    **{name: entry_of(f"icemelt_{name.lower()}", 1, convert=double) for name in _CHECKED},
    "LOG": entry_of("icemelt_log", 2, convert=double),
    **dict.fromkeys(("POWER", "POW"), entry_of("icemelt_power", 2, convert=double)),
    "SQUARE": lambda call: f"icemelt_power({entry_of('', 1, convert=double)(call)}, 2)",
    "FACTORIAL": entry_of("icemelt_factorial", 1, convert=long),
    "HAVERSINE": entry_of("icemelt_haversine", 4, convert=double),
    "WIDTH_BUCKET": _bucket,
    **dict.fromkeys(("BITAND", "BIT_AND"), _bits("&", "icemelt_bytes_and")),
    **dict.fromkeys(("BITOR", "BIT_OR"), _bits("|", "icemelt_bytes_or")),
    **dict.fromkeys(("BITXOR", "BIT_XOR"), _bits("^", "icemelt_bytes_xor")),
    **dict.fromkeys(("BITNOT", "BIT_NOT"), _bit_not),
    **dict.fromkeys(("BITSHIFTLEFT", "BIT_SHIFTLEFT"), _shift("icemelt_shift_left")),
    **dict.fromkeys(("BITSHIFTRIGHT", "BIT_SHIFTRIGHT"), _shift("icemelt_shift_right")),
    "GETBIT": _shift("icemelt_bit"),
    "UNIFORM": _uniform,
    "NORMAL": _normal,
}
