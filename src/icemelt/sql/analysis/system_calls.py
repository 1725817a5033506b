"""The names and arguments of functions for the session to answer: SYSTEM$… and GET_DDL."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.errors import SqlSyntaxError

__all__ = [
    "ABORT",
    "ANSWERED",
    "BACKLOG",
    "CANCEL_RUNS",
    "DDL",
    "ENABLE_TASKS",
    "EXAMPLES",
    "OF_TASKS",
    "PIPE_STATUS",
    "PYTHON_TASK",
    "SET_RETURN_VALUE",
    "TABLE_INFORMATION",
    "is_text",
    "read_task_argument",
    "text_argument",
    "text_arguments",
]

PIPE_STATUS = "SYSTEM$PIPE_STATUS"
TABLE_INFORMATION = "SYSTEM$GET_ICEBERG_TABLE_INFORMATION"
ANSWERED = (
    PIPE_STATUS,
    TABLE_INFORMATION,
    "SYSTEM$STREAM_GET_TABLE_TIMESTAMP",
    "SYSTEM$STREAM_HAS_DATA",
)
ABORT = "SYSTEM$ABORT_TRANSACTION"
BACKLOG = "SYSTEM$STREAM_BACKLOG"
DDL = "GET_DDL"
ENABLE_TASKS = "SYSTEM$TASK_DEPENDENTS_ENABLE"
CANCEL_RUNS = "SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS"
# the body of a task that Python has made: it runs a function of Python
PYTHON_TASK = "SYSTEM$PYTHON_TASK"
SET_RETURN_VALUE = "SYSTEM$SET_RETURN_VALUE"
# the functions for the body and the condition of a task, with the least and the most arguments
OF_TASKS: Mapping[str, tuple[int, int]] = {
    "SYSTEM$CURRENT_USER_TASK_NAME": (0, 0),
    "SYSTEM$GET_PREDECESSOR_RETURN_VALUE": (0, 1),
    "SYSTEM$GET_TASK_GRAPH_CONFIG": (0, 1),
    "SYSTEM$TASK_RUNTIME_INFO": (1, 1),
}
EXAMPLES = {
    ABORT: "'id'",
    CANCEL_RUNS: "'root'",
    PIPE_STATUS: "'p'",
    TABLE_INFORMATION: "'t'",
    DDL: "'VIEW', 'v'",
    ENABLE_TASKS: "'root'",
    SET_RETURN_VALUE: "'text'",
    PYTHON_TASK: "'task'",
    "SYSTEM$CURRENT_USER_TASK_NAME": "",
    "SYSTEM$GET_PREDECESSOR_RETURN_VALUE": "'task'",
    "SYSTEM$GET_TASK_GRAPH_CONFIG": "'path'",
    "SYSTEM$TASK_RUNTIME_INFO": "'CURRENT_TASK_NAME'",
}
_COUNTS = {(0, 0): "no argument", (0, 1): "at most one constant text"}


def is_text(argument: exp.Expr) -> bool:
    """Tell whether an argument is a constant text."""
    return isinstance(argument, exp.RawString) or argument.is_string


def text_argument(name: str, arguments: tuple[exp.Expr, ...]) -> str:
    """Return the only argument of a function, a constant text.

    >>> text_argument(BACKLOG, (exp.Literal.string("s"),))
    's'
    """
    (text,) = text_arguments(name, arguments, "one constant text", 1)
    return text


def read_task_argument(name: str, arguments: tuple[exp.Expr, ...]) -> str | None:
    """Return the argument of a function for tasks, a constant text; None where it has none.

    >>> read_task_argument("SYSTEM$GET_TASK_GRAPH_CONFIG", ()) is None
    True
    """
    least, most = OF_TASKS[name]
    wanted = _COUNTS.get((least, most), "one constant text")
    count = min(max(len(arguments), least), most)
    return next(iter(text_arguments(name, arguments, wanted, count)), None)


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
    texts = [str(argument.name) for argument in arguments if is_text(argument)]
    if len(texts) == len(arguments) == count:
        return texts
    example = EXAMPLES.get(name, "'s'")
    raise SqlSyntaxError(f"{name} takes {wanted}.", hint=f"Write {name}({example}).")
