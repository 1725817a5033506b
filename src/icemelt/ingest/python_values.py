"""Python values as Arrow arrays: typed where one type holds them all, text of each otherwise."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any

import pyarrow as pa

from icemelt.ingest.arrays import text_of
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.json_text import MAX_DEPTH, json_text

__all__ = ["array_of"]

_MAX_EXPONENT = 400
_MAX_SCALE = 37


class _Group(Enum):
    BOOLEAN = bool
    INTEGER = int
    FLOAT = float
    DECIMAL = Decimal
    STRING = str
    BYTES = bytes
    TIMESTAMP = dt.datetime
    DATE = dt.date
    TIME = dt.time
    OBJECT = dict
    LIST = list


_GROUPS = {group.value: group for group in _Group} | {tuple: _Group.LIST}


def array_of(values: Sequence[Any]) -> Any:
    """Return Python values as an array.

    Values of one type become one of that type; objects and lists only where they are alike in
    shape. Of any others each becomes text, which every column's type is read from.

    Raises:
        MalformedRows: A value of a type that no column takes; the message counts from 0.

    >>> array_of([1, None, 3]).type, array_of([1, "a", True]).to_pylist()
    (DataType(int64), ['1', 'a', 'true'])
    """
    known, groups = _known(values)
    if not groups:
        return pa.nulls(len(values))
    try:
        found = _typed(known, groups, 0)
        return _texts(known) if found is None else found
    except (UnicodeEncodeError, ValueError) as error:
        raise MalformedRows(_complaint(known, error), hint=_HINT) from error


_HINT = "Send numbers, text, booleans, bytes, dates, times, lists and dicts of them, and None."


def _known(values: Sequence[Any]) -> tuple[Sequence[Any], set[_Group]]:
    """Return the values in types that have a group, and the groups."""
    types = set(map(type, values)) - {type(None)}
    if not types <= _GROUPS.keys():
        values = [_simple(value, row) for row, value in enumerate(values)]
        types = set(map(type, values)) - {type(None)}
    return values, {_GROUPS[each] for each in types}


def _simple(value: Any, row: int) -> Any:
    """Return a value of NumPy, pandas or of a type that extends one of Python's, as Python's."""
    kind = type(value)
    if value is None or kind in _GROUPS:
        return value
    library, name = kind.__module__.partition(".")[0], kind.__name__
    if library == "pandas" and name in {"NaTType", "NAType"}:
        return None
    if library == "numpy":
        return _from_numpy(value, name, row)
    match value:
        case uuid.UUID():
            return str(value)
        case bytearray() | memoryview():
            return bytes(value)
        case Mapping():
            return dict(value)
    for plain, change in _PLAINER.items():
        if isinstance(value, plain):
            return change(value)
    raise MalformedRows(f"Row {row} has a value of type {kind.__qualname__}.", hint=_HINT)


def _from_numpy(value: Any, name: str, row: int) -> Any:
    if name == "ndarray":
        return value.tolist()
    if name == "datetime64":
        return None if str(value) == "NaT" else value.astype("datetime64[us]").item()
    found = value.item()
    if type(found).__module__ == "numpy":
        # a long double
        return float(found)
    return _simple(found, row)


_PLAINER: dict[type, Callable[[Any], Any]] = {
    int: int,
    float: float,
    str: str.__str__,
    bytes: bytes,
    Decimal: Decimal,
    dt.datetime: lambda value: dt.datetime.combine(value.date(), value.timetz()),
    dt.date: lambda value: dt.date(value.year, value.month, value.day),
    list: list,
    tuple: list,
}


def _typed(values: Sequence[Any], groups: set[_Group], depth: int) -> Any:
    """Return an array of one type, None where there is none for all the values."""
    if depth > MAX_DEPTH:
        raise ValueError(f"has more than {MAX_DEPTH} levels")
    if len(groups) != 1:
        return None if groups else pa.nulls(len(values))
    (group,) = groups
    match group:
        case _Group.INTEGER:
            return _integers(values)
        case _Group.DECIMAL:
            return _decimals(values)
        case _Group.TIMESTAMP:
            return _timestamps(values)
        case _Group.TIME:
            aware = any(value is not None and value.tzinfo is not None for value in values)
            return None if aware else pa.array(values, pa.time64("us"))
        case _Group.LIST:
            return _lists(values, depth)
        case _Group.OBJECT:
            return _objects(values, depth)
        case _:
            return pa.array(values, _ARROW[group])


_ARROW = {
    _Group.BOOLEAN: pa.bool_(),
    _Group.FLOAT: pa.float64(),
    _Group.STRING: pa.string(),
    _Group.BYTES: pa.binary(),
    _Group.DATE: pa.date32(),
}


def _integers(values: Sequence[Any]) -> Any:
    for kind in (pa.int64(), pa.decimal128(38, 0), pa.decimal256(76, 0)):
        try:
            return pa.array(values, kind)
        except (OverflowError, pa.ArrowInvalid):
            continue
    return None


def _decimals(values: Sequence[Any]) -> Any:
    """Return decimals of one scale; of several, texts keep the digits that each has."""
    scales = {value.as_tuple().exponent for value in values if value is not None}
    if len(scales) != 1:
        return None
    (exponent,) = scales
    if not isinstance(exponent, int) or not -_MAX_SCALE <= exponent <= 0:
        return None
    for kind in (pa.decimal128(38, -exponent), pa.decimal256(76, -exponent)):
        try:
            return pa.array(values, kind)
        except pa.ArrowInvalid:
            continue
    return None


def _timestamps(values: Sequence[Any]) -> Any:
    zones = {value.tzinfo for value in values if value is not None}
    names = {_zone_name(zone) for zone in zones}
    if len(zones) != 1 or False in names:
        return None
    return pa.array(values, pa.timestamp("us", names.pop()))


def _zone_name(zone: dt.tzinfo | None) -> str | bool | None:
    """Return a zone's name for Arrow, False where it has none."""
    if zone is None:
        return None
    if zone is dt.UTC:
        return "UTC"
    return getattr(zone, "key", None) or False


def _lists(values: Sequence[Any], depth: int) -> Any:
    parts, groups = _known(list(itertools.chain.from_iterable(value or () for value in values)))
    inner = _typed(parts, groups, depth + 1)
    if inner is None:
        return None
    ends = itertools.accumulate((len(value or ()) for value in values), initial=0)
    missing = pa.array([value is None for value in values])
    return pa.ListArray.from_arrays(pa.array(list(ends), pa.int32()), inner, mask=missing)


def _objects(values: Sequence[Any], depth: int) -> Any:
    shapes = {tuple(value) for value in values if value is not None}
    names = shapes.pop()
    if shapes or not names or not all(isinstance(name, str) for name in names):
        return None
    parts = []
    for name in names:
        members = [None if value is None else value[name] for value in values]
        inner = _typed(*_known(members), depth + 1)
        if inner is None:
            return None
        parts.append(inner)
    missing = pa.array([value is None for value in values])
    return pa.StructArray.from_arrays(parts, names=list(names), mask=missing)


def _texts(values: Sequence[Any]) -> Any:
    """Return each value's text, as a column of its type alone would have it."""
    texts: list[str | None] = [None] * len(values)
    places: dict[type, list[int]] = {}
    for place, value in enumerate(values):
        if value is not None:
            places.setdefault(type(value), []).append(place)
    for kind, those in places.items():
        found = _texts_of_one([values[place] for place in those], _GROUPS[kind])
        for place, text in zip(those, found, strict=True):
            texts[place] = text
    return pa.array(texts, pa.string())


def _texts_of_one(values: list[Any], group: _Group) -> list[str]:
    match group:
        case _Group.STRING:
            return values
        case _Group.INTEGER:
            return [str(value) for value in values]
        case _Group.DECIMAL:
            return [_decimal_text(value) for value in values]
        case _Group.TIMESTAMP | _Group.TIME:
            return [value.isoformat() for value in values]
        case _Group.LIST | _Group.OBJECT:
            return [_nested_text(_plain(value, 0)) for value in values]
        case _:
            texts: list[str] = text_of(pa.array(values, _ARROW[group])).to_pylist()
            return texts


def _nested_text(value: Any) -> str:
    try:
        return json_text(value)
    except ValueError:
        # NaN is no JSON: whoever reads the text refuses this row, and no other
        return json.dumps(value, default=str)


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite() or abs(value.adjusted()) > _MAX_EXPONENT:
        return str(value)
    return format(value, "f")


def _plain(value: Any, depth: int) -> Any:
    """Return a nested value of which all parts are Python's own."""
    if depth > MAX_DEPTH:
        raise ValueError(f"has more than {MAX_DEPTH} levels")
    found = _simple(value, 0)
    if isinstance(found, dict):
        return {key: _plain(member, depth + 1) for key, member in found.items()}
    if isinstance(found, list | tuple):
        return [_plain(each, depth + 1) for each in found]
    return found


def _complaint(values: Sequence[Any], error: Exception) -> str:
    """Say which value it was; each is tried again by itself."""
    for row, value in enumerate(values):
        try:
            _texts([value])
        except (UnicodeEncodeError, ValueError) as found:
            reason = "half of a surrogate pair" if isinstance(found, UnicodeEncodeError) else found
            return f"Row {row} has a value that no column takes: {reason}."
    return f"A column has values that no column takes: {error}."
