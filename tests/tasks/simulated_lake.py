"""A lake whose clock a test sets, with schedulers whose bodies are simulated; the rest is real.

Statements are published, turns are taken by `TaskTurns`, and runs are claimed, renewed and ended in
the registry. Each thing that happens is told to the model of the contract, too, which has to say
the same of what comes back.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from contract_model import ContractModel, ModelRow, ModelTask
from registered_tasks import RegisteredTasks

from icemelt.catalog.database import Database
from icemelt.catalog.edits import DropObject, Edit
from icemelt.catalog.model import task_graphs, task_runs
from icemelt.catalog.publishing import Published
from icemelt.catalog.queries.tasks import find_live_tasks
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import DefinitionRefused, IcemeltError, ObjectNotFound
from icemelt.names import fold
from icemelt.session.ddl.lifecycle import redefine_object
from icemelt.session.ddl.task_graphs import SchemaTasks
from icemelt.session.runtime.task_context import TaskContext
from icemelt.session.tasks.execution import ClaimedRun
from icemelt.session.tasks.hosts import Place
from icemelt.session.tasks.turns import SchedulerOptions, TaskTurns
from icemelt.tasks.config import merge_config
from icemelt.tasks.errors import RunLost
from icemelt.tasks.events import (
    ClaimRefused,
    DataPublished,
    LeaseRenewed,
    RetryRequested,
    RunEnded,
    RunsCancelled,
    TaskExecuted,
)
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState

__all__ = ["PYTHON", "BodyPlan", "SimulatedClock", "SimulatedLake", "SimulatedScheduler"]

# a body with this word runs where functions of Python are
PYTHON = "python"
# what becomes of a body: after how many milliseconds, the state, an error, a return value
BodyPlan = tuple[int, str, str | None, str | None]


@dataclass(slots=True)
class SimulatedClock:
    """The database's clock; it stands still until somebody sets it."""

    now: int

    def __call__(self, _connection: sa.Connection) -> int:
        return self.now


@dataclass(eq=False)
class SimulatedBody:
    """The execution of a claimed run: it takes its time, renews its lease, and has its end."""

    lake: SimulatedLake
    run: ClaimedRun
    lease: int
    ends_at: int
    renews_at: int
    state: str
    code: str | None
    value: str | None
    is_published: bool = False
    is_stopped: bool = False
    place: Place | None = None

    @property
    def held(self) -> tuple[str, int, int]:
        return self.run.root_id, self.run.run_id, self.run.token

    def stop(self) -> None:
        self.is_stopped = True

    def renew(self) -> None:
        """Renew the lease; where it is lost the body is stopped."""
        event = LeaseRenewed(
            self.run.run_id, self.run.task, self.run.token, timedelta(milliseconds=self.lease)
        )
        decisions = tell_registry(self.lake.database, self.run.root_id, event)
        is_held = not any(isinstance(each, ClaimRefused) for each in decisions)
        assert is_held == self.lake.model.renew(*self.held, self.lease)
        self.renews_at = self.lake.now + self.lease // 3
        if not is_held:
            self.stop()
            self.ends_at = self.lake.now

    def execute(self) -> bool:
        state, code, value = self.state, self.code, self.value
        if self.is_stopped:
            state, code, value = "FAILED", "scheduler-stopped", None
        error = None if code is None else RunError(code, "…")
        ended = RunEnded(
            self.run.run_id, self.run.task, self.run.token, RunState(state), error, value
        )
        is_held = self._apply(ended, is_published=self.is_published and state == "SUCCEEDED")
        assert is_held == self.lake.model.end(self.held, state, code, value), self.run
        if is_held and state == "SUCCEEDED":
            self.lake.note_effect(self.run)
        return is_held

    def _apply(self, ended: RunEnded, *, is_published: bool) -> bool:
        """Tell the registry of the end, by the body's own publication or alone."""
        if not is_published:
            decisions = tell_registry(self.lake.database, self.run.root_id, ended)
            return not any(isinstance(each, ClaimRefused) for each in decisions)
        try:
            edit = ApplyTaskEvent(self.run.root_id, ended)
            assert isinstance(self.lake.tasks.publish(edit), Published)
        except RunLost:
            return False
        return True


@dataclass(eq=False)
class SimulatedScheduler:
    """A scheduler without threads; as a host it has room for all, and as facts it knows streams."""

    lake: SimulatedLake
    name: str
    options: SchedulerOptions
    plan: Callable[[ClaimedRun], BodyPlan]
    # called with what a turn comes to: it may kill the scheduler there, by an error
    at_step: Callable[[SimulatedScheduler, str], None] = lambda *_: None
    # called when a condition was looked at, before the registry is told
    after_look: Callable[[str], None] = lambda _: None
    has_python: bool = True
    # the roots that are due in a turn, in order, and the one whose condition is looked at
    due: list[str] = field(default_factory=list)
    looking_at: str | None = None
    # whether the last turn was to claim all that it could
    has_claimed_all: bool = True
    bodies: list[SimulatedBody] = field(default_factory=list)
    paused_until: int | None = None
    looked_at: int = 0
    triggered: set[str] = field(default_factory=set)
    turns: TaskTurns = field(init=False)

    def __post_init__(self) -> None:
        self.turns = TaskTurns(self, self.name, self.options, self._begin)

    # --------------------------------------------------------------------------------- the host

    @property
    def facts(self) -> SimulatedScheduler:
        return self

    def may_run(self, _client: str | None) -> bool:
        return True

    def take_place(self, _client: str | None) -> Place:
        # runs are claimed after all roots that are due were looked at
        self.lake.model.pass_time([*self.lake.model.roots])
        self.at_step(self, "take_place")
        return Place(self._prepare)

    def keep(self, _clients: Collection[str | None]) -> None:
        pass

    def close(self) -> None:
        pass

    def _prepare(self, run: ClaimedRun, lease: timedelta) -> SimulatedBody:
        milliseconds = lease // timedelta(milliseconds=1)
        expected = self.lake.model.claim(run.root_id, run.run_id, run.task, milliseconds)
        assert expected == (run.token, run.attempt)
        self.at_step(self, "prepare")
        duration, state, code, value = self.plan(run)
        now = self.lake.now
        renews_at = now + milliseconds // 3
        ends_at = now + duration
        is_published = run.token % 2 == 0
        return SimulatedBody(
            self.lake, run, milliseconds, ends_at, renews_at, state, code, value, is_published
        )

    def _begin(self, body: SimulatedBody, place: Place) -> None:
        body.place = place
        self.bodies.append(body)

    # -------------------------------------------------------------------------------- the facts

    @property
    def database(self) -> Database:
        return self.lake.database

    def find_news(self) -> set[str]:
        published = self.lake.published[self.looked_at :]
        triggered = {task.id for task in self.lake.model.tasks.values() if task.is_triggered}
        found = (triggered & {*published}) | (triggered - self.triggered)
        self.looked_at, self.triggered = len(self.lake.published), triggered
        for root_id in sorted(found & self.lake.model.roots.keys()):
            self.lake.model.publish(root_id)
        wakes = [(root.next_wake(), root.id) for root in self.lake.model.roots.values()]
        due = [(wake, root_id) for wake, root_id in wakes if wake and wake <= self.lake.now]
        self.due = [root_id for _, root_id in sorted(due)]
        return found

    def is_condition_true(self, context: TaskContext) -> bool:
        self.looking_at = context.root_id
        self.at_step(self, "look")
        self.looking_at = None
        has_data = self.lake.has_data.get(context.root_id, False)
        is_broken = context.root_id in self.lake.broken
        self.lake.model.look(context.root_id, is_true=has_data or is_broken)
        self.after_look(context.root_id)
        if is_broken:
            raise ObjectNotFound("The stream does not exist.", hint="Make it.")
        return has_data

    def is_runnable_here(self, task: TaskRecord) -> bool:
        return self.has_python or PYTHON not in task.body

    # ------------------------------------------------------------------------------- what it does

    def turn(self) -> None:
        """Take a turn, after which no run is left that the scheduler has room for."""
        self.has_claimed_all, self.looking_at = True, None
        try:
            self.turns.take()
        finally:
            self.lake.model.pass_time(self.find_handled())
        is_full = len(self.bodies) >= self.options.parallel or not self.has_claimed_all
        # one more of those that others run is passed over in each turn
        left = self.lake.model.claimable()
        assert is_full or not left or self.find_foreign(), left

    def find_handled(self) -> list[str]:
        """Return the roots that the turn has let time pass for: all, unless it ended in a look."""
        if self.looking_at is None:
            return [*self.lake.model.roots]
        return self.due[: self.due.index(self.looking_at) + 1]

    def find_foreign(self) -> list[tuple[str, int, str]]:
        """Return the runs that wait for a scheduler with functions of Python, if this has none."""
        waiting = [] if self.has_python else self.lake.model.claimable()
        return [run for run in waiting if PYTHON in self.lake.model.body_of(*run)]

    def act(self) -> None:
        """Renew leases and end bodies, as far as that is due."""
        for body in sorted(self.bodies, key=lambda body: min(body.renews_at, body.ends_at)):
            if body.renews_at <= self.lake.now and body.renews_at < body.ends_at:
                body.renew()
            if body.ends_at <= self.lake.now:
                self.bodies.remove(body)
                assert body.place is not None
                self.turns.execute(body, body.place)

    def next_act(self) -> int | None:
        moments = [min(body.renews_at, body.ends_at) for body in self.bodies]
        return min(moments, default=None)


@dataclass(eq=False)
class SimulatedLake:
    """A registry, its schedulers, and the model of what they do."""

    database: Database
    clock: SimulatedClock
    model: ContractModel = field(init=False)
    tasks: RegisteredTasks = field(init=False)
    schema_id: str = field(init=False)
    schedulers: list[SimulatedScheduler] = field(default_factory=list)
    # roots to whose streams something was published, in order; those with data; broken ones
    published: list[str] = field(default_factory=list)
    has_data: dict[str, bool] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    effects: set[tuple[str, int, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.model = ContractModel(self.clock.now)
        self.tasks = RegisteredTasks(self.database, self.clock.now)
        self.schema_id = self.tasks.schema_id

    @property
    def now(self) -> int:
        return self.clock.now

    def set_time(self, now: int) -> None:
        self.clock.now = self.model.now = self.tasks.now = now

    def set_clock(self, milliseconds: int) -> None:
        """Set the database's clock forward, or back; what bodies do takes as long as before."""
        self.set_time(self.now + milliseconds)
        for scheduler in self.schedulers:
            if scheduler.paused_until is not None:
                scheduler.paused_until += milliseconds
            for body in scheduler.bodies:
                body.renews_at += milliseconds
                body.ends_at += milliseconds

    # -------------------------------------------------------------------------------- statements

    def create(self, *wanted: ModelTask) -> None:
        """Make tasks in one publication; their ids are the registry's."""
        edits, made = [], []
        for task in wanted:
            edits.append(
                self.tasks.make(
                    task.name,
                    *task.after,
                    is_started=task.is_started,
                    options=dict(task.options),
                    finalizes=task.finalizes,
                    condition=_condition(task),
                    run_within=None if task.client is None else ("/landing",),
                    written_by=task.client,
                )
            )
            made.append(replace(task, id=self.tasks.ids[task.name]))
        self._publish(*edits)
        self.model.alter(*made)

    def alter(self, wanted: ModelTask) -> bool:
        """Alter a task as ALTER TASK does; return False where the statement is refused."""
        schema = self._read_schema()
        before = schema.find(wanted.name)
        after = replace(
            before,
            is_started=wanted.is_started,
            after=wanted.after,
            finalizes=wanted.finalizes,
            body=wanted.body,
            condition=_condition(wanted),
            options=dict(wanted.options),
            suspended_reason=None if wanted.is_started else "USER_SUSPENDED",
        )
        after = schema.settle(before, after)
        try:
            schema.require_place(after)
        except IcemeltError:
            return False
        self._publish(schema.requirement, *redefine_object(before, after))
        self.model.alter(self.model.settle(self.model.tasks[wanted.name], wanted))
        return True

    def drop(self, name: str) -> None:
        schema = self._read_schema()
        released = schema.release_dependents(name)
        self._publish(schema.requirement, *released, DropObject(self.tasks.ids.pop(name)))
        self.model.alter(dropped=name)

    def execute(self, name: str, given: str | None) -> None:
        """Run EXECUTE TASK of a root, with USING CONFIG where there is one."""
        task = self.model.tasks[name]
        own = dict(task.options).get("CONFIG")
        merged = None if given is None else merge_config(own, given)
        self._publish(ApplyTaskEvent(task.id, TaskExecuted(merged)))
        self.model.execute(task.id, given)

    def retry(self, name: str) -> None:
        """Run EXECUTE TASK … RETRY LAST of a root, which the model knows to be refused or not."""
        root_id = self.model.tasks[name].id
        # what is refused is rolled back, and time passes with the next event
        before = copy.deepcopy(self.model)
        if self.model.retry(root_id):
            self._publish(ApplyTaskEvent(root_id, RetryRequested()))
            return
        self.model = before
        with pytest.raises(DefinitionRefused):
            self._publish(ApplyTaskEvent(root_id, RetryRequested()))

    def cancel(self, root: str, name: str) -> None:
        """Cancel the runs of a task in the graph of a root."""
        root_id = self.model.tasks[root].id
        self._publish(ApplyTaskEvent(root_id, RunsCancelled(name)))
        self.model.cancel(root_id, name)

    def publish_rows(self, root_id: str, *, has_data: bool = True) -> None:
        """Publish rows that the stream of a root reads."""
        self.published.append(root_id)
        self.has_data[root_id] = has_data

    def tell_of_rows(self, root_id: str) -> None:
        """Publish rows that a root's stream reads; another scheduler tells the root at once."""
        self.publish_rows(root_id)
        tell_registry(self.database, root_id, DataPublished())
        self.model.publish(root_id)

    def note_effect(self, run: ClaimedRun) -> None:
        """Note that the body of a run has had its effect: once for all attempts."""
        effect = (run.root_id, run.run_id, run.task)
        is_finalizer = self.model.tasks.get(run.task, ModelTask("", "")).finalizes is not None
        assert effect not in self.effects or is_finalizer, effect
        self.effects.add(effect)

    # ---------------------------------------------------------------------------------- comparing

    def compare(self) -> None:
        """Compare what the registry has with the model: what has changed, and what is open."""
        model = self.model
        with self.database.read() as connection:
            open_rows = connection.execute(_OPEN_ROWS).all()
            graphs = {row.root_id: row for row in connection.execute(_GRAPHS)}
            started = {task.name.name: task.is_started for task in find_live_tasks(connection)}
            for key in model.touched:
                values = dict(zip(_KEY, key, strict=True))
                row = connection.execute(_ONE_ROW, values).mappings().first()
                assert row is not None, (key, model.history[key])
                _compare_row(row, model.history[key], key)
        model.touched.clear()
        expected = {key for key, row in model.history.items() if row.completed is None}
        differences = {tuple(row) for row in open_rows} ^ expected
        assert not differences, [(key, model.history.get(key)) for key in differences]
        assert started == {task.name: task.is_started for task in model.tasks.values()}
        for root in model.roots.values():
            graph = graphs[root.id]
            assert graph.next_scheduled_at == root.next_time(), root.root
            wake = root.next_wake()
            assert graph.next_wake == wake, (root.root, graph.next_wake, wake)

    def compare_history(self) -> None:
        """Compare all rows."""
        with self.database.read() as connection:
            rows = connection.execute(sa.select(task_runs)).mappings().all()
        by_key = {(r["root_id"], r["run_id"], r["task"], r["attempt"]): r for r in rows}
        assert by_key.keys() == self.model.history.keys()
        for key, row in by_key.items():
            _compare_row(row, self.model.history[key], key)

    def _read_schema(self) -> SchemaTasks:
        records = {fold(name): self.tasks.task(name) for name in self.tasks.ids}
        return SchemaTasks(self.schema_id, records, self.now)

    def _publish(self, *edits: Edit) -> None:
        outcome = self.tasks.publish(*edits)
        assert isinstance(outcome, Published), outcome


_KEY = ("root_id", "run_id", "task", "attempt")
_OPEN_ROWS = sa.select(*(task_runs.c[name] for name in _KEY)).where(
    task_runs.c.completed_at.is_(None)
)
_ONE_ROW = sa.select(task_runs).where(*(task_runs.c[name] == sa.bindparam(name) for name in _KEY))
_GRAPHS = sa.select(task_graphs.c.root_id, task_graphs.c.next_wake, task_graphs.c.next_scheduled_at)


def _condition(task: ModelTask) -> str | None:
    return "SYSTEM$STREAM_HAS_DATA('s')" if task.has_condition else None


def _compare_row(found: Any, expected: ModelRow, key: tuple[str, int, str, int]) -> None:
    """Compare a row of the history with the model's, all columns at once."""
    columns = ("state", "scheduled_at", "started_at", "completed_at", "error_code", "return_value")
    of_registry = {name: found[name] for name in (*columns, "origin", "config", "token")}
    of_model = {
        "state": expected.state,
        "scheduled_at": expected.scheduled,
        "started_at": expected.started,
        "completed_at": expected.completed,
        "error_code": expected.error,
        "return_value": expected.value,
        "origin": expected.origin,
        "config": expected.config,
        "token": expected.token,
    }
    differing = {
        name: (of_registry[name], value)
        for name, value in of_model.items()
        if of_registry[name] != value
    }
    assert not differing, (key, differing)
