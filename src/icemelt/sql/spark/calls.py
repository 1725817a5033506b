"""A function call on the way to Spark: arguments as SQL, and templates over arguments."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from sqlglot import exp

from icemelt.errors import NotYet, SqlSyntaxError

__all__ = ["AGGREGATES", "Builder", "Call", "Entry", "expand", "null_if_any", "operand"]

_WRAPPED = (exp.Binary, exp.Connector, exp.Not, exp.Neg, exp.Between, exp.In, exp.BitwiseNot)
# Aggregates whose entry is a Python function, not a template.
AGGREGATES = frozenset(
    {"ARRAY_AGG", "ARRAY_UNIQUE_AGG", "COLLECT_LIST", "COLLECT_SET", "LISTAGG", "STRING_AGG"}
    | {"ARRAY_UNION_AGG", "AVG", "BITANDAGG", "BITAND_AGG", "BITORAGG", "BITOR_AGG", "BITXORAGG"}
    | {"BITXOR_AGG", "BIT_AND_AGG", "BIT_OR_AGG", "BIT_XOR_AGG", "BOOLAND_AGG", "BOOLOR_AGG"}
    | {"BOOLXOR_AGG", "CONDITIONAL_TRUE_EVENT", "COUNT", "HASH_AGG", "LAG", "LEAD", "MEDIAN"}
    | {"RATIO_TO_REPORT"}
    | {"MAX_BY", "MIN_BY", "MODE", "OBJECT_AGG", "PERCENTILE_CONT", "PERCENTILE_DISC"}
    | {"APPROX_COUNT_DISTINCT", "APPROX_PERCENTILE", "APPROX_TOP_K", "HISTOGRAM_NUMERIC", "HLL"}
    | {"CONDITIONAL_CHANGE_EVENT", "KURTOSIS", "PERCENTILE_APPROX", "SKEW"}
    | {"REGR_AVGX", "REGR_AVGY", "REGR_SXX", "REGR_SYY"}
)
_TAKES_DISTINCT = re.compile(r"(?:(?:coalesce|array_sort)\()?\w+\(\{(?:0|all)\}")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a Snowflake function.

    Attributes:
        name: the upper-case name.
        arguments: the arguments, without DISTINCT.
        render: returns the SQL of an expression.
        context: returns the slot of a session value, as CURRENT_USER.
        over: the clauses after an aggregate or window function: FILTER, IGNORE NULLS, OVER.
        order: the items of WITHIN GROUP.
        distinct: whether DISTINCT is written.
    """

    name: str
    arguments: tuple[exp.Expr, ...]
    render: Callable[[exp.Expr], str]
    context: Callable[[str], str]
    over: str = ""
    order: tuple[exp.Expr, ...] = ()
    distinct: bool = False

    def sql(self, position: int) -> str:
        """Return an argument as an operand, in parentheses if necessary."""
        return self.operand(self.arguments[position])

    def operand(self, node: exp.Expr) -> str:
        """Return an expression as SQL that can stand beside any operator."""
        return operand(node, self.render(node))

    def all(self) -> str:
        """Return the arguments as a list."""
        return ", ".join(self.render(argument) for argument in self.arguments)

    def text(self, position: int) -> str | None:
        """Return an argument if the argument is a string literal, else None."""
        if position >= len(self.arguments):
            return None
        argument = self.arguments[position]
        return argument.name if isinstance(argument, exp.Literal) and argument.is_string else None

    def whole(self, position: int) -> int | None:
        """Return an argument if the argument is a literal whole number, else None."""
        argument = self.arguments[position] if position < len(self.arguments) else None
        sign = 1
        while isinstance(argument, (exp.Paren, exp.Neg)):
            sign *= -1 if isinstance(argument, exp.Neg) else 1
            argument = argument.this
        if isinstance(argument, exp.Literal) and argument.name.isdecimal():
            return sign * int(argument.name)
        return None

    def need(self, *counts: int) -> None:
        """Raise unless the number of arguments is among the counts."""
        if len(self.arguments) in counts:
            return
        wanted = " or ".join(str(count) for count in counts)
        wanted += " argument" if counts == (1,) else " arguments"
        raise SqlSyntaxError(
            f"{self.name} takes {wanted}, found {len(self.arguments)}.",
            hint=f"Write {self.name} with {wanted}.",
        )

    def refuse(self, message: str, hint: str) -> NoReturn:
        """Raise for a form of the function without a translation."""
        raise NotYet(f"{self.name}: {message}", hint=hint)


Builder = Callable[[Call], str]
Entry = str | Builder | Mapping[int, str]


def expand(entry: Entry, call: Call) -> str:
    """Return the SQL for a call by an entry of the function table.

    A template names arguments by position; `{all}` is the list of arguments, `{over}` the place of
    OVER. A mapping has a template for every number of arguments.

    >>> call = Call("NVL", (exp.column("a"), exp.Literal.number(0)), lambda node: node.sql(), str)
    >>> expand("coalesce({0}, {1})", call)
    'coalesce(a, 0)'
    """
    if isinstance(entry, Mapping):
        call.need(*entry)
        entry = entry[len(call.arguments)]
    if not isinstance(entry, str):
        if (call.distinct or call.over) and call.name not in AGGREGATES:
            call.refuse("it is no aggregate.", "Leave DISTINCT, FILTER and OVER out.")
        return entry(call)
    fields = _fields(entry)
    if "all" not in fields:
        call.need(len(fields - {"over"}))
    written = [call.render(argument) for argument in call.arguments]
    pairs = zip(call.arguments, written, strict=True)
    arguments = [operand(argument, sql) for argument, sql in pairs]
    every = ", ".join(written)
    if call.distinct:
        if not _TAKES_DISTINCT.match(entry):
            call.refuse("DISTINCT is not supported.", "Select the distinct values in a subquery.")
        arguments[0], every = f"DISTINCT {arguments[0]}", f"DISTINCT {every}"
    sql = entry.format(*arguments, all=every, over=call.over)
    return sql if "over" in fields else sql + call.over


def null_if_any(function: str, convert: Callable[[Call, int], str] | None = None) -> Builder:
    """Return an entry that gives NULL if an argument is NULL; Spark's function ignores NULLs.

    Args:
        function: the function of Spark.
        convert: returns the SQL of an argument by its position; by default as the argument is.
    """

    def build(call: Call) -> str:
        if not call.arguments:
            call.need(1, 2)
        tests = " OR ".join(f"{call.sql(at)} IS NULL" for at in range(len(call.arguments)))
        written = [call.render(each) for each in call.arguments]
        if convert is not None:
            written = [convert(call, at) for at in range(len(written))]
        if len(written) == 1:
            return written[0]
        return f"if({tests}, NULL, {function}({', '.join(written)}))"

    return build


def operand(node: exp.Expr, sql: str) -> str:
    """Return the text of an expression as operators take the text: in parentheses if necessary."""
    return f"({sql})" if isinstance(node, _WRAPPED) else sql


@cache
def _fields(template: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)
