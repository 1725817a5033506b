"""Remember in which Sparks maintenance ran, and under which tables Spark died meanwhile."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from icemelt.errors import SparkDied

__all__ = ["RUNS", "MaintenanceRuns"]

_SKIPPED_SECONDS = 86_400.0
_log = logging.getLogger("icemelt.maintenance")


@dataclass(slots=True)
class MaintenanceRuns:
    """The runs of maintenance of a process; the sessions of the process share `RUNS`.

    A table under which Spark died is skipped for a day: the next run would end Spark again, and
    never come to the tables behind. A Spark is named by its application's id.
    """

    clock: Callable[[], float] = time.monotonic
    _running: Counter[str] = field(default_factory=Counter)
    _lost: set[str] = field(default_factory=set)
    _died_at: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def run_in(self, spark: str) -> Iterator[None]:
        """Note that maintenance runs in a Spark during a block.

        >>> runs = MaintenanceRuns()
        >>> with runs.run_in("app-1"):
        ...     runs.is_accused
        True
        >>> runs.is_accused
        False
        """
        with self._lock:
            self._running[spark] += 1
        try:
            yield
        except SparkDied:
            with self._lock:
                self._lost.add(spark)
            raise
        finally:
            with self._lock:
                self._running[spark] -= 1

    @contextlib.contextmanager
    def work_on(self, table_id: str, name: str) -> Iterator[None]:
        """Remember a table if Spark dies in a block of work on the table.

        >>> runs = MaintenanceRuns()
        >>> try:
        ...     with runs.work_on("t1", "main.public.t"):
        ...         raise SparkDied("Spark is gone.", hint="Start Spark anew.")
        ... except SparkDied:
        ...     runs.is_deadly("t1")
        True
        """
        try:
            yield
        except SparkDied:
            with self._lock:
                self._died_at[table_id] = self.clock()
            _log.warning(
                "Spark died under the maintenance of table %r: the table is skipped for a day.",
                name,
            )
            raise

    def is_deadly(self, table_id: str) -> bool:
        """Tell whether Spark died under the maintenance of a table within the last day."""
        with self._lock:
            died_at = self._died_at.get(table_id)
            if died_at is None or self.clock() - died_at < _SKIPPED_SECONDS:
                return died_at is not None
            del self._died_at[table_id]
            return False

    @property
    def is_accused(self) -> bool:
        """Whether maintenance runs, or has ended with a Spark whose death is not judged yet."""
        with self._lock:
            return bool(self._lost) or any(self._running.values())

    def judge_death(self, next_spark: str) -> bool:
        """Tell whether maintenance ran in the Spark before the `next_spark`; forget that it did.

        >>> runs = MaintenanceRuns()
        >>> with runs.run_in("app-1"):
        ...     runs.judge_death("app-2"), runs.judge_death("app-1")
        (True, False)
        """
        with self._lock:
            running = {spark for spark, count in self._running.items() if count > 0}
            accused = (self._lost | running) - {next_spark}
            self._lost.clear()
            return bool(accused)


RUNS = MaintenanceRuns()
