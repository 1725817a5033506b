"""Arrays converted to a column's type, and the values refused, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Refusal", "Taken", "distinct_places", "numbered", "refuse_nested_texts", "refused"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """The values of an array that are not as `expected`, by place in ascending order.

    The value at `places[i]` is `source[at[i]]`. For a refused element of a list, the place is the
    row of the list, and the source holds elements. `is_of_nested` says that the source has the JSON
    text of arrays and objects; an error shows such a value as an array or object, not as a text.
    """

    places: Any
    source: Any
    at: Any
    expected: str
    is_of_nested: bool = False

    def shifted(self, by: int) -> Refusal:
        """Return the refusal of the same values, with the places moved on by `by`."""
        return replace(self, places=pc.add(self.places, pa.scalar(by, pa.uint64())))

    def placed(self, places: Any) -> Refusal:
        """Return the refusal of the same values, at the positions `places` of a longer array."""
        return replace(self, places=places.take(self.places))

    def lifted(self, parents: Any) -> Refusal:
        """Return the refusal of the lists with refused elements, by the first element of a list."""
        places = parents.take(self.places).cast(pa.uint64())
        if len(places) > 1:
            new = pc.not_equal(places[1:], places[:-1])
            first = pa.concat_arrays([pa.array([True]), new])
            return replace(self, places=places.filter(first), at=self.at.filter(first))
        return replace(self, places=places)


@dataclass(frozen=True, slots=True)
class Taken:
    """The values of an array converted to another type: NULL at every refused value.

    >>> numbers = pa.array([5, 70, None])
    >>> taken = Taken(numbers).without(pc.greater(numbers, 50), numbers, "It takes small numbers")
    >>> taken.values.to_pylist(), taken.refusals[0].places.to_pylist()
    ([5, None, None], [1])
    """

    values: Any
    refusals: tuple[Refusal, ...] = ()

    def without(self, bad: Any, source: Any, expected: str) -> Taken:
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
        refusal = Refusal(places, source, places, expected)
        return Taken(kept, (*self.refusals, refusal))

    def holding(self, values: Any) -> Taken:
        """Return the same refusals with other values."""
        return replace(self, values=values)


def refuse_nested_texts(taken: Taken, texts: Any) -> Taken:
    """Mark the refusals of `texts` as refusals of arrays and objects, sent as JSON text.

    >>> texts = pa.array(["[1]"])
    >>> taken = refuse_nested_texts(refused(texts, pa.int32(), "INT takes numbers"), texts)
    >>> taken.refusals[0].is_of_nested
    True
    """
    refusals = (
        replace(refusal, is_of_nested=True) if refusal.source is texts else refusal
        for refusal in taken.refusals
    )
    return replace(taken, refusals=tuple(refusals))


def refused(source: Any, kind: Any, expected: str) -> Taken:
    """Refuse every value of a plain array that is not NULL.

    Args:
        source: the values as sent.
        kind: the Arrow type of the result.
        expected: what the column takes, for the error text.

    >>> refused(pa.array([b"x", None]), pa.int64(), "INT takes numbers").values.to_pylist()
    [None, None]
    """
    return Taken(pa.nulls(len(source), kind)).without(pc.is_valid(source), source, expected)


def distinct_places(refusals: Sequence[Refusal]) -> Any:
    """Return the places of all refusals, without duplicates.

    >>> places = pa.array([0, 2], pa.uint64())
    >>> both = [Refusal(places, places, places, "a"), Refusal(places[1:], places, places, "b")]
    >>> distinct_places(both).to_pylist()
    [0, 2]
    """
    return pc.unique(pa.chunked_array([each.places for each in refusals], pa.uint64()))


def numbered(count: int) -> Any:
    """Return the numbers from 0 to before `count`.

    >>> numbered(3).to_pylist()
    [0, 1, 2]
    """
    return pc.indices_nonzero(pc.is_null(pa.nulls(count)))
