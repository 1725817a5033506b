"""Many values in the parameters of a query: a part at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ["split_values"]

_T = TypeVar("_T")
# PostgreSQL takes 65,535 parameters and SQLite may take 32,766; a name has three.
_AT_ONCE = 500


def split_values(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield the values in parts that one query takes as its parameters; of no values nothing.

    >>> [len(part) for part in split_values(range(1_200))]
    [500, 500, 200]
    """
    return (values[first : first + _AT_ONCE] for first in range(0, len(values), _AT_ONCE))
