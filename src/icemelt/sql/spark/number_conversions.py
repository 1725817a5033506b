"""TO_NUMBER, TO_DOUBLE and the like: texts and other values as numbers, by a format or without."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.schema import DataType, DecimalType, Primitive
from icemelt.spark_sql.conversion import convert_value, try_convert
from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.kinds import is_kind, kind_of
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.formats import is_number_format

__all__ = ["NUMBER_CONVERSIONS"]

# TO_NUMBER(x, precision, scale)
_MOST_WITHOUT_FORMAT = 3
_DOUBLE, _STRING = Primitive("double"), Primitive("string")


def _to_number(*, safe: bool) -> Entry:
    """Return an entry for `TO_NUMBER(x [, format] [, precision [, scale]])`."""

    def build(call: Call) -> str:
        call.need(1, 2, 3, 4)
        form = call.text(1)
        if form is None and len(call.arguments) > _MOST_WITHOUT_FORMAT:
            call.refuse("the format is no literal.", f"Write {call.name}(x, '999.99', 5, 2).")
        sizes = [call.whole(at) for at in range(1 if form is None else 2, len(call.arguments))]
        if None in sizes:
            call.refuse("precision and scale are literals.", f"Write {call.name}(x, 10, 2).")
        precision, scale = (*(size or 0 for size in sizes), *(38, 0)[len(sizes) :])
        return _read(call, DecimalType(precision, scale), safe=safe)

    return build


def _to_double(*, safe: bool) -> Entry:
    def build(call: Call) -> str:
        call.need(1, 2)
        return _read(call, _DOUBLE, safe=safe)

    return build


def _read(call: Call, target: DataType, *, safe: bool) -> str:
    """Return the first argument as a number, a text by the second if that is a format."""
    sql, kind = call.render(call.arguments[0]), kind_of(call.arguments[0])
    form = call.text(1)
    if form is not None and form.upper() != "AUTO" and is_kind(call.arguments[0], "string"):
        if not is_number_format(form):
            hint = "Write it of 9, 0, X, a comma, a point, $, S, MI or TM9."
            call.refuse(f"the number format '{form}' is not known.", hint)
        sql, kind = _digits_of(sql, call.sql(1), safe=safe), _STRING
    return (try_convert if safe else convert_value)(sql, kind, target)


def _digits_of(sql: str, form: str, *, safe: bool) -> str:
    """Return the digits of a text by a format; another text is an error, or NULL if `safe`."""
    if safe:
        return f"icemelt_read_number({sql}, {form})"

    def check(text: str) -> str:
        refused = f"raise_error(concat('icemelt-number-text:', left({text}, 100)))"
        otherwise = f"CASE WHEN {text} IS NOT NULL THEN {refused} END"
        return f"coalesce(icemelt_read_number({text}, {form}), {otherwise})"

    return evaluate_once(sql, check)


NUMBER_CONVERSIONS: Mapping[str, Entry] = {
    **dict.fromkeys(("TO_NUMBER", "TO_DECIMAL", "TO_NUMERIC"), _to_number(safe=False)),
    **dict.fromkeys(("TRY_TO_NUMBER", "TRY_TO_DECIMAL", "TRY_TO_NUMERIC"), _to_number(safe=True)),
    "TO_DOUBLE": _to_double(safe=False),
    "TRY_TO_DOUBLE": _to_double(safe=True),
}
