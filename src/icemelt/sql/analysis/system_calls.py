"""The names and arguments of functions for the session to answer: SYSTEM$… and GET_DDL."""

from __future__ import annotations

from typing import NoReturn

from sqlglot import exp

from icemelt.errors import NotYet, SqlSyntaxError

__all__ = [
    "ABORT",
    "ANSWERED",
    "BACKLOG",
    "CANCEL_RUNS",
    "DDL",
    "ENABLE_TASKS",
    "EXAMPLES",
    "OF_RUNS",
    "PIPE_STATUS",
    "refuse_run_function",
    "text_argument",
    "text_arguments",
]

PIPE_STATUS = "SYSTEM$PIPE_STATUS"
ANSWERED = (PIPE_STATUS, "SYSTEM$STREAM_GET_TABLE_TIMESTAMP", "SYSTEM$STREAM_HAS_DATA")
ABORT = "SYSTEM$ABORT_TRANSACTION"
BACKLOG = "SYSTEM$STREAM_BACKLOG"
DDL = "GET_DDL"
ENABLE_TASKS = "SYSTEM$TASK_DEPENDENTS_ENABLE"
CANCEL_RUNS = "SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS"
# the functions for the runs of tasks
OF_RUNS = (
    "SYSTEM$CURRENT_USER_TASK_NAME",
    "SYSTEM$GET_PREDECESSOR_RETURN_VALUE",
    "SYSTEM$GET_TASK_GRAPH_CONFIG",
    "SYSTEM$SET_RETURN_VALUE",
    "SYSTEM$TASK_RUNTIME_INFO",
)
EXAMPLES = {
    ABORT: "'id'",
    CANCEL_RUNS: "'root'",
    DDL: "'VIEW', 'v'",
    ENABLE_TASKS: "'root'",
    PIPE_STATUS: "'p'",
}


def refuse_run_function(name: str) -> NoReturn:
    """Refuse one of the functions for the runs of tasks.

    Raises:
        NotYet: always.
    """
    raise NotYet(
        f"{name} is not supported: no scheduler runs tasks yet.",
        hint="Keep the value in a table, which the next task reads.",
    )


def text_argument(name: str, arguments: tuple[exp.Expr, ...]) -> str:
    """Return the only argument of a function, a constant text.

    >>> text_argument(BACKLOG, (exp.Literal.string("s"),))
    's'
    """
    (text,) = text_arguments(name, arguments, "one constant text", 1)
    return text


def text_arguments(
    name: str, arguments: tuple[exp.Expr, ...], wanted: str, count: int
) -> list[str]:
    """Return the constant texts that are the arguments of a function.

    Args:
        name: the name of the function, for errors.
        arguments: the arguments.
        wanted: the words for the expected arguments, for errors.
        count: the expected number of arguments.

    Raises:
        SqlSyntaxError: an argument is no constant text, or the number of arguments is another one.
    """
    texts = [
        str(argument.name)
        for argument in arguments
        if isinstance(argument, exp.RawString) or argument.is_string
    ]
    if len(texts) == len(arguments) == count:
        return texts
    example = EXAMPLES.get(name, "'s'")
    raise SqlSyntaxError(f"{name} takes {wanted}.", hint=f"Write {name}({example}).")
