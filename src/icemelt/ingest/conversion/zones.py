"""Wall clocks of a time zone as instants, and back.

Arrow knows the clock changes listed in a zone's data, which end in 2037. After 2037 a zone has
rules, and Python's `zoneinfo` follows the rules.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["clocks", "floor_to_microseconds", "instants", "offset_text"]

_UTC = pa.timestamp("us", "UTC")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAY = 24 * 3600 * 1_000_000
_PER_MICROSECOND = 1000
# 2037-01-01
_LISTED_UNTIL = 2_114_380_800_000_000
# Later instants get the offset of this instant: their own may lead out of Python's years.
_LAST = 253_402_300_799_999_999 - 2 * _DAY


def instants(wall: Any, zone: str) -> Any:
    """Return the instants of wall clocks: the earlier of two instants, or the last before a gap.

    >>> texts = pa.array(["2024-03-31 02:30", "2024-10-27 02:30", "2060-07-01 12:00"])
    >>> for instant in instants(texts.cast(pa.timestamp("us")), "Europe/Berlin").to_pylist():
    ...     print(instant)
    2024-03-31 00:59:59.999999+00:00
    2024-10-27 00:30:00+00:00
    2060-07-01 10:00:00+00:00
    """
    ticks = wall.cast(pa.int64())
    return _by_rules(ticks, zone, _listed_instants, _instant).cast(_UTC)


def clocks(instant: Any, zone: str) -> Any:
    """Return the wall clocks of a zone at instants.

    >>> instant = pa.array([0]).cast(pa.timestamp("us", "UTC"))
    >>> print(clocks(instant, "Asia/Tokyo")[0])
    1970-01-01 09:00:00
    """
    ticks = instant.cast(pa.int64())
    return _by_rules(ticks, zone, _listed_clocks, _clock).cast(pa.timestamp("us"))


def floor_to_microseconds(nanoseconds: Any) -> Any:
    """Return nanoseconds as whole microseconds, rounded down, before 1970 too.

    >>> floor_to_microseconds(pa.array([1999, -1])).to_pylist()
    [1, -1]
    """
    whole = pc.divide(nanoseconds, _PER_MICROSECOND)
    rest = pc.less(nanoseconds, pc.multiply(whole, _PER_MICROSECOND))
    return pc.subtract(whole, rest.cast(pa.int64()))


def offset_text(offset: int) -> str:
    """Return an offset from UTC in microseconds as ISO text.

    >>> offset_text(-12_600_000_000)
    '-03:30'
    """
    minutes, seconds = divmod(abs(offset) // 1_000_000, 60)
    sign = "-" if offset < 0 else "+"
    text = f"{sign}{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text


def _by_rules(
    ticks: Any,
    zone: str,
    listed: Callable[[Any, str], Any],
    ruled: Callable[[int, ZoneInfo], int],
) -> Any:
    """Convert ticks before 2037 by `listed`, and later ticks by `ruled`, one by one.

    Args:
        ticks: microseconds since 1970.
        zone: the zone's name.
        listed: converts an array of ticks by the listed clock changes.
        ruled: converts one tick by the zone's rules.
    """
    late = pc.greater_equal(ticks, _LISTED_UNTIL)
    rules = _rules(zone) if pc.any(late).as_py() else None
    if rules is None:
        return listed(ticks, zone)
    rest = pc.if_else(late, ticks, None).to_pylist()
    late_results = [None if tick is None else ruled(tick, rules) for tick in rest]
    return pc.coalesce(
        listed(pc.if_else(late, None, ticks), zone), pa.array(late_results, pa.int64())
    )


def _rules(zone: str) -> ZoneInfo | None:
    """Return the zone's rules, None for UTC and fixed offsets."""
    try:
        return None if zone == "UTC" else ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return None


def _listed_instants(ticks: Any, zone: str) -> Any:
    wall = ticks.cast(pa.timestamp("us"))
    result = pc.assume_timezone(wall, zone, ambiguous="earliest", nonexistent="earliest")
    return result.cast(pa.int64())


def _listed_clocks(ticks: Any, zone: str) -> Any:
    return pc.local_timestamp(ticks.cast(pa.timestamp("us", zone))).cast(pa.int64())


def _instant(tick: int, zone: ZoneInfo) -> int:
    wall = _moment(tick).replace(tzinfo=zone)
    before, after = _microseconds(wall), _microseconds(wall.replace(fold=1))
    if before >= after:
        return tick - before
    # in a gap: the clocks are put forward between these two instants
    low, high = tick - after, tick - before
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(middle, zone) < after:
            low = middle
        else:
            high = middle
    return low


def _clock(tick: int, zone: ZoneInfo) -> int:
    return tick + _offset(tick, zone)


def _offset(tick: int, zone: ZoneInfo) -> int:
    return _microseconds(_moment(min(tick, _LAST)).astimezone(zone))


def _moment(tick: int) -> dt.datetime:
    return _EPOCH + dt.timedelta(microseconds=tick)


def _microseconds(moment: dt.datetime) -> int:
    offset = moment.utcoffset() or dt.timedelta()
    return offset // dt.timedelta(microseconds=1)
