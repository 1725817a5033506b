"""TO_CHAR and the like: moments, numbers and bytes as text."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.quoting import text_literal
from icemelt.spark_sql.conversion import as_text
from icemelt.sql.analysis.kinds import is_kind, is_numeric, kind_of
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.dates import format_literal, moment
from icemelt.sql.spark.formats import parse_number_format

__all__ = ["TEXTS"]

_ENCODINGS = {
    "HEX": "hex({})",
    "BASE64": "base64({})",
    **dict.fromkeys(("UTF-8", "UTF8"), "decode({}, 'UTF-8')"),
}


def _to_char(call: Call) -> str:
    call.need(1, 2)
    value = call.arguments[0]
    if len(call.arguments) == 1:
        return as_text(call.render(value), kind_of(value))
    written = call.text(1) or ""
    if is_kind(value, "binary"):
        return _encode_bytes(call, written.upper())
    if written.upper() == "TM9":
        return as_text(call.render(value), kind_of(value))
    if parse_number_format(written) is not None:
        return _number(call, written)
    if is_numeric(value):
        hint = "Write it of 9, 0, a comma, a point, $, S or MI, with FM in front for no blanks."
        call.refuse(f"the number format '{written}' is not known.", hint)
    form = format_literal(call, 1, lenient=False)
    if form is None:
        return as_text(call.render(value), kind_of(value))
    return f"date_format({moment(value, call)}, {form})"


def _encode_bytes(call: Call, form: str) -> str:
    entry = _ENCODINGS.get(form)
    if entry is None:
        call.refuse("the format is not known.", "Write 'HEX', 'UTF-8' or 'BASE64'.")
    return entry.format(call.sql(0))


def _number(call: Call, written: str) -> str:
    """Return a number as text; mends Spark's sign, and the place of `$` relative to blanks.

    Spark shows no sign unless the format names a sign, and puts `$` in front of the blanks.
    """
    form = parse_number_format(written)
    assert form is not None  # noqa: S101 - the caller has looked
    rounded = f"CAST({call.sql(0)} AS DECIMAL(38,{form.decimals}))"
    sql = f"to_char({rounded}, {text_literal(form.spark)})"
    if form.keeps_zero:
        sql = f"regexp_replace({sql}, ' ([+-]?)[.]', '$10.')"
    if "$" in form.spark:
        sql = f"regexp_replace({sql}, '([+-]?[$])( *)', '$2$1')"
    if form.implied_sign:
        sql = f"replace({sql}, '+', ' ')"
    return f"replace({sql}, ' ', '')" if form.compact else sql


TEXTS: Mapping[str, Entry] = dict.fromkeys(("TO_CHAR", "TO_VARCHAR"), _to_char)
