"""Contexts of tasks' runs for tests, as a scheduler would make them."""

from __future__ import annotations

from datetime import UTC, datetime

from icemelt.catalog.task_records import TaskRecord
from icemelt.names import QualifiedName
from icemelt.session.runtime.task_context import TaskContext
from icemelt.session.session import Session, core_of
from icemelt.sql.dialect.written_names import written_name

__all__ = ["SCHEDULED_AT", "context_of", "find_task", "make_task"]

SCHEDULED_AT = datetime(2024, 1, 31, 5, 0, 0, 250_000, tzinfo=UTC)


def make_task(name: str = "child", body: str = "SELECT 1", **fields: object) -> TaskRecord:
    """Return a task that is in no lake."""
    full = QualifiedName("main", "public", name)
    return TaskRecord("id-of-task", full, "owner", None, 0, body, **fields)  # type: ignore[arg-type]


def find_task(session: Session, name: str) -> TaskRecord:
    """Return a task of the session's lake."""
    return core_of(session).object_of(TaskRecord, written_name(name))


def context_of(task: TaskRecord, **fields: object) -> TaskContext:
    """Return the context of the first attempt of a run, with some fields of it."""
    usual = {
        "root_id": "id-of-root",
        "root_name": "root",
        "run_id": 7,
        "attempt": 1,
        "scheduled_at": SCHEDULED_AT,
        "token": 1,
    }
    return TaskContext(task, **{**usual, **fields})  # type: ignore[arg-type]
