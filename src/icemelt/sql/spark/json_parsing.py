"""Translate Snowflake's PARSE_JSON, TRY_PARSE_JSON and CHECK_JSON to Spark SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping

from icemelt.quoting import text_literal
from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.kinds import is_kind
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["JSON_PARSING"]

_BLANKS = "' \\t\\n\\r'"
# a number that may be too large for a DOUBLE: an exponent of three digits, or 309 digits
_MAYBE_INFINITE = r"[0-9][eE][+]?0*[1-9][0-9]{2}|[0-9]{309}"


def _render_json_argument(call: Call) -> str:
    """Return the argument as text to be parsed; a variant gives the variant's text."""
    if is_kind(call.arguments[0], "string"):
        return call.sql(0)
    return f"CAST({call.sql(0)} AS STRING)"


def _need_text(call: Call) -> None:
    """Require a text alone, or with the word for objects whose keys are all different."""
    call.need(1, 2)
    if len(call.arguments) > 1 and call.text(1) != "s":
        call.refuse("a key that is there twice is an error.", f"Write {call.name}(text).")


def _parse_json(call: Call) -> str:
    """Return PARSE_JSON in Spark SQL.

    Snowflake gives NULL for an empty string, or for whitespace only. A number that is too large for
    a DOUBLE, which Spark would read as infinite, is an error.
    """
    _need_text(call)
    text, literal = _render_json_argument(call), call.text(0)
    if literal is not None and literal.strip().lower() == "null":
        return "parse_json('null')"
    if literal is None or not literal.strip():
        text = f"nullif(trim(BOTH {_BLANKS} FROM {text}), '')"
    if literal is not None and not re.search(_MAYBE_INFINITE, literal):
        return f"parse_json({text})"
    return evaluate_once(text, _parse_finite)


def _parse_finite(text: str) -> str:
    """Return the variant of a text; `_UNFIT_TEXTS` in `value_errors.py` explains the error."""
    parsed = f"parse_json({text})"
    may_be_infinite = f"{text} RLIKE {text_literal(_MAYBE_INFINITE)}"
    is_finite = f"contains({text}, 'Infinity') OR NOT contains(to_json({parsed}), 'Infinity')"
    refused = f"CAST(raise_error(concat('icemelt-json-number:', left({text}, 100))) AS VARIANT)"
    return f"CASE WHEN {may_be_infinite} AND NOT ({is_finite}) THEN {refused} ELSE {parsed} END"


def _check_json(call: Call) -> str:
    """Return CHECK_JSON in Spark SQL: NULL for JSON, NULL or a blank text, else an error."""
    call.need(1)
    return evaluate_once(
        f"nullif(trim(BOTH {_BLANKS} FROM {_render_json_argument(call)}), '')",
        lambda text: f"if({text} IS NOT NULL AND try_parse_json({text}) IS NULL, 'not JSON', NULL)",
    )


def _try_parse_json(call: Call) -> str:
    _need_text(call)
    return f"try_parse_json({_render_json_argument(call)})"


JSON_PARSING: Mapping[str, Entry] = {
    "PARSE_JSON": _parse_json,
    "TRY_PARSE_JSON": _try_parse_json,
    "CHECK_JSON": _check_json,
}
