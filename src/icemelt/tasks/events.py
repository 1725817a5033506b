"""What happens to the runs of a graph, and what is to be done about it.

An `Event` comes from a statement, a publication, a scheduler or the holder of a run. A `Decision`
is what the caller does in the same SQL transaction: write a row of the history, suspend the root;
or tells: a claim is granted, a body has to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from icemelt.tasks.graph import GraphVersion
from icemelt.tasks.records import GraphRun, RunClaim, RunError, TaskRun
from icemelt.tasks.states import RunOrigin, RunState, SuspendedReason

__all__ = [
    "BodyStopped",
    "ClaimGranted",
    "ClaimRefused",
    "ConditionLooked",
    "DataPublished",
    "Decision",
    "Event",
    "GraphChanged",
    "GraphSucceeded",
    "LeaseRenewed",
    "RetryRequested",
    "RootSuspended",
    "RunClaimed",
    "RunEnded",
    "RunQueued",
    "RunRecorded",
    "RunsCancelled",
    "TaskExecuted",
    "TimePassed",
]


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Nothing but time: a scheduler's look at a moment that `next_wake` has named."""


@dataclass(frozen=True, slots=True)
class GraphChanged:
    """A statement has made the next version of the graph; RESUME and SUSPEND do so, too."""

    graph: GraphVersion


@dataclass(frozen=True, slots=True)
class TaskExecuted:
    """EXECUTE TASK; `config` is the root's CONFIG with USING CONFIG merged into it."""

    config: str | None = None


@dataclass(frozen=True, slots=True)
class RetryRequested:
    """EXECUTE TASK … RETRY LAST."""


@dataclass(frozen=True, slots=True)
class DataPublished:
    """A publication can matter to the condition of the root."""


@dataclass(frozen=True, slots=True)
class ConditionLooked:
    """The condition of a triggered root was looked at, which `is_look_due` had asked for.

    Attributes:
        is_true: Whether the condition was true.
        news: `RootState.news` before the look: what is told meanwhile asks for another one.
    """

    is_true: bool
    news: int


@dataclass(frozen=True, slots=True)
class RunClaimed:
    """A holder wants to execute the SCHEDULED run of a task.

    Attributes:
        run_id: The id of the graph's run.
        task: The name of the task.
        holder: The name of the scheduler.
        lease: How long the claim lasts where it is not renewed.
        query_id: The id of the body's first statement in the history of statements.
    """

    run_id: int
    task: str
    holder: str
    lease: timedelta
    query_id: str | None = None


@dataclass(frozen=True, slots=True)
class LeaseRenewed:
    """The holder of a run lives, and extends its lease to `lease` from now on."""

    run_id: int
    task: str
    token: int
    lease: timedelta


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The holder of a run tells its end, in the publication of its body where there is one.

    Attributes:
        run_id: The id of the graph's run.
        task: The name of the task.
        token: The fencing token of the claim.
        state: SUCCEEDED; FAILED, also for an error in WHEN; SKIPPED where WHEN is false.
        error: Why the run failed.
        return_value: What SYSTEM$SET_RETURN_VALUE has set.
        query_id: The id of the body's statement that ran last; None for that of the claim.
        has_begun: Whether a statement of the body began; else the run has no QUERY_ID.
    """

    run_id: int
    task: str
    token: int
    state: RunState
    error: RunError | None = None
    return_value: str | None = None
    query_id: str | None = None
    has_begun: bool = True


@dataclass(frozen=True, slots=True)
class RunsCancelled:
    """SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS of a task, or the end of its root.

    Attributes:
        task: The name of the task.
        reason: Why its runs are cancelled; None where a user has asked for it.
    """

    task: str
    reason: RunError | None = None


Event = (
    TimePassed
    | GraphChanged
    | TaskExecuted
    | RetryRequested
    | DataPublished
    | ConditionLooked
    | RunClaimed
    | LeaseRenewed
    | RunEnded
    | RunsCancelled
)


@dataclass(frozen=True, slots=True)
class RunRecorded:
    """The row of a task's run in TASK_HISTORY is new, or has changed.

    A row is known by the id of the graph's run, the task and its attempt. A row that is SCHEDULED
    may be claimed, but for that of a queued run.

    Attributes:
        run_id: The id of the graph's run.
        graph_version: The number of the version that runs.
        origin: Why the graph runs.
        task_run: The run of the task.
        scheduled_at: The scheduled time of the graph's run.
        config: The JSON text of the graph's run.
    """

    run_id: int
    graph_version: int
    origin: RunOrigin
    task_run: TaskRun
    scheduled_at: datetime
    config: str | None = None


@dataclass(frozen=True, slots=True)
class RunQueued:
    """EXECUTE TASK waits for the run under way; `is_new` is false where one waited before."""

    run_id: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class ClaimGranted:
    """The run is the holder's, or stays so after a renewal."""

    claim: RunClaim


@dataclass(frozen=True, slots=True)
class ClaimRefused:
    """The run is not the holder's, or no longer: nothing of it may be published."""

    run_id: int
    task: str


@dataclass(frozen=True, slots=True)
class BodyStopped:
    """The body that runs under a token is to stop: its run timed out, is lost or cancelled."""

    run_id: int
    task: str
    token: int


@dataclass(frozen=True, slots=True)
class RootSuspended:
    """The root is suspended, which the state's newest graph says already."""

    reason: SuspendedReason


@dataclass(frozen=True, slots=True)
class GraphSucceeded:
    """A graph's run is over, and no task of its last attempt failed or was cancelled."""

    graph_run: GraphRun


Decision = (
    RunRecorded
    | RunQueued
    | ClaimGranted
    | ClaimRefused
    | BodyStopped
    | RootSuspended
    | GraphSucceeded
)
