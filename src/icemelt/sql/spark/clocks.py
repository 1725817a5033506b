"""Times that are read, put together of parts, moved to another zone, or are now."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.schema import Primitive
from icemelt.spark_sql.conversion import convert_value, try_convert
from icemelt.spark_sql.moments import cut_seconds, from_text, wall_clock
from icemelt.sql.analysis.kinds import is_kind, is_numeric, kind_of
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.dates import DATES, moment, rounded_int

__all__ = ["CLOCKS"]

_KINDS = {
    "DATE": Primitive("date"),
    "TIMESTAMP_NTZ": Primitive("timestamp"),
    "TIMESTAMP_LTZ": Primitive("timestamptz"),
}
_SCALES = range(10)
_MICROSECONDS = 6  # the scale of Spark's timestamps
_CLOCK_DIGITS = 3  # of CURRENT_TIMESTAMP
_NANOSECONDS = 6  # the position of nanoseconds among the parts


def _reader(target: str, *, safe: bool) -> Entry:
    """Return an entry for `TO_DATE` and the like: a string by a format, a number by a scale."""
    kind = _KINDS[target]

    def build(call: Call) -> str:
        call.need(1, 2)
        argument, scale = call.arguments[0], call.whole(1)
        if is_numeric(argument) or scale is not None:
            if scale is not None and scale not in _SCALES:
                call.refuse("the scale is from 0 to 9.", f"Write {call.name}(number, 3).")
            instant = _since_1970(call.sql(0), scale or 0)
            return instant if target == "TIMESTAMP_LTZ" else _in_utc(instant, target)
        sql = call.render(argument)
        if len(call.arguments) == 1 or is_kind(argument, "date", "timestamp", "timestamptz"):
            return (try_convert if safe else convert_value)(sql, kind_of(argument), kind)
        return from_text(sql, kind, safe=safe, form=call.sql(1))

    return build


def _since_1970(number: str, scale: int) -> str:
    """Return the instant of a number of 10^-scale seconds; a double would lose a microsecond."""
    digits = _MICROSECONDS - scale
    factor = f"* {10**digits}" if digits >= 0 else f"/ {10**-digits}"
    return f"timestamp_micros(CAST(floor(CAST({number} AS DECIMAL(38, 9)) {factor}) AS BIGINT))"


def _in_utc(instant: str, target: str) -> str:
    moved = f"convert_timezone(current_timezone(), 'UTC', CAST({instant} AS TIMESTAMP_NTZ))"
    return moved if target == "TIMESTAMP_NTZ" else f"CAST({moved} AS {target})"


def _from_parts(target: str) -> Entry:
    """Return an entry for TIMESTAMP_FROM_PARTS: every part counts on, also below zero."""

    def build(call: Call) -> str:
        if len(call.arguments) == 2:  # noqa: PLR2004 - a date and a time of day
            call.refuse("the type TIME is not supported.", "Give the year, month, day, hour …")
        call.need(6, 7)
        date = DATES["DATE_FROM_PARTS"]
        assert callable(date)  # noqa: S101 - the entry is a function
        day = date(Call(call.name, call.arguments[:3], call.render, call.context))
        hours, minutes = rounded_int(call, 3), rounded_int(call, 4)
        seconds = f"CAST(round({call.sql(5)}) AS DECIMAL(12,0))"
        if len(call.arguments) > _NANOSECONDS:
            nanos = f"CAST(round({call.sql(_NANOSECONDS)}) AS DECIMAL(20,0))"
            seconds = f"{seconds} + floor({nanos} / 1000) / 1000000"
        time = f"make_dt_interval(0, {hours}, {minutes}, CAST({seconds} AS DECIMAL(18,6)))"
        clock = f"(CAST({day} AS TIMESTAMP_NTZ) + {time})"
        return clock if target == "TIMESTAMP_NTZ" else f"CAST({clock} AS {target})"

    return build


def _convert_timezone(call: Call) -> str:
    """Return the wall clock of a zone: of an instant, or of the wall clock of another zone."""
    call.need(2, 3)
    value = call.arguments[-1]
    if len(call.arguments) == 3:  # noqa: PLR2004 - from, to, the wall clock
        clock = f"CAST({moment(value, call)} AS TIMESTAMP_NTZ)"
        return f"convert_timezone({call.sql(0)}, {call.sql(1)}, {clock})"
    sql = call.sql(1)
    instant = f"CAST({sql} AS TIMESTAMP)"
    if is_kind(value, "string"):
        instant = convert_value(sql, kind_of(value), _KINDS["TIMESTAMP_LTZ"])
    return f"convert_timezone('UTC', {call.sql(0)}, {wall_clock(instant)})"


def _now(call: Call) -> str:
    """Return the statement's own clock, for every function of the present time."""
    call.need(0, 1)
    now = call.context("CURRENT_TIMESTAMP")
    if not call.arguments:
        return now
    digits = call.whole(0)
    if digits is None or digits not in _SCALES:
        call.refuse("the digits are from 0 to 9.", f"Write {call.name}(3).")
    return now if digits >= _CLOCK_DIGITS else cut_seconds(now, digits)


def _today(call: Call) -> str:
    call.need(0)
    return f"CAST({call.context('CURRENT_TIMESTAMP')} AS DATE)"


def _utc_clock(call: Call) -> str:
    call.need(0)
    return _in_utc(call.context("CURRENT_TIMESTAMP"), "TIMESTAMP_NTZ")


def _no_time(call: Call) -> str:
    call.refuse("the type TIME is not supported.", "Use a timestamp, or TO_CHAR(…, 'HH24:MI:SS').")


def _no_zone(call: Call) -> str:
    hint = "Use TIMESTAMP_LTZ, or convert it at once: TO_TIMESTAMP_TZ(x)::TIMESTAMP_LTZ."
    call.refuse("the type TIMESTAMP_TZ is not supported.", hint)


CLOCKS: Mapping[str, Entry] = {
    **dict.fromkeys(("TO_DATE", "DATE"), _reader("DATE", safe=False)),
    "TRY_TO_DATE": _reader("DATE", safe=True),
    **dict.fromkeys(("TO_TIMESTAMP", "TO_TIMESTAMP_NTZ"), _reader("TIMESTAMP_NTZ", safe=False)),
    **dict.fromkeys(
        ("TRY_TO_TIMESTAMP", "TRY_TO_TIMESTAMP_NTZ"), _reader("TIMESTAMP_NTZ", safe=True)
    ),
    "TO_TIMESTAMP_LTZ": _reader("TIMESTAMP_LTZ", safe=False),
    "TRY_TO_TIMESTAMP_LTZ": _reader("TIMESTAMP_LTZ", safe=True),
    **dict.fromkeys(
        ("TIMESTAMP_FROM_PARTS", "TIMESTAMPFROMPARTS"),
        _from_parts("TIMESTAMP_NTZ"),
    ),
    **dict.fromkeys(
        ("TIMESTAMP_NTZ_FROM_PARTS", "TIMESTAMPNTZFROMPARTS"), _from_parts("TIMESTAMP_NTZ")
    ),
    **dict.fromkeys(
        ("TIMESTAMP_LTZ_FROM_PARTS", "TIMESTAMPLTZFROMPARTS"), _from_parts("TIMESTAMP_LTZ")
    ),
    "CONVERT_TIMEZONE": _convert_timezone,
    **dict.fromkeys(("CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "GETDATE", "SYSTIMESTAMP"), _now),
    "CURRENT_DATE": _today,
    "SYSDATE": _utc_clock,
    **dict.fromkeys(("CURRENT_TIME", "LOCALTIME", "TO_TIME", "TIME", "TRY_TO_TIME"), _no_time),
    **dict.fromkeys(("TIME_FROM_PARTS", "TIMEFROMPARTS"), _no_time),
    **dict.fromkeys(("TO_TIMESTAMP_TZ", "TRY_TO_TIMESTAMP_TZ"), _no_zone),
    **dict.fromkeys(("TIMESTAMP_TZ_FROM_PARTS", "TIMESTAMPTZFROMPARTS"), _no_zone),
}
