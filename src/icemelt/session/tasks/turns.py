"""The turns of a scheduler: each looks at what is due, and claims runs. There are no threads here.

In a turn it

1. asks what was published, and tells the roots whose conditions it can matter to;
2. takes the roots that are due: a time of their schedule, the end of a lease or of a timeout, a
   condition to look at;
3. stops the bodies whose runs others have ended;
4. claims as many runs as may be under way, as far as Spark has places for them: clients take
   turns, and one whose bodies take all places keeps no other client waiting.

What fails for one root in a step is told, and the root is left alone for a while (`RootFailures`);
the step goes on with the other roots.

The only clock is the database's. So turns run days in seconds where the clock and the places are
simulated.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum

from icemelt.catalog.database import Database
from icemelt.catalog.queries.tasks import task_by_id
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_ends import find_ends
from icemelt.catalog.task_runs import (
    ClaimableRun,
    DueRoot,
    earliest_wake,
    find_claimable_runs,
    find_due_roots,
    find_open_claims,
    read_root_state,
)
from icemelt.catalog.task_states import time_of
from icemelt.catalog.task_telling import tell_of_run, tell_of_runs
from icemelt.errors import CatalogError, IcemeltError, SparkDied
from icemelt.jobs.fair_line import FairLine
from icemelt.session.runtime.task_context import TaskContext
from icemelt.session.tasks.bodies import name_statement
from icemelt.session.tasks.execution import ClaimedRun, find_task_context
from icemelt.session.tasks.hosts import Execution, Place, TaskHost
from icemelt.session.tasks.root_failures import RootFailures
from icemelt.session.tasks.webhooks import WebhookOptions
from icemelt.tasks.events import (
    BodyStopped,
    ClaimGranted,
    ConditionLooked,
    DataPublished,
    Decision,
    Event,
    RunClaimed,
    TimePassed,
)
from icemelt.tasks.records import GraphRun, RootState
from icemelt.tasks.runs import is_look_due
from icemelt.tasks.states import RunOrigin

__all__ = ["RunsUnderWay", "SchedulerOptions", "TaskTurns"]

_LOGGER = logging.getLogger("icemelt.tasks")
# a body goes on for so long, in milliseconds, after the registry has its run as over
_LINGER = 500
# the most runs of a client that are looked past because they cannot run here
_MOST_LEFT = 100


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """How a scheduler works.

    Attributes:
        parallel: how many runs it executes at once.
        further: how many more, each of a client that has no run under way.
        poll_seconds: how long it waits between two looks at what was published.
        heard_poll_seconds: the same where the catalog's database tells of publications; looks after
            publications are `poll_seconds` apart, nevertheless.
        lease_seconds: after how long without a sign of life a run is another scheduler's.
        drain_seconds: how long runs under way may take when the scheduler stops; then they are
            stopped, and fail.
        webhooks: how it sends the webhooks that tell of runs.
    """

    parallel: int = 4
    further: int = 8
    poll_seconds: float = 0.1
    heard_poll_seconds: float = 1.0
    lease_seconds: float = 30.0
    drain_seconds: float = 30.0
    webhooks: WebhookOptions = field(default_factory=WebhookOptions)


@dataclass(slots=True, eq=False)
class RunsUnderWay:
    """The runs that a scheduler executes now, for all threads."""

    _executions: dict[tuple[str, int], Execution] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __len__(self) -> int:
        with self._changed:
            return len(self._executions)

    def add(self, execution: Execution) -> None:
        """Add a run that begins."""
        with self._changed:
            self._executions[_key(execution)] = execution

    def remove(self, execution: Execution) -> None:
        """Remove a run that is over."""
        with self._changed:
            del self._executions[_key(execution)]
            self._changed.notify_all()

    def stop(self, root_id: str, token: int) -> None:
        """Stop the run of a root that has a token, if it is here."""
        with self._changed:
            execution = self._executions.get((root_id, token))
        if execution is not None:
            execution.stop()

    def keys(self) -> set[tuple[str, int]]:
        """Return the root's object id and the token of each run."""
        with self._changed:
            return set(self._executions)

    def clients(self) -> list[str | None]:
        """Return the client of each run; None for who runs the lake."""
        with self._changed:
            return [execution.run.client for execution in self._executions.values()]

    def stop_all(self) -> None:
        """Stop all runs."""
        with self._changed:
            executions = list(self._executions.values())
        for execution in executions:
            execution.stop()

    def wait(self, seconds: float) -> bool:
        """Wait until no run is under way; return False where one is after `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._executions, seconds)


class _Outcome(Enum):
    """What became of a run that a turn has come to."""

    BEGUN = "it is executed here"
    TAKEN = "another scheduler has it, or it is over"
    ELSEWHERE = "it waits for the functions of Python of another process, or is over"
    LEFT_ALONE = "the graph of its root fails"
    WAITS = "its client waits for a place in Spark"
    REFUSED = "its client may run nothing now"
    SPARK_AWAY = "there is no Spark"


@dataclass(slots=True, eq=False)
class TaskTurns:
    """Takes the turns of one scheduler.

    Attributes:
        host: gives the runs their places, and answers what is asked about tasks.
        name: the name of the scheduler, the holder of its claims.
        options: how the scheduler works.
        begin: has `execute` called for a claimed run and its place, by another thread or later.
        is_told: tells whether the catalog's database tells of publications now.
        on_decisions: called after decisions about runs, and after the end of each run.
        under_way: the runs that were claimed and are not over.
        is_draining: whether no further run is claimed.
        looked_at: the database's time of the last turn, in milliseconds since 1970; None before.
    """

    host: TaskHost
    name: str
    options: SchedulerOptions
    begin: Callable[[Execution, Place], object]
    is_told: Callable[[], bool] = lambda: False
    on_decisions: Callable[[], object] = lambda: None
    under_way: RunsUnderWay = field(default_factory=RunsUnderWay)
    is_draining: bool = False
    looked_at: int | None = None
    # roots that are to be told of what was published, also after the registry did not answer
    _news: set[str] = field(default_factory=set)
    # runs here that the registry has as over, and since when: most of them just end
    _over_since: dict[tuple[str, int], int] = field(default_factory=dict)
    # how many runs of a client wait for the functions of Python of other processes, at most
    _left: int = 0
    # the clients that have had a run claimed here, as the keys: whose turn was longest ago is first
    _served: dict[str, None] = field(default_factory=dict)
    _is_spark_away: bool = False
    _failures: RootFailures = field(default_factory=RootFailures)

    @property
    def _database(self) -> Database:
        return self.host.facts.database

    def take(self) -> float:
        """Take a turn; return the seconds until the next."""
        self._news |= self.host.facts.find_news()
        with self._database.read() as connection:
            now = self._database.clock(connection)
        for root_id in sorted(self._news - self._failures.find_left_alone(now)):
            with self._failures.of(root_id, "tell of publications", now):
                self._apply(root_id, DataPublished())
                self._news.remove(root_id)
        with self._database.read() as connection:
            now = self._database.clock(connection)
            due = find_due_roots(connection, now)
        left_alone = self._failures.find_left_alone(now)
        for root in due:
            if root.root_id not in left_alone:
                self._take_due(root, now)
        self._stop_what_is_over(now)
        self._claim_runs(now)
        self.looked_at = now
        return self._pause()

    def execute(self, execution: Execution, place: Place) -> None:
        """Execute a claimed run up to its end, leave its place, and tell of its end.

        Args:
            execution: the run.
            place: where the run is executed.
        """
        is_own_end = False
        try:
            is_own_end = execution.execute()
        except IcemeltError as error:
            _LOGGER.warning("Run %s ends with its lease: %s", execution.run, error.message)
        except Exception:
            _LOGGER.exception("Run %s ends with its lease.", execution.run)
        finally:
            place.leave()
            run = execution.run
            names = (run.root_id, run.run_id, run.task, run.attempt)
            # an end by time is told by the scheduler that has decided it
            tell_of_run(self._database, names, only_cancelled=not is_own_end)
            self.on_decisions()
            self.under_way.remove(execution)

    def _pause(self) -> float:
        """Return how long to wait: until a root is due, or news are to be looked for."""
        with self._database.read() as connection:
            now = self._database.clock(connection)
            left_alone = self._failures.find_left_alone(now)
            wake = earliest_wake(connection, but_of=left_alone)
        may_wait = self.is_told() and not self._over_since
        most = self.options.heard_poll_seconds if may_wait else self.options.poll_seconds
        return most if wake is None else min(most, max(wake - now, 0) / 1000)

    def _take_due(self, root: DueRoot, now: int) -> None:
        """Let time pass for a root, and look at its condition where that is due."""
        with self._failures.of(root.root_id, "pass time", now):
            self._apply(root.root_id, TimePassed())
            if root.wants_look:
                self._look(root.root_id, now)

    def _look(self, root_id: str, now: int) -> None:
        """Look at the condition of a root, if that is due."""
        with self._database.read() as connection:
            state = read_root_state(connection, root_id)
        if state is not None and is_look_due(state, time_of(now)):
            is_true = self._is_true(root_id, state)
            self._apply(root_id, ConditionLooked(is_true, state.news))

    def _is_true(self, root_id: str, state: RootState) -> bool:
        """Look at the condition of a triggered root; an error in it is a run that fails."""
        with self._database.read() as connection:
            task = task_by_id(connection, state.graph.root.object_id)
        if task is None:
            return False
        run = GraphRun(0, state.graph, RunOrigin.TRIGGER, time_of(0))
        try:
            context = TaskContext.of_run(task, root_id, run, 0, state.last_success)
            return self.host.facts.is_condition_true(context)
        except CatalogError:
            raise
        except IcemeltError as error:
            _LOGGER.info("The run of task %r tells of its condition: %s", task.name, error.message)
            return True

    def _stop_what_is_over(self, now: int) -> None:
        """Stop the bodies whose runs others have ended: cancelled, timed out, or lost.

        Args:
            now: the database's time, in milliseconds since 1970.
        """
        here = self.under_way.keys()
        if not here:
            self._over_since = {}
            return
        with self._database.read() as connection:
            claims = find_open_claims(connection, self.name)
        # the clock may have been set back meanwhile
        over = {key: min(self._over_since.get(key, now), now) for key in here - claims}
        for key, since in over.items():
            # one that has published its own success is over by itself in a moment
            if now - since >= _LINGER:
                self.under_way.stop(*key)
        self._over_since = over

    # -------------------------------------------------------------------------------------- runs

    def _claim_runs(self, now: int) -> None:
        """Claim runs for the free threads, as far as Spark has places for them.

        Args:
            now: the database's time, in milliseconds since 1970.
        """
        line = self._line_up()
        passed, left = dict[str, _Outcome](), Counter[str]()
        while (turn := line.begin()) is not None:
            owner, run = turn
            outcome = passed.get(owner) or self._try_run(run, now)
            if outcome is _Outcome.BEGUN:
                # to the end of the order in which clients are served
                self._served.pop(owner, None)
                self._served[owner] = None
                continue
            if outcome is _Outcome.SPARK_AWAY:
                return
            line.end(owner)
            left[owner] += outcome in {_Outcome.ELSEWHERE, _Outcome.LEFT_ALONE}
            if outcome in {_Outcome.WAITS, _Outcome.REFUSED}:
                # the runs of other clients have turns of their own
                passed[owner] = outcome
        self._left = min(max(left.values(), default=0), _MOST_LEFT)
        waiting = {owner for owner, outcome in passed.items() if outcome is _Outcome.WAITS}
        self.host.keep({owner or None for owner in waiting})

    def _line_up(self) -> FairLine[ClaimableRun]:
        """Return the runs that may be claimed, in a line where clients take turns.

        A client may fill the places of `parallel`; further ones are for clients without a run.
        """
        options, under_way = self.options, self.under_way.clients()
        line = FairLine[ClaimableRun](options.parallel + options.further, options.further)
        for client in under_way:
            line.occupy(client or "")
        if self.is_draining or len(under_way) >= line.at_once:
            return line
        free = options.parallel - len(under_way)
        but_of = set(under_way) if free <= 0 else ()
        with self._database.read() as connection:
            runs = find_claimable_runs(connection, max(free, 1) + self._left, but_of=but_of)
        served = {owner: number for number, owner in enumerate(self._served)}
        for run in sorted(runs, key=lambda run: served.get(run.client or "", -1)):
            line.add(run, [run.client or ""])
        return line

    def _try_run(self, run: ClaimableRun, now: int) -> _Outcome:
        """Claim a run and begin to execute it, if that may be now."""
        outcome = _Outcome.LEFT_ALONE
        if run.root_id not in self._failures.find_left_alone(now):
            with self._failures.of(run.root_id, "claim a run", now):
                outcome = self._begin_run(run)
        return outcome

    def _begin_run(self, run: ClaimableRun) -> _Outcome:
        if not self.host.may_run(run.client):
            return _Outcome.REFUSED
        found = self._find_runnable(run)
        if found is None:
            return _Outcome.ELSEWHERE
        place = self._take_place(run.client)
        if place is None:
            return _Outcome.SPARK_AWAY if self._is_spark_away else _Outcome.WAITS
        has_begun = False
        try:
            has_begun = self._claim(run, name_statement(found, found.attempt, 0), place)
        finally:
            if not has_begun:
                place.leave()
        return _Outcome.BEGUN if has_begun else _Outcome.TAKEN

    def _take_place(self, client: str | None) -> Place | None:
        """Return a place in Spark; None where there is none yet, or Spark is away."""
        try:
            place = self.host.take_place(client)
        except SparkDied as error:
            if not self._is_spark_away:
                _LOGGER.warning("Tasks wait: %s", error.message)
            self._is_spark_away = True
            return None
        self._is_spark_away = False
        return place

    def _claim(self, run: ClaimableRun, statement_id: str, place: Place) -> bool:
        """Claim a run and begin to execute it; return False where another scheduler has it.

        Args:
            run: the run.
            statement_id: the id of the first statement of the body.
            place: where it is executed.
        """
        lease = timedelta(seconds=self.options.lease_seconds)
        claim = RunClaimed(run.run_id, run.task, self.name, lease, statement_id)
        for decision in self._apply(run.root_id, claim):
            if isinstance(decision, ClaimGranted):
                token = decision.claim.token
                claimed = ClaimedRun(
                    run.root_id, run.run_id, run.task, token, run.attempt, run.client
                )
                execution = place.prepare(claimed, lease)
                self.under_way.add(execution)
                self.begin(execution, place)
                return True
        return False

    def _find_runnable(self, run: ClaimableRun) -> TaskContext | None:
        """Return what the body of a run is told.

        None where the run is over, or this process has not the functions of Python that it needs.
        """
        found = find_task_context(self._database, run.root_id, run.run_id, run.task)
        if found is None:
            return None
        try:
            return found if self.host.facts.is_runnable_here(found.task) else None
        except CatalogError:
            raise
        except IcemeltError as error:
            _LOGGER.info("The run of task %r tells of its body: %s", run.task, error.message)
            return found

    def _apply(self, root_id: str, event: Event) -> tuple[Decision, ...]:
        """Apply an event in the registry, and stop the bodies of this scheduler that it stops."""
        decisions = tell_registry(self._database, root_id, event)
        for decision in decisions:
            if isinstance(decision, BodyStopped):
                self.under_way.stop(root_id, decision.token)
        if decisions:
            tell_of_runs(self._database, find_ends(root_id, decisions, event))
            self.on_decisions()
        return decisions


def _key(execution: Execution) -> tuple[str, int]:
    return execution.run.root_id, execution.run.token
