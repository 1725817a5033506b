"""String functions: patterns, splitting, encodings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from icemelt.schema import Primitive
from icemelt.sql.conversion import converted, tried
from icemelt.sql.kinds import is_variant, kind_of
from icemelt.sql.spark.calls import Call, Entry, null_if_any, text_literal
from icemelt.sql.spark.splitting import quoted

__all__ = ["STRINGS", "full_match"]

_BACK_REFERENCE = re.compile(r"\\(\d)")
_FLAGS = frozenset("cimnse")
_WORD_ENDS = r'\s!?@"\^#$&~_,.:;+\-*%/|\\\[\](){}<>'

# Without a place to begin Spark finds nothing.
_LOCATE = "if({2} IS NULL, NULL, locate({0}, {1}, CAST({2} AS INT)))"


def full_match(operand: str, pattern: str, literal: str | None, flags: str = "") -> str:
    """Return a test that a pattern matches the whole of a string, as Snowflake's RLIKE does."""
    mode = f"(?{flags})" if flags else ""
    if literal is not None:
        whole = text_literal(mode + "^(?:" + literal + r")\z")
        return f"({operand} RLIKE {whole})"
    before, after = text_literal(mode + "^(?:"), text_literal(r")\z")
    return f"({operand} RLIKE concat({before}, {pattern}, {after}))"


def _flags(call: Call, position: int) -> str:
    """Snowflake's parameters as Java's flags; `c` and `e` are not among them."""
    if position >= len(call.arguments):
        return ""
    written = call.text(position)
    if written is None or not set(written) <= _FLAGS:
        call.refuse("the parameters are not known.", "Write some of 'c', 'i', 'm', 's', 'e'.")
    return "".join(flag for flag in "ims" if flag in written)


def _pattern(call: Call, flags: str) -> str:
    literal = call.text(1)
    if not flags:
        return call.sql(1)
    mode = f"(?{flags})"
    if literal is not None:
        return text_literal(mode + literal)
    return f"concat('{mode}', {call.sql(1)})"


def _regexp_like(call: Call) -> str:
    call.need(2, 3)
    return full_match(call.sql(0), call.sql(1), call.text(1), _flags(call, 2))


def _from(call: Call, position: int) -> str:
    """The subject, from the position on where one is given."""
    if position >= len(call.arguments) or call.whole(position) == 1:
        return call.sql(0)
    return f"substr({call.sql(0)}, {call.sql(position)})"


def _regexp_replace(call: Call) -> str:
    call.need(2, 3, 4, 5, 6)
    if len(call.arguments) > 4 and call.whole(4) != 0:  # noqa: PLR2004 - the occurrence
        call.refuse("one occurrence cannot be chosen.", "Leave the occurrence out, or write 0.")
    replacement = "''"
    if len(call.arguments) > 2:  # noqa: PLR2004 - the replacement
        literal = call.text(2)
        replacement = call.sql(2) if literal is None else text_literal(_java_replacement(literal))
    start = f", {call.sql(3)}" if len(call.arguments) > 3 else ""  # noqa: PLR2004
    return f"regexp_replace({call.sql(0)}, {_pattern(call, _flags(call, 5))}, {replacement}{start})"


def _java_replacement(text: str) -> str:
    r"""Snowflake writes groups as \1, Java as $1."""
    return _BACK_REFERENCE.sub(r"$\1", text.replace("$", "\\$"))


def _regexp_substr(call: Call) -> str:
    call.need(2, 3, 4, 5, 6)
    subject, pattern = _from(call, 2), _pattern(call, _flags(call, 4))
    in_group = len(call.arguments) > 4 and "e" in (call.text(4) or "")  # noqa: PLR2004
    group = "1" if in_group else "0"
    if len(call.arguments) > 5:  # noqa: PLR2004 - the group
        group = f"CAST({call.sql(5)} AS INT)"
    occurrence = "1" if len(call.arguments) < 4 else f"CAST({call.sql(3)} AS INT)"  # noqa: PLR2004
    return f"try_element_at(regexp_extract_all({subject}, {pattern}, {group}), {occurrence})"


def _regexp_substr_all(call: Call) -> str:
    call.need(2, 3)
    return f"regexp_extract_all({_from(call, 2)}, {call.sql(1)}, 0)"


def _regexp_count(call: Call) -> str:
    call.need(2, 3, 4)
    return f"regexp_count({_from(call, 2)}, {_pattern(call, _flags(call, 3))})"


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
        convert = tried if safe else converted
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
    ends = quoted(delimiters) if delimiters else _WORD_ENDS
    pattern = text_literal(f"[^{ends}]+|[{ends}]+")
    words = f"regexp_extract_all(lower({call.sql(0)}), {pattern}, 0)"
    return f"array_join(transform({words}, w -> concat(upper(left(w, 1)), substr(w, 2))), '')"


STRINGS: Mapping[str, Entry] = {
    **dict.fromkeys(("LENGTH", "LEN", "CHAR_LENGTH", "CHARACTER_LENGTH"), "length({0})"),
    "TRIM": _trim("BOTH"),
    "LTRIM": _trim("LEADING"),
    "RTRIM": _trim("TRAILING"),
    "CONCAT_WS": null_if_any("concat_ws"),
    **{name: {2: "locate({0}, {1})", 3: _LOCATE} for name in ("CHARINDEX", "POSITION")},
    "REPLACE": {2: "replace({0}, {1}, '')", 3: "replace({0}, {1}, {2})"},
    "INSERT": "overlay({0} PLACING {3} FROM CAST({1} AS INT) FOR CAST({2} AS INT))",
    "LIKE": "({0} LIKE {1})",
    "ILIKE": "({0} ILIKE {1})",
    **dict.fromkeys(("RLIKE", "REGEXP_LIKE", "REGEXP"), _regexp_like),
    "REGEXP_REPLACE": _regexp_replace,
    **dict.fromkeys(("REGEXP_SUBSTR", "REGEXP_EXTRACT"), _regexp_substr),
    **dict.fromkeys(("REGEXP_SUBSTR_ALL", "REGEXP_EXTRACT_ALL"), _regexp_substr_all),
    "REGEXP_COUNT": _regexp_count,
    "REGEXP_INSTR": "regexp_instr({0}, {1})",
    "EDITDISTANCE": "levenshtein({0}, {1})",
    "TO_BINARY": lambda call: _to_binary(call, safe=False),
    "TRY_TO_BINARY": lambda call: _to_binary(call, safe=True),
    "INITCAP": _initcap,
    "UUID_STRING": "uuid()",
    "COLLATE": lambda call: call.refuse("collations are planned.", "Compare LOWER(…) values."),
}
