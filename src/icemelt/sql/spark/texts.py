"""TO_CHAR and the like: moments, numbers and bytes as text."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.spark_sql.conversion import as_text
from icemelt.sql.analysis.kinds import is_kind, is_numeric, kind_of
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.dates import moment
from icemelt.sql.spark.formats import is_number_format

__all__ = ["TEXTS"]

_ENCODINGS = {
    "HEX": "hex({})",
    "BASE64": "base64({})",
    **dict.fromkeys(("UTF-8", "UTF8"), "decode({}, 'UTF-8')"),
}


def _to_char(call: Call) -> str:
    call.need(1, 2)
    value, written = call.arguments[0], call.text(1) or ""
    if len(call.arguments) == 1 or written.upper() == "AUTO":
        return as_text(call.render(value), kind_of(value))
    if is_kind(value, "binary"):
        return _encode_bytes(call, written.upper())
    if is_number_format(written):
        return _number(call)
    if is_numeric(value):
        hint = "Write it of 9, 0, X, a comma, a point, $, S, MI, B or TM9, with FM for no blanks."
        call.refuse(f"the number format '{written}' is not known.", hint)
    return _moment(call)


def _encode_bytes(call: Call, form: str) -> str:
    entry = _ENCODINGS.get(form)
    if entry is None:
        call.refuse("the format is not known.", "Write 'HEX', 'UTF-8' or 'BASE64'.")
    return entry.format(call.sql(0))


def _number(call: Call) -> str:
    value, number = call.arguments[0], call.render(call.arguments[0])
    if is_kind(value, "string"):
        number = f"CAST({number} AS {_READ_NUMBER})"
    return f"icemelt_number_text(CAST({number} AS STRING), {call.sql(1)})"


def _moment(call: Call) -> str:
    value, form = call.arguments[0], call.sql(1)
    time = moment(value, call)
    instant = f"icemelt_instant_text(CAST({time} AS TIMESTAMP), {form}, current_timezone())"
    if is_kind(value, "timestamptz"):
        return instant
    clock = f"icemelt_clock_text(CAST({time} AS TIMESTAMP_NTZ), {form})"
    if is_kind(value, "date", "timestamp", "string"):
        return clock
    return f"if(typeof({time}) = 'timestamp', {instant}, {clock})"


# a text as a number, with as many digits as Snowflake's own conversions keep
_READ_NUMBER = "DECIMAL(38,9)"

TEXTS: Mapping[str, Entry] = dict.fromkeys(("TO_CHAR", "TO_VARCHAR"), _to_char)
