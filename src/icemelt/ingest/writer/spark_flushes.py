"""The flushes under way in Spark: which run alone, and who is accused when Spark dies.

Who ends Spark by rows is found as for statements: at a death all owners of rows that Spark writes
are accused, beside the keys of the statements. An owner accused twice is a suspect. Rows of a
suspect are written without rows of others, while no statement of a suspect runs, so the next death
is the suspect's alone. An owner cannot withdraw the evidence: a channel that is opened again during
the flush takes the append away, and not the strike.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from icemelt.errors import SparkDied
from icemelt.ingest.writer.concurrent_statements import ConcurrentStatements
from icemelt.ingest.writer.target import IngestTarget

__all__ = ["SparkFlushes"]

_NONE = ConcurrentStatements()


@dataclass(slots=True)
class SparkFlushes:
    """The flushes under way, by table, with the owners of rows that Spark writes.

    `concurrent` are the statements in the same Spark. `alone` is held by a flush that runs without
    other suspects; it is re-entrant, as a writer with suspects holds it already.
    """

    concurrent: ConcurrentStatements = field(default_factory=ConcurrentStatements)
    alone: AbstractContextManager[object] = field(default_factory=threading.RLock)
    _under_way: dict[IngestTarget, frozenset[str]] = field(default_factory=dict)
    # the Spark that died last, and the tables flushed at that time
    _died: tuple[object, set[IngestTarget]] = (None, set())
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def beside(self, target: IngestTarget) -> ConcurrentStatements:
        """Return the statements beside flushes of a table; none if Spark never has the rows."""
        return self.concurrent if target.by_spark else _NONE

    @contextlib.contextmanager
    def run_alone(
        self, target: IngestTarget, owners: Collection[str], *, has_suspects: bool
    ) -> Iterator[None]:
        """Run a block alone in Spark, as far as needed to find a culprit.

        Args:
            target: the table whose rows are written in the block.
            owners: the owners of the rows.
            has_suspects: whether any table has appends under which Spark died.
        """
        of_suspect = any(map(self.beside(target).is_suspect, owners))
        with contextlib.ExitStack() as stack:
            if has_suspects or of_suspect:
                stack.enter_context(self.alone)
            if of_suspect:
                stack.enter_context(self.concurrent.hold_suspects())
            if has_suspects:
                stack.enter_context(self.concurrent.hold_statements())
            yield

    @contextlib.contextmanager
    def note(self, target: IngestTarget, owners: Collection[str], spark: object) -> Iterator[None]:
        """Note the flush of a table; if Spark dies in the block, accuse the owners of all flushes.

        Args:
            target: the table.
            owners: the owners of the rows.
            spark: identifies the Spark.
        """
        with self._lock:
            self._under_way[target] = frozenset(owners)
        try:
            yield
        except SparkDied:
            with self._lock:
                last, died = self._died
                self._died = spark, (died if last is spark else set()) | set(self._under_way)
                accused = frozenset[str]().union(
                    *(owners for table, owners in self._under_way.items() if table.by_spark)
                )
            self.concurrent.accuse(accused)
            raise
        finally:
            with self._lock:
                self._under_way.pop(target, None)

    def was_alone(self) -> bool:
        """Tell whether one flush alone ran in the Spark that died just now."""
        with self._lock:
            _, died = self._died
        return len(died) <= 1 and not self.concurrent.has_statements()

    def had_flush_at_death(self, spark: object) -> bool:
        """Tell whether rows were being written in a Spark that died just now."""
        with self._lock:
            return bool(self._under_way) or self._died[0] is spark
