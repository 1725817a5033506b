"""Batches of values, as the parameters of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ["split_values"]

_T = TypeVar("_T")
# PostgreSQL takes 65,535 parameters and SQLite may take 32,766; a name has three.
_BATCH_SIZE = 500


def split_values(values: Sequence[_T], size: int | None = None) -> Iterator[Sequence[_T]]:
    """Yield the values in batches, the parameters of one query; no batch for no values.

    Args:
        values: the values.
        size: the size of a batch, None for 500.

    >>> [len(batch) for batch in split_values(range(1_200))]
    [500, 500, 200]
    """
    step = size or _BATCH_SIZE
    return (values[start : start + step] for start in range(0, len(values), step))
