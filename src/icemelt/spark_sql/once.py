"""An operand named several times in an expression, and computed once by Spark.

Otherwise a text grows by a factor with every cast around the operand, and a random value differs
between two mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from icemelt.errors import NotYet

__all__ = ["evaluate_once"]

_NAME = "__icemelt_v"
# a column, a literal, a number, a variable of a function: they cost nothing to mention again
_PART = r"(?:`(?:[^`]|``)+`|[A-Za-z_0-9]+)"
_SIMPLE = re.compile(rf"{_PART}(?:\.{_PART})*|'(?:[^'\\]|\\.)*'")
_QUERY = "SELECT "
_LONGEST = 20_000


def evaluate_once(sql: str, build: Callable[[str], str]) -> str:
    """Return the result of `build` for an operand, computed once.

    Spark takes no subquery inside a higher-order function, so an operand with a subquery is
    repeated.

    Raises:
        NotYet: operands with subqueries are nested so deep that their text would fill the memory.

    >>> evaluate_once("`a`", lambda value: f"if({value} > 0, {value}, 0)")
    'if(`a` > 0, `a`, 0)'
    >>> evaluate_once("rand()", lambda value: f"if({value} > 0, {value}, 0)")
    'get(transform(array(rand()), __icemelt_v -> if(__icemelt_v > 0, __icemelt_v, 0)), 0)'
    """
    if _SIMPLE.fullmatch(sql):
        return build(sql)
    if _QUERY in sql:
        if len(sql) > _LONGEST:
            raise NotYet("Casts of subqueries are nested too deep.", hint="Put them into FROM.")
        return build(sql)
    return f"get(transform(array({sql}), {_NAME} -> {build(_NAME)}), 0)"
