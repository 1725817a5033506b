"""SYSTEM: the functions SYSTEM$…, answered by the session; Spark does not have the functions."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.errors import QueryError
from icemelt.sql.analysis.system_calls import (
    ABORT,
    ANSWERED,
    BACKLOG,
    CANCEL_RUNS,
    DDL,
    ENABLE_TASKS,
    EXAMPLES,
    OF_TASKS,
    PYTHON_TASK,
    SET_RETURN_VALUE,
    read_task_argument,
    text_argument,
)
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["SYSTEM"]


def _answer(call: Call) -> str:
    return call.context(f"{call.name}({text_argument(call.name, call.arguments)})")


def _answer_task(call: Call) -> str:
    argument = read_task_argument(call.name, call.arguments)
    return call.context(call.name if argument is None else f"{call.name}({argument})")


def _alone(call: Call) -> str:
    example = f"SELECT {call.name}({EXAMPLES[call.name]})"
    raise QueryError(f"{call.name} stands in a SELECT of its own.", hint=example)


def _backlog(call: Call) -> str:
    text_argument(call.name, call.arguments)
    raise QueryError(
        f"{call.name} gives rows, and stands in FROM.",
        hint=f"SELECT * FROM TABLE({call.name}('s'))",
    )


SYSTEM: Mapping[str, Entry] = {
    **dict.fromkeys(ANSWERED, _answer),
    **dict.fromkeys(OF_TASKS, _answer_task),
    ABORT: _alone,
    ENABLE_TASKS: _alone,
    PYTHON_TASK: _alone,
    SET_RETURN_VALUE: _alone,
    CANCEL_RUNS: _alone,
    DDL: _alone,
    BACKLOG: _backlog,
}
