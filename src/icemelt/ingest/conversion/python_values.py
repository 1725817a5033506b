"""Python values as Arrow arrays: an array of one type for like values, a union for mixed values."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any

import pyarrow as pa

from icemelt.ingest.conversion.unions import UnionMember, union_of
from icemelt.ingest.conversion.value_types import TextStandIn, arrow_value, type_of, value_text
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.json_text import MAX_DEPTH, to_json_text

__all__ = ["array_of"]


class _NestedText(str):
    """The JSON text of a list or an object, if no array has room for the shape."""

    __slots__ = ()


class _PythonType(Enum):
    BOOLEAN = bool
    INTEGER = int
    FLOAT = float
    DECIMAL = Decimal
    STRING = str
    NESTED_TEXT = _NestedText
    BYTES = bytes
    TIMESTAMP = dt.datetime
    DATE = dt.date
    TIME = dt.time
    OBJECT = dict
    LIST = list


class _Mixing(Enum):
    """What to make of values of several types."""

    REFUSED = "an error"
    UNION = "a union"


class _MixedTypes(Exception):
    """The values are of several types, or of a type unknown to Arrow."""


_GROUPS = {group.value: group for group in _PythonType} | {tuple: _PythonType.LIST}
_NESTED = {_PythonType.LIST, _PythonType.OBJECT}


def array_of(values: Sequence[Any]) -> Any:
    """Return Python values as an array.

    Values of one type become an array of the type, values of several types become a union. So the
    meaning of a value does not depend on its neighbours. Lists and objects of different shapes
    become JSON text, if JSON loses nothing of the values.

    Raises:
        MalformedRows: A value of a type that no column takes; the message counts from 0.

    >>> array_of([1, None, 3]).type, array_of([1, "a", True]).to_pylist()
    (DataType(int64), [1, 'a', True])
    """
    simplified, groups = _simplify(values)
    if not groups:
        return pa.nulls(len(values))
    try:
        return _column(simplified, groups)
    except (UnicodeEncodeError, ValueError) as error:
        raise MalformedRows(_complaint(simplified, error), hint=_HINT) from error


_HINT = "Send numbers, text, booleans, bytes, dates, times, lists and dicts of them, and None."


def _simplify(values: Sequence[Any]) -> tuple[Sequence[Any], set[_PythonType]]:
    """Return the values converted to types with a group, and the groups."""
    types = set(map(type, values)) - {type(None)}
    if not types <= _GROUPS.keys():
        values = [_simple(value, row) for row, value in enumerate(values)]
        types = set(map(type, values)) - {type(None)}
    return values, {_GROUPS[kind] for kind in types}


def _simple(value: Any, row: int) -> Any:
    """Return a value of NumPy, of pandas or of a subclass as a value of a built-in Python type."""
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
    item = value.item()
    if type(item).__module__ == "numpy":
        # only a long double of NumPy is still NumPy's
        return float(item)
    return _simple(item, row)


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


def _column(values: Sequence[Any], groups: set[_PythonType]) -> Any:
    try:
        return _array(values, groups, 0, _Mixing.REFUSED)
    except _MixedTypes:
        if groups & _NESTED:
            values, groups = _simplify([_flat(value) for value in values])
        return _array(values, groups, 0, _Mixing.UNION)


def _array(values: Sequence[Any], groups: set[_PythonType], depth: int, mixing: _Mixing) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(f"has more than {MAX_DEPTH} levels")
    if not groups:
        return pa.nulls(len(values))
    array = _of_group(values, next(iter(groups)), depth, mixing) if len(groups) == 1 else None
    return _of_several(values, depth, mixing) if array is None else array


def _of_group(values: Sequence[Any], group: _PythonType, depth: int, mixing: _Mixing) -> Any:
    """Return an array of one type, None if the group alone does not decide the type."""
    match group:
        case _PythonType.INTEGER:
            return _integers(values)
        case _PythonType.TIMESTAMP | _PythonType.TIME:
            kind = _of_clocks(values, group)
            return None if kind is None else pa.array(values, kind)
        case _PythonType.LIST:
            return _lists(values, depth, mixing)
        case _PythonType.OBJECT | _PythonType.DECIMAL | _PythonType.NESTED_TEXT:
            return None
        case _:
            return pa.array(values, _ARROW[group])


_ARROW = {
    _PythonType.BOOLEAN: pa.bool_(),
    _PythonType.FLOAT: pa.float64(),
    _PythonType.STRING: pa.string(),
    _PythonType.BYTES: pa.binary(),
    _PythonType.DATE: pa.date32(),
    _PythonType.TIME: pa.time64("us"),
    _PythonType.TIMESTAMP: pa.timestamp("us"),
}


def _of_clocks(values: Sequence[Any], group: _PythonType) -> Any:
    """Return the type of clocks without a zone, or of timestamps in a named zone; else None."""
    zones = {value.tzinfo for value in values if value is not None}
    if zones == {None}:
        return _ARROW[group]
    if len(zones) > 1 or group is _PythonType.TIME:
        return None
    kind = type_of(next(value for value in values if value is not None))
    # in any other zone every value gets the offset of its own time
    named = dt.UTC in zones or getattr(kind, "tz", "") == getattr(zones.pop(), "key", None)
    return kind if named else None


def _integers(values: Sequence[Any]) -> Any:
    try:
        return pa.array(values, pa.int64())
    except (OverflowError, pa.ArrowInvalid):
        return None


def _of_several(values: Sequence[Any], depth: int, mixing: _Mixing) -> Any:
    """Return an array with every value in the type of the value alone."""
    positions_by_kind: dict[Any, list[int]] = {}
    for position, value in enumerate(values):
        if value is not None:
            positions_by_kind.setdefault(_kind(value, depth), []).append(position)
    kinds = list(positions_by_kind)
    if len(kinds) == 1 and not isinstance(kinds[0], TextStandIn):
        return _of_kind(values, kinds[0], depth, mixing)
    if mixing is _Mixing.REFUSED:
        raise _MixedTypes
    members = [
        UnionMember(
            kind.value if isinstance(kind, TextStandIn) else str(index),
            _of_kind([values[position] for position in positions], kind, depth, mixing),
            positions,
        )
        for index, (kind, positions) in enumerate(positions_by_kind.items())
    ]
    return union_of(members, len(values))


def _kind(value: Any, depth: int) -> Any:
    """Return a scalar's Arrow type or stand-in for text, or a nested value's shape."""
    group = _GROUPS[type(value)]
    if group in _NESTED:
        return tuple(value) if group is _PythonType.OBJECT else group
    if group is _PythonType.NESTED_TEXT:
        return TextStandIn.NESTED
    kind = type_of(value)
    if depth and kind is TextStandIn.NUMBER:
        raise _MixedTypes
    # a clock in a nested value is a string, as it is in JSON
    return pa.string() if depth and kind is TextStandIn.CLOCK else kind


def _of_kind(values: Sequence[Any], kind: Any, depth: int, mixing: _Mixing) -> Any:
    if kind is _PythonType.LIST:
        return _lists(values, depth, mixing)
    if isinstance(kind, tuple):
        return _objects(values, kind, depth, mixing)
    if isinstance(kind, TextStandIn) or kind == pa.string():
        texts = [None if value is None else value_text(value) for value in values]
        return pa.array(texts, pa.string())
    return pa.array([arrow_value(value) for value in values], kind)


def _lists(values: Sequence[Any], depth: int, mixing: _Mixing) -> Any:
    parts, groups = _simplify(list(itertools.chain.from_iterable(value or () for value in values)))
    inner = _array(parts, groups, depth + 1, mixing)
    ends = itertools.accumulate((len(value or ()) for value in values), initial=0)
    return pa.ListArray.from_arrays(pa.array(list(ends), pa.int32()), inner, mask=_missing(values))


def _objects(values: Sequence[Any], names: tuple[Any, ...], depth: int, mixing: _Mixing) -> Any:
    if not all(isinstance(name, str) for name in names) or (
        not names and mixing is _Mixing.REFUSED
    ):
        raise _MixedTypes
    if not names:
        return pa.array(values, pa.struct([]))
    parts = []
    for name in names:
        members = [None if value is None else value[name] for value in values]
        parts.append(_array(*_simplify(members), depth + 1, mixing))
    return pa.StructArray.from_arrays(parts, names=list(names), mask=_missing(values))


def _missing(values: Sequence[Any]) -> Any:
    return pa.array([value is None for value in values], pa.bool_())


def _flat(value: Any) -> Any:
    """Return a nested value as JSON text, if JSON loses nothing of the value."""
    if type(value) not in _GROUPS or _GROUPS[type(value)] not in _NESTED:
        return value
    plain_value = _plain(value, 0)
    return _NestedText(_nested_text(plain_value)) if _is_for_text(plain_value) else plain_value


def _is_for_text(value: Any) -> bool:
    """Tell whether JSON text loses nothing of a nested value, or no array can hold the value."""
    leaves = list(_leaves(value))
    numbers = (leaf for leaf in leaves if type(leaf) in {int, Decimal})
    if any(leaf is _OTHER_KEY for leaf in leaves) or any(
        type_of(number) is TextStandIn.NUMBER for number in numbers
    ):
        return True
    return not any(
        type(leaf) in {bytes, Decimal} or (type(leaf) is float and not math.isfinite(leaf))
        for leaf in leaves
    )


_OTHER_KEY = object()


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the scalars in a nested value, and `_OTHER_KEY` for an object with a non-text key."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            yield _OTHER_KEY
        value = list(value.values())
    if not isinstance(value, list):
        yield value
        return
    for part in value:
        yield from _leaves(part)


def _nested_text(value: Any) -> str:
    try:
        return to_json_text(value)
    except ValueError:
        # NaN is no JSON: the reader of the text refuses this row, and no other row
        return json.dumps(value, default=str)


def _plain(value: Any, depth: int) -> Any:
    """Return a nested value with all parts of built-in Python types."""
    if depth > MAX_DEPTH:
        raise ValueError(f"has more than {MAX_DEPTH} levels")
    simple = _simple(value, 0)
    if isinstance(simple, dict):
        return {key: _plain(member, depth + 1) for key, member in simple.items()}
    if isinstance(simple, list | tuple):
        return [_plain(part, depth + 1) for part in simple]
    return simple


def _complaint(values: Sequence[Any], error: Exception) -> str:
    """Return the message about the first value no column takes; every value is tried alone."""
    for row, value in enumerate(values):
        try:
            _column(*_simplify([value]))
        except (UnicodeEncodeError, ValueError) as failure:
            reason = (
                "half of a surrogate pair" if isinstance(failure, UnicodeEncodeError) else failure
            )
            return f"Row {row} has a value that no column takes: {reason}."
    return f"A column has values that no column takes: {error}."
