"""The Arrow type of a single Python value, whatever its neighbours."""

from __future__ import annotations

import datetime as dt
import functools
from decimal import Decimal
from enum import Enum
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["TextStandIn", "arrow_value", "type_of", "value_text"]

_MAX_EXPONENT = 400
# the most digits of decimal128 and of decimal256
_DIGITS = (38, 76)
_MAX_SCALE = 37
_INTEGERS = range(-(2**63), 2**63)
_INTEGER = pa.int64()
_CLOCK = pa.timestamp("us")
_MINUTE = dt.timedelta(minutes=1)


class TextStandIn(Enum):
    """The kinds of values sent as text for want of an Arrow type, such as very large numbers."""

    NUMBER = "number"
    CLOCK = "clock"
    NESTED = "nested"


def type_of(value: Any) -> Any:
    """Return the Arrow type of a built-in scalar, or the stand-in if the value has to be a text.

    >>> type_of(1), type_of(2**70), type_of(10**80)
    (DataType(int64), Decimal128Type(decimal128(38, 0)), <TextStandIn.NUMBER: 'number'>)
    """
    kind = _TYPES.get(type(value))
    if kind is not None:
        return kind
    match value:
        case int():
            return _of_integer(value)
        case Decimal():
            return _of_decimal(value)
        case dt.datetime():
            return _of_timestamp(value)
        case _:
            return pa.time64("us") if value.tzinfo is None else TextStandIn.CLOCK


_TYPES: dict[type, Any] = {
    bool: pa.bool_(),
    float: pa.float64(),
    str: pa.string(),
    bytes: pa.binary(),
    dt.date: pa.date32(),
}


def arrow_value(value: Any) -> Any:
    """Return a value in the form that Arrow accepts for the value's type.

    >>> arrow_value(Decimal("1E+3"))
    Decimal('1000')
    """
    if isinstance(value, Decimal) and int(value.as_tuple().exponent) > 0:
        return Decimal(int(value))
    if isinstance(value, dt.datetime) and value.tzinfo is not None and value.utcoffset() is None:
        return value.replace(tzinfo=None)
    return value


def value_text(value: Any) -> str:
    """Return the text of a number, a clock or a text.

    >>> value_text(Decimal("1E+3")), value_text(dt.time(12, tzinfo=dt.UTC)), value_text("a")
    ('1000', '12:00:00+00:00', 'a')
    """
    match value:
        case Decimal() if value.is_finite() and abs(value.adjusted()) <= _MAX_EXPONENT:
            return format(value, "f")
        case dt.datetime() | dt.time():
            return value.isoformat()
        case _:
            return str(value)


def _of_integer(value: int) -> Any:
    if value in _INTEGERS:
        return _INTEGER
    size = abs(value)
    return _decimal_type(next((digits for digits in _DIGITS if size < 10**digits), 0), 0)


def _of_decimal(value: Decimal) -> Any:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return TextStandIn.NUMBER
    if exponent > 0:
        count = len(digits) + exponent if value else 1
        return _decimal_type(next((most for most in _DIGITS if count <= most), 0), 0)
    if -exponent > _DIGITS[-1]:
        return TextStandIn.NUMBER
    narrow, wide = _DIGITS
    is_narrow = len(digits) <= narrow and -exponent <= _MAX_SCALE
    return _decimal_type(narrow if is_narrow else wide * (len(digits) <= wide), -exponent)


@functools.cache
def _decimal_type(digits: int, scale: int) -> Any:
    if not digits:
        return TextStandIn.NUMBER
    return pa.decimal128(digits, scale) if digits == _DIGITS[0] else pa.decimal256(digits, scale)


def _of_timestamp(value: dt.datetime) -> Any:
    """Return the timestamp type with the value's zone, or with the offset for an unknown zone."""
    zone = value.tzinfo
    if zone is None:
        return _CLOCK
    name = "UTC" if zone is dt.UTC else getattr(zone, "key", None)
    zoned_type = _zoned_type(name) if isinstance(name, str) else None
    if zoned_type is not None:
        return zoned_type
    offset = value.utcoffset()
    if offset is None:
        return _CLOCK
    if offset % _MINUTE:
        return TextStandIn.CLOCK
    hours, minutes = divmod(abs(offset) // _MINUTE, 60)
    return _zoned_type(f"{'-' if offset < dt.timedelta() else '+'}{hours:02}:{minutes:02}")


@functools.lru_cache
def _zoned_type(name: str) -> Any:
    kind = pa.timestamp("us", name)
    try:
        pc.local_timestamp(pa.array([0], kind))
    except pa.ArrowInvalid:
        return None
    return kind
