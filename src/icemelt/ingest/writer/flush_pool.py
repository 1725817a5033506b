"""The threads of flushes: few for all tables, and the owners of rows take turns.

A flush needs a connection to the catalog, and memory of Python and Java while it runs. Six flushes
at once keep a machine busy: more would not be faster, and leave statements nothing.
"""

from __future__ import annotations

from icemelt.jobs import JobPool

__all__ = ["FLUSHES_AT_ONCE", "open_flush_pool"]

FLUSHES_AT_ONCE = 6
# the threads for owners without a flush under way: a new owner's rows begin beside any number of
# tables of another owner
_SPARE = 2


def open_flush_pool() -> JobPool:
    """Return a pool for the flushes of an ingestor, without threads before the first table.

    >>> pool = open_flush_pool()
    >>> pool.size, pool.spare
    (6, 2)
    """
    return JobPool("icemelt-flush", FLUSHES_AT_ONCE, _SPARE)
