"""The tasks of the lake as gauges of Prometheus."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from icemelt.catalog.database import Database
from icemelt.catalog.queries.task_gauges import TaskNumbers, read_task_numbers
from icemelt.errors import CatalogError
from icemelt.observe.emitting import tolerate
from icemelt.session.tasks.scheduler import Scheduler

__all__ = ["TaskGauges"]

# the most failing tasks shown, first those with the most failures
_MOST_TASKS = 1_000
# a request within these seconds gets the same values again
_KEPT_SECONDS = 10.0


@dataclass(slots=True, eq=False)
class TaskGauges(Collector):
    """Reads the numbers of tasks from the registry, at most once in `kept_seconds`.

    While the catalog is away the gauges are missing, but the one of the scheduler of this process.
    """

    database: Database
    scheduler: Scheduler | None = None
    kept_seconds: float = _KEPT_SECONDS
    _found: TaskNumbers | None = None
    _asked_at: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges."""
        look = None if self.scheduler is None else self.scheduler.seconds_since_look
        if look is not None:
            text = "How long ago the scheduler of this server looked for runs of tasks."
            yield GaugeMetricFamily("icemelt_scheduler_last_look_seconds", text, value=look)
        numbers = self._ask()
        if numbers is None:
            return
        text = "Runs of tasks that are executed now, by all schedulers of the lake."
        yield GaugeMetricFamily("icemelt_task_runs_under_way", text, value=numbers.under_way)
        text = "Schedulers of the lake that are alive."
        yield GaugeMetricFamily("icemelt_schedulers", text, value=numbers.schedulers)
        text = "Runs of a root task that failed in a row; 0 is left out."
        family = GaugeMetricFamily("icemelt_task_failures_in_a_row", text, labels=["task"])
        for task, count in numbers.failures.items():
            family.add_metric([task], count)
        yield family

    def _ask(self) -> TaskNumbers | None:
        """Return the numbers, kept for seconds; None without the catalog."""
        with self._lock:
            if time.monotonic() - self._asked_at < self.kept_seconds:
                return self._found
            self._found = None
            tolerating = tolerate(CatalogError, to="ask for the numbers of tasks")
            with tolerating, self.database.read() as connection:
                self._found = read_task_numbers(connection, self.database, _MOST_TASKS)
            self._asked_at = time.monotonic()
            return self._found
