"""Barriers: columns that Spark pushes no filter through, for their expressions would double.

A weight is how many columns an expression becomes when Spark puts for each column that it names
what stands for that column in the query below.
"""

from __future__ import annotations

__all__ = ["HEAVY", "barred", "is_heavy"]

# the time that Spark takes for a filter doubles with its columns; what is written out in one
# expression is the user's own, and repeats nothing, up to more
HEAVY, _WRITTEN_OUT = 128, 1_024


def is_heavy(weight: int, named: int, heaviest: int) -> bool:
    """Tell whether a column needs a barrier.

    `named` is how many columns its expression names, `heaviest` the largest weight of one of them:
    a column that is no heavier than these does not come of expressions that repeat each other.

    >>> is_heavy(256, 2, 128), is_heavy(256, 256, 1), is_heavy(64, 2, 32)
    (True, False, False)
    """
    is_repeated = weight > max(named, heaviest)
    return weight > (HEAVY if is_repeated else _WRITTEN_OUT)


def barred(value: str) -> str:
    """Return a value behind a barrier: Spark moves and repeats nothing that may differ each time.

    The number of a partition is never below zero; of RAND() Spark knows that, of this not.

    >>> barred("`a` + `a`")
    'IF(spark_partition_id() >= 0, `a` + `a`, NULL)'
    """
    return f"IF(spark_partition_id() >= 0, {value}, NULL)"
