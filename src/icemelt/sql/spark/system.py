"""SYSTEM: the functions SYSTEM$…, which the session answers and Spark does not know."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.errors import QueryError, SqlSyntaxError
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["ABORT", "ANSWERED", "BACKLOG", "DDL", "SYSTEM", "text_argument", "texts"]

ANSWERED = ("SYSTEM$STREAM_GET_TABLE_TIMESTAMP", "SYSTEM$STREAM_HAS_DATA")
ABORT = "SYSTEM$ABORT_TRANSACTION"
BACKLOG = "SYSTEM$STREAM_BACKLOG"
DDL = "GET_DDL"
_EXAMPLES = {ABORT: "'id'", DDL: "'VIEW', 'v'"}


def text_argument(name: str, arguments: tuple[exp.Expr, ...]) -> str:
    """Return the one argument of such a function, which is a constant text.

    >>> text_argument(BACKLOG, (exp.Literal.string("s"),))
    's'
    """
    (text,) = texts(name, arguments, "one constant text", 1)
    return text


def texts(name: str, arguments: tuple[exp.Expr, ...], wanted: str, count: int) -> list[str]:
    """Return the arguments of such a function, which are constant texts."""
    found = [
        str(each.name) for each in arguments if isinstance(each, exp.RawString) or each.is_string
    ]
    if len(found) == len(arguments) == count:
        return found
    example = _EXAMPLES.get(name, "'s'")
    raise SqlSyntaxError(f"{name} takes {wanted}.", hint=f"Write {name}({example}).")


def _answer(call: Call) -> str:
    return call.context(f"{call.name}({text_argument(call.name, call.arguments)})")


def _alone(call: Call) -> str:
    example = f"SELECT {call.name}({_EXAMPLES[call.name]})"
    raise QueryError(f"{call.name} stands in a SELECT of its own.", hint=example)


def _backlog(call: Call) -> str:
    text_argument(call.name, call.arguments)
    raise QueryError(
        f"{call.name} gives rows, and stands in FROM.",
        hint=f"SELECT * FROM TABLE({call.name}('s'))",
    )


SYSTEM: Mapping[str, Entry] = {
    **dict.fromkeys(ANSWERED, _answer),
    ABORT: _alone,
    DDL: _alone,
    BACKLOG: _backlog,
}
