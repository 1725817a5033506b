"""Spark SQL that depends on the clock alone, evaluated in Python: a default of a time of loading.

An expression is the clock, `current_timestamp()`, within casts to a date or a time and within moves
between time zones. `CURRENT_TIMESTAMP()::DATE`, `SYSDATE()` and
`CONVERT_TIMEZONE('Europe/Berlin', CURRENT_TIMESTAMP())` are such expressions.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Callable

from icemelt.spark_sql.moments import cut_seconds, wall_clock

__all__ = ["ClockValue", "read_clock_expression"]

# an instant has a time zone, a wall clock has none
ClockValue = dt.datetime | dt.date
_Read = Callable[[dt.datetime], ClockValue]

_NOW = "current_timestamp()"
_CAST = re.compile(r"CAST\((.*) AS (DATE|TIMESTAMP|TIMESTAMP_LTZ|TIMESTAMP_NTZ)\)", re.DOTALL)
_ZONE = r"(current_timezone\(\)|'[^'\\]*')"
_MOVE = re.compile(rf"convert_timezone\({_ZONE}, {_ZONE}, (.*)\)", re.DOTALL)
_UTC_BEFORE, _UTC_AFTER = wall_clock("\0").split("\0")
# the clock with fewer digits of its seconds, by its text
_CUT = {cut_seconds("now", digits)[1:-1].replace("now", _NOW): digits for digits in range(3)}


def read_clock_expression(text: str, zone: str) -> _Read | None:
    """Return a function that gives an expression's value at an instant; None for other expressions.

    An instant is an aware datetime, a wall clock a datetime without a zone.

    Args:
        text: the expression, as Spark SQL.
        zone: the session's time zone.

    >>> now = dt.datetime(2024, 5, 1, 22, 30, tzinfo=dt.UTC)
    >>> read = read_clock_expression("CAST(current_timestamp() AS DATE)", "Europe/Berlin")
    >>> read(now), read_clock_expression("rand()", "UTC")
    (datetime.date(2024, 5, 2), None)
    """
    try:
        return _read(text, zoneinfo.ZoneInfo(zone))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        # Java knows further zones
        return None


def _read(text: str, zone: zoneinfo.ZoneInfo) -> _Read | None:
    text = _strip_parentheses(text)
    if text == _NOW:
        return lambda now: now
    if text in _CUT:
        step = 10 ** (6 - _CUT[text])
        return lambda now: now.replace(microsecond=now.microsecond // step * step)
    if (cast := _CAST.fullmatch(text)) is not None:
        return _then(_read(cast[1], zone), lambda value: _cast(value, cast[2], zone))
    if (move := _MOVE.fullmatch(text)) is not None:
        before, after = (_named_zone(name, zone) for name in move.groups()[:2])
        return _then(_read(move[3], zone), lambda value: _move(value, zone, before, after))
    if text.startswith(_UTC_BEFORE.removeprefix("(")) and text.endswith(_UTC_AFTER[:-1]):
        inner = text[len(_UTC_BEFORE) - 1 : len(text) - len(_UTC_AFTER) + 1]
        utc = zoneinfo.ZoneInfo("UTC")
        return _then(_read(inner, zone), lambda value: _cast(value, "TIMESTAMP_NTZ", utc))
    return None


def _strip_parentheses(text: str) -> str:
    """Return a text without the parentheses around it, if they are one pair."""
    while text.startswith("(") and text.endswith(")") and _is_balanced(text[1:-1]):
        text = text[1:-1].strip()
    return text


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def _then(inner: _Read | None, change: Callable[[ClockValue], ClockValue]) -> _Read | None:
    if inner is None:
        return None
    read = inner
    return lambda now: change(read(now))


def _named_zone(name: str, zone: zoneinfo.ZoneInfo) -> zoneinfo.ZoneInfo:
    return zone if name == "current_timezone()" else zoneinfo.ZoneInfo(name.strip("'"))


def _cast(value: ClockValue, kind: str, zone: zoneinfo.ZoneInfo) -> ClockValue:
    """Return a value cast to a type; instants are shown in a time zone."""
    if not isinstance(value, dt.datetime):
        if kind == "DATE":
            return value
        value = dt.datetime.combine(value, dt.time())
    if kind in {"TIMESTAMP", "TIMESTAMP_LTZ"}:
        return value if value.tzinfo else value.replace(tzinfo=zone)
    wall = value.astimezone(zone).replace(tzinfo=None) if value.tzinfo else value
    return wall.date() if kind == "DATE" else wall


def _move(
    value: ClockValue,
    zone: zoneinfo.ZoneInfo,
    before: zoneinfo.ZoneInfo,
    after: zoneinfo.ZoneInfo,
) -> ClockValue:
    """Return the wall clock of a zone, for the wall clock of another zone.

    Args:
        value: the other wall clock; an instant is shown in the session's time zone.
        zone: the session's time zone.
        before: the zone of the value.
        after: the zone of the result.
    """
    wall = _cast(value, "TIMESTAMP_NTZ", zone)
    assert isinstance(wall, dt.datetime)  # noqa: S101 - as cast
    return wall.replace(tzinfo=before).astimezone(after).replace(tzinfo=None)
