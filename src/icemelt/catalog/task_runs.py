"""The runs of tasks in the registry: what happens to them, what may be claimed, when to look again.

Every event goes through `apply_task_event`, in one SQL transaction that has taken the state of the
root: so two schedulers never decide twice. The rules are `icemelt.tasks.runs`; here is what they
stand on: the state, the history, the clock.

Time does not go back for a root. After the database's clock was set back, the time of the root's
last event goes on until the clock has passed it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.connections import Clock
from icemelt.catalog.model import definitions, task_graphs, task_runs
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_run_rows import write_run_rows
from icemelt.catalog.task_states import (
    graphs_of,
    read_root_state,
    take_root,
    time_of,
    write_root_state,
)
from icemelt.catalog.webhooks import add_webhooks
from icemelt.errors import ObjectNotFound
from icemelt.tasks.errors import RunLost
from icemelt.tasks.events import (
    ClaimRefused,
    Decision,
    Event,
    GraphChanged,
    LeaseRenewed,
    RetryRequested,
    RootSuspended,
    RunClaimed,
    RunEnded,
    RunRecorded,
    TaskExecuted,
)
from icemelt.tasks.notifications import find_notifications
from icemelt.tasks.runs import apply_event
from icemelt.tasks.states import RunState

__all__ = [
    "ClaimableRun",
    "DueRoot",
    "apply_task_event",
    "earliest_wake",
    "find_claimable_runs",
    "find_due_roots",
    "find_open_claims",
    "find_roots_running",
    "publish_task_event",
    "read_root_state",
]

# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_DUE = (
    sa.select(task_graphs.c.root_id, task_graphs.c.next_wake, task_graphs.c.wants_look)
    .where(task_graphs.c.next_wake <= sa.bindparam("now", type_=sa.BigInteger))
    .order_by(task_graphs.c.next_wake, task_graphs.c.root_id)
)
_EARLIEST = sa.select(sa.func.min(task_graphs.c.next_wake)).where(
    task_graphs.c.root_id.not_in(sa.bindparam("but_of", expanding=True))
)
_ORDER = (task_runs.c.scheduled_at, task_runs.c.run_id, task_runs.c.task)
# of a client, the first run of each root before the second of any
_TURN = sa.func.row_number().over(
    partition_by=(task_runs.c.client, task_runs.c.root_id), order_by=_ORDER
)
_CLAIMABLE = (
    sa.select(
        *(task_runs.c[name] for name in ("root_id", "run_id", "task", "attempt", "scheduled_at")),
        task_runs.c.client,
        _TURN.label("turn"),
    )
    .join(task_graphs, task_graphs.c.root_id == task_runs.c.root_id)
    .where(
        # as the index has it
        task_runs.c.completed_at.is_(None),
        task_runs.c.state == RunState.SCHEDULED.value,
        task_runs.c.run_id.is_distinct_from(task_graphs.c.queued_run_id),
        sa.func.coalesce(task_runs.c.client, "").not_in(sa.bindparam("but_of", expanding=True)),
    )
    .subquery()
)
_PLACE = sa.func.row_number().over(
    partition_by=_CLAIMABLE.c.client,
    order_by=(_CLAIMABLE.c.turn, _CLAIMABLE.c.scheduled_at, _CLAIMABLE.c.root_id),
)
_OF_CLIENTS = sa.select(_CLAIMABLE, _PLACE.label("place")).subquery()
_FAIR = (
    sa.select(_OF_CLIENTS)
    .where(_OF_CLIENTS.c.place <= sa.bindparam("each", type_=sa.Integer))
    .order_by(_OF_CLIENTS.c.place, _OF_CLIENTS.c.scheduled_at, _OF_CLIENTS.c.root_id)
)
_OPEN_CLAIMS = sa.select(task_runs.c.root_id, task_runs.c.token).where(
    # as the index has it
    task_runs.c.completed_at.is_(None),
    task_runs.c.holder == sa.bindparam("of_holder"),
)
_RUNNING = (
    sa.select(task_runs.c.root_id)
    # the first condition is that of the index of open runs
    .where(task_runs.c.completed_at.is_(None), task_runs.c.task_id == sa.bindparam("of_task"))
    .distinct()
)
_DEFINITION = sa.select(definitions.c.definition).where(
    definitions.c.object_id == sa.bindparam("of_task")
)
_REDEFINE = (
    definitions.update()
    .where(definitions.c.object_id == sa.bindparam("of_task"))
    .values(definition=sa.bindparam("new_definition", type_=sa.JSON))
)


@dataclass(frozen=True, slots=True)
class DueRoot:
    """A root at which a scheduler is to look now: `TimePassed`, or its condition.

    Args:
        root_id: the object id of the root.
        next_wake: since when, in milliseconds since 1970.
        wants_look: whether a condition waits to be looked at, as `wants_look` tells; `is_look_due`
            of the root's state tells whether now.
    """

    root_id: str
    next_wake: int
    wants_look: bool


@dataclass(frozen=True, slots=True)
class ClaimableRun:
    """A run of a task that a holder may claim by `RunClaimed`.

    Args:
        root_id: the object id of the root.
        run_id: the id of the graph's run.
        task: the name of the task.
        attempt: the number of the attempt.
        scheduled_at: the scheduled time, in milliseconds since 1970.
        client: the client of a server who wrote the body; None for who runs the lake.
    """

    root_id: str
    run_id: int
    task: str
    attempt: int
    scheduled_at: int
    client: str | None


def apply_task_event(
    connection: sa.Connection, clock: Clock, root_id: str, event: Event
) -> tuple[Decision, ...]:
    """Apply an event to the runs of a root; write the new state and the rows of the history.

    The webhooks that tell of the ends of runs are owed from then on: they stand and fall with them.
    A root that is suspended for its failures is suspended in the catalog, too. Where the root is
    gone, its holders are refused, and what a scheduler has to tell is of no use.

    Args:
        connection: a connection in a write transaction.
        clock: returns the database's time in milliseconds since 1970.
        root_id: the object id of the root.
        event: what has happened. The graph of a `GraphChanged` has a higher number than all before.

    Returns:
        The decisions, all of which are written. `ClaimGranted` and `BodyStopped` are for the
        holders of runs.

    Raises:
        DefinitionRefused: RETRY LAST, and there is nothing to retry.
        ObjectNotFound: a statement asks for a run of a root that is gone.
    """
    row = take_root(connection, root_id)
    if row is None:
        return _answer_without_root(root_id, event)
    if isinstance(event, GraphChanged) and event.graph.number <= row.state.graph.number:
        raise ValueError(event.graph.number)
    now = max(clock(connection), row.seen_at)
    state, decisions = apply_event(row.state, event, time_of(now))
    if decisions or state != row.state:
        write_root_state(connection, row, state, now)
        graphs = graphs_of(row.state, state)
        recorded = [each for each in decisions if isinstance(each, RunRecorded)]
        write_run_rows(connection, root_id, graphs, recorded)
        add_webhooks(connection, root_id, find_notifications(decisions, graphs), now)
    for decision in decisions:
        if isinstance(decision, RootSuspended):
            _suspend(connection, root_id, decision, now)
    return decisions


def publish_task_event(
    connection: sa.Connection, clock: Clock, edit: ApplyTaskEvent
) -> tuple[Decision, ...]:
    """Apply the event of a publication, which stands and falls with it; return the decisions.

    Args:
        connection: a connection in the SQL transaction of the publication.
        clock: returns the database's time in milliseconds since 1970.
        edit: the root and the event.

    Raises:
        RunLost: the event is of a holder whose claim is over.
        DefinitionRefused: RETRY LAST, and there is nothing to retry.
        ObjectNotFound: a statement asks for a run of a root that is gone.
    """
    decisions = apply_task_event(connection, clock, edit.root_id, edit.event)
    for decision in decisions:
        if isinstance(decision, ClaimRefused):
            raise RunLost(
                f"Run {decision.run_id} of task {decision.task!r} is not its holder's any more: it "
                "timed out, was cancelled, or its scheduler was not heard of for too long.",
                hint="Nothing was changed. SELECT * FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY("
                f"TASK_NAME => '{decision.task}')) tells what became of it.",
            )
    return decisions


def find_due_roots(connection: sa.Connection, now: int) -> list[DueRoot]:
    """Return the roots at which to look by a time, the longest due first.

    Args:
        connection: a connection to the catalog's database.
        now: the time, in milliseconds since 1970.
    """
    return [DueRoot(*row) for row in connection.execute(_DUE, {"now": now})]


def earliest_wake(connection: sa.Connection, *, but_of: Collection[str] = ()) -> int | None:
    """Return when the first root is due, in milliseconds since 1970; None for never.

    Args:
        connection: a connection to the catalog's database.
        but_of: the object ids of the roots that are left out.
    """
    wake = connection.scalar(_EARLIEST, {"but_of": list(but_of)})
    return None if wake is None else int(wake)


def find_claimable_runs(
    connection: sa.Connection, each: int, *, but_of: Collection[str | None] = ()
) -> list[ClaimableRun]:
    """Return runs that nobody executes yet, the first of each client before the second of any.

    Of a client, the first run of each root is before the second of any. So neither a client nor a
    root hides the runs of another one by their number.

    Args:
        connection: a connection to the catalog's database.
        each: how many runs of a client at most.
        but_of: the clients whose runs are left out; None for who runs the lake.
    """
    rows = connection.execute(_FAIR, {"each": each, "but_of": [client or "" for client in but_of]})
    return [
        ClaimableRun(row.root_id, row.run_id, row.task, row.attempt, row.scheduled_at, row.client)
        for row in rows
    ]


def find_open_claims(connection: sa.Connection, holder: str) -> set[tuple[str, int]]:
    """Return the claims of a holder whose runs are not over: the root's object id and the token.

    Args:
        connection: a connection to the catalog's database.
        holder: the name of the scheduler.
    """
    rows = connection.execute(_OPEN_CLAIMS, {"of_holder": holder})
    return {(row.root_id, row.token) for row in rows}


def find_roots_running(connection: sa.Connection, task_id: str) -> set[str]:
    """Return the roots whose graphs have an open run of a task: also of a graph that it has left.

    Args:
        connection: a connection to the catalog's database.
        task_id: the object id of the task.
    """
    return set(connection.execute(_RUNNING, {"of_task": task_id}).scalars())


def _answer_without_root(root_id: str, event: Event) -> tuple[Decision, ...]:
    match event:
        case RunClaimed() | LeaseRenewed() | RunEnded():
            return (ClaimRefused(event.run_id, event.task),)
        case TaskExecuted() | RetryRequested():
            raise ObjectNotFound(
                f"The task {root_id} is no root any more: it was dropped, or runs after another.",
                hint="SHOW TASKS lists the tasks.",
            )
        case _:
            return ()


def _suspend(connection: sa.Connection, root_id: str, decision: RootSuspended, now: int) -> None:
    """Suspend the task of a root in the catalog."""
    definition = connection.execute(_DEFINITION, {"of_task": root_id}).scalar_one()
    changes = {
        "is_started": False,
        "suspended_at": now,
        "suspended_reason": decision.reason.value,
    }
    values = {"of_task": root_id, "new_definition": {**definition, **changes}}
    connection.execute(_REDEFINE, values)
