"""The runs of a graph as a state machine: `apply_event(state, event, now)`.

Nothing here waits, reads a clock or knows who else there is. Whoever applies an event does it in
one SQL transaction of the registry that compares the state it has read: so two schedulers cannot
decide twice, and simulated years take seconds.

Before each event the time since the last one is accounted for, in the order of the clock:

1. claims whose lease ended, and bodies that took longer than their timeout: FAILED;
2. the latest scheduled time, if there is one: a run, or SKIPPED where the overlap policy forbids
   a run. Earlier times since the last event were missed, and have no row.

>>> from datetime import UTC, timedelta
>>> from icemelt.tasks.graph import GraphVersion, Task
>>> from icemelt.tasks.records import new_root_state
>>> from icemelt.tasks.schedule import parse_schedule
>>> load = Task("load", "s", schedule=parse_schedule("1 HOUR"), is_suspended=False)
>>> noon = datetime(2025, 1, 1, 12, tzinfo=UTC)
>>> state = new_root_state(GraphVersion(1, (load,)), noon)
>>> next_wake(state).hour
13
>>> state, decisions = apply_event(state, TimePassed(), noon + timedelta(hours=1))
>>> [(row.run_id, row.task_run.task, row.task_run.state.value) for row in decisions]
[(1, 'load', 'SCHEDULED')]
>>> claim = RunClaimed(1, "load", "server-1", lease=timedelta(minutes=1))
>>> state, decisions = apply_event(state, claim, noon + timedelta(hours=1, seconds=2))
>>> decisions[-1].claim.token
1
>>> end = RunEnded(1, "load", 1, RunState.SUCCEEDED)
>>> state, decisions = apply_event(state, end, noon + timedelta(hours=1, seconds=30))
>>> decisions[0].task_run.state.value, state.active
('SUCCEEDED', ())
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from icemelt.errors import DefinitionRefused
from icemelt.names import identifier
from icemelt.tasks.events import (
    BodyStopped,
    ClaimGranted,
    ClaimRefused,
    ConditionLooked,
    DataPublished,
    Decision,
    Event,
    GraphChanged,
    GraphSucceeded,
    LeaseRenewed,
    RetryRequested,
    RootSuspended,
    RunClaimed,
    RunEnded,
    RunQueued,
    RunRecorded,
    RunsCancelled,
    TaskExecuted,
    TimePassed,
)
from icemelt.tasks.graph import GraphVersion
from icemelt.tasks.progress import (
    find_ready_tasks,
    graph_outcome,
    is_attempt_over,
    states_for_retry,
)
from icemelt.tasks.records import GraphRun, GraphSuccess, RootState, RunClaim, RunError, TaskRun
from icemelt.tasks.schedule import latest_time, next_time
from icemelt.tasks.states import OverlapPolicy, RunOrigin, RunState, SuspendedReason

__all__ = ["apply_event", "is_look_due", "next_scheduled_time", "next_wake", "wants_look"]

_LOST = RunError("scheduler-lost", "The scheduler that executed the run was not heard of any more.")
_CANCELLED = RunError("cancelled", "The run was cancelled.")
_SUSPENDED = RunError("suspended", "The task was suspended before the run began.")
_OVERLAP = RunError("run-unfinished", "The last run of the graph was not over.")


def apply_event(
    state: RootState, event: Event, now: datetime
) -> tuple[RootState, tuple[Decision, ...]]:
    """Return the state after an event, and what is to be done.

    Args:
        state: The state before.
        event: What has happened.
        now: The moment of the event, in UTC, which is not earlier than that of any event before.

    Returns:
        The new state, and the decisions in their order.

    Raises:
        DefinitionRefused: RETRY LAST, and there is nothing to retry.
    """
    step = _Step(state, now)
    _pass_time(step)
    _handle(step, event)
    _begin_queued(step)
    return step.state, tuple(step.decisions)


def next_scheduled_time(state: RootState) -> datetime | None:
    """Return the next time of the schedule, which TASK_HISTORY has as a SCHEDULED row."""
    schedule = state.graph.root.schedule
    if schedule is None or not state.is_resumed:
        return None
    return next_time(schedule, state.handled_until, state.anchor)


def next_wake(state: RootState) -> datetime | None:
    """Return when to look again if nothing happens: `TimePassed` or `ConditionLooked` is due then.

    The moment may be in the past. None: only another event changes anything.
    """
    moments = [deadline for *_, deadline, _ in _deadlines(state)]
    if (scheduled := next_scheduled_time(state)) is not None:
        moments.append(scheduled)
    if wants_look(state):
        interval = state.graph.root.trigger_interval
        last_look = state.last_look
        moments.append(state.anchor if last_look is None else last_look + interval)
    return min(moments, default=None)


def wants_look(state: RootState) -> bool:
    """Tell whether the condition of a triggered root is to be looked at, now or later.

    It is after a publication that can matter, where the policy lets a run begin.
    """
    is_triggered = state.is_resumed and state.graph.root.is_triggered
    return is_triggered and state.has_news and _may_begin(state)


def is_look_due(state: RootState, now: datetime) -> bool:
    """Tell whether the condition of a triggered root is to be looked at now.

    It is after a publication that can matter, where the policy lets a run begin, and the trigger
    interval since the last look is over. The caller evaluates the condition, which is a comparison
    of versions, and applies `ConditionLooked`.
    """
    if not wants_look(state):
        return False
    last_look = state.last_look
    return last_look is None or now >= last_look + state.graph.root.trigger_interval


# ------------------------------------------------------------------------------------ one event


@dataclass(slots=True)
class _Step:
    """The state while one event is applied, and the decisions so far."""

    state: RootState
    now: datetime
    decisions: list[Decision] = field(default_factory=list)

    def update(self, graph_run: GraphRun) -> None:
        """Put a run in the place of the active run with its id."""
        active = tuple(graph_run if run.id == graph_run.id else run for run in self.state.active)
        self.state = replace(self.state, active=active)

    def record(self, graph_run: GraphRun, task_run: TaskRun) -> GraphRun:
        """Write the run of a task into the history; return the graph's run with it."""
        row = RunRecorded(
            graph_run.id,
            graph_run.version.number,
            graph_run.origin,
            task_run,
            graph_run.scheduled_at,
            graph_run.config,
        )
        self.decisions.append(row)
        return graph_run.with_task_run(task_run)

    def make_run(
        self, origin: RunOrigin, scheduled_at: datetime, config: str | None = None
    ) -> GraphRun:
        """Return a new run of the newest version of the graph; it is not active yet."""
        run_id = self.state.next_run_id
        self.state = replace(self.state, next_run_id=run_id + 1)
        graph = self.state.graph
        return GraphRun(run_id, graph, origin, scheduled_at, config=config or graph.root.config)

    def begin(self, graph_run: GraphRun) -> None:
        """Make a run active, and schedule its first tasks."""
        self.state = replace(self.state, active=(*self.state.active, graph_run))
        _advance(self, graph_run)


def _handle(step: _Step, event: Event) -> None:  # noqa: C901 - one case for each event
    match event:
        case TimePassed():
            pass
        case GraphChanged(graph):
            _change_graph(step, graph)
        case TaskExecuted(config):
            _execute(step, config)
        case RetryRequested():
            _retry_last(step)
        case DataPublished():
            step.state = replace(step.state, news=step.state.news + 1)
        case ConditionLooked():
            _end_look(step, event)
        case RunClaimed():
            _claim(step, event)
        case LeaseRenewed():
            _renew(step, event)
        case RunEnded():
            _end_run(step, event)
        case RunsCancelled(task, reason):
            _cancel(step, task, reason or _CANCELLED)
        case _:
            assert_never(event)


# ------------------------------------------------------------------------------------------ time


def _pass_time(step: _Step) -> None:
    state = step.state
    schedule = state.graph.root.schedule
    due = None
    if schedule is not None and state.is_resumed:
        due = latest_time(schedule, state.handled_until, step.now, state.anchor)
    if due is not None:
        _fail_overdue(step, due)
        # a run that failed for the last time may have suspended the root
        if step.state.is_resumed:
            _run_scheduled(step, due)
    _fail_overdue(step, step.now)


def _run_scheduled(step: _Step, due: datetime) -> None:
    step.state = replace(step.state, handled_until=due)
    graph_run = step.make_run(RunOrigin.SCHEDULE, due)
    if _may_begin(step.state):
        step.begin(graph_run)
        return
    task_run = TaskRun(step.state.graph.root.name, 1, RunState.SCHEDULED, due)
    step.record(graph_run, task_run.end(RunState.SKIPPED, step.now, _OVERLAP))


def _deadlines(state: RootState) -> Iterator[tuple[GraphRun, TaskRun, datetime, RunError]]:
    """Yield each run that is executed, with when it fails if nothing is heard of it, and why."""
    for graph_run in state.active:
        for task_run in graph_run.task_runs:
            if task_run.claim is None or task_run.started_at is None:
                continue
            lease_end = task_run.claim.lease_end
            timeout = graph_run.version.task(task_run.task).timeout
            if (end := task_run.started_at + timeout) <= lease_end:
                error = RunError("timeout", f"The run took longer than {timeout}.")
                yield graph_run, task_run, end, error
            else:
                yield graph_run, task_run, lease_end, _LOST


def _fail_overdue(step: _Step, until: datetime) -> None:
    """Fail what was due to end by a moment; a retry that begins so is due later."""
    overdue = [entry for entry in _deadlines(step.state) if entry[2] <= until]
    for graph_run, task_run, _, error in sorted(overdue, key=lambda entry: entry[2]):
        _stop_body(step, graph_run, task_run)
        _end_task_run(step, graph_run.id, task_run.end(RunState.FAILED, step.now, error))


# ---------------------------------------------------------------------------------- what may begin


def _may_begin(state: RootState) -> bool:
    """Tell whether the overlap policy lets a run begin beside those under way."""
    match state.graph.overlap_policy:
        case OverlapPolicy.NO_OVERLAP:
            return not state.active
        case OverlapPolicy.ALLOW_CHILD_OVERLAP:
            return not any(_is_root_open(graph_run) for graph_run in state.active)
        case OverlapPolicy.ALLOW_ALL_OVERLAP:
            return True


def _is_root_open(graph_run: GraphRun) -> bool:
    root_run = graph_run.find(graph_run.version.root.name)
    return root_run is None or root_run.state.is_open


def _end_look(step: _Step, event: ConditionLooked) -> None:
    if not is_look_due(step.state, step.now):
        return
    step.state = replace(step.state, seen_news=event.news, last_look=step.now)
    if event.is_true:
        step.begin(step.make_run(RunOrigin.TRIGGER, step.now))


def _execute(step: _Step, config: str | None) -> None:
    if step.state.queued is not None:
        step.decisions.append(RunQueued(step.state.queued.id, is_new=False))
        return
    graph_run = step.make_run(RunOrigin.EXECUTE_TASK, step.now, config)
    if _may_begin(step.state):
        step.begin(graph_run)
        return
    root_run = TaskRun(graph_run.version.root.name, 1, RunState.SCHEDULED, step.now)
    step.state = replace(step.state, queued=step.record(graph_run, root_run))
    step.decisions.append(RunQueued(graph_run.id, is_new=True))


def _begin_queued(step: _Step) -> None:
    queued = step.state.queued
    if queued is not None and _may_begin(step.state):
        step.state = replace(step.state, queued=None)
        step.begin(queued)


def _retry_last(step: _Step) -> None:
    state = step.state
    root = state.graph.root.name
    last = state.last_ended
    if state.active or state.queued is not None:
        raise DefinitionRefused(
            f"Task {root!r} cannot be retried while a run of its graph is under way.",
            hint="Wait, or SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS("
            f"'{identifier(root)}')",
        )
    if last is None or graph_outcome(last.version, last.states) is RunState.SUCCEEDED:
        done = "succeeded last time"
        if last is None:
            # the state of a root begins anew when the root is restored; its history stays
            since = " to an end since it was made, restored, or made a root"
            done = f"has not run{since if state.next_run_id > 1 else ''}"
        raise DefinitionRefused(
            f"Task {root!r} {done}: there is nothing to retry.",
            hint=f"EXECUTE TASK {identifier(root)}",
        )
    if not last.version.runs_as(state.graph):
        raise DefinitionRefused(
            f"The graph of task {root!r} was changed after its last run, of version "
            f"{last.version.number}: its attempts are those of one graph.",
            hint=f"EXECUTE TASK {identifier(root)}",
        )
    kept = last.keep(states_for_retry(last.version, last.states))
    step.begin(replace(kept, origin=RunOrigin.EXECUTE_TASK, attempt=last.attempt + 1))


def _change_graph(step: _Step, graph: GraphVersion) -> None:
    before = step.state
    state = replace(before, graph=graph)
    is_resumed = not graph.root.is_suspended
    if is_resumed and not before.is_resumed:
        state = replace(state, anchor=step.now, handled_until=step.now, failures=0)
        state = replace(state, news=state.news + 1)
    elif graph.root.schedule != before.graph.root.schedule:
        # no catch-up of times that the new schedule would have had
        state = replace(state, anchor=step.now, handled_until=step.now)
    step.state = state
    if before.is_resumed and not is_resumed:
        _cancel_unbegun(step)
    if (queued := state.queued) is not None:
        # CONFIG is the newest, too, but where USING CONFIG was merged into an older one
        is_own = queued.config == before.graph.root.config
        config = graph.root.config if is_own else queued.config
        root_runs = [replace(run, task=graph.root.name) for run in queued.task_runs]
        changed = replace(queued, version=graph, config=config, task_runs=())
        step.state = replace(step.state, queued=step.record(changed, root_runs[0]))


def _cancel_unbegun(step: _Step) -> None:
    """Cancel the runs that a schedule or a trigger began, and that nobody executes yet."""
    for graph_run in step.state.active:
        unbegun = all(run.state is RunState.SCHEDULED for run in graph_run.task_runs)
        if graph_run.origin.is_manual or not unbegun:
            continue
        for task_run in graph_run.task_runs:
            step.record(graph_run, task_run.end(RunState.CANCELLED, step.now, _SUSPENDED))
        active = tuple(run for run in step.state.active if run.id != graph_run.id)
        step.state = replace(step.state, active=active)


# --------------------------------------------------------------------------------- holders of runs


def _find(state: RootState, run_id: int, task: str) -> tuple[GraphRun, TaskRun] | None:
    graph_run = next((run for run in state.active if run.id == run_id), None)
    task_run = None if graph_run is None else graph_run.find(task)
    return None if graph_run is None or task_run is None else (graph_run, task_run)


def _claim(step: _Step, event: RunClaimed) -> None:
    found = _find(step.state, event.run_id, event.task)
    if found is None or found[1].state is not RunState.SCHEDULED:
        step.decisions.append(ClaimRefused(event.run_id, event.task))
        return
    graph_run, task_run = found
    claim = RunClaim(event.holder, step.state.next_token, step.now + event.lease)
    step.state = replace(step.state, next_token=claim.token + 1)
    claimed = replace(
        task_run,
        state=RunState.EXECUTING,
        started_at=step.now,
        claim=claim,
        query_id=event.query_id,
    )
    step.update(step.record(graph_run, claimed))
    step.decisions.append(ClaimGranted(claim))


def _find_claimed(
    step: _Step, event: LeaseRenewed | RunEnded
) -> tuple[GraphRun, TaskRun, RunClaim] | None:
    """Return the run that an event is about; None, and a refusal, where its token is old."""
    found = _find(step.state, event.run_id, event.task)
    if found is not None and (claim := found[1].claim) is not None and claim.token == event.token:
        return *found, claim
    step.decisions.append(ClaimRefused(event.run_id, event.task))
    return None


def _renew(step: _Step, event: LeaseRenewed) -> None:
    if (found := _find_claimed(step, event)) is None:
        return
    graph_run, task_run, claim = found
    renewed = replace(claim, lease_end=step.now + event.lease)
    # no row of the history: a lease is nobody's business but the holder's
    step.update(graph_run.with_task_run(replace(task_run, claim=renewed)))
    step.decisions.append(ClaimGranted(renewed))


def _end_run(step: _Step, event: RunEnded) -> None:
    if (found := _find_claimed(step, event)) is None:
        return
    graph_run, task_run, _ = found
    ended = task_run.end(event.state, step.now, event.error, event.return_value)
    ended = replace(ended, query_id=event.query_id or ended.query_id)
    if event.state is RunState.SKIPPED:
        ended = replace(ended, started_at=None, query_id=None)
    elif not event.has_begun:
        ended = replace(ended, query_id=None)
    _end_task_run(step, graph_run.id, ended)


def _cancel(step: _Step, task: str, reason: RunError) -> None:
    for graph_run in step.state.active:
        task_run = graph_run.find(task)
        if task_run is not None and task_run.state.is_open:
            _stop_body(step, graph_run, task_run)
            ended = task_run.end(RunState.CANCELLED, step.now, reason)
            _end_task_run(step, graph_run.id, ended)


# ------------------------------------------------------------------------------ the course of a run


def _stop_body(step: _Step, graph_run: GraphRun, task_run: TaskRun) -> None:
    if task_run.claim is not None:
        stop = BodyStopped(graph_run.id, task_run.task, task_run.claim.token)
        step.decisions.append(stop)


def _end_task_run(step: _Step, run_id: int, ended: TaskRun) -> None:
    """Put the end of a task's run into the graph's run, and go on with the graph."""
    if (found := _find(step.state, run_id, ended.task)) is not None:
        graph_run = step.record(found[0], ended)
        step.update(graph_run)
        _advance(step, graph_run)


def _advance(step: _Step, graph_run: GraphRun) -> None:
    """Schedule the tasks that are next, or end the attempt where none is left."""
    for name in find_ready_tasks(graph_run.version, graph_run.states):
        is_root = name == graph_run.version.root.name
        at = graph_run.scheduled_at if is_root and graph_run.attempt == 1 else step.now
        task_run = TaskRun(name, graph_run.attempt, RunState.SCHEDULED, at)
        graph_run = step.record(graph_run, task_run)
    step.update(graph_run)
    if is_attempt_over(graph_run.version, graph_run.states):
        _end_attempt(step, graph_run)


def _end_attempt(step: _Step, graph_run: GraphRun) -> None:
    """Begin the next attempt, where the policy of retries has one; else end the graph's run."""
    states = graph_run.states
    outcome = graph_outcome(graph_run.version, states)
    attempts = 1 + (graph_run.version.root.auto_retry_attempts or 0)
    was_cancelled = RunState.CANCELLED in states.values()
    if outcome is RunState.FAILED and graph_run.attempt < attempts and not was_cancelled:
        kept = graph_run.keep(states_for_retry(graph_run.version, states))
        again = replace(kept, attempt=graph_run.attempt + 1)
        step.update(again)
        _advance(step, again)
        return
    active = tuple(run for run in step.state.active if run.id != graph_run.id)
    step.state = replace(step.state, active=active)
    if outcome is RunState.SUCCEEDED:
        step.decisions.append(GraphSucceeded(graph_run))
        success = GraphSuccess(graph_run.id, graph_run.scheduled_at)
        step.state = replace(step.state, last_success=success)
    if not graph_run.origin.is_manual:
        graph_run = _count_failure(step, graph_run, outcome)
    if outcome is not RunState.SKIPPED:
        # data may be left: a triggered root looks again
        news = step.state.news + 1
        step.state = replace(step.state, last_ended=graph_run, news=news)
    elif (last := step.state.last_ended) is not None and last.id == graph_run.id:
        # what failed before may be retried still, by an attempt after this one
        step.state = replace(step.state, last_ended=replace(last, attempt=graph_run.attempt))


def _count_failure(step: _Step, graph_run: GraphRun, outcome: RunState) -> GraphRun:
    """Count a run that failed; suspend the root after too many in a row.

    A graph's run counts once, whichever of its tasks failed and however often it was tried.
    """
    if outcome is RunState.SUCCEEDED:
        step.state = replace(step.state, failures=0)
    if outcome is not RunState.FAILED:
        return graph_run
    state = replace(step.state, failures=step.state.failures + 1)
    step.state = state
    limit = state.graph.root.failures_to_suspend
    if not limit or state.failures < limit or not state.is_resumed:
        return graph_run
    for task_run in graph_run.task_runs:
        if task_run.state is RunState.FAILED:
            suspending = replace(task_run, state=RunState.FAILED_AND_AUTO_SUSPENDED)
            graph_run = step.record(graph_run, suspending)
    reason = SuspendedReason.SUSPENDED_DUE_TO_ERRORS
    step.state = replace(step.state, graph=state.graph.suspend_root(reason))
    _cancel_unbegun(step)
    step.decisions.append(RootSuspended(reason))
    return graph_run
