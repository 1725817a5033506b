"""What is known of the runs of a graph: plain data, as the registry stores it.

A `GraphRun` is one run of a graph, of one or more attempts; each attempt has a `TaskRun` for each
task that ran in it. `RootState` is all that decides what happens next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from icemelt.tasks.graph import GraphVersion
from icemelt.tasks.states import RunOrigin, RunState

__all__ = [
    "GraphRun",
    "GraphSuccess",
    "RootState",
    "RunClaim",
    "RunError",
    "TaskRun",
    "new_root_state",
]


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run failed, was skipped or cancelled: a code for programs, a sentence for people."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class RunClaim:
    """Who executes a run, until when, and under which fencing token.

    Tokens of a root rise: who holds an older one than the run has now may write nothing.
    """

    holder: str
    token: int
    lease_end: datetime


@dataclass(frozen=True, slots=True)
class TaskRun:
    """The run of one task in one attempt: a row of TASK_HISTORY.

    Attributes:
        task: The name of the task.
        attempt: ATTEMPT_NUMBER, from 1 on.
        state: STATE.
        scheduled_at: SCHEDULED_TIME: the time of the schedule for a root, for a child the end of
            its last predecessor.
        started_at: When the run was claimed; None where its body never began.
        completed_at: COMPLETED_TIME; None where the run is open.
        claim: Who executes the run; None where nobody does.
        error: Why the run did not succeed.
        return_value: What SYSTEM$SET_RETURN_VALUE has set.
        query_id: QUERY_ID: the id of the body's statement that ran last, of the first one while the
            body runs; None where its body never began.
    """

    task: str
    attempt: int
    state: RunState
    scheduled_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None
    claim: RunClaim | None = None
    error: RunError | None = None
    return_value: str | None = None
    query_id: str | None = None

    def end(
        self,
        state: RunState,
        now: datetime,
        error: RunError | None = None,
        return_value: str | None = None,
    ) -> TaskRun:
        """Return the run with its end, without a claim."""
        return replace(
            self,
            state=state,
            completed_at=now,
            claim=None,
            error=error,
            return_value=return_value,
        )


@dataclass(frozen=True, slots=True)
class GraphRun:
    """One run of a graph, in the version that the graph had when the run began.

    Attributes:
        id: GRAPH_RUN_GROUP_ID.
        version: The graph that runs, whatever becomes of its tasks meanwhile.
        origin: Why the graph runs.
        scheduled_at: The scheduled time of the root.
        attempt: The number of the attempt that runs, or that ended last.
        config: The JSON text of the run: CONFIG of the root, with USING CONFIG merged into it.
        task_runs: The last run of each task, but of those that are to run again.
    """

    id: int
    version: GraphVersion
    origin: RunOrigin
    scheduled_at: datetime
    attempt: int = 1
    config: str | None = None
    task_runs: tuple[TaskRun, ...] = ()

    @property
    def states(self) -> dict[str, RunState]:
        """The state of each task that has a run."""
        return {run.task: run.state for run in self.task_runs}

    def find(self, task: str) -> TaskRun | None:
        """Return the run of a task; None where it has none."""
        return next((run for run in self.task_runs if run.task == task), None)

    def with_task_run(self, task_run: TaskRun) -> GraphRun:
        """Return the graph's run with the run of a task put in the place of its last one."""
        others = tuple(run for run in self.task_runs if run.task != task_run.task)
        return replace(self, task_runs=(*others, task_run))

    def keep(self, tasks: Iterable[str]) -> GraphRun:
        """Return the graph's run with the runs of some tasks alone."""
        kept = set(tasks)
        return replace(self, task_runs=tuple(run for run in self.task_runs if run.task in kept))


@dataclass(frozen=True, slots=True)
class GraphSuccess:
    """A run of a graph that succeeded: its id, and the scheduled time of its root."""

    run_id: int
    scheduled_at: datetime


@dataclass(frozen=True, slots=True)
class RootState:
    """All that decides what a graph does next.

    Attributes:
        graph: The newest version of the graph, which the next run has.
        anchor: The moment of the last RESUME, from which an interval counts.
        handled_until: The last scheduled time that was handled: run, skipped, or passed over by a
            catch-up run.
        active: The runs of the graph that are not over, the oldest first.
        queued: The run of EXECUTE TASK that begins when the policy lets it; it has its root's
            `TaskRun` already.
        last_ended: The run that was over last, of those that were not skipped: RETRY LAST's.
        failures: How many runs of the schedule or of a trigger failed in a row.
        news: How often something was told that the condition may depend on: a publication, the end
            of a run.
        seen_news: The number of `news` at the last look at the condition.
        last_look: When the condition of a triggered task was looked at last.
        next_run_id: The id of the next run.
        next_token: The fencing token of the next claim.
        last_success: The run that succeeded last.
    """

    graph: GraphVersion
    anchor: datetime
    handled_until: datetime
    active: tuple[GraphRun, ...] = ()
    queued: GraphRun | None = None
    last_ended: GraphRun | None = None
    failures: int = 0
    news: int = 0
    seen_news: int = 0
    last_look: datetime | None = None
    next_run_id: int = 1
    next_token: int = 1
    last_success: GraphSuccess | None = None

    @property
    def is_resumed(self) -> bool:
        """Whether the root runs by itself."""
        return not self.graph.root.is_suspended

    @property
    def has_news(self) -> bool:
        """Whether something was told since the last look at the condition began."""
        return self.news > self.seen_news


def new_root_state(graph: GraphVersion, now: datetime) -> RootState:
    """Return the state of a graph that has never run."""
    return RootState(graph, anchor=now, handled_until=now, news=1)
