"""What tests ask of the runs of tasks: to begin one, to wait for its end, and what became of it."""

from __future__ import annotations

import time
from typing import Any

from icemelt import Session
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_runs import read_root_state
from icemelt.tasks.events import Event, TaskExecuted

__all__ = ["QUICK", "apply", "execute", "history", "root_id", "wait_for", "wait_until_idle"]

PATIENCE = 60.0
# the shortest time between two looks at a condition
QUICK = "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS = 1"


def root_id(session: Session, name: str) -> str:
    """Return the object id of a task of the current schema."""
    return next(row[2] for row in session.sql("SHOW TASKS").fetchall() if row[1] == name)


def execute(session: Session, name: str, config: str | None = None) -> None:
    """Have the graph of a root run once."""
    apply(session, name, TaskExecuted(config))


def apply(session: Session, name: str, event: Event) -> None:
    """Apply an event to the runs of a root."""
    tell_registry(session._core.database, root_id(session, name), event)


def history(session: Session, name: str) -> list[tuple[Any, ...]]:
    """Return task, attempt, state, error code and return value of the runs of a root, in order."""
    root = root_id(session, name)
    with session._core.database.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT task, attempt, state, error_code, return_value FROM icemelt_task_runs "
            f"WHERE root_id = '{root}' ORDER BY run_id, scheduled_at, attempt"
        )
        return [tuple(row) for row in rows]


def wait_for(session: Session, name: str, count: int, state: str = "SUCCEEDED") -> None:
    """Wait until a root has so many rows in the history with a state."""
    end = time.monotonic() + PATIENCE
    while sum(row[2] == state for row in history(session, name)) < count:
        assert time.monotonic() < end, history(session, name)
        time.sleep(0.05)


def wait_until_idle(session: Session, name: str) -> None:
    """Wait until no run of a root is under way."""
    end, root = time.monotonic() + PATIENCE, root_id(session, name)
    while True:
        with session._core.database.read() as connection:
            state = read_root_state(connection, root)
        assert state is not None
        if not state.active and state.queued is None:
            return
        assert time.monotonic() < end, history(session, name)
        time.sleep(0.05)
