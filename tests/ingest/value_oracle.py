"""What a value becomes in a column, one value at a time: slow, and in plain Python."""

# ruff: noqa: DTZ001 - clocks without a zone are values too

from __future__ import annotations

import datetime as dt
import json
import math
import re
import struct
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any
from zoneinfo import ZoneInfo

from icemelt.schema import DataType, DecimalType, Primitive

SPACES = " \t\n\v\f\r"
EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?"
ISO = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?"
    r"(Z|([+-])([0-9]{2})(?::?([0-9]{2})|:([0-9]{2}):([0-9]{2}))?)?)?"
)
LIMITS = {"int": 2**31, "long": 2**63}


class Refused(Exception):
    """The value does not go into the column."""


def expected(value: Any, data_type: DataType, zone: str) -> Any:
    """Return what is kept of a value, or raise `Refused`."""
    if value is None:
        return None
    if isinstance(data_type, DecimalType):
        return _decimal(_number(value), data_type)
    assert isinstance(data_type, Primitive)
    match data_type.name:
        case "int" | "long":
            whole = int(_rounded(_number(value), 0))
            return _checked(whole, -LIMITS[data_type.name] <= whole < LIMITS[data_type.name])
        case "float" | "double":
            return _float(value, data_type.name)
        case "boolean":
            return _boolean(value)
        case "binary":
            return _bytes(value)
        case "string":
            text = _text(value)
            return _checked(text, data_type.length is None or len(text) <= data_type.length)
        case "variant":
            return _variant(value)
        case name:
            return _time(value, name, zone)


def _checked(value: Any, condition: bool) -> Any:  # noqa: FBT001 - reads as a sentence
    if not condition:
        raise Refused
    return value


def _number(value: Any) -> Decimal:
    match value:
        case bool():
            raise Refused
        case int() | Decimal():
            return Decimal(value)
        case float():
            return _checked(Decimal(repr(value)), math.isfinite(value))
        case str():
            stripped = value.strip(SPACES)
            return Decimal(_checked(stripped, re.fullmatch(NUMBER, stripped) is not None))
        case _:
            raise Refused


def _rounded(number: Decimal, scale: int) -> Decimal:
    if not number or number.adjusted() < -100:
        return Decimal(0)
    if number.adjusted() > 100:
        raise Refused
    context = Context(prec=2000, rounding=ROUND_HALF_UP)
    return number.quantize(Decimal(1).scaleb(-scale), context=context)


def _decimal(number: Decimal, data_type: DecimalType) -> Decimal:
    found = _rounded(number, data_type.scale)
    limit = Decimal(10) ** (data_type.precision - data_type.scale)
    with localcontext(prec=200):
        return _checked(found, abs(found) < limit)


def _float(value: Any, name: str) -> float:
    if isinstance(value, str):
        stripped = value.strip(SPACES)
        if re.fullmatch("[+-]?(inf|infinity|nan)", stripped.lower()):
            found = float(stripped)
        else:
            found = float(_number(value))
            _checked(found, math.isfinite(found))
    elif isinstance(value, float):
        found = value
    else:
        found = float(_number(value))
    if name == "double" or not math.isfinite(found):
        return found
    try:
        return struct.unpack("<f", struct.pack("<f", found))[0]
    except OverflowError:
        raise Refused from None


def _boolean(value: Any) -> bool:
    match value:
        case bool():
            return value
        case int() | Decimal():
            return value != 0
        case float():
            return _checked(value != 0, math.isfinite(value))
        case str():
            word = value.strip(SPACES)
            word = "".join(c.lower() if c.isascii() else c for c in word)
            if word in {"true", "t", "yes", "y", "on", "1"}:
                return True
            return _checked(value=False, condition=word in {"false", "f", "no", "n", "off", "0"})
        case _:
            raise Refused


def _bytes(value: Any) -> bytes:
    match value:
        case bytes():
            return value
        case str() if re.fullmatch("([0-9a-fA-F]{2})*", value):
            return bytes.fromhex(value)
        case _:
            raise Refused


def _text(value: Any) -> str:
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float_text(value)
        case Decimal():
            return format(value, "f")
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case _:
            raise Refused


def _float_text(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else str(value)
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    sign, digits, _ = Decimal(repr(value)).normalize().as_tuple()
    point = Decimal(repr(value)).adjusted()
    written = "".join(map(str, digits))
    if -7 < point < 0:
        text = "0." + "0" * (-point - 1) + written
    elif 0 <= point < _PLAIN_DIGITS:
        text = written[: point + 1] + "." + written[point + 1 :]
    else:
        text = written[0] + ("." + written[1:] if len(written) > 1 else "") + f"e{point:+d}"
    return ("-" if sign else "") + text


_PLAIN_DIGITS = 10


def _variant(value: Any) -> str:
    match value:
        case str():
            try:
                json.loads(value, parse_constant=_refuse)
            except (ValueError, RecursionError):
                raise Refused from None
            return value
        case float():
            return _checked(_text(value), math.isfinite(value))
        case dt.datetime() | dt.date() | dt.time():
            return json.dumps(value.isoformat())
        case bytes():
            raise Refused
        case _:
            return _text(value)


def _refuse(_constant: str) -> Any:
    raise Refused


def _time(value: Any, name: str, zone: str) -> Any:
    try:
        wall, offset = _wall(value)
        if name == "date":
            return wall.date()
        if name == "timestamp":
            return wall
        found = _instant(wall, zone) if offset is None else wall - offset
        return found.replace(tzinfo=dt.UTC)
    except OverflowError:
        raise Refused from None


def _wall(value: Any) -> tuple[dt.datetime, dt.timedelta | None]:
    match value:
        case bool() | bytes() | dt.time():
            raise Refused
        case float():
            whole = value.is_integer() and abs(value) < 2**63
            return _since_1970(int(_checked(value, whole))), dt.timedelta()
        case int():
            return _since_1970(value), dt.timedelta()
        case Decimal():
            whole = value.as_tuple().exponent == 0 and abs(value) <= 10**18
            return _since_1970(int(_checked(value, whole))), dt.timedelta()
        case dt.datetime():
            return value.replace(tzinfo=None), value.utcoffset()
        case dt.date():
            return dt.datetime(value.year, value.month, value.day), None
        case _:
            return _wall_of_text(value.strip(SPACES))


def _since_1970(value: int) -> dt.datetime:
    size = abs(value)
    if size < 31_536_000_000:
        ticks = value * 1_000_000
    elif size < 31_536_000_000_000:
        ticks = value * 1000
    elif size < 31_536_000_000_000_000:
        ticks = value
    else:
        ticks = value // 1000
    return EPOCH + ticks * MICROSECOND


def _wall_of_text(text: str) -> tuple[dt.datetime, dt.timedelta | None]:
    if re.fullmatch("[+-]?[0-9]{1,18}", text):
        return _since_1970(int(text)), dt.timedelta()
    found = ISO.fullmatch(text)
    if found is None:
        raise Refused
    year, month, day, hour, minute, second, fraction = found.groups()[:7]
    numbers = [int(part or 0) for part in (year, month, day, hour, minute, second)]
    micros = int((fraction or "0").ljust(9, "0")[:6])
    try:
        return dt.datetime(*numbers, micros), _offset(found)  # type: ignore[misc, arg-type]
    except ValueError:
        raise Refused from None


def _offset(found: re.Match[str]) -> dt.timedelta | None:
    if not found.group(8):
        return None
    if found.group(8) == "Z":
        return dt.timedelta()
    hours, minutes = int(found.group(10)), int(found.group(11) or found.group(12) or 0)
    seconds = int(found.group(13) or 0)
    _checked(None, hours < 24 and minutes < 60 and seconds < 60)
    size = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return -size if found.group(9) == "-" else size


def _instant(wall: dt.datetime, name: str) -> dt.datetime:
    zone = ZoneInfo(name)
    first = wall.replace(tzinfo=zone).utcoffset() or dt.timedelta()
    second = wall.replace(tzinfo=zone, fold=1).utcoffset() or dt.timedelta()
    if first >= second:
        return wall - first
    # the clocks are put forward between these; the last instant of the old offset
    low, high = wall - second, wall - first
    while high - low > MICROSECOND:
        middle = low + (high - low) / 2
        at = middle.replace(tzinfo=dt.UTC).astimezone(zone).utcoffset() or dt.timedelta()
        low, high = (low, middle) if at >= second else (middle, high)
    return low
