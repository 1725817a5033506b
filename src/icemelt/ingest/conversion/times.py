"""Conversion to dates and timestamps: from ISO text, dates, timestamps, and numbers since 1970.

A value is first read as a wall clock in microseconds, with the offset from UTC if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import Kind, kind_of, trim_texts
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.converted_array import ConvertedArray, reject_all
from icemelt.ingest.conversion.zones import clocks, floor_to_microseconds, instants
from icemelt.schema import Primitive, sql_type

__all__ = ["convert_times"]

_DAY = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
_ZONE = r"(?:Z|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9]|:[0-5][0-9]:[0-5][0-9])?)"
_ISO = rf"^{_DAY}(?:[T ]{_CLOCK}{_ZONE}?)?$"
_ZONED = r":[0-9][0-9](?:\.[0-9]+)?(?:Z|[+-][0-9:]+)$"
_INTEGER = r"^[+-]?[0-9]{1,18}$"
_EXPECTED = "takes dates from 0001-01-01 to 9999-12-31, with or without a time, in ISO text"

_MICROSECONDS = pa.timestamp("us")
_UTC = pa.timestamp("us", "UTC")
# 0001-01-01 and 9999-12-31T23:59:59.999999
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
_TO_MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}
# Snowflake's rule: a larger integer is a number of the next finer unit.
_YEARS_1000 = 31_536_000_000
_UNITS = ((_YEARS_1000, 1_000_000), (_YEARS_1000 * 1000, 1000), (_YEARS_1000 * 1_000_000, 1))


@dataclass(frozen=True, slots=True)
class _Clocks:
    """Wall clocks, and their offsets from UTC in microseconds: NULL, or None, for no zone."""

    wall: ConvertedArray
    offset: Any = None


def convert_times(array: Any, data_type: Primitive, time_zone: str) -> ConvertedArray:
    """Convert values to DATE, TIMESTAMP_NTZ or TIMESTAMP_LTZ.

    DATE and TIMESTAMP_NTZ keep the day and the clock as written. TIMESTAMP_LTZ reads a clock
    without a zone in `time_zone`. A clock shown twice in the zone is the earlier instant; a skipped
    clock is the last microsecond before the gap.

    Args:
        array: a plain array.
        data_type: the type to convert to.
        time_zone: the name of a zone, such as Europe/Berlin.

    >>> texts = pa.array(["2024-01-01", "2024-01-01T23:30-07:00", "1704067200"])
    >>> print(convert_times(texts, Primitive("date"), "UTC").values.to_pylist()[1])
    2024-01-01
    >>> print(convert_times(texts, Primitive("timestamptz"), "UTC").values.to_pylist()[1])
    2024-01-02 06:30:00+00:00
    """
    expected = f"{sql_type(data_type)} {_EXPECTED}"
    if array.type == arrow_type(data_type) and not pa.types.is_date(array.type):
        return _within_years(ConvertedArray(array), array, expected)
    match kind_of(array):
        case Kind.STRING:
            read = _of_texts(array, expected)
        case Kind.INTEGER:
            read = _Clocks(_of_integers(array, array, expected), pa.scalar(0, pa.int64()))
        case Kind.FLOAT:
            whole = _of_floats(array, expected)
            read = _Clocks(whole, pa.scalar(0, pa.int64()))
        case Kind.DECIMAL if array.type.scale == 0:
            read = _of_decimals(array, expected)
        case Kind.DATE:
            return _of_dates(array, data_type, time_zone, expected)
        case Kind.TIMESTAMP:
            read = _of_timestamps(array, expected)
        case _:
            return reject_all(array, arrow_type(data_type), expected)
    return _as_type(read, array, data_type, time_zone, expected)


def _as_type(
    read: _Clocks, source: Any, data_type: Primitive, time_zone: str, expected: str
) -> ConvertedArray:
    wall = _within_years(read.wall, source, expected)
    match data_type.name:
        case "date":
            return wall.with_values(wall.values.cast(pa.date32()))
        case "timestamp":
            return wall
        case _:
            instants = wall.with_values(_instants(wall.values, read.offset, time_zone))
            return _within_years(instants, source, expected)


def _instants(wall: Any, offset: Any, time_zone: str) -> Any:
    if offset is not None:
        shifted = pc.subtract(wall.cast(pa.int64()), offset).cast(_UTC)
        if shifted.null_count == wall.null_count:
            return shifted
        return pc.coalesce(shifted, _instants(wall, None, time_zone))
    if time_zone == "UTC":
        return wall.cast(_UTC)
    return instants(wall, time_zone)


def _within_years(converted: ConvertedArray, source: Any, expected: str) -> ConvertedArray:
    """Refuse times before year 1 or after year 9999."""
    ticks = converted.values.view(pa.int64())
    if _are_between(ticks, _FIRST, _LAST):
        return converted
    return converted.reject(
        pc.or_(pc.less(ticks, _FIRST), pc.greater(ticks, _LAST)), source, expected
    )


def _are_between(numbers: Any, first: int, last: int) -> bool:
    low, high = pc.min_max(numbers).values()
    return not low.is_valid or (low.as_py() >= first and high.as_py() <= last)


def _of_texts(array: Any, expected: str) -> _Clocks:
    texts = trim_texts(array)
    iso = pc.match_substring_regex(texts, _ISO)
    if pc.all(iso).as_py():
        return _of_iso(texts, array, expected)
    integer = pc.match_substring_regex(texts, _INTEGER)
    converted = ConvertedArray(texts).reject(pc.invert(pc.or_(iso, integer)), array, expected)
    read = _of_iso(pc.if_else(iso, converted.values, None), array, expected)
    if not pc.any(integer).as_py():
        return _Clocks(
            ConvertedArray(read.wall.values, converted.errors + read.wall.errors), read.offset
        )
    digits = pc.replace_substring_regex(pc.if_else(integer, converted.values, None), r"^\+", "")
    since_1970 = _of_integers(digits.cast(pa.int64()), array, expected).values
    offset = pa.nulls(len(array), pa.int64()) if read.offset is None else read.offset
    merged = pc.coalesce(read.wall.values, since_1970)
    errors = converted.errors + read.wall.errors
    return _Clocks(
        ConvertedArray(merged, errors), pc.if_else(integer, pa.scalar(0, pa.int64()), offset)
    )


def _of_iso(texts: Any, source: Any, expected: str) -> _Clocks:
    offset = None
    zoned = pc.match_substring_regex(texts, _ZONED)
    if pc.any(zoned).as_py():
        texts, offset = _without_zones(texts, zoned)
    long = pc.match_substring_regex(texts, r"\.[0-9]{7,}$")
    if pc.any(long).as_py():
        texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+$", r"\1")
    wall = ConvertedArray(texts.cast(_MICROSECONDS))
    return _Clocks(_within_years(wall, source, expected), offset)


def _without_zones(texts: Any, zoned: Any) -> tuple[Any, Any]:
    """Return the texts without their zones, and the zones' offsets in microseconds."""
    utc = pc.ends_with(texts, "Z")
    short = pc.utf8_rtrim(texts, "Z")
    zero = pc.if_else(utc, pa.scalar(0, pa.int64()), None)
    others = pc.and_(zoned, pc.invert(utc))
    if not pc.any(others).as_py():
        return short, zero
    rest = pc.if_else(others, texts, None)
    zones = pc.replace_substring_regex(rest, r"^.*([+-][0-9:]+)$", r"\1").dictionary_encode()
    offsets = pa.array([_offset(zone) for zone in zones.dictionary.to_pylist()], pa.int64())
    bare = pc.replace_substring_regex(rest, r"[+-][0-9:]+$", "")
    return pc.coalesce(bare, short), pc.coalesce(zero, offsets.take(zones.indices))


def _offset(zone: str) -> int:
    """Return the microseconds of `+HH`, `+HHMM`, `+HH:MM` or `+HH:MM:SS`."""
    digits = zone[1:].replace(":", "").ljust(6, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:])
    return (-seconds if zone[0] == "-" else seconds) * 1_000_000


def _of_integers(array: Any, source: Any, expected: str) -> ConvertedArray:
    """Read seconds since 1970; larger numbers are milli-, micro- or nanoseconds."""
    converted = ConvertedArray(array)
    if array.type == pa.uint64():
        bad = pc.greater(array, pa.scalar(2**63 - 1, pa.uint64()))
        converted = converted.reject(bad, source, expected)
    ticks = converted.values.cast(pa.int64())
    moments = floor_to_microseconds(ticks)
    for limit, factor in reversed(_UNITS):
        fits = pc.and_(pc.less(ticks, limit), pc.greater(ticks, -limit))
        scaled = pc.multiply(pc.if_else(fits, ticks, None), factor)
        moments = pc.if_else(fits, scaled, moments)
    return converted.with_values(moments.cast(_MICROSECONDS))


def _of_floats(array: Any, expected: str) -> ConvertedArray:
    """Read whole floats as integers; in JSON `5` and `5.0` are one number."""
    numbers = array.cast(pa.float64())
    whole = pc.and_(pc.equal(pc.floor(numbers), numbers), pc.less(pc.abs(numbers), 2.0**63))
    converted = ConvertedArray(numbers).reject(pc.invert(whole), array, expected)
    return converted.with_values(
        _of_integers(converted.values.cast(pa.int64()), array, expected).values
    )


def _of_decimals(array: Any, expected: str) -> _Clocks:
    large = pc.greater(pc.abs(array), pa.scalar(10**18, pa.int64()).cast(pa.decimal128(19, 0)))
    converted = ConvertedArray(array).reject(large, array, expected)
    whole = _of_integers(converted.values.cast(pa.int64()), array, expected)
    return _Clocks(ConvertedArray(whole.values, converted.errors), pa.scalar(0, pa.int64()))


def _of_dates(array: Any, data_type: Primitive, time_zone: str, expected: str) -> ConvertedArray:
    per_day = 24 * 3600 * 1_000_000
    is_date = data_type.name == "date" and pa.types.is_date32(array.type)
    if is_date and _are_between(array.view(pa.int32()), _FIRST // per_day, _LAST // per_day):
        return ConvertedArray(array)
    days = array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    bad = pc.or_(pc.less(days, _FIRST // per_day), pc.greater(days, _LAST // per_day))
    converted = ConvertedArray(days).reject(bad, array, expected)
    wall = pc.multiply(converted.values, per_day).cast(_MICROSECONDS)
    return _as_type(_Clocks(converted.with_values(wall)), array, data_type, time_zone, expected)


def _of_timestamps(array: Any, expected: str) -> _Clocks:
    ticks = _microseconds(array, expected)
    if array.type.tz is None:
        return _Clocks(ticks.with_values(ticks.values.cast(_MICROSECONDS)))
    wall = clocks(ticks.values.cast(_UTC), array.type.tz)
    offset = pc.subtract(wall.cast(pa.int64()), ticks.values)
    return _Clocks(ticks.with_values(wall), offset)


def _microseconds(array: Any, expected: str) -> ConvertedArray:
    """Return microseconds; instants up to a day outside the years are left for their zone."""
    ticks, unit = array.cast(pa.int64()), array.type.unit
    if unit == "ns":
        return ConvertedArray(floor_to_microseconds(ticks))
    factor, day = _TO_MICROSECONDS[unit], 24 * 3600 * 1_000_000
    low, high = (_FIRST - day) // factor, (_LAST + day) // factor
    bad = pc.or_(pc.less(ticks, low), pc.greater(ticks, high))
    converted = ConvertedArray(ticks).reject(bad, array, expected)
    return converted.with_values(pc.multiply(converted.values, factor))
