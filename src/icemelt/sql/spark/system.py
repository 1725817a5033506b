"""SYSTEM: the functions SYSTEM$…, which the session answers and Spark does not know."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.errors import QueryError, SqlSyntaxError
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["ABORT", "ANSWERED", "BACKLOG", "SYSTEM", "text_argument"]

ANSWERED = ("SYSTEM$STREAM_GET_TABLE_TIMESTAMP", "SYSTEM$STREAM_HAS_DATA")
ABORT = "SYSTEM$ABORT_TRANSACTION"
BACKLOG = "SYSTEM$STREAM_BACKLOG"


def text_argument(name: str, arguments: tuple[exp.Expr, ...]) -> str:
    """Return the one argument of such a function, which is a constant text.

    >>> text_argument(BACKLOG, (exp.Literal.string("s"),))
    's'
    """
    if len(arguments) == 1:
        (argument,) = arguments
        if isinstance(argument, exp.RawString) or argument.is_string:
            return str(argument.name)
    word = "id" if name == ABORT else "s"
    raise SqlSyntaxError(f"{name} takes one constant text.", hint=f"Write {name}('{word}').")


def _answer(call: Call) -> str:
    return call.context(f"{call.name}({text_argument(call.name, call.arguments)})")


def _abort(call: Call) -> str:
    text_argument(call.name, call.arguments)
    raise QueryError(
        f"{call.name} stands in a SELECT of its own.", hint=f"SELECT {call.name}('id')"
    )


def _backlog(call: Call) -> str:
    text_argument(call.name, call.arguments)
    raise QueryError(
        f"{call.name} gives rows, and stands in FROM.",
        hint=f"SELECT * FROM TABLE({call.name}('s'))",
    )


SYSTEM: Mapping[str, Entry] = {
    **dict.fromkeys(ANSWERED, _answer),
    ABORT: _abort,
    BACKLOG: _backlog,
}
