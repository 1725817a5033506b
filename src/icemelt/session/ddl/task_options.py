"""The options of tasks: which values they may have, and which tasks may have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import DefinitionRefused, ValueRefused
from icemelt.session.runtime.current import find_parameter_setter
from icemelt.tasks.schedule import parse_schedule

__all__ = ["can_run", "validate_can_run", "validate_task", "validate_task_options"]

_DAY_SECONDS = 86_400
_WEEK_SECONDS = 7 * _DAY_SECONDS
# Snowflake, "CREATE TASK", but the least interval of triggers, which is 10 seconds there
_BOUNDS: Mapping[str, tuple[int, int]] = {
    "SUSPEND_TASK_AFTER_NUM_FAILURES": (0, 2**31 - 1),
    "TASK_AUTO_RETRY_ATTEMPTS": (0, 30),
    "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS": (1, _WEEK_SECONDS),
    "USER_TASK_TIMEOUT_MS": (0, _WEEK_SECONDS * 1_000),
}
_PARAMETERS = frozenset({"LOCK_TIMEOUT", "TIMEZONE", "VIEW_CHANGES"})
_ROOTS = ("SCHEDULE", "CONFIG", "OVERLAP_POLICY", "TASK_AUTO_RETRY_ATTEMPTS")
_WEBHOOKS = frozenset({"ERROR_INTEGRATION", "SUCCESS_INTEGRATION"})
_LONGEST_CONFIG = 16_384
_HAS_DATA = "SYSTEM$STREAM_HAS_DATA"


def validate_task_options(options: Mapping[str, str], *, is_guest: bool) -> None:
    """Require that each option of a CREATE or an ALTER TASK can have its value.

    Args:
        options: the values by the options' upper-case names.
        is_guest: whether a server's client runs the statement.

    Raises:
        DefinitionRefused: a value is out of bounds, no schedule, no JSON object or no URL; or a
            client names a webhook, which the server would call from inside of its network.
        ValueRefused: a parameter of sessions cannot have the value.
    """
    webhooks = options.keys() & _WEBHOOKS
    if is_guest and webhooks:
        raise DefinitionRefused(
            f"A client of the server has no {min(webhooks)}: the server would call it.",
            hint="Leave it out, or have it set by who runs the server.",
        )
    for name, value in options.items():
        if name in _BOUNDS:
            _validate_number(name, value)
        elif name in _PARAMETERS:
            find_parameter_setter(name, value)
        elif name in _VALIDATORS:
            _VALIDATORS[name](name, value)


def validate_task(task: TaskRecord) -> None:
    """Require that a task has no option that its place in the graph excludes.

    Raises:
        DefinitionRefused: a child or a finalizer has an option of roots, a finalizer has
            predecessors.
    """
    if task.after and task.finalizes is not None:
        raise DefinitionRefused(
            f"Task {str(task.name)!r} has FINALIZE and AFTER: a finalizer runs behind all tasks of "
            "its graph.",
            hint=f"Leave AFTER out: CREATE TASK {task.name.name} FINALIZE = {task.finalizes} AS …",
        )
    excluded = [] if task.is_root else [name for name in _ROOTS if name in task.options]
    if excluded:
        what = "a finalizer" if task.after == () else "behind other tasks"
        raise DefinitionRefused(
            f"Task {str(task.name)!r} is {what}, and only a root task has {excluded[0]}.",
            hint=f"Leave {excluded[0]} out, or ALTER TASK {task.name} UNSET {excluded[0]} first.",
        )


def can_run(task: TaskRecord) -> bool:
    """Tell whether there is something that starts a task: a parent, a schedule or a stream."""
    asks_stream = task.condition is not None and _HAS_DATA in task.condition.upper()
    return not task.is_root or task.schedule is not None or asks_stream


def validate_can_run(task: TaskRecord) -> None:
    """Require that there is something that starts a task that is to be started.

    Raises:
        DefinitionRefused: the task is a root without SCHEDULE, and without a stream in WHEN.
    """
    if can_run(task):
        return
    raise DefinitionRefused(
        f"Task {str(task.name)!r} is a root task without SCHEDULE, and no WHEN asks a stream: "
        "nothing would start it.",
        hint=f"ALTER TASK {task.name} SET SCHEDULE = '1 HOUR', or MODIFY WHEN "
        f"{_HAS_DATA}('stream'); or ALTER TASK {task.name} SUSPEND.",
    )


def _validate_number(name: str, value: str) -> None:
    least, most = _BOUNDS[name]
    if not least <= int(value) <= most:
        raise DefinitionRefused(
            f"{name} is a whole number from {least} to {most:,}, found {int(value):,}.",
            hint=f"Write {name} = {max(least, 1)}, or leave it out.",
        )


def _validate_schedule(_name: str, value: str) -> None:
    parse_schedule(value)


def _validate_config(_name: str, value: str) -> None:
    example = """CONFIG = '{"environment": "test"}'"""
    if len(value) > _LONGEST_CONFIG:
        raise DefinitionRefused(
            f"CONFIG has up to {_LONGEST_CONFIG:,} characters, found {len(value):,}.",
            hint="Keep the rest in a table.",
        )
    try:
        document = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise DefinitionRefused(f"CONFIG is no JSON: {error}.", hint=example) from error
    if not isinstance(document, dict):
        raise DefinitionRefused(f"CONFIG is no JSON object: {value[:80]}", hint=example)


def _validate_url(name: str, value: str) -> None:
    try:
        url = urlsplit(value)
        is_url = url.scheme in {"http", "https"} and bool(url.hostname)
    except ValueError:
        is_url = False
    if not is_url:
        raise ValueRefused(
            f"{name} is the URL of a webhook, found {value!r}.",
            hint=f"{name} = 'https://hooks.example.com/tasks'",
        )


_VALIDATORS: Mapping[str, Callable[[str, str], None]] = {
    "CONFIG": _validate_config,
    "ERROR_INTEGRATION": _validate_url,
    "SCHEDULE": _validate_schedule,
    "SUCCESS_INTEGRATION": _validate_url,
}
