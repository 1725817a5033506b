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
    OF_RUNS,
    refuse_run_function,
    text_argument,
)
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["SYSTEM"]


def _answer(call: Call) -> str:
    return call.context(f"{call.name}({text_argument(call.name, call.arguments)})")


def _alone(call: Call) -> str:
    example = f"SELECT {call.name}({EXAMPLES[call.name]})"
    raise QueryError(f"{call.name} stands in a SELECT of its own.", hint=example)


def _backlog(call: Call) -> str:
    text_argument(call.name, call.arguments)
    raise QueryError(
        f"{call.name} gives rows, and stands in FROM.",
        hint=f"SELECT * FROM TABLE({call.name}('s'))",
    )


def _of_run(call: Call) -> str:
    refuse_run_function(call.name)


SYSTEM: Mapping[str, Entry] = {
    **dict.fromkeys(ANSWERED, _answer),
    **dict.fromkeys(OF_RUNS, _of_run),
    ABORT: _alone,
    ENABLE_TASKS: _alone,
    CANCEL_RUNS: _alone,
    DDL: _alone,
    BACKLOG: _backlog,
}
