"""Arrays converted to a column's type, and the values refused, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = [
    "ConversionError",
    "ConvertedArray",
    "distinct_places",
    "mark_nested_texts",
    "reject_all",
    "row_numbers",
]


@dataclass(frozen=True, slots=True)
class ConversionError:
    """One error of some values of an array: the values are not as `expected`.

    `places` are the rows of the values, ascending. The value at `places[i]` is `source[at[i]]`. For
    a refused element of a list, the place is the row of the list, and the source holds elements.
    `is_nested_text` says that the source has the JSON text of arrays and objects; a message shows
    such a value as an array or object, not as a text.
    """

    places: Any
    source: Any
    at: Any
    expected: str
    is_nested_text: bool = False

    def shift(self, by: int) -> ConversionError:
        """Return the error with all places moved on by `by`."""
        return replace(self, places=pc.add(self.places, pa.scalar(by, pa.uint64())))

    def at_places(self, places: Any) -> ConversionError:
        """Return the error with the places of a longer array: place i becomes `places[i]`."""
        return replace(self, places=places.take(self.places))

    def among(self, places: Any) -> ConversionError:
        """Return the error of those values alone whose places are among `places`."""
        kept = pc.is_in(self.places, value_set=places)
        return replace(self, places=self.places.filter(kept), at=self.at.filter(kept))

    def lift_to(self, parents: Any) -> ConversionError:
        """Return an error of lists, for an error of elements: place i becomes `parents[i]`."""
        return replace(self, places=parents.take(self.places).cast(pa.uint64()))


@dataclass(frozen=True, slots=True)
class ConvertedArray:
    """The values of an array converted to another type: NULL at every refused value.

    >>> numbers = pa.array([5, 70, None])
    >>> converted = ConvertedArray(numbers).reject(
    ...     pc.greater(numbers, 50), numbers, "It takes small numbers"
    ... )
    >>> converted.values.to_pylist(), converted.errors[0].places.to_pylist()
    ([5, None, None], [1])
    """

    values: Any
    errors: tuple[ConversionError, ...] = ()

    def reject(self, bad: Any, source: Any, expected: str) -> ConvertedArray:
        """Refuse the values where `bad` is true.

        Args:
            bad: a boolean array, true where a value is refused.
            source: the values as sent, for the error text.
            expected: what the column takes, for the error text.
        """
        if not pc.any(bad).as_py():
            return self
        places = pc.indices_nonzero(bad)
        kept = pc.if_else(pc.fill_null(bad, False), pa.scalar(None, self.values.type), self.values)  # noqa: FBT003 - Arrow's own
        error = ConversionError(places, source, places, expected)
        return ConvertedArray(kept, (*self.errors, error))

    def with_values(self, values: Any) -> ConvertedArray:
        """Return the same errors with other values."""
        return replace(self, values=values)


def mark_nested_texts(converted: ConvertedArray, texts: Any) -> ConvertedArray:
    """Mark the errors of `texts` as errors of arrays and objects, sent as JSON text.

    >>> texts = pa.array(["[1]"])
    >>> converted = mark_nested_texts(reject_all(texts, pa.int32(), "INT takes numbers"), texts)
    >>> converted.errors[0].is_nested_text
    True
    """
    errors = (
        replace(error, is_nested_text=True) if error.source is texts else error
        for error in converted.errors
    )
    return replace(converted, errors=tuple(errors))


def reject_all(source: Any, kind: Any, expected: str) -> ConvertedArray:
    """Refuse every value of a plain array that is not NULL.

    Args:
        source: the values as sent.
        kind: the Arrow type of the result.
        expected: what the column takes, for the error text.

    >>> reject_all(pa.array([b"x", None]), pa.int64(), "INT takes numbers").values.to_pylist()
    [None, None]
    """
    return ConvertedArray(pa.nulls(len(source), kind)).reject(pc.is_valid(source), source, expected)


def distinct_places(errors: Sequence[ConversionError]) -> Any:
    """Return the places of all errors, without duplicates.

    >>> places = pa.array([0, 2], pa.uint64())
    >>> both = [
    ...     ConversionError(places, places, places, "a"),
    ...     ConversionError(places[1:], places, places, "b"),
    ... ]
    >>> distinct_places(both).to_pylist()
    [0, 2]
    """
    return pc.unique(pa.chunked_array([error.places for error in errors], pa.uint64()))


def row_numbers(count: int) -> Any:
    """Return the numbers from 0 to before `count`.

    >>> row_numbers(3).to_pylist()
    [0, 1, 2]
    """
    return pc.indices_nonzero(pc.is_null(pa.nulls(count)))
