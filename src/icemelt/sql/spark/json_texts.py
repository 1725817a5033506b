"""PARSE_JSON and the like: texts in JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping

from icemelt.quoting import text_literal
from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.kinds import is_kind
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["JSON_TEXTS"]

_BLANKS = "' \\t\\n\\r'"
_LONG_NUMBER = r"[0-9][eE][+]?0*[1-9][0-9]{2}|[0-9]{309}"


def _json_text(call: Call) -> str:
    """Return the text to be parsed as JSON; a variant gives the variant's text."""
    if is_kind(call.arguments[0], "string"):
        return call.sql(0)
    return f"CAST({call.sql(0)} AS STRING)"


def _parse_json(call: Call) -> str:
    """Return PARSE_JSON: a blank text is NULL; a number that Spark finds infinite is an error."""
    call.need(1)
    text, literal = _json_text(call), call.text(0)
    if literal is None or not literal.strip():
        text = f"nullif(trim(BOTH {_BLANKS} FROM {text}), '')"
    if literal is not None and not re.search(_LONG_NUMBER, literal):
        return f"parse_json({text})"
    return evaluate_once(text, _parse_finite)


def _parse_finite(text: str) -> str:
    parsed = f"parse_json({text})"
    is_long = f"{text} RLIKE {text_literal(_LONG_NUMBER)}"
    is_finite = f"contains({text}, 'Infinity') OR NOT contains(to_json({parsed}), 'Infinity')"
    refused = f"CAST(raise_error(concat('icemelt-json-number:', left({text}, 100))) AS VARIANT)"
    return f"CASE WHEN {is_long} AND NOT ({is_finite}) THEN {refused} ELSE {parsed} END"


def _check_json(call: Call) -> str:
    call.need(1)
    return evaluate_once(
        f"nullif(trim(BOTH {_BLANKS} FROM {_json_text(call)}), '')",
        lambda text: f"if({text} IS NOT NULL AND try_parse_json({text}) IS NULL, 'not JSON', NULL)",
    )


def _try_parse_json(call: Call) -> str:
    call.need(1)
    return f"try_parse_json({_json_text(call)})"


JSON_TEXTS: Mapping[str, Entry] = {
    "PARSE_JSON": _parse_json,
    "TRY_PARSE_JSON": _try_parse_json,
    "CHECK_JSON": _check_json,
}
