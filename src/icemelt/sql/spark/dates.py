"""Dates and times: units, differences, truncation, reading and writing."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.quoting import text_literal
from icemelt.schema import Primitive
from icemelt.spark_sql.conversion import convert_value, try_convert
from icemelt.sql.analysis.kinds import is_kind, is_numeric, kind_of
from icemelt.sql.analysis.units import (
    DAY_OF_WEEK,
    DAY_OF_WEEK_ISO,
    DAY_OF_YEAR,
    EPOCHS,
    UNITS,
    YEAR_OF_WEEK,
)
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.formats import to_java_format
from icemelt.sql.spark.slices import time_slice

__all__ = ["DATES", "extract", "format_literal", "moment", "truncate"]

_LONG_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY")
_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_SECONDS_APART = {"MILLISECOND": 1_000, "MICROSECOND": 1_000_000, "NANOSECOND": 1_000_000_000}
_FIELDS = {
    **dict.fromkeys(DAY_OF_WEEK, "(dayofweek({0}) - 1)"),
    **dict.fromkeys(DAY_OF_WEEK_ISO, "(weekday({0}) + 1)"),
    **dict.fromkeys(DAY_OF_YEAR, "dayofyear({0})"),
    **dict.fromkeys(YEAR_OF_WEEK, "extract(YEAROFWEEK FROM {0})"),
    "YEAR": "year({0})",
    "QUARTER": "quarter({0})",
    "MONTH": "month({0})",
    "WEEK": "weekofyear({0})",
    "DAY": "day({0})",
    "HOUR": "hour({0})",
    "MINUTE": "minute({0})",
    "SECOND": "second({0})",
    "NANOSECOND": "(unix_micros(CAST({0} AS TIMESTAMP)) % 1000000 * 1000)",
}
_UNIX = {"SECOND": "unix_seconds", "MILLISECOND": "unix_millis", "MICROSECOND": "unix_micros"}
_KINDS = {
    "DATE": Primitive("date"),
    "TIMESTAMP_NTZ": Primitive("timestamp"),
    "TIMESTAMP_LTZ": Primitive("timestamptz"),
}
_SCALES = range(10)
_MICROSECONDS = 6  # the scale of Spark's timestamps
_DAY_NAMES = "Write a unit such as YEAR, MONTH, DAY, HOUR or SECOND."


def extract(unit: str, node: exp.Expr, call: Call) -> str:
    """Return a part of a date or timestamp as SQL.

    Args:
        unit: the name of the part, in any case.
        node: the date or timestamp.
        call: the call, for the error.
    """
    word = unit.upper()
    operand = call.operand(node)
    if word in EPOCHS:
        return _since_epoch(EPOCHS[word], operand, node)
    field = _FIELDS.get(word) or _FIELDS.get(UNITS.get(word, ""))
    if field is None:
        call.refuse(f"the part {word} is not known.", _DAY_NAMES)
    return field.format(operand)


def _since_epoch(unit: str, operand: str, node: exp.Expr) -> str:
    """Return the units since 1970; a timestamp without a zone counts as UTC in any session."""
    instant = f"{_UNIX[unit]}(CAST({operand} AS TIMESTAMP))"
    if is_kind(node, "timestamptz"):
        return instant
    start = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
    plain = f"timestampdiff({unit}, {start}, CAST({operand} AS TIMESTAMP_NTZ))"
    if is_kind(node, "date", "timestamp", "string"):
        return plain
    return f"if(typeof({operand}) = 'timestamp', {instant}, {plain})"


def truncate(unit: str, node: exp.Expr, call: Call) -> str:
    """Return a date or timestamp cut to a unit, of the same type if the type is known.

    Args:
        unit: the unit in upper case.
        node: the date or timestamp.
        call: the call, to render the node.
    """
    sql = f"date_trunc('{unit}', {call.render(node)})"
    match kind_of(node):
        case Primitive("date") if unit in _LONG_UNITS:
            return f"CAST({sql} AS DATE)"
        case Primitive("date" | "timestamp" | "string"):
            return f"CAST({sql} AS TIMESTAMP_NTZ)"
        case _:
            return sql


def _unit(call: Call, position: int = 0) -> str:
    word = call.arguments[position].name.upper()
    if word not in UNITS:
        call.refuse(f"the unit {word} is not known.", _DAY_NAMES)
    return UNITS[word]


def moment(node: exp.Expr, call: Call) -> str:
    """Return a moment as an operand; a string becomes a timestamp, as in Snowflake."""
    sql = call.operand(node)
    return (
        convert_value(sql, kind_of(node), _KINDS["TIMESTAMP_NTZ"])
        if is_kind(node, "string")
        else sql
    )


def _amount(call: Call, position: int, factor: int = 1) -> str:
    whole = call.whole(position)
    if whole is not None:
        return str(whole * factor)
    sql = call.operand(call.arguments[position])
    if not is_kind(call.arguments[position], "int", "long"):
        sql = f"round({sql})"
    return sql if factor == 1 else f"{sql} * {factor}"


def _date_add(call: Call) -> str:
    call.need(3)
    unit, start = _unit(call), moment(call.arguments[2], call)
    if unit in _MONTHS:
        return f"({start} + CAST({_amount(call, 1, _MONTHS[unit])} AS INTERVAL MONTH))"
    if unit in {"WEEK", "DAY"}:
        days = _amount(call, 1, 7 if unit == "WEEK" else 1)
        return f"({start} + CAST({days} AS INTERVAL DAY))"
    if is_kind(call.arguments[2], "date"):
        start = f"CAST({start} AS TIMESTAMP_NTZ)"
    if unit in _SECONDS_APART:
        seconds = f"CAST({_amount(call, 1)} AS DECIMAL(38,0)) / {_SECONDS_APART[unit]}"
        return f"({start} + make_dt_interval(0, 0, 0, CAST({seconds} AS DECIMAL(18,6))))"
    return f"({start} + CAST({_amount(call, 1)} AS INTERVAL {unit}))"


def _date_diff(call: Call) -> str:
    """Return DATEDIFF: Snowflake counts crossed boundaries of the unit, Spark counts full units."""
    call.need(3)
    unit = _unit(call)
    start, end = (moment(call.arguments[position], call) for position in (1, 2))
    match unit:
        case "YEAR":
            return f"(year({end}) - year({start}))"
        case "QUARTER" | "MONTH":
            count = 12 if unit == "MONTH" else 4
            low = unit.lower()
            return f"((year({end}) - year({start})) * {count} + {low}({end}) - {low}({start}))"
        case "WEEK":
            weeks = f"datediff(date_trunc('WEEK', {end}), date_trunc('WEEK', {start}))"
            return f"CAST({weeks} / 7 AS BIGINT)"
        case "DAY":
            return f"datediff({end}, {start})"
        case "HOUR" | "MINUTE" | "SECOND":
            low, high = (f"date_trunc('{unit}', {moment_sql})" for moment_sql in (start, end))
            return f"timestampdiff({unit}, {low}, {high})"
        case "MILLISECOND":
            since = "timestampdiff(MILLISECOND, TIMESTAMP_NTZ '0001-01-01 00:00:00', {})"
            return f"({since.format(end)} - {since.format(start)})"
        case "NANOSECOND":
            return f"(timestampdiff(MICROSECOND, {start}, {end}) * 1000)"
        case _:
            return f"timestampdiff({unit}, {start}, {end})"


def _date_trunc(call: Call) -> str:
    call.need(2)
    named_first = not isinstance(call.arguments[1], (exp.Literal, exp.Var))
    named_first = named_first or call.arguments[0].name.upper() in UNITS
    return truncate(_unit(call, 0 if named_first else 1), call.arguments[named_first], call)


def _trunc(call: Call) -> str:
    """Return `TRUNC`: of a date by a unit, of a number by a scale."""
    call.need(1, 2)
    if call.text(1) is not None or is_kind(call.arguments[0], "date", "timestamp", "timestamptz"):
        call.need(2)
        return truncate(_unit(call, 1), call.arguments[0], call)
    scale = f", CAST({call.sql(1)} AS INT)" if len(call.arguments) > 1 else ""
    if len(call.arguments) > 1 and call.whole(1) is not None:
        scale = f", {call.whole(1)}"
    number = call.sql(0)
    return f"CASE WHEN {number} >= 0 THEN floor({number}{scale}) ELSE ceil({number}{scale}) END"


def _date_part(call: Call) -> str:
    call.need(2)
    return extract(call.arguments[0].name, call.arguments[1], call)


def _last_day(call: Call) -> str:
    call.need(1, 2)
    unit = _unit(call, 1) if len(call.arguments) > 1 else "MONTH"
    if unit == "MONTH":
        return f"last_day({call.sql(0)})"
    step = {"YEAR": "12' MONTH", "QUARTER": "3' MONTH", "WEEK": "7' DAY"}.get(unit)
    if step is None:
        call.refuse(f"a {unit} has no last day.", "Write WEEK, MONTH, QUARTER or YEAR.")
    start = f"CAST(date_trunc('{unit}', {call.sql(0)}) AS DATE)"
    return f"date_sub({start} + INTERVAL '{step}, 1)"


def _add_months(call: Call) -> str:
    """Return ADD_MONTHS: the last day of a month becomes the last day of another month."""
    call.need(2)
    moved = f"({moment(call.arguments[0], call)} + CAST({_amount(call, 1)} AS INTERVAL MONTH))"
    at_end = f"CAST({call.sql(0)} AS DATE) = last_day({call.sql(0)})"
    missing = f"if({at_end}, datediff(last_day({moved}), {moved}), 0)"
    return f"({moved} + CAST({missing} AS INTERVAL DAY))"


def format_literal(call: Call, position: int, *, lenient: bool) -> str | None:
    """Return the format at a position as a Spark literal; None for AUTO or no format.

    Args:
        call: the call.
        position: the position of the format among the arguments.
        lenient: whether the format is for reading, so that one digit may stand for two.
    """
    if position >= len(call.arguments) or (call.text(position) or "").upper() == "AUTO":
        return None
    written = call.text(position)
    if written is None:
        call.refuse("the format is not a literal.", "Write the format as a string literal.")
    text = to_java_format(written, lenient=lenient)
    if text is None:
        hint = "Use YYYY, MM, DD, HH24, MI, SS, FF3, TZH:TZM, and quote other letters."
        call.refuse(f"the format '{written}' is not known.", hint)
    return text_literal(text)


def _reader(target: str, *, safe: bool) -> Entry:
    """Return an entry for `TO_DATE` and the like: a string by a format, a number by a scale."""
    prefix = "try_" if safe else ""
    kind = _KINDS[target]

    def build(call: Call) -> str:
        call.need(1, 2)
        argument, scale = call.arguments[0], call.whole(1)
        if is_numeric(argument) or scale is not None:
            if scale is not None and scale not in _SCALES:
                call.refuse("the scale is from 0 to 9.", f"Write {call.name}(number, 3).")
            instant = _since_1970(call.sql(0), scale or 0)
            return instant if target == "TIMESTAMP_LTZ" else _in_utc(instant, target)
        form = format_literal(call, 1, lenient=True)
        if form is None:
            return (try_convert if safe else convert_value)(
                call.render(argument), kind_of(argument), kind
            )
        return f"CAST({prefix}to_timestamp({call.render(argument)}, {form}) AS {target})"

    return build


def _since_1970(number: str, scale: int) -> str:
    """Return the instant of a number of 10^-scale seconds; a double would lose a microsecond."""
    digits = _MICROSECONDS - scale
    factor = f"* {10**digits}" if digits >= 0 else f"/ {10**-digits}"
    return f"timestamp_micros(CAST(floor(CAST({number} AS DECIMAL(38, 9)) {factor}) AS BIGINT))"


def _in_utc(instant: str, target: str) -> str:
    moved = f"convert_timezone(current_timezone(), 'UTC', CAST({instant} AS TIMESTAMP_NTZ))"
    return moved if target == "TIMESTAMP_NTZ" else f"CAST({moved} AS {target})"


def _time_slice(call: Call) -> str:
    call.need(3, 4)
    unit = _unit(call, 2)
    if unit in _SECONDS_APART:
        call.refuse(f"a slice of {unit}S is too short.", "Write SECOND or a longer unit.")
    return time_slice(call, unit, moment(call.arguments[0], call))


def _from_parts(function: str) -> Entry:
    def build(call: Call) -> str:
        call.need(6, 7)
        parts = [f"CAST({call.sql(position)} AS INT)" for position in range(5)]
        seconds = f"CAST({call.sql(5)} AS DECIMAL(16,6))"
        if len(call.arguments) > 6:  # noqa: PLR2004 - nanoseconds are the seventh
            seconds = f"CAST({call.sql(5)} + {call.sql(6)} / 1000000000 AS DECIMAL(16,6))"
        return f"{function}({', '.join([*parts, seconds])})"

    return build


def _clock(call: Call) -> str:
    """Return the statement's own clock, for every function of the present time."""
    return call.context("CURRENT_TIMESTAMP")


def _today(call: Call) -> str:
    return f"CAST({call.context('CURRENT_TIMESTAMP')} AS DATE)"


def _utc_clock(call: Call) -> str:
    return _in_utc(call.context("CURRENT_TIMESTAMP"), "TIMESTAMP_NTZ")


def _no_time(call: Call) -> str:
    call.refuse("the type TIME is not supported.", "Use a timestamp, or TO_CHAR(…, 'HH24:MI:SS').")


_ONE = ("YEAR", "QUARTER", "MONTH", "DAY", "DAYOFMONTH", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND")
_DATE_FROM_PARTS = (
    "date_add(add_months(make_date(CAST({0} AS INT), 1, 1), CAST({1} AS INT) - 1),"
    " CAST({2} AS INT) - 1)"
)

DATES: Mapping[str, Entry] = {
    **dict.fromkeys(("DATEADD", "TIMESTAMPADD", "TIMEADD"), _date_add),
    **dict.fromkeys(("DATEDIFF", "TIMESTAMPDIFF", "TIMEDIFF"), _date_diff),
    "DATE_TRUNC": _date_trunc,
    **dict.fromkeys(("TRUNC", "TRUNCATE"), _trunc),
    "DATE_PART": _date_part,
    "LAST_DAY": _last_day,
    "ADD_MONTHS": _add_months,
    **{name: f"{name.lower()}({{0}})" for name in _ONE},
    **dict.fromkeys(("DAYOFWEEK",), "(dayofweek({0}) - 1)"),
    "DAYOFWEEKISO": "(weekday({0}) + 1)",
    **dict.fromkeys(("WEEK", "WEEKOFYEAR", "WEEKISO"), "weekofyear({0})"),
    **dict.fromkeys(("YEAROFWEEK", "YEAROFWEEKISO"), "extract(YEAROFWEEK FROM {0})"),
    "DAYNAME": "date_format({0}, 'E')",
    "MONTHNAME": "date_format({0}, 'MMM')",
    "NEXT_DAY": "next_day({0}, {1})",
    "PREVIOUS_DAY": "next_day(date_sub({0}, 8), {1})",
    "MONTHS_BETWEEN": "months_between({0}, {1})",
    **dict.fromkeys(("DATE_FROM_PARTS", "DATEFROMPARTS"), _DATE_FROM_PARTS),
    **dict.fromkeys(
        ("TIMESTAMP_FROM_PARTS", "TIMESTAMP_NTZ_FROM_PARTS", "TIMESTAMPFROMPARTS"),
        _from_parts("make_timestamp_ntz"),
    ),
    "TIMESTAMP_LTZ_FROM_PARTS": _from_parts("make_timestamp_ltz"),
    "CONVERT_TIMEZONE": {
        2: "convert_timezone(current_timezone(), {0}, CAST({1} AS TIMESTAMP_NTZ))",
        3: "convert_timezone({0}, {1}, CAST({2} AS TIMESTAMP_NTZ))",
    },
    **dict.fromkeys(("TO_DATE", "DATE"), _reader("DATE", safe=False)),
    "TRY_TO_DATE": _reader("DATE", safe=True),
    **dict.fromkeys(("TO_TIMESTAMP", "TO_TIMESTAMP_NTZ"), _reader("TIMESTAMP_NTZ", safe=False)),
    **dict.fromkeys(
        ("TRY_TO_TIMESTAMP", "TRY_TO_TIMESTAMP_NTZ"), _reader("TIMESTAMP_NTZ", safe=True)
    ),
    "TO_TIMESTAMP_LTZ": _reader("TIMESTAMP_LTZ", safe=False),
    "TRY_TO_TIMESTAMP_LTZ": _reader("TIMESTAMP_LTZ", safe=True),
    **dict.fromkeys(("CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "GETDATE", "SYSTIMESTAMP"), _clock),
    "CURRENT_DATE": _today,
    "SYSDATE": _utc_clock,
    **dict.fromkeys(
        ("CURRENT_TIME", "LOCALTIME", "TO_TIME", "TIME", "TRY_TO_TIME", "TIME_FROM_PARTS"),
        _no_time,
    ),
    "TIME_SLICE": _time_slice,
    **dict.fromkeys(
        ("TO_TIMESTAMP_TZ", "TRY_TO_TIMESTAMP_TZ", "TIMESTAMP_TZ_FROM_PARTS"),
        lambda call: call.refuse("the type TIMESTAMP_TZ is not supported.", "Use TIMESTAMP_LTZ."),
    ),
}
