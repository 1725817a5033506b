"""Edits for the publications of bodies: a comment on a schema tells of the success."""

from __future__ import annotations

from icemelt.catalog.edits import Options, SetObjectOptions
from icemelt.catalog.task_edits import RequireTasks, TaskPlace
from icemelt.session.runtime.task_context import RunEdits
from icemelt.session.session import Session, core_of

__all__ = ["fenced_edits", "find_success", "make_edits", "refusing_edits"]

MARK = "marks"


def make_edits(session: Session) -> RunEdits:
    """Return the edits that note the return value on a schema; the fence lets all pass."""
    schema = core_of(session).schema_of("main", MARK).object_id

    def succeed(value: str | None, _statement_id: str | None) -> tuple[SetObjectOptions, ...]:
        return (SetObjectOptions(schema, Options(f"succeeded with {value}")),)

    return RunEdits(succeed, (RequireTasks(schema, {}),))


def refusing_edits(session: Session) -> RunEdits:
    """Return edits that refuse each publication, as the registry does for an old token."""
    schema = core_of(session).schema_of("main", MARK).object_id
    refusal = RequireTasks(schema, {"gone": TaskPlace("gone")})
    return RunEdits(lambda _value, _statement_id: (refusal,), (refusal,))


def fenced_edits(session: Session) -> RunEdits:
    """Return edits of which the success passes and the fence refuses."""
    return RunEdits(make_edits(session).success, refusing_edits(session).fence)


def find_success(session: Session) -> str | None:
    """Return what the success has noted, None where no success was published."""
    return core_of(session).schema_of("main", MARK).comment
