"""Calls of aggregates and of window functions, read and changed in their text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from icemelt.algebra.expressions import Expression

__all__ = ["add_filter", "add_partition_keys", "can_be_filtered", "split_first_call"]

_QUOTED = r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `[^`]*`"""
_OVER = re.compile(rf"{_QUOTED} | \bOVER\ \((PARTITION\ BY\ |(?=\)))?", re.VERBOSE | re.DOTALL)
_PARENTHESES = re.compile(rf"{_QUOTED} | [()]", re.VERBOSE | re.DOTALL)
_CALL = re.compile(r"(\w+)\(")
# whose values can be compared, and for which rows that a FILTER leaves out are as if not there
_AGGREGATES = re.compile(
    r"sum|count|avg|min|max|median|stddev_(samp|pop)|var_(samp|pop)|covar_(samp|pop)|corr|"
    r"skewness|kurtosis|(bool|bit)_(and|or)|bit_xor"
)


def add_partition_keys(function: Expression, keys: Sequence[Expression]) -> Expression:
    """Return a window function partitioned by more keys.

    >>> function = Expression(("sum(", 0, ") OVER (PARTITION BY ", 1, ")"))
    >>> str(add_partition_keys(function, [Expression((2,))]))
    'sum(#0) OVER (PARTITION BY #2, #1)'
    """
    parts: list[str | int] = []
    for part in function.parts:
        if isinstance(part, int):
            parts.append(part)
            continue
        start = 0
        for found in _OVER.finditer(part):
            if not found[0].startswith("OVER"):
                continue
            parts += [part[start : found.start()], "OVER (PARTITION BY "]
            for at, each in enumerate(keys):
                parts += [*([", "] if at else []), *each.parts]
            parts.append({"PARTITION BY ": ", ", "": "", None: " "}[found[1]])
            start = found.end()
        parts.append(part[start:])
    return Expression(tuple(part for part in parts if part != ""))


def split_first_call(expression: Expression) -> tuple[str, str] | None:
    """Return the name of the function at the start of an expression, and the text behind the call.

    None if the expression does not start with a call.

    >>> split_first_call(Expression(("sum(", 0, ") / count(1)")))
    ('sum', ' / count(1)')
    """
    written = str(expression)
    call = _CALL.match(written)
    if call is None:
        return None
    depth = 0
    for found in _PARENTHESES.finditer(written):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0 and found[0] == ")":
            return call[1], written[found.end() :]
    return None


def can_be_filtered(aggregate: Expression) -> bool:
    """Return whether an aggregate is a single call of a function that takes a FILTER clause.

    >>> (
    ...     can_be_filtered(Expression(("avg(", 0, ")"))),
    ...     can_be_filtered(Expression(("1 + avg(", 0, ")"))),
    ... )
    (True, False)
    """
    match split_first_call(aggregate):
        case (name, ""):
            return _AGGREGATES.fullmatch(name.lower()) is not None
    return False


def add_filter(aggregate: Expression, condition: Expression) -> Expression:
    """Return an aggregate with a FILTER clause: over rows that meet a condition.

    >>> str(add_filter(Expression(("sum(", 0, ")")), Expression((1, " > 0"))))
    'sum(#0) FILTER (WHERE #1 > 0)'
    """
    return Expression((*aggregate.parts, " FILTER (WHERE ", *condition.parts, ")"))
