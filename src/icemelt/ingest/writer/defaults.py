"""The defaults of a table's columns, as values for the rows that leave the columns out.

Defaults are evaluated when a channel is opened, so that an append needs no Spark: a constant is one
value. The clock is read once for each append, and each row has a UUID of its own. An append that is
written again, or sent again, keeps the values that it had when it was taken.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.conversion import DefaultValues
from icemelt.ingest.errors import MalformedRows
from icemelt.names import QualifiedName
from icemelt.schema import Column, DataType

__all__ = [
    "ClockDefault",
    "ColumnDefault",
    "ConstantDefault",
    "EvaluateDefaults",
    "RandomUuidDefault",
    "make_values",
    "no_defaults",
]

# the digit with the variant of a UUID (RFC 9562), by any digit: its two lowest bits are free
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
# few bytes may stand for the default of many rows
_MOST_BYTES = 256 << 20


class ColumnDefault(Protocol):
    """The default of one column."""

    @property
    def size(self) -> int:
        """The bytes of one value."""

    def make(self, count: int, now: dt.datetime) -> Any:
        """Return an Arrow array of `count` values for an append taken `now`."""


# gives the defaults of a table's columns that have one, by name
EvaluateDefaults = Callable[[QualifiedName, Sequence[Column]], Mapping[str, ColumnDefault]]


@dataclass(frozen=True, slots=True)
class ConstantDefault:
    """A default of one value; `value` is an Arrow array of this value."""

    value: Any

    @property
    def size(self) -> int:
        """The bytes of the value."""
        return int(self.value.nbytes)

    def make(self, count: int, now: dt.datetime) -> Any:  # noqa: ARG002 - at all times alike
        """Return the value for each row.

        >>> ConstantDefault(pa.array([{"a": 1}])).make(2, dt.datetime.now(dt.UTC)).to_pylist()
        [{'a': 1}, {'a': 1}]
        """
        return self.value.take(pa.repeat(pa.scalar(0, pa.int64()), count))


@dataclass(frozen=True, slots=True)
class ClockDefault:
    """A default that depends on the clock alone.

    `read` gives the value at an instant; `data_type` is the type of the column.
    """

    read: Callable[[dt.datetime], dt.datetime | dt.date]
    data_type: DataType

    @property
    def size(self) -> int:
        """The bytes of one value."""
        return 8

    def make(self, count: int, now: dt.datetime) -> Any:
        """Return the value at the instant `now` for each row.

        >>> from icemelt.schema import Primitive
        >>> day = ClockDefault(dt.datetime.date, Primitive("date"))
        >>> day.make(1, dt.datetime(2024, 5, 1, 9, tzinfo=dt.UTC)).to_pylist()
        [datetime.date(2024, 5, 1)]
        """
        return pa.repeat(pa.scalar(self.read(now), arrow_type(self.data_type)), count)


@dataclass(frozen=True, slots=True)
class RandomUuidDefault:
    """A random UUID for each row, as text."""

    @property
    def size(self) -> int:
        """The bytes of one value."""
        return 40

    def make(self, count: int, now: dt.datetime) -> Any:  # noqa: ARG002 - at all times alike
        """Return a UUID for each row.

        >>> one, two = RandomUuidDefault().make(2, dt.datetime.now(dt.UTC)).to_pylist()
        >>> len(one), one == two
        (36, False)
        """
        return pa.array(_random_uuids(count), pa.string())


def make_values(defaults: Mapping[str, ColumnDefault], now: dt.datetime) -> DefaultValues:
    """Return a function that gives the default values of columns for an append taken `now`.

    The function raises MalformedRows if the values of all its calls would take too many bytes.
    """
    bytes_left = _MOST_BYTES

    def make(name: str, count: int) -> Any:
        nonlocal bytes_left
        size = defaults[name].size
        bytes_left -= count * size
        if bytes_left < 0:
            raise MalformedRows(
                f"The defaults of {count:,} rows take more than {_MOST_BYTES >> 20} MiB: that of "
                f"column {name!r} has {size:,} bytes.",
                hint="Append fewer rows at once.",
            )
        return defaults[name].make(count, now)

    return make


def _random_uuids(count: int) -> Iterator[str]:
    """Yield random UUIDs (version 4); `uuid.uuid4` takes several times as long."""
    digits = os.urandom(16 * count).hex()
    for start in range(0, len(digits), 32):
        d = digits[start : start + 32]
        yield f"{d[:8]}-{d[8:12]}-4{d[13:16]}-{_VARIANTS[d[16]]}{d[17:20]}-{d[20:]}"


def no_defaults(table: QualifiedName, columns: Sequence[Column]) -> Mapping[str, ColumnDefault]:  # noqa: ARG001 - as EvaluateDefaults
    """Return no default, for tables whose columns have none."""
    return {}
