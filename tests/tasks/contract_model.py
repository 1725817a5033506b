"""What section 13 of the semantics says of tasks, in plain Python: the oracle of the model check.

Nothing of `icemelt` is imported. Times are milliseconds since 1970; a task's options are the texts
of its definition. Whoever drives the model sets `now`, tells it what has happened in the order of
the registry, and compares the rows of the history, the next times and who is suspended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from wall_clock_times import cron_times

__all__ = ["ContractModel", "ModelRoot", "ModelRow", "ModelTask"]

BEGIN = datetime(2024, 12, 1, tzinfo=UTC)
UNITS = {"SECONDS": 1_000, "MINUTES": 60_000, "HOURS": 3_600_000}
OPEN = {"SCHEDULED", "EXECUTING"}
FAILURES = {"FAILED", "FAILED_AND_AUTO_SUSPENDED"}


@dataclass(frozen=True)
class ModelTask:
    """A task as its definition has it."""

    name: str
    id: str
    after: tuple[str, ...] = ()
    finalizes: str | None = None
    is_started: bool = False
    has_condition: bool = False
    body: str = "SELECT 1"
    # of a server, who wrote the body
    client: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def is_root(self) -> bool:
        return not self.after and self.finalizes is None

    @property
    def is_triggered(self) -> bool:
        return self.is_started and self.is_root and self.has_condition and not self.schedule

    @property
    def schedule(self) -> str:
        return self.option("SCHEDULE", "")

    def option(self, name: str, default: str) -> str:
        return dict(self.options).get(name, default)

    def number(self, name: str, default: int) -> int:
        return int(self.option(name, str(default)))


@dataclass
class ModelRow:
    """A row of TASK_HISTORY."""

    task: str
    attempt: int
    state: str
    scheduled: int
    origin: str
    config: str | None
    started: int | None = None
    completed: int | None = None
    error: str | None = None
    value: str | None = None
    token: int | None = None
    lease_end: int = 0

    def end(self, state: str, now: int, error: str | None = None, value: str | None = None) -> None:
        self.state, self.completed, self.error, self.value = state, now, error, value


@dataclass(eq=False)
class ModelRun:
    """A run of a graph; `tasks` is the graph as it was when the run began."""

    id: int
    tasks: dict[str, ModelTask]
    root: str
    origin: str
    scheduled: int
    config: str | None
    attempt: int = 1
    # the rows that count in this attempt
    rows: dict[str, ModelRow] = field(default_factory=dict)

    def fate(self, name: str) -> str:
        """Return the state of a task in this attempt, or `ready`, `later`, `never`, `absent`."""
        task = self.tasks[name]
        if name in self.rows:
            return self.rows[name].state
        if name == self.root:
            return "ready"
        if not task.is_started:
            return "absent"
        before = [fate for parent in task.after if (fate := self.fate(parent)) != "absent"]
        if not before or not {*before} <= {"SUCCEEDED", "ready", "later", *OPEN}:
            return "never"
        return "ready" if {*before} == {"SUCCEEDED"} else "later"

    def find_next(self) -> list[str]:
        """Return the tasks that begin now; the finalizer when nothing else does or will."""
        fates = {n: self.fate(n) for n, task in self.tasks.items() if task.finalizes is None}
        ready = [name for name, fate in fates.items() if fate == "ready"]
        if ready or {*fates.values()} & {"later", *OPEN} or fates[self.root] == "SKIPPED":
            return ready
        last = [t.name for t in self.tasks.values() if t.finalizes and t.is_started]
        return [name for name in last if name not in self.rows]

    @property
    def is_over(self) -> bool:
        return not self.find_next() and not any(row.state in OPEN for row in self.rows.values())

    @property
    def outcome(self) -> str:
        states = {row.state for row in self.rows.values()}
        if states & FAILURES:
            return "FAILED"
        if "CANCELLED" in states:
            return "CANCELLED"
        return "SKIPPED" if self.rows[self.root].state == "SKIPPED" else "SUCCEEDED"

    def begin_attempt(self) -> None:
        """Forget the rows of what runs again: what succeeded or was skipped stays."""
        self.attempt += 1
        self.rows = {
            name: row
            for name, row in self.rows.items()
            if row.state in {"SUCCEEDED", "SKIPPED"} and not self.tasks[name].finalizes
        }


@dataclass(eq=False)
class ModelRoot:
    """A graph and its runs."""

    id: str
    tasks: dict[str, ModelTask]
    name: str
    # since when an interval counts, and up to when times were handled
    anchor: int
    handled: int
    # the time of the event that is handled, and of the last one that changed something
    now: int
    seen: int
    active: list[ModelRun] = field(default_factory=list)
    queued: ModelRun | None = None
    last: ModelRun | None = None
    failures: int = 0
    has_news: bool = True
    looked: int | None = None
    next_run: int = 1
    next_token: int = 1

    @property
    def root(self) -> ModelTask:
        return self.tasks[self.name]

    def times(self, until: int) -> list[int]:
        """Return the times of the schedule that are to be handled by a moment."""
        schedule = self.root.schedule
        if not schedule or not self.root.is_started:
            return []
        if schedule.startswith("USING CRON"):
            return _clock(schedule).times(self.handled, until)
        length = _length(schedule)
        count = (self.handled - self.anchor) // length + 1
        return list(range(self.anchor + count * length, until + 1, length))

    def next_time(self) -> int | None:
        schedule = self.root.schedule
        if not schedule or not self.root.is_started:
            return None
        if schedule.startswith("USING CRON"):
            return _clock(schedule).next(self.handled)
        length = _length(schedule)
        return self.anchor + ((self.handled - self.anchor) // length + 1) * length

    def may_begin(self) -> bool:
        """Tell whether the overlap policy lets a run begin beside those under way."""
        policy = self.root.option("OVERLAP_POLICY", "NO_OVERLAP")
        if policy == "NO_OVERLAP":
            return not self.active
        roots = [run.rows[run.root].state for run in self.active if run.root in run.rows]
        missing = len(roots) < len(self.active)
        return policy == "ALLOW_ALL_OVERLAP" or not (missing or {*roots} & OPEN)

    def look_time(self) -> int | None:
        """Return when the condition of a triggered root is to be looked at; None for not."""
        if not (self.root.is_triggered and self.has_news and self.may_begin()):
            return None
        if self.looked is None:
            return self.anchor
        seconds = self.root.number("USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS", 30)
        return self.looked + seconds * 1_000

    def deadlines(self) -> list[tuple[int, ModelRun, ModelRow, str]]:
        """Return when each run that is executed fails if nothing is heard of it, and why."""
        found = []
        for run in self.active:
            for row in run.rows.values():
                if row.state == "EXECUTING" and row.started is not None:
                    timeout = run.tasks[row.task].number("USER_TASK_TIMEOUT_MS", 3_600_000)
                    late = row.started + timeout
                    is_timeout = late <= row.lease_end
                    why = "timeout" if is_timeout else "scheduler-lost"
                    found.append((min(late, row.lease_end), run, row, why))
        return sorted(found, key=lambda entry: entry[0])

    def next_wake(self) -> int | None:
        moments = [when for when, *_ in self.deadlines()]
        moments += [at for at in (self.next_time(), self.look_time()) if at is not None]
        return min(moments, default=None)


@dataclass(eq=False)
class ContractModel:
    """The tasks of a schema, the runs of their graphs, and the history."""

    now: int
    tasks: dict[str, ModelTask] = field(default_factory=dict)
    roots: dict[str, ModelRoot] = field(default_factory=dict)
    history: dict[tuple[str, int, str, int], ModelRow] = field(default_factory=dict)
    # the rows that were written since somebody has asked
    touched: set[tuple[str, int, str, int]] = field(default_factory=set)

    # -------------------------------------------------------------------------------- statements

    def alter(self, *changed: ModelTask, dropped: str | None = None) -> None:
        """Change tasks by a statement, and their graphs with them."""
        self.tasks |= {task.name: task for task in changed}
        if dropped is not None:
            del self.tasks[dropped]
            for task in list(self.tasks.values()):
                self.tasks[task.name] = self.settle(
                    task,
                    replace(
                        task,
                        after=tuple(name for name in task.after if name != dropped),
                        finalizes=None if task.finalizes == dropped else task.finalizes,
                    ),
                )
        self._write_graphs()

    def settle(self, before: ModelTask, after: ModelTask) -> ModelTask:
        """Return a changed task: one that has become a root is suspended."""
        is_new_root = after.is_root and not before.is_root
        return replace(after, is_started=False) if is_new_root else after

    def execute(self, root_id: str, config: str | None) -> None:
        """Run EXECUTE TASK, with USING CONFIG where there is one."""
        root = self._pass_time(root_id)
        if root.queued is None:
            own = root.root.option("CONFIG", "")
            run = self._make(root, "EXECUTE TASK", root.now)
            if config is not None:
                run.config = merge(own, config)
            if root.may_begin():
                self._begin(root, run)
            else:
                root.queued = run
                self._schedule(root, run, run.root)
        self._begin_queued(root)

    def retry(self, root_id: str) -> bool:
        """Run EXECUTE TASK … RETRY LAST; return False where it is refused."""
        root = self._pass_time(root_id)
        last = root.last
        is_idle = not root.active and root.queued is None
        if not is_idle or last is None or last.outcome == "SUCCEEDED":
            return False
        if _shape(last.tasks, root.name) != _shape(root.tasks, root.name):
            return False
        again = replace(last, origin="EXECUTE TASK", rows=dict(last.rows))
        again.begin_attempt()
        self._begin(root, again)
        return True

    def cancel(self, root_id: str, task: str) -> None:
        """Cancel what a task runs, or is about to run."""
        root = self._pass_time(root_id)
        for run in list(root.active):
            row = run.rows.get(task)
            if row is not None and row.state in OPEN:
                self._end(root, run, row, "CANCELLED", "cancelled")
        self._begin_queued(root)

    # ------------------------------------------------------------------- publications, schedulers

    def pass_time(self, root_ids: list[str]) -> None:
        """Let a scheduler look at graphs."""
        for root_id in root_ids:
            self._begin_queued(self._pass_time(root_id))

    def publish(self, root_id: str) -> None:
        """Tell a graph of a publication that can matter to its stream."""
        root = self._pass_time(root_id)
        root.has_news, root.seen = True, root.now
        self._begin_queued(root)

    def look(self, root_id: str, *, is_true: bool) -> None:
        """Look at the condition of a triggered root, which has to be due."""
        root = self._pass_time(root_id)
        due = root.look_time()
        assert due is not None, "nobody asked for a look"
        assert due <= self.now, "the look is too early"
        root.has_news, root.looked, root.seen = False, root.now, root.now
        if is_true:
            self._begin(root, self._make(root, "TRIGGER", root.now))
        self._begin_queued(root)

    def claimable(self) -> list[tuple[str, int, str]]:
        """Return the runs of tasks that somebody is to execute: root, run and task."""
        return [
            (root.id, run.id, row.task)
            for root in self.roots.values()
            for run in root.active
            for row in run.rows.values()
            if row.state == "SCHEDULED"
        ]

    def body_of(self, root_id: str, run_id: int, task: str) -> str:
        """Return the body of a task as a run of its graph has it."""
        run = next(run for run in self.roots[root_id].active if run.id == run_id)
        return run.tasks[task].body

    def claim(self, root_id: str, run_id: int, task: str, lease: int) -> tuple[int, int]:
        """Have a scheduler execute a run; return its fencing token and attempt."""
        root = self._pass_time(root_id)
        run = next(run for run in root.active if run.id == run_id)
        row = run.rows[task]
        assert row.state == "SCHEDULED", (row, "is not to be claimed")
        row.state, row.started, row.token = "EXECUTING", root.now, root.next_token
        row.lease_end = root.now + lease
        root.next_token += 1
        self._touch(root, run, row)
        return row.token, row.attempt

    def renew(self, root_id: str, run_id: int, token: int, lease: int) -> bool:
        """Renew the lease of a run; return whether the run is its holder's still."""
        if (found := self._find_held(root_id, run_id, token)) is None:
            return False
        root = found[0]
        found[2].lease_end = root.now + lease
        root.seen = root.now
        self._begin_queued(root)
        return True

    def end(
        self, held: tuple[str, int, int], state: str, error: str | None, value: str | None
    ) -> bool:
        """End a run: root, run and token; return whether it was its holder's still."""
        if (found := self._find_held(*held)) is None:
            return False
        root, run, row = found
        if state == "SKIPPED":
            row.started = None
        self._end(root, run, row, state, error, value)
        self._begin_queued(root)
        return True

    def next_wake(self) -> int | None:
        wakes = (root.next_wake() for root in self.roots.values())
        return min((wake for wake in wakes if wake is not None), default=None)

    # ------------------------------------------------------------------------------------- within

    def _find_held(
        self, root_id: str, run_id: int, token: int
    ) -> tuple[ModelRoot, ModelRun, ModelRow] | None:
        if root_id not in self.roots:
            return None
        root = self._pass_time(root_id)
        for run in root.active:
            for row in run.rows.values():
                if (run.id, row.token, row.state) == (run_id, token, "EXECUTING"):
                    return root, run, row
        self._begin_queued(root)
        return None

    def _pass_time(self, root_id: str) -> ModelRoot:
        """Account for the time since the last event, in the order of the clock.

        Where the clock was set back the time of the last event that changed something goes on.
        """
        root = self.roots[root_id]
        root.now = max(self.now, root.seen)
        for moment in (*root.times(root.now)[-1:], None):
            until = root.now if moment is None else moment
            for when, run, row, why in root.deadlines():
                if when <= until and row.state == "EXECUTING":
                    self._end(root, run, row, "FAILED", why)
            if moment is not None and root.root.is_started:
                root.handled = moment
                run = self._make(root, "SCHEDULE", moment)
                if root.may_begin():
                    self._begin(root, run)
                else:
                    row = ModelRow(run.root, 1, "SKIPPED", moment, run.origin, run.config)
                    row.end("SKIPPED", root.now, "run-unfinished")
                    self._touch(root, run, row)
        return root

    def _make(self, root: ModelRoot, origin: str, scheduled: int) -> ModelRun:
        config = root.root.option("CONFIG", "") or None
        run = ModelRun(root.next_run, root.tasks, root.name, origin, scheduled, config)
        root.next_run += 1
        return run

    def _begin(self, root: ModelRoot, run: ModelRun) -> None:
        root.active.append(run)
        self._go_on(root, run)

    def _begin_queued(self, root: ModelRoot) -> None:
        if root.queued is not None and root.may_begin():
            run, root.queued = root.queued, None
            self._begin(root, run)

    def _schedule(self, root: ModelRoot, run: ModelRun, task: str) -> None:
        is_first = task == run.root and run.attempt == 1
        at = run.scheduled if is_first else root.now
        row = ModelRow(task, run.attempt, "SCHEDULED", at, run.origin, run.config)
        run.rows[task] = row
        self._touch(root, run, row)

    def _touch(self, root: ModelRoot, run: ModelRun, row: ModelRow) -> None:
        key = (root.id, run.id, row.task, row.attempt)
        self.history[key] = row
        self.touched.add(key)
        root.seen = root.now

    def _go_on(self, root: ModelRoot, run: ModelRun) -> None:
        for name in run.find_next():
            self._schedule(root, run, name)
        if not run.is_over:
            return
        retries = run.tasks[run.root].number("TASK_AUTO_RETRY_ATTEMPTS", 0)
        was_cancelled = any(row.state == "CANCELLED" for row in run.rows.values())
        if run.outcome == "FAILED" and run.attempt <= retries and not was_cancelled:
            run.begin_attempt()
            self._go_on(root, run)
            return
        root.active.remove(run)
        if run.origin != "EXECUTE TASK":
            self._count(root, run)
        if run.outcome != "SKIPPED":
            root.last, root.has_news = run, True
        elif root.last is not None and root.last.id == run.id:
            # what failed before the attempt that was skipped may be retried still
            root.last.attempt = run.attempt

    def _count(self, root: ModelRoot, run: ModelRun) -> None:
        """Count failures in a row, and suspend the root after too many."""
        if run.outcome == "SUCCEEDED":
            root.failures = 0
        if run.outcome != "FAILED":
            return
        root.failures += 1
        limit = root.root.number("SUSPEND_TASK_AFTER_NUM_FAILURES", 10)
        if limit and root.failures >= limit and root.root.is_started:
            for row in run.rows.values():
                if row.state == "FAILED":
                    row.state = "FAILED_AND_AUTO_SUSPENDED"
                    self._touch(root, run, row)
            suspended = replace(root.root, is_started=False)
            root.tasks = {**root.tasks, root.name: suspended}
            self.tasks[root.name] = suspended
            self._cancel_unbegun(root)

    def _end(
        self,
        root: ModelRoot,
        run: ModelRun,
        row: ModelRow,
        state: str,
        error: str | None = None,
        value: str | None = None,
    ) -> None:
        row.end(state, root.now, error, value)
        self._touch(root, run, row)
        self._go_on(root, run)

    def _cancel_unbegun(self, root: ModelRoot) -> None:
        """Cancel the runs of the schedule or the trigger that nobody executes yet."""
        for run in list(root.active):
            is_unbegun = all(row.state == "SCHEDULED" for row in run.rows.values())
            if run.origin != "EXECUTE TASK" and is_unbegun:
                for row in run.rows.values():
                    row.end("CANCELLED", root.now, "suspended")
                    self._touch(root, run, row)
                root.active.remove(run)

    # ------------------------------------------------------------------------------------- graphs

    def _find_graphs(self) -> Iterator[tuple[ModelTask, dict[str, ModelTask]]]:
        for root in self.tasks.values():
            if root.is_root:
                # a task after two roots is in no graph, and the others run without it
                graph = {
                    task.name: task
                    for task in self.tasks.values()
                    if task.finalizes == root.name or self._roots_above(task) == {root.name}
                }
                yield root, graph

    def _roots_above(self, task: ModelTask) -> set[str]:
        """Return the roots that a task runs after; the task itself where it is one."""
        if task.is_root:
            return {task.name}
        return {root for name in task.after for root in self._roots_above(self.tasks[name])}

    def _write_graphs(self) -> None:
        graphs = {root.id: (root, graph) for root, graph in self._find_graphs()}
        for root_id in self.roots.keys() - graphs.keys():
            self._end_graph(self.roots[root_id])
        for root_id, (task, graph) in graphs.items():
            if root_id not in self.roots:
                runs = [key[1] for key in self.history if key[0] == root_id]
                rows = [row for key, row in self.history.items() if key[0] == root_id]
                root = ModelRoot(root_id, graph, task.name, self.now, self.now, self.now, self.now)
                root.next_run = max(runs, default=0) + 1
                root.next_token = max((row.token or 0 for row in rows), default=0) + 1
                self.roots[root_id] = root
            elif self.roots[root_id].tasks != graph:
                self._change_graph(root_id, graph)

    def _change_graph(self, root_id: str, graph: dict[str, ModelTask]) -> None:
        root = self._pass_time(root_id)
        before = root.root
        root.tasks, root.seen = graph, root.now
        if root.root.is_started and not before.is_started:
            root.failures, root.has_news = 0, True
            root.anchor = root.handled = root.now
        elif root.root.schedule != before.schedule:
            root.anchor = root.handled = root.now
        if before.is_started and not root.root.is_started:
            self._cancel_unbegun(root)
        if (queued := root.queued) is not None:
            queued.tasks = graph
            if queued.config == (before.option("CONFIG", "") or None):
                queued.config = root.root.option("CONFIG", "") or None
                queued.rows[root.name].config = queued.config
            self._touch(root, queued, queued.rows[root.name])
        self._begin_queued(root)

    def _end_graph(self, root: ModelRoot) -> None:
        """Cancel all that a root runs, when it is dropped or becomes a child."""
        if root.active:
            self._pass_time(root.id)
        while root.active:
            rows = [(run, row) for run in root.active for row in run.rows.values()]
            for run, row in rows:
                if row.state in OPEN:
                    self._end(root, run, row, "CANCELLED", "cancelled")
            self._begin_queued(root)
        del self.roots[root.id]


def merge(own: str, given: str) -> str:
    """Return CONFIG of a run: members of one name are the given ones, objects are merged deeply."""
    if not own:
        return given

    def deep(left: object, right: object) -> object:
        if isinstance(left, dict) and isinstance(right, dict):
            both = {key: deep(left[key], right[key]) for key in left.keys() & right.keys()}
            return left | right | both
        return right

    return json.dumps(deep(json.loads(own), json.loads(given)))


def _shape(tasks: dict[str, ModelTask], root: str) -> dict[str, ModelTask]:
    """Return a graph without what a retry may have changed: whether the root is started."""
    return tasks | {root: replace(tasks[root], is_started=False)}


def _length(schedule: str) -> int:
    count, unit = schedule.split()
    return int(count) * UNITS[unit]


def _clock(schedule: str):  # noqa: ANN202 - of wall_clock_times
    *fields, zone = schedule.removeprefix("USING CRON ").split()
    return cron_times(" ".join(fields), zone, BEGIN)
