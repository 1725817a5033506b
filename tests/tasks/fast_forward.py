"""Days of a busy graph in minutes: real turns and a real registry, a simulated clock and bodies.

The graph has fifty tasks, and is due every ten seconds: a root, four layers of children, and a
finalizer. Bodies take 20 to 60 seconds, so that most times find a run under way. Each hour a
statement changes a task. Each day the scheduler is another one, and maintenance runs.
"""

from __future__ import annotations

import gc
import heapq
import itertools
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
from registered_tasks import RegisteredTasks
from simulated_lake import SimulatedClock

from icemelt.catalog.database import Database
from icemelt.catalog.model import (
    objects,
    schedulers,
    task_graph_versions,
    task_graphs,
    task_runs,
    transactions,
)
from icemelt.catalog.queries.leftovers import prune_history
from icemelt.catalog.schedulers import SchedulerName, report_scheduler, tell_registry
from icemelt.catalog.task_records import TaskRecord
from icemelt.catalog.task_runs import earliest_wake
from icemelt.session.runtime.task_context import TaskContext
from icemelt.session.tasks.execution import ClaimedRun
from icemelt.session.tasks.hosts import Place
from icemelt.session.tasks.turns import RunsUnderWay, SchedulerOptions, TaskTurns
from icemelt.tasks.events import ClaimRefused, RunEnded
from icemelt.tasks.states import RunState

__all__ = ["FastForward", "Measure"]

SECOND, HOUR, DAY = 1_000, 3_600_000, 86_400_000
LAYERS, WIDTH = 4, 12
OPTIONS = SchedulerOptions(parallel=16, lease_seconds=120)
_TABLES = (objects, schedulers, task_graph_versions, task_graphs, task_runs, transactions)


@dataclass(frozen=True)
class Measure:
    """What a part of the time has cost.

    Attributes:
        turns: how many turns were taken.
        runs: how many runs of tasks were executed.
        seconds: the processor's time for them.
        resident: the memory of the process at the end, in bytes.
        rows: how many rows each table has at the end.
    """

    turns: int
    runs: int
    seconds: float
    resident: int
    rows: dict[str, int]

    @property
    def milliseconds_of_a_turn(self) -> float:
        """The processor's time of a turn, with the runs that it claims."""
        return 1_000 * self.seconds / self.turns


@dataclass(eq=False)
class QuickBody:
    """The execution of a run that succeeds after a while."""

    database: Database
    run: ClaimedRun

    def execute(self) -> bool:
        run = self.run
        ended = RunEnded(run.run_id, run.task, run.token, RunState.SUCCEEDED)
        decisions = tell_registry(self.database, run.root_id, ended)
        return not any(isinstance(each, ClaimRefused) for each in decisions)

    def stop(self) -> None:
        """Do nothing: the registry refuses the end of a run that is lost."""


@dataclass(eq=False)
class FastForward:
    """A lake with one busy graph, which goes forward as far as somebody asks."""

    database: Database
    clock: SimulatedClock
    tasks: RegisteredTasks = field(init=False)
    turns: TaskTurns = field(init=False)
    # the bodies under way, by their ends
    bodies: list[tuple[int, int, QuickBody, Place]] = field(default_factory=list)
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    count: int = 0

    def __post_init__(self) -> None:
        self.tasks = RegisteredTasks(self.database, self.clock.now)
        edits = [self.tasks.make("root", options={"SCHEDULE": "10 SECONDS"})]
        above = ["root"]
        for layer in range(LAYERS):
            names = [f"task_{layer}_{number}" for number in range(WIDTH)]
            edits += [self.tasks.make(name, above[n % len(above)]) for n, name in enumerate(names)]
            above = names
        edits.append(self.tasks.make("finish", finalizes="root"))
        self.tasks.publish(*edits)
        self.change_scheduler()

    # ----------------------------------------------------------------- the host and its facts

    @property
    def facts(self) -> FastForward:
        return self

    def find_news(self) -> set[str]:
        return set()

    def is_condition_true(self, context: TaskContext) -> bool:
        raise AssertionError(context)

    def is_runnable_here(self, _task: TaskRecord) -> bool:
        return True

    def may_run(self, _client: str | None) -> bool:
        return True

    def take_place(self, _client: str | None) -> Place:
        return Place(lambda run, _lease: QuickBody(self.database, run))

    def keep(self, _clients: Collection[str | None]) -> None:
        pass

    def close(self) -> None:
        pass

    def begin(self, body: QuickBody, place: Place) -> None:
        self.count += 1
        # bodies that end together are one turn's
        ends_at = self.clock.now + (20 + 5 * (body.run.token % 9)) * SECOND
        heapq.heappush(self.bodies, (ends_at, next(self.numbers), body, place))

    # ------------------------------------------------------------------------------ what happens

    def change_scheduler(self) -> None:
        """Begin with another scheduler; the runs under way end as if they were its own."""
        number = next(self.numbers)
        before = getattr(self, "turns", None)
        self.turns = TaskTurns(self, f"scheduler-{number}", OPTIONS, self.begin)
        if before is not None:
            self.turns.under_way = before.under_way
        name = SchedulerName(f"id-{number}", f"scheduler-{number}", "host", number)
        report_scheduler(self.database, name, 15)

    def change_graph(self) -> None:
        self.tasks.alter("task_0_0", body=f"SELECT {next(self.numbers)}")

    def maintain(self) -> None:
        self.change_scheduler()
        prune_history(self.database)

    def run(self, hours: float) -> Measure:
        """Go forward, and return what that has cost."""
        began, count, turns = time.process_time(), self.count, 0
        end = self.clock.now + int(hours * HOUR)
        while self.clock.now < end:
            before = self.clock.now
            self.turns.take()
            turns += 1
            self._go_on()
            if self.clock.now // HOUR > before // HOUR:
                self.change_graph()
            if self.clock.now // DAY > before // DAY:
                self.maintain()
        gc.collect()
        seconds = time.process_time() - began
        return Measure(turns, self.count - count, seconds, _resident(), self.count_rows())

    def rest(self, days: float) -> None:
        """Let time pass without a scheduler; what was under way is lost with the last one."""
        self.bodies.clear()
        self.turns.under_way = RunsUnderWay()
        self.clock.now += int(days * DAY)

    def count_rows(self) -> dict[str, int]:
        with self.database.read() as connection:
            return {
                table.name: connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0
                for table in _TABLES
            }

    def _go_on(self) -> None:
        """Go to the moment at which something is due, and end the bodies that end then."""
        with self.database.read() as connection:
            wake = earliest_wake(connection)
        moments = [] if wake is None else [wake]
        moments += [self.bodies[0][0]] if self.bodies else []
        self.clock.now = max(self.clock.now, min(moments))
        while self.bodies and self.bodies[0][0] <= self.clock.now:
            *_, body, place = heapq.heappop(self.bodies)
            self.turns.execute(body, place)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4_096
