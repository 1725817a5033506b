"""A task slot for every statement and every flush, however many tasks the others run.

Spark takes no slot from a running task. icemelt therefore starts Spark with more slots than cores
(`LaunchOptions.reserved`), and sleeping tasks hold the additional slots. If a statement has waiting
tasks and no running task, icemelt ends a sleeper. Spark gives the free slot to the pool with the
least of its share, the statement's pool. The next sleeper is already waiting and takes the slot
back when the statement no longer needs the slot. The operating system divides the cores among the
tasks.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from icemelt.engine.start.configuration import RESERVED
from icemelt.jobs import UNTIL_WOKEN, Job
from icemelt.spark_java import java_context, java_frame

__all__ = ["FLUSHES", "MAINTENANCE", "RESERVED_SLOTS", "STATEMENTS", "TaskSlots"]

# the names in engine/start/pools.xml
STATEMENTS = tuple(f"statement-{number}" for number in range(16))
MAINTENANCE = "maintenance"
# as many as threads of flushes by Spark
FLUSHES = tuple(f"flush-{number}" for number in range(4))
RESERVED_SLOTS = len(STATEMENTS) + len(FLUSHES) + 1
_RESERVE = "reserve"
_SLEEP = "reflect('java.lang.Thread', 'sleep', 315360000000L)"
_LOOK_SECONDS = 0.1
_GRACE_SECONDS = 20.0
# AttributeError: a stopped context has no `_jsc`
_SPARK_IS_GONE = (Py4JError, OSError, AttributeError)
_LOGGER = logging.getLogger("icemelt.server")


@dataclass(slots=True)
class TaskSlots:
    """Hands out scheduler pools for statements, and frees a task slot for every pool that waits.

    If Spark was started without reserved slots, as a caller's own SparkSession is, statements wait
    for the tasks of other statements.

    Attributes:
        spark: the session whose context runs the tasks.
        on_free: called when a pool can be taken again.
        on_stuck: called once for a pool whose tasks still run `grace` seconds after the end of the
            statement. Such tasks ignore the interrupt, and keep a core each until Spark is started
            anew.
        grace: the seconds between the end of a statement and the report of its tasks as stuck.
    """

    spark: SparkSession
    on_free: Callable[[], object] = lambda: None
    on_stuck: Callable[[], None] = lambda: None
    grace: float = _GRACE_SECONDS
    _free: list[str] = field(default_factory=lambda: list(reversed(STATEMENTS)))
    _taken: set[str] = field(default_factory=set)
    _ending: dict[str, float] = field(default_factory=dict)
    _stuck: dict[str, int] = field(default_factory=dict)
    # the number of checks in a row that have found a pool waiting
    _waiting: Counter[str] = field(default_factory=Counter)
    _sleepers: deque[str] = field(default_factory=deque)
    _sleep: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _needs_sleepers: bool = True
    _free_flushes: list[str] = field(default_factory=lambda: list(reversed(FLUSHES)))
    _job: Job = field(init=False)

    def __post_init__(self) -> None:
        self._job = Job(
            "icemelt-slots",
            self._run,
            every=_LOOK_SECONDS,
            consequence="statements may wait for each other's tasks until the next look",
            longest_pause=_LOOK_SECONDS,
            at_end=self._end_sleepers,
        ).start()

    def take(self) -> str | None:
        """Return a free pool, in which no task runs; None if every pool is taken or ending."""
        with self._lock:
            if not self._free:
                return None
            pool = self._free.pop()
            self._taken.add(pool)
            self._job.wake()
            return pool

    def give_back(self, pool: str) -> None:
        """Give a pool back after a statement; the pool is free when its last task has ended."""
        with self._lock:
            self._taken.discard(pool)
            self._ending[pool] = time.monotonic()
            self._job.wake()

    def put_back(self, pool: str) -> None:
        """Give a pool back that no statement has used; the pool is free at once."""
        with self._lock:
            self._taken.discard(pool)
            self._free.append(pool)

    @contextlib.contextmanager
    def reserve_for_flush(self) -> Iterator[None]:
        """Have this thread's tasks wait for no task of a statement, until the end of the block.

        The thread is one that writes rows of channels, and nothing else. At most `len(FLUSHES)`
        threads are in such a block.
        """
        with self._lock:
            pool = self._free_flushes.pop()
            self._job.wake()
        try:
            self.spark.sparkContext.setLocalProperty("spark.scheduler.pool", pool)
            yield
        finally:
            with self._lock:
                self._free_flushes.append(pool)

    @property
    def stuck_tasks(self) -> int:
        """The number of tasks that still run long after the end of their statement."""
        with self._lock:
            return sum(self._stuck.values())

    @property
    def stuck_pools(self) -> tuple[str, ...]:
        """The pools with stuck tasks."""
        with self._lock:
            return tuple(self._stuck)

    def restart(self, spark: SparkSession) -> None:
        """Continue with a new Spark, in which no task of the former Spark runs."""
        with self._lock:
            self.spark, self._needs_sleepers = spark, True
            self._stuck.clear()
            self._job.wake()

    def close(self) -> None:
        """Stop the checks of the pools, and end the sleeping tasks."""
        self._job.stop()

    def _run(self) -> float | None:
        """Check all pools once; return `UNTIL_WOKEN` if idle, and None for the usual pause."""
        try:
            if self._needs_sleepers:
                self._needs_sleepers = False
                self._start_sleepers()
            self._check_pools()
        except _SPARK_IS_GONE:
            # the tasks have ended with Spark
            for pool in tuple(self._ending):
                self._set_free(pool)
        with self._lock:
            flushes = len(FLUSHES) - len(self._free_flushes)
            is_idle = not (self._taken or self._ending or flushes or self._needs_sleepers)
        return UNTIL_WOKEN if is_idle else None

    def _end_sleepers(self) -> None:
        """Cancel all sleeping tasks."""
        with contextlib.suppress(*_SPARK_IS_GONE):
            for group in self._sleepers:
                self.spark.sparkContext.cancelJobGroup(group)

    def _start_sleepers(self) -> None:
        """Start a sleeping task in every reserved slot."""
        self._sleepers.clear()
        reserved = int(self.spark.sparkContext.getConf().get(RESERVED, "0") or 0)
        if not reserved:
            return
        frame = self.spark.newSession().range(0, 1, 1, 1).selectExpr(_SLEEP)
        self._sleep = java_frame(frame).toJavaRDD()
        self._sleepers.extend(self._start_sleeper() for _ in range(reserved))

    def _start_sleeper(self) -> str:
        """Submit a sleeping task; return the task's job group."""
        context, group = self.spark.sparkContext, f"icemelt-reserve-{uuid.uuid4()}"
        context.setJobGroup(group, "", interruptOnCancel=True)
        context.setLocalProperty("spark.scheduler.pool", _RESERVE)
        self._sleep.collectAsync()
        return group

    def _check_pools(self) -> None:
        """Free a slot for every waiting pool, and record the tasks of pools given back."""
        root = java_context(self.spark).taskScheduler().rootPool()
        with self._lock:
            flushes = set(FLUSHES).difference(self._free_flushes)
            taken, ending = (*self._taken, MAINTENANCE, *flushes), dict(self._ending)
        for name in taken:
            pool = root.getSchedulableByName(name)
            has_tasks = pool is not None and not pool.schedulableQueue().isEmpty()
            if not has_tasks or pool.runningTasks():
                self._waiting.pop(name, None)
            elif self._sleepers:
                self._free_slot_for(name)
        for name, since in ending.items():
            pool = root.getSchedulableByName(name)
            self._record_running_tasks(name, since, 0 if pool is None else int(pool.runningTasks()))

    def _free_slot_for(self, pool: str) -> None:
        """End a sleeper for a pool; ever less often if the pool does not take the slot."""
        self._waiting[pool] += 1
        checks = self._waiting[pool]
        # only at the checks number 1, 2, 4, 8, …: a power of two has one bit
        if checks & (checks - 1):
            return
        group = self._sleepers.popleft()
        # before the end of the sleeper: the next sleeper waits for the slot to come back
        self._sleepers.append(self._start_sleeper())
        self.spark.sparkContext.cancelJobGroup(group)

    def _record_running_tasks(self, pool: str, since: float, running: int) -> None:
        """Record how many tasks still run in a pool that was given back."""
        if running and time.monotonic() - since > self.grace:
            self._record_stuck_tasks(pool, running)
        elif not running:
            self._set_free(pool)

    def _set_free(self, pool: str) -> None:
        with self._lock:
            self._ending.pop(pool, None)
            self._stuck.pop(pool, None)
            self._free.append(pool)
        self.on_free()

    def _record_stuck_tasks(self, pool: str, running: int) -> None:
        with self._lock:
            is_new = pool not in self._stuck
            self._stuck[pool] = running
        if is_new:
            _LOGGER.error(
                "Tasks of a statement that has ended, %d, do not hear that they are cancelled, and "
                "keep a core each; Spark is started anew where it may be.",
                running,
            )
            self.on_stuck()
