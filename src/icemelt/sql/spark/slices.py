"""TIME_SLICE: the slice of several units of time with a given date or timestamp."""

from __future__ import annotations

from icemelt.spark_sql.moments import EPOCH
from icemelt.sql.analysis.kinds import is_kind
from icemelt.sql.spark.calls import Call

__all__ = ["time_slice"]

_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_DAYS = {"WEEK": 7, "DAY": 1}
_SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
# Slices of weeks begin with the Monday before 1970.
_FIRST_DAY = {"WEEK": "DATE '1969-12-29'", "DAY": "DATE '1970-01-01'"}


def time_slice(call: Call, unit: str, value: str) -> str:
    """Return the start or the end of a slice.

    Slices are counted from 1970-01-01; the end of a slice is the start of the next slice.

    Args:
        call: the call, with the length and the side of the slice.
        unit: the unit in upper case.
        value: the moment, as an operand in Spark SQL.
    """
    length = call.whole(1)
    if length is None or length < 1:
        call.refuse("the length is no whole number from 1 on.", "Write TIME_SLICE(t, 4, 'MONTH').")
    side = "START" if len(call.arguments) < 4 else (call.text(3) or "").upper()  # noqa: PLR2004
    if side not in {"START", "END"}:
        call.refuse("the side of the slice is not known.", "Write 'START' or 'END'.")
    ahead = int(side == "END")
    is_date = is_kind(call.arguments[0], "date")
    if unit in _SECONDS:
        if is_date:
            call.refuse(f"a date has no {unit}.", "Write t::TIMESTAMP_NTZ, or DAY and longer.")
        micros = f"timestampdiff(MICROSECOND, {EPOCH}, CAST({value} AS TIMESTAMP_NTZ))"
        size = length * _SECONDS[unit]
        seconds = f"(floor({micros} / {size * 1_000_000}) + {ahead}) * {size}"
        return f"({EPOCH} + make_dt_interval(0, 0, 0, CAST({seconds} AS DECIMAL(18,6))))"
    day = _day(unit, length, ahead, value)
    return day if is_date else f"CAST({day} AS TIMESTAMP_NTZ)"


def _day(unit: str, length: int, ahead: int, value: str) -> str:
    if unit in _MONTHS:
        size = length * _MONTHS[unit]
        months = f"((year({value}) - 1970) * 12 + month({value}) - 1)"
        slices = f"(floor({months} / {size}) + {ahead}) * {size}"
        return f"add_months(DATE '1970-01-01', CAST({slices} AS INT))"
    size, first = length * _DAYS[unit], _FIRST_DAY[unit]
    slices = f"(floor(datediff({value}, {first}) / {size}) + {ahead}) * {size}"
    return f"date_add({first}, CAST({slices} AS INT))"
