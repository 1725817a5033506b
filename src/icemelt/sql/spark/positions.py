"""Positions and parts of texts and binaries, by places that count from 1."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.kinds import is_kind
from icemelt.sql.spark.arguments import bytes_or_text, entry_of, has_bytes, integer, text
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["POSITIONS"]


def _position(call: Call) -> str:
    """Return POSITION: bytes are counted in binaries, and a NULL start gives NULL.

    Spark would find nothing (0) with a NULL start.
    """
    call.need(2, 3)
    sides = [
        f"decode({call.sql(at)}, 'ISO-8859-1')"
        if is_kind(call.arguments[at], "binary")
        else text(call, at)
        for at in range(2)
    ]
    if len(call.arguments) == 2:  # noqa: PLR2004 - no place to begin
        return f"locate({', '.join(sides)})"
    start = integer(call, 2)
    if call.whole(2) is not None:
        return f"locate({', '.join(sides)}, {start})"
    return f"if({call.sql(2)} IS NULL, NULL, locate({', '.join(sides)}, {start}))"


def _left(call: Call) -> str:
    call.need(2)
    return f"left({bytes_or_text(call, 0)}, {integer(call, 1)})"


def _right(call: Call) -> str:
    """Return RIGHT; Spark's own would make a text of a binary."""
    call.need(2)
    count = integer(call, 1)
    if not has_bytes(call):
        return f"right({text(call, 0)}, {count})"

    def cut(value: str) -> str:
        size = f"length({value})"
        begin = f"if({count} > {size}, 1, {size} - {count} + 1)"
        return f"substr({value}, if({count} <= 0, {size} + 1, {begin}))"

    return evaluate_once(call.sql(0), cut)


def _part(call: Call) -> str:
    """Return SUBSTR: nothing of a place before the first, where Spark would shorten the part."""
    call.need(2, 3)
    start = integer(call, 1)
    length = f", {integer(call, 2)}" if len(call.arguments) > 2 else ""  # noqa: PLR2004
    value, whole = bytes_or_text(call, 0), call.whole(1)
    if whole is not None and whole >= 0:
        return f"substr({value}, {start}{length})"

    def cut(value: str) -> str:
        size = f"length({value})"
        return f"substr({value}, if({start} < -{size}, {size} + 1, {start}){length})"

    return evaluate_once(value, cut)


def _insert(call: Call) -> str:
    call.need(4)
    function = "icemelt_insert_bytes" if has_bytes(call) else "icemelt_insert"
    base, other = (bytes_or_text(call, at) for at in (0, 3))
    return f"{function}({base}, {integer(call, 1)}, {integer(call, 2)}, {other})"


POSITIONS: Mapping[str, Entry] = {
    **dict.fromkeys(("CHARINDEX", "POSITION"), _position),
    "CONTAINS": entry_of("contains", 2, convert=bytes_or_text),
    "STARTSWITH": entry_of("startswith", 2, convert=bytes_or_text),
    "ENDSWITH": entry_of("endswith", 2, convert=bytes_or_text),
    "LEFT": _left,
    "RIGHT": _right,
    **dict.fromkeys(("SUBSTR", "SUBSTRING"), _part),
    "INSERT": _insert,
}
