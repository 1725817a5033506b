"""The functions that a statement may call without anybody having made them."""

from __future__ import annotations

import functools
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import Never, NotYet, SqlError
from icemelt.quoting import is_plain_word
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.spark.calls import Call
from icemelt.sql.spark.functions import FUNCTIONS, render_call

__all__ = ["BuiltinFunction", "list_builtin_functions"]

_OWN = "ICEMELT_"
_OF_ROWS = frozenset({"FLATTEN", "GENERATOR", "INFER_SCHEMA", "RESULT_SCAN", "SPLIT_TO_TABLE"})
# Spark's lists have words of operators and clauses, too
_NO_CALLS = frozenset({"AND", "BETWEEN", "DISTINCT", "IN", "NOT", "OR", "WHEN"})
_MOST_ARGUMENTS = 6


@dataclass(frozen=True, slots=True)
class BuiltinFunction:
    """A function that is there in each lake.

    Attributes:
        name: the name, in upper case.
        is_aggregate: whether the function gives one value for many rows.
        is_of_rows: whether the function stands in FROM.
    """

    name: str
    is_aggregate: bool
    is_of_rows: bool


def list_builtin_functions(of_spark: AbstractSet[str]) -> list[BuiltinFunction]:
    """Return the functions in the order of their names, those that are refused left out.

    Args:
        of_spark: the names of Spark's functions that a statement may call.

    >>> [each.name for each in list_builtin_functions({"bin"}) if each.name[:2] in ("BI", "ZI")][:2]
    ['BIN', 'BITAND']
    """
    spark = {name.upper() for name in of_spark if is_plain_word(name)} - FUNCTIONS.keys()
    names = {name for name in FUNCTIONS if not _is_refused(name)} | spark | _OF_ROWS
    return [
        BuiltinFunction(name, name in AGGREGATES, name in _OF_ROWS)
        for name in sorted(names - _NO_CALLS)
        if not name.startswith(_OWN)
    ]


@functools.cache
def _is_refused(name: str) -> bool:
    """Tell whether a function is refused, whatever its arguments are."""
    return any(_refuses(name, arguments) for arguments in range(_MOST_ARGUMENTS + 1))


def _refuses(name: str, arguments: int) -> bool:
    """Tell whether a call is refused by the function's name alone."""
    stand_ins = tuple(exp.column(f"a{at}") for at in range(arguments))
    try:
        render_call(Call(name, stand_ins, lambda node: str(node.name), str))
    except (Never, NotYet) as error:
        return error.message in {
            f"The function {name} is not supported.",
            f"{name}: it is not supported.",
        }
    except SqlError:
        # another number of arguments, or literals
        return False
    return False
