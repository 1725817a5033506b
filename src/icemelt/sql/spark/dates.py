"""Dates and times: parts, sums, differences, truncation, days of weeks and months."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.quoting import text_literal
from icemelt.schema import Primitive
from icemelt.spark_sql.conversion import convert_value
from icemelt.sql.analysis.kinds import is_kind, kind_of
from icemelt.sql.analysis.units import (
    DAY_OF_WEEK,
    DAY_OF_WEEK_ISO,
    DAY_OF_YEAR,
    EPOCHS,
    UNITS,
    YEAR_OF_WEEK,
    ZONE_HOUR,
    is_unit_first,
)
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.rounding import truncate_number
from icemelt.sql.spark.semistructured import refuse_value
from icemelt.sql.spark.slices import time_slice

__all__ = ["DATES", "extract", "moment", "rounded_int", "truncate"]

_DAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
_DAYS_HINT = "Write 'mo' to 'su', or a day's whole name."
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
    "NANOSECOND": "(pmod(unix_micros(CAST({0} AS TIMESTAMP)), 1000000) * 1000)",
}
_UNIX = {"SECOND": "unix_seconds", "MILLISECOND": "unix_millis", "MICROSECOND": "unix_micros"}
_NTZ = Primitive("timestamp")
_DAY_NAMES = "Write a unit such as YEAR, MONTH, DAY, HOUR or SECOND."


def extract(unit: str, node: exp.Expr, call: Call) -> str:
    """Return a part of a date or timestamp as SQL.

    Args:
        unit: the name of the part, in any case.
        node: the date or timestamp, or a text of one.
        call: the call, for the error.
    """
    word, operand = unit.upper(), moment(node, call)
    if word in EPOCHS:
        return _since_epoch(EPOCHS[word], operand, node)
    if word in ZONE_HOUR and is_kind(node, "timestamptz"):
        return f"CAST(icemelt_instant_text({operand}, 'TZH', current_timezone()) AS INT)"
    field = _FIELDS.get(word) or _FIELDS.get(UNITS.get(word, ""))
    if field is None:
        call.refuse(f"the part {word} is not known.", _DAY_NAMES)
    return field.format(operand)


def _since_epoch(unit: str, operand: str, node: exp.Expr) -> str:
    """Return the units since 1970; a timestamp without a zone counts as UTC in any session."""
    if unit == "NANOSECOND":
        return f"({_since_epoch('MICROSECOND', operand, node)} * 1000)"
    instant = f"{_UNIX[unit]}(CAST({operand} AS TIMESTAMP))"
    if is_kind(node, "timestamptz"):
        return instant
    start = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
    plain = f"icemelt_units_between('{unit}', {start}, CAST({operand} AS TIMESTAMP_NTZ))"
    if is_kind(node, "date", "timestamp", "string"):
        return plain
    return f"if(typeof({operand}) = 'timestamp', {instant}, {plain})"


def truncate(unit: str, node: exp.Expr, call: Call) -> str:
    """Return a date or timestamp cut to a unit, of the same type if the type is known.

    Args:
        unit: the unit in upper case.
        node: the date or timestamp, or a text of one.
        call: the call, to render the node.
    """
    sql = moment(node, call)
    match kind_of(node):
        case Primitive("date") if unit in _MONTHS or unit == "WEEK":
            return f"trunc({sql}, '{unit}')"
        case Primitive("date"):
            return sql
        case Primitive("timestamp" | "string"):
            return f"icemelt_cut_clock({sql}, '{unit}')"
        case Primitive("timestamptz") if unit in {"MICROSECOND", "NANOSECOND"}:
            return sql
        case _:
            return f"date_trunc('{unit}', {sql})"


def moment(node: exp.Expr, call: Call) -> str:
    """Return a moment as an operand; a string becomes a timestamp, as in Snowflake."""
    sql = call.operand(node)
    return convert_value(sql, kind_of(node), _NTZ) if is_kind(node, "string") else sql


def rounded_int(call: Call, position: int) -> str:
    """Return an argument as a whole number of 32 bits; Snowflake rounds half away from zero."""
    sql = call.sql(position)
    is_whole = is_kind(call.arguments[position], "int", "long")
    return f"CAST({sql} AS INT)" if is_whole else f"CAST(round({sql}) AS INT)"


def _unit(call: Call, position: int = 0) -> str:
    word = call.arguments[position].name.upper()
    if word not in UNITS:
        call.refuse(f"the unit {word} is not known.", _DAY_NAMES)
    return UNITS[word]


def _amount(call: Call, position: int, factor: int = 1) -> str:
    whole = call.whole(position)
    if whole is not None:
        return str(whole * factor)
    sql = call.operand(call.arguments[position])
    if not is_kind(call.arguments[position], "int", "long"):
        sql = f"CAST(round({sql}) AS BIGINT)"
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
    unit, moments = _unit(call), call.arguments[1:]
    start, end = (moment(node, call) for node in moments)
    match unit:
        case "YEAR":
            return f"(year({end}) - year({start}))"
        case "QUARTER" | "MONTH":
            count = 12 if unit == "MONTH" else 4
            low = unit.lower()
            return f"((year({end}) - year({start})) * {count} + {low}({end}) - {low}({start}))"
        case "WEEK":
            first, last = (f"trunc(CAST({sql} AS DATE), 'WEEK')" for sql in (start, end))
            return f"CAST(datediff({last}, {first}) / 7 AS BIGINT)"
        case "DAY":
            return f"datediff({end}, {start})"
        case _ if all(is_kind(node, "date", "timestamp", "string") for node in moments):
            first, last = (f"CAST({sql} AS TIMESTAMP_NTZ)" for sql in (start, end))
            return f"icemelt_units_between('{unit}', {first}, {last})"
        case "HOUR" | "MINUTE" | "SECOND":
            low, high = (f"date_trunc('{unit}', {sql})" for sql in (start, end))
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
    place = 0 if is_unit_first(call.arguments) else 1
    return truncate(_unit(call, place), call.arguments[1 - place], call)


def _trunc(call: Call) -> str:
    """Return `TRUNC`: of a date by a unit, of a number by digits."""
    call.need(1, 2)
    if call.text(1) is not None or is_kind(call.arguments[0], "date", "timestamp", "timestamptz"):
        call.need(2)
        return truncate(_unit(call, 1), call.arguments[0], call)
    return truncate_number(call)


def _date_part(call: Call) -> str:
    call.need(2)
    return extract(call.arguments[0].name, call.arguments[1], call)


def _part(unit: str) -> Entry:
    """Return an entry for a function that is named like a part: `YEAR(d)`."""

    def build(call: Call) -> str:
        call.need(1)
        return extract(unit, call.arguments[0], call)

    return build


def _name(pattern: str) -> Entry:
    def build(call: Call) -> str:
        call.need(1)
        return f"date_format({_date(call)}, '{pattern}')"

    return build


def _date(call: Call, position: int = 0) -> str:
    node = call.arguments[position]
    sql = moment(node, call)
    return sql if is_kind(node, "date") else f"CAST({sql} AS DATE)"


def _last_day(call: Call) -> str:
    call.need(1, 2)
    unit = _unit(call, 1) if len(call.arguments) > 1 else "MONTH"
    if unit == "MONTH":
        return f"last_day({_date(call)})"
    step = {"YEAR": "12' MONTH", "QUARTER": "3' MONTH", "WEEK": "7' DAY"}.get(unit)
    if step is None:
        call.refuse(f"a {unit} has no last day.", "Write WEEK, MONTH, QUARTER or YEAR.")
    return f"date_sub(trunc({_date(call)}, '{unit}') + INTERVAL '{step}, 1)"


def _next_day(call: Call) -> str:
    """Return NEXT_DAY or PREVIOUS_DAY: the first two letters of the day's name count."""
    call.need(2)
    name, written = call.sql(1), call.text(1)
    day = f"substr(ltrim({name}), 1, 2)"
    if written is None or written.lstrip()[:2].lower() not in _DAYS:
        refused = refuse_value(
            f"concat('No day of the week begins as \\'', {name}, '\\'.')", _DAYS_HINT
        )
        listed = ", ".join(map(text_literal, _DAYS))
        day = f"if({name} IS NULL OR lower({day}) IN ({listed}), {day}, {refused})"
    start = _date(call)
    return f"next_day({start if call.name == 'NEXT_DAY' else f'date_sub({start}, 8)'}, {day})"


def _add_months(call: Call) -> str:
    """Return ADD_MONTHS: the last day of a month becomes the last day of another month."""
    call.need(2)
    moved = f"({moment(call.arguments[0], call)} + CAST({_amount(call, 1)} AS INTERVAL MONTH))"
    at_end = f"{_date(call)} = last_day({_date(call)})"
    missing = f"if({at_end}, datediff(last_day({moved}), {moved}), 0)"
    return f"({moved} + CAST({missing} AS INTERVAL DAY))"


def _months_between(call: Call) -> str:
    call.need(2)
    end, start = (moment(node, call) for node in call.arguments)
    return f"CAST(months_between({end}, {start}) AS DECIMAL(18,6))"


def _date_from_parts(call: Call) -> str:
    """Return DATE_FROM_PARTS: months and days count on from the first of January, or back."""
    call.need(3)
    year, month, day = (rounded_int(call, position) for position in range(3))
    return f"date_add(add_months(make_date({year}, 1, 1), {month} - 1), {day} - 1)"


def _time_slice(call: Call) -> str:
    call.need(3, 4)
    unit = _unit(call, 2)
    if unit in _SECONDS_APART:
        call.refuse(f"a slice of {unit}S is too short.", "Write SECOND or a longer unit.")
    return time_slice(call, unit, moment(call.arguments[0], call))


_NAMED_PARTS = (
    *("YEAR", "QUARTER", "MONTH", "DAY", "DAYOFMONTH", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND"),
    *("DAYOFWEEK", "DAYOFWEEKISO", "WEEK", "WEEKOFYEAR", "WEEKISO", "YEAROFWEEK", "YEAROFWEEKISO"),
)

DATES: Mapping[str, Entry] = {
    **dict.fromkeys(("DATEADD", "TIMESTAMPADD", "TIMEADD"), _date_add),
    **dict.fromkeys(("DATEDIFF", "TIMESTAMPDIFF", "TIMEDIFF"), _date_diff),
    "DATE_TRUNC": _date_trunc,
    **dict.fromkeys(("TRUNC", "TRUNCATE"), _trunc),
    "DATE_PART": _date_part,
    **{name: _part(name) for name in _NAMED_PARTS},
    "DAYNAME": _name("E"),
    "MONTHNAME": _name("MMM"),
    "LAST_DAY": _last_day,
    **dict.fromkeys(("NEXT_DAY", "PREVIOUS_DAY"), _next_day),
    "ADD_MONTHS": _add_months,
    "MONTHS_BETWEEN": _months_between,
    **dict.fromkeys(("DATE_FROM_PARTS", "DATEFROMPARTS"), _date_from_parts),
    "TIME_SLICE": _time_slice,
}
