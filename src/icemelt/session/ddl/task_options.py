"""The options of tasks: the values that are valid, and what a task needs to run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import DefinitionRefused, Never
from icemelt.session.runtime.session_parameters import find_parameter_setter
from icemelt.sql.analysis.system_calls import PYTHON_TASK
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.parse import parse_body
from icemelt.sql.statements import Ask
from icemelt.tasks.graph import require_resumable
from icemelt.tasks.schedule import parse_schedule
from icemelt.tasks.signatures import SECRET_VARIABLE

__all__ = ["refuse_python", "validate_can_run", "validate_task_options"]

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
_LONGEST_CONFIG = 16_384
_HAS_DATA = "SYSTEM$STREAM_HAS_DATA"


def validate_task_options(options: Mapping[str, str]) -> None:
    """Require that each option of a CREATE or an ALTER TASK can have its value.

    Args:
        options: the values by the options' upper-case names.

    Raises:
        DefinitionRefused: a value is out of bounds, no schedule, no JSON object or no URL.
        ValueRefused: a parameter of sessions cannot have the value.
    """
    for name, value in options.items():
        if name in _BOUNDS:
            _validate_number(name, value)
        elif name in _PARAMETERS:
            find_parameter_setter(name, value)
        elif name in _VALIDATORS:
            _VALIDATORS[name](name, value)


def refuse_python(body: str) -> None:
    """Refuse a body that runs a function of Python: a client of the server has none.

    Raises:
        Never: the body has such a statement.
    """
    for written, statement in parse_body(body):
        if isinstance(statement, Ask) and statement.function == PYTHON_TASK:
            raise Never(
                f"A client of the server has no task that runs a function of Python: {written}",
                hint="Write the body as statements: AS BEGIN …; END",
            )


def validate_can_run(task: TaskRecord) -> None:
    """Require that there is something that starts a task that is to be started.

    Raises:
        DefinitionRefused: the task is a root without SCHEDULE, and without a stream in WHEN.
    """
    require_resumable(task.in_graph)
    asks_stream = task.condition is not None and _HAS_DATA in task.condition.upper()
    if task.is_root and task.schedule is None and not asks_stream:
        raise DefinitionRefused(
            f"Task {str(task.name)!r} has no SCHEDULE, and its WHEN asks no stream: started, it "
            "would never run.",
            hint=f"ALTER TASK {full_name(task.name)} SET SCHEDULE = '1 HOUR', or MODIFY WHEN "
            f"{_HAS_DATA}('stream')",
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
    hint = f"{name} = 'https://hooks.example.com/tasks'"
    try:
        url = urlsplit(value)
        is_url = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        is_url = False
    if not is_url:
        raise DefinitionRefused(f"{name} is the URL of a webhook, found {value!r}.", hint=hint)
    if url.username is not None or url.password is not None:
        raise DefinitionRefused(
            f"{name} has a user or a password in its URL, which SHOW TASKS would show.",
            hint=f"{hint}; the receiver knows a webhook by its signature, with "
            f"{SECRET_VARIABLE} in the environment of the scheduler.",
        )


_VALIDATORS: Mapping[str, Callable[[str, str], None]] = {
    "CONFIG": _validate_config,
    "ERROR_INTEGRATION": _validate_url,
    "SCHEDULE": _validate_schedule,
    "SUCCESS_INTEGRATION": _validate_url,
}
