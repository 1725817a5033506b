"""The functions SYSTEM$… that the body and the condition of a task ask about their run."""

from __future__ import annotations

import json
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from icemelt.errors import ParameterError, QueryError, ValueRefused
from icemelt.names import find_nearest, fold
from icemelt.session.runtime.settings import Settings
from icemelt.session.runtime.task_context import RunningTask, TaskContext
from icemelt.sql.analysis.system_calls import OF_TASKS, PYTHON_TASK, SET_RETURN_VALUE
from icemelt.sql.spark.variants import split_path

__all__ = [
    "answer_task_function",
    "ask_running_task",
    "is_task_function",
    "require_running_task",
    "set_return_value",
]

# Snowflake, "SYSTEM$SET_RETURN_VALUE"
_LONGEST_RETURN_VALUE = 10 * 1024
_RETURN_VALUE_IS_SET = "The return value is set."


def is_task_function(name: str) -> bool:
    """Tell whether a function is for the bodies of tasks alone."""
    return name in OF_TASKS or name in {PYTHON_TASK, SET_RETURN_VALUE}


def ask_running_task(settings: Settings, function: str, argument: str | None) -> str | None:
    """Answer a function for the body of a task, in the session that executes the body.

    Args:
        settings: the settings of the session.
        function: the function's name, in upper case.
        argument: the argument, None without one.

    Raises:
        QueryError: the session executes no task; or the function has no such answer.
        ValueRefused: the return value is too long.
    """
    running = require_running_task(settings, function)
    if function == PYTHON_TASK:
        raise QueryError(
            f"{PYTHON_TASK} is a statement of a task's body, and runs in no function of Python.",
            hint="Call the function itself.",
        )
    if function == SET_RETURN_VALUE:
        return set_return_value(running, argument)
    return answer_task_function(running.context, function, argument, settings.timezone)


def require_running_task(settings: Settings, function: str) -> RunningTask:
    """Return the run of the task whose body a session executes.

    Args:
        settings: the settings of the session.
        function: the function that is called, for the error.

    Raises:
        QueryError: the session executes no task.
    """
    if settings.running_task is None:
        raise QueryError(
            f"Function {function} must be called from within a task, and no task runs here.",
            hint=f"Put it into the body of a task: CREATE TASK … AS … {function}(…)",
        )
    return settings.running_task


def set_return_value(running: RunningTask, text: str | None) -> str:
    """Set what the next tasks get from a task; return a sentence.

    Raises:
        ValueRefused: the text is too long.
    """
    size = 0 if text is None else len(text.encode())
    if size > _LONGEST_RETURN_VALUE:
        raise ValueRefused(
            f"The return value of a task has up to {_LONGEST_RETURN_VALUE:,} bytes, found "
            f"{size:,}.",
            hint="Keep the rest in a table, which the next task reads.",
        )
    running.return_value = text
    return _RETURN_VALUE_IS_SET


def answer_task_function(
    context: TaskContext, function: str, argument: str | None, timezone: str
) -> str | None:
    """Answer a function that asks about the run of a task.

    Args:
        context: the run.
        function: the function's name, in upper case.
        argument: the argument, None without one.
        timezone: the time zone in which scheduled times are written.

    Raises:
        QueryError: no predecessor has the name, or there is more than one and none is named.
        ParameterError: there is no such information, or the text is no path.
    """
    match function:
        case "SYSTEM$CURRENT_USER_TASK_NAME":
            return context.task.name.name
        case "SYSTEM$GET_PREDECESSOR_RETURN_VALUE":
            return _predecessor_value(context, argument)
        case "SYSTEM$GET_TASK_GRAPH_CONFIG":
            return _config_value(context.config, argument)
        case _:
            return _runtime_info(context, argument or "", timezone)


def _predecessor_value(context: TaskContext, name: str | None) -> str | None:
    """Return the return value of a predecessor, or of a task before it; names ignore case."""
    task, known = str(context.task.name), context.predecessors
    if name is not None:
        values = context.return_values
        if fold(name) in values:
            return values[fold(name)]
        if fold(name) in map(fold, known):
            return None
        raise QueryError(
            f"Task {task!r} has no predecessor {name!r} that is resumed.",
            hint=_hint_of_predecessors(name, known),
        )
    if len(known) == 1:
        return context.return_values.get(fold(known[0]))
    count = f"{len(known)} predecessors" if known else "no predecessor"
    raise QueryError(
        f"Task {task!r} has {count} that are resumed: whose return value is meant is not said."
        if known
        else f"Task {task!r} has {count} that is resumed, and so no return value to get.",
        hint=_hint_of_predecessors("", known),
    )


def _hint_of_predecessors(name: str, known: tuple[str, ...]) -> str:
    if not known:
        return "ALTER TASK … ADD AFTER a task, or RESUME its predecessor."
    shown = find_nearest(name, known) or known[0]
    names = ", ".join(map(repr, known))
    return f"SYSTEM$GET_PREDECESSOR_RETURN_VALUE('{shown}'); the predecessors are {names}."


def _config_value(config: str | None, path: str | None) -> str | None:
    """Return the configuration as text, or the value at a path of it.

    A text is given without quotes, another value as JSON; None where the path leads nowhere.
    """
    if config is None or path is None:
        return config
    keys = split_path(path)
    if not keys:
        raise ParameterError(
            f"SYSTEM$GET_TASK_GRAPH_CONFIG takes a path, found {path!r}.",
            hint="Write it as in SYSTEM$GET_TASK_GRAPH_CONFIG('output.folders[0]').",
        )
    value: Any = json.loads(config)
    for key in keys:
        if isinstance(key, int) and isinstance(value, list):
            value = value[key] if key < len(value) else None
        elif isinstance(key, str) and isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _time_text(moment: datetime | None, timezone: str) -> str | None:
    """Return a time as text: `2024-01-31 06:00:00.000 +0100`."""
    if moment is None:
        return None
    local = moment.astimezone(zoneinfo.ZoneInfo(timezone))
    return f"{local:%Y-%m-%d %H:%M:%S}.{local.microsecond // 1000:03} {local:%z}"


def _id_text(run_id: int | None) -> str | None:
    return None if run_id is None else str(run_id)


# Snowflake, "SYSTEM$TASK_RUNTIME_INFO"
_RUNTIME_INFO: Mapping[str, Callable[[TaskContext, str], str | None]] = {
    "CURRENT_TASK_NAME": lambda context, _zone: context.task.name.name,
    "CURRENT_ROOT_TASK_NAME": lambda context, _zone: context.root_name,
    "CURRENT_ROOT_TASK_UUID": lambda context, _zone: context.root_id,
    "CURRENT_TASK_GRAPH_RUN_GROUP_ID": lambda context, _zone: _id_text(context.run_id),
    "CURRENT_TASK_GRAPH_ORIGINAL_SCHEDULED_TIMESTAMP": lambda context, zone: _time_text(
        context.scheduled_at, zone
    ),
    "LAST_SUCCESSFUL_TASK_GRAPH_RUN_GROUP_ID": lambda context, _zone: _id_text(
        context.last_success_run_id
    ),
    "LAST_SUCCESSFUL_TASK_GRAPH_ORIGINAL_SCHEDULED_TIMESTAMP": lambda context, zone: _time_text(
        context.last_success_scheduled_at, zone
    ),
}


def _runtime_info(context: TaskContext, what: str, timezone: str) -> str | None:
    find = _RUNTIME_INFO.get(what.strip().upper())
    if find is None:
        close = find_nearest(what, _RUNTIME_INFO)
        known = ", ".join(_RUNTIME_INFO)
        raise ParameterError(
            f"SYSTEM$TASK_RUNTIME_INFO knows no {what!r}.",
            hint=f"Did you mean {close!r}?" if close else f"It knows {known}.",
        )
    return find(context, timezone)
