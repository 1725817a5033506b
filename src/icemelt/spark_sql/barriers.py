"""Barriers: columns that Spark pushes no filter through, for their expressions would double.

An *inlined size* is how many columns an expression becomes when Spark puts for each column that it
names what stands for that column in the query below.
"""

from __future__ import annotations

__all__ = ["BARRIER", "LARGEST", "add_barrier", "is_too_large"]

# the time that Spark takes for a filter doubles with its columns; what is written out in one
# expression is the user's own, and repeats nothing, up to more
LARGEST, _WRITTEN_OUT = 128, 1_024
# what stands before and behind a value
BARRIER = ("IF(spark_partition_id() >= 0, ", ", NULL)")


def is_too_large(size: int, named: int, largest: int) -> bool:
    """Return whether a column needs a barrier.

    A column no larger than its largest column, or than the number of named columns, comes of no
    expressions that repeat each other.

    Args:
        size: the inlined size of the column.
        named: the number of columns named by the column's expression.
        largest: the largest inlined size of a named column.

    >>> is_too_large(256, 2, 128), is_too_large(256, 256, 1), is_too_large(64, 2, 32)
    (True, False, False)
    """
    is_repeated = size > max(named, largest)
    return size > (LARGEST if is_repeated else _WRITTEN_OUT)


def add_barrier(value: str) -> str:
    """Return a value behind a barrier: Spark neither moves nor repeats a non-deterministic value.

    The number of a partition is never below zero. Spark knows as much of RAND(), and not of this
    number.

    >>> add_barrier("`a` + `a`")
    'IF(spark_partition_id() >= 0, `a` + `a`, NULL)'
    """
    before, behind = BARRIER
    return f"{before}{value}{behind}"
