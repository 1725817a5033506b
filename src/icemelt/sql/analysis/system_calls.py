"""The names and arguments of functions that the session answers: SYSTEM$… and GET_DDL."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import SqlSyntaxError

__all__ = ["ABORT", "ANSWERED", "BACKLOG", "DDL", "EXAMPLES", "text_argument", "text_arguments"]

ANSWERED = ("SYSTEM$STREAM_GET_TABLE_TIMESTAMP", "SYSTEM$STREAM_HAS_DATA")
ABORT = "SYSTEM$ABORT_TRANSACTION"
BACKLOG = "SYSTEM$STREAM_BACKLOG"
DDL = "GET_DDL"
EXAMPLES = {ABORT: "'id'", DDL: "'VIEW', 'v'"}


def text_argument(name: str, arguments: tuple[exp.Expr, ...]) -> str:
    """Return the one argument of such a function, which is a constant text.

    >>> text_argument(BACKLOG, (exp.Literal.string("s"),))
    's'
    """
    (text,) = text_arguments(name, arguments, "one constant text", 1)
    return text


def text_arguments(
    name: str, arguments: tuple[exp.Expr, ...], wanted: str, count: int
) -> list[str]:
    """Return the arguments of such a function, which are constant texts."""
    found = [
        str(each.name) for each in arguments if isinstance(each, exp.RawString) or each.is_string
    ]
    if len(found) == len(arguments) == count:
        return found
    example = EXAMPLES.get(name, "'s'")
    raise SqlSyntaxError(f"{name} takes {wanted}.", hint=f"Write {name}({example}).")
