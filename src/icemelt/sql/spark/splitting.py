"""Texts cut into parts: at a separator (SPLIT), or at any of a set of delimiters (STRTOK)."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.quoting import text_literal
from icemelt.sql.spark.arguments import long, text
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.patterns import quote_pattern

__all__ = ["SPLITTING"]

_BLANK = "' '"


def _split_at_separator(call: Call) -> str:
    call.need(2)
    subject, separator, literal = text(call, 0), text(call, 1), call.text(1)
    return _cut_text(subject, separator, None if literal is None else quote_pattern(literal))


def _cut_text(subject: str, separator: str, pattern: str | None) -> str:
    """Return a text cut at a separator; an empty separator leaves the text whole.

    `pattern` is a Java pattern for a literal separator, None for a separator that is computed.
    """
    whole = f"if({subject} IS NULL, NULL, array({subject}))"
    if pattern is not None:
        return f"split({subject}, {text_literal(pattern)})" if pattern else whole
    return f"icemelt_split({subject}, {separator})"


def _split_part(call: Call) -> str:
    """Return SPLIT_PART: part 0 is part 1 in Snowflake, and an error in Spark."""
    call.need(3)
    number, whole = long(call, 2), call.whole(2)
    part = f"if({number} = 0, 1, CAST({number} AS INT))" if whole is None else str(whole or 1)
    return f"split_part({text(call, 0)}, {text(call, 1)}, {part})"


def _tokens(call: Call) -> str:
    """Return the non-empty parts between delimiters; without delimiters the whole text."""
    subject = text(call, 0)
    literal = call.text(1) if len(call.arguments) > 1 else " "
    if literal is not None:
        parts = _cut_text(subject, _BLANK, f"[{quote_pattern(literal)}]" if literal else "")
    else:
        delimiters = text(call, 1)
        first = f"left({delimiters}, 1)"
        alike = f"translate({subject}, {delimiters}, repeat({first}, length({delimiters})))"
        parts = _cut_text(alike, first, None)
    return f"filter({parts}, part -> part <> '')"


def _strtok(call: Call) -> str:
    """Return STRTOK: NULL for a part that does not exist, also for numbers below 1."""
    call.need(1, 2, 3)
    number = "1" if len(call.arguments) < 3 else long(call, 2)  # noqa: PLR2004 - the part
    delimiters = text(call, 1) if len(call.arguments) > 1 else _BLANK
    return f"icemelt_token({text(call, 0)}, {delimiters}, {number})"


def _strtok_to_array(call: Call) -> str:
    call.need(1, 2)
    return _tokens(call)


SPLITTING: Mapping[str, Entry] = {
    "SPLIT": _split_at_separator,
    "SPLIT_PART": _split_part,
    "STRTOK": _strtok,
    "STRTOK_TO_ARRAY": _strtok_to_array,
}
