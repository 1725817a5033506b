"""String functions: positions, trimming, binaries, capital letters."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.quoting import text_literal
from icemelt.schema import Primitive
from icemelt.spark_sql.conversion import convert_value, try_convert
from icemelt.sql.analysis.kinds import is_kind, is_variant, kind_of
from icemelt.sql.spark.calls import Call, Entry, null_if_any
from icemelt.sql.spark.patterns import quote_pattern

__all__ = ["STRINGS"]

_WORD_ENDS = r'\s!?@"\^#$&~_,.:;+\-*%/|\\\[\](){}<>'


def _position(call: Call) -> str:
    """Return POSITION: bytes are counted in binaries, and a NULL start gives NULL.

    Spark would find nothing (0) with a NULL start.
    """
    call.need(2, 3)
    sides = [
        f"decode({call.sql(at)}, 'ISO-8859-1')"
        if is_kind(call.arguments[at], "binary")
        else call.sql(at)
        for at in range(2)
    ]
    if len(call.arguments) == 2:  # noqa: PLR2004 - no place to begin
        return f"locate({', '.join(sides)})"
    start = call.sql(2)
    return f"if({start} IS NULL, NULL, locate({', '.join(sides)}, CAST({start} AS INT)))"


def _trim(where: str) -> Mapping[int, str]:
    plain = {"BOTH": "trim({0})", "LEADING": "ltrim({0})", "TRAILING": "rtrim({0})"}
    return {1: plain[where], 2: f"trim({where} {{1}} FROM {{0}})"}


def _to_binary(call: Call, *, safe: bool) -> str:
    call.need(1, 2)
    form = (call.text(1) or "").upper() if len(call.arguments) > 1 else "HEX"
    if form not in {"HEX", "UTF-8", "UTF8", "BASE64"}:
        call.refuse("the format is not known.", "Write 'HEX', 'UTF-8' or 'BASE64'.")
    kind = kind_of(call.arguments[0])
    if form == "HEX" and not is_variant(call.arguments[0]):
        convert = try_convert if safe else convert_value
        return convert(call.sql(0), kind, Primitive("binary"))
    function = "try_to_binary" if safe else "to_binary"
    return f"{function}({call.sql(0)}, '{form.replace('UTF8', 'UTF-8').lower()}')"


def _initcap(call: Call) -> str:
    call.need(1, 2)
    delimiters = "" if len(call.arguments) == 1 else call.text(1)
    if delimiters is None:
        call.refuse("the delimiters are not a literal.", "Write them as a string literal.")
    if len(call.arguments) > 1 and not delimiters:
        return f"concat(upper(left({call.sql(0)}, 1)), lower(substr({call.sql(0)}, 2)))"
    ends = quote_pattern(delimiters) if delimiters else _WORD_ENDS
    pattern = text_literal(f"[^{ends}]+|[{ends}]+")
    words = f"regexp_extract_all(lower({call.sql(0)}), {pattern}, 0)"
    return f"array_join(transform({words}, w -> concat(upper(left(w, 1)), substr(w, 2))), '')"


STRINGS: Mapping[str, Entry] = {
    **dict.fromkeys(("LENGTH", "LEN", "CHAR_LENGTH", "CHARACTER_LENGTH"), "length({0})"),
    "TRIM": _trim("BOTH"),
    "LTRIM": _trim("LEADING"),
    "RTRIM": _trim("TRAILING"),
    "CONCAT_WS": null_if_any("concat_ws"),
    **dict.fromkeys(("CHARINDEX", "POSITION"), _position),
    "INSERT": "overlay({0} PLACING {3} FROM CAST({1} AS INT) FOR CAST({2} AS INT))",
    "TO_BINARY": lambda call: _to_binary(call, safe=False),
    "TRY_TO_BINARY": lambda call: _to_binary(call, safe=True),
    "INITCAP": _initcap,
    "UUID_STRING": "uuid()",
    "COLLATE": lambda call: call.refuse("collations are planned.", "Compare LOWER(…) values."),
}
