"""The threads of flushes: few for all tables, and the owners of rows take turns.

A flush needs a connection to the catalog, and memory of Python and Java while it runs. A few
flushes at once keep a machine busy: more would not be faster, and leave statements nothing. Flushes
that need Spark wait for Spark's other work. They have threads of their own, so that rows which
Arrow writes never wait for Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from icemelt.engine.slots import FLUSHES
from icemelt.jobs import JobPool

__all__ = ["FlushPools", "open_flush_pools"]

# each flush by Spark has a task slot (`engine/slots.py`)
_BY_ARROW, _BY_SPARK = 4, len(FLUSHES)
# the threads for owners without a flush under way: a new owner's rows begin beside any number of
# tables of another owner
_SPARE = 1


@dataclass(frozen=True, slots=True)
class FlushPools:
    """The threads of flushes by Arrow and by Spark."""

    by_arrow: JobPool
    by_spark: JobPool

    def start(self) -> Self:
        """Start the threads now, and not with the first table.

        Raises:
            NoThreads: the machine gives the process no thread.
        """
        self.by_arrow.start()
        self.by_spark.start()
        return self

    def stop(self) -> None:
        """End the threads; wait for flushes under way."""
        self.by_arrow.stop()
        self.by_spark.stop()

    def choose(self, *, by_spark: bool) -> JobPool:
        """Return the threads for a table's flushes.

        Args:
            by_spark: whether Spark writes the table's rows.
        """
        return self.by_spark if by_spark else self.by_arrow


def open_flush_pools(*, by_owner: bool = False) -> FlushPools:
    """Return the pools for the flushes of an ingestor, without threads before the first table.

    Args:
        by_owner: whether rows have several owners, as the keys of a server.

    >>> pools = open_flush_pools(by_owner=True)
    >>> pools.choose(by_spark=False).size, pools.by_spark.spare
    (4, 1)
    """
    spare = _SPARE if by_owner else 0
    return FlushPools(
        JobPool("icemelt-flush", _BY_ARROW, spare), JobPool("icemelt-spark-flush", _BY_SPARK, spare)
    )
