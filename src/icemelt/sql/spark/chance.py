"""Random values: Spark computes a volatile operand once, in spite of several mentions in the text.

`REPEAT(s, n)` becomes a test of `n` and a call with `n`. A random `n` would have two values, and
the test would say nothing about the call. The operand is therefore bound to a name:

    get(transform(array(<operand>), __icemelt_b0 -> <text that mentions __icemelt_b0>), 0)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.sql.analysis.kinds import kind_of, set_kind
from icemelt.sql.analysis.volatile import is_volatile
from icemelt.sql.spark.bounds import BOUNDED
from icemelt.sql.spark.calls import AGGREGATES, Call, operand
from icemelt.sql.spark.plain_words import SparkText

__all__ = ["compute_arguments_once", "with_operands_once"]

# functions whose argument Spark itself puts in several places
_OF_SPARK = frozenset({"DECODE", "RIGHT"})
# functions with a test of an argument: the tested value must be the used value
_BOUNDED = {*BOUNDED, "ARRAY_GENERATE_RANGE", "ARRAY_INSERT", "ARRAY_TO_STRING"}
_NO_VALUES = (exp.Lambda, exp.Kwarg, exp.PropertyEQ, exp.Star, exp.Var, SparkText)
_LAMBDA, _QUERY = "->", "SELECT "

Render = Callable[[exp.Expr], str]


def compute_arguments_once(call: Call, render_call: Callable[[Call], str]) -> str:
    """Return the SQL of a call whose volatile arguments are computed once for every row.

    Raises:
        NotYet: an argument is mentioned several times beside a subquery, or in an aggregate.
    """
    operands = _Operands.of(call.arguments, queries=call.name in _BOUNDED)
    if operands is None:
        return render_call(call)
    sql = render_call(replace(call, arguments=operands.stand_ins))
    is_aggregate = bool(call.over or call.order or call.distinct) or call.name in AGGREGATES
    if is_aggregate:
        return operands.substitute_names(sql, call.render)
    return operands.bind_names(sql, call.render, always=call.name in _OF_SPARK)


def with_operands_once(
    nodes: Sequence[exp.Expr],
    render: Render,
    build: Callable[[Sequence[exp.Expr]], str],
    *,
    always: bool = False,
) -> str:
    """Return the SQL built from operands; a volatile operand is computed once for every row.

    Args:
        nodes: the operands.
        render: returns the SQL of an operand.
        build: returns the SQL of the whole, from operands or from names that stand for operands.
        always: whether Spark itself computes an operand several times.

    Raises:
        NotYet: a volatile operand is beside a subquery.
    """
    operands = _Operands.of(nodes, queries=False)
    if operands is None:
        return build(nodes)
    return operands.bind_names(build(operands.stand_ins), render, always=always)


@dataclass(frozen=True, slots=True)
class _Operands:
    """Operands with names in place of volatile operands, and the operands behind the names."""

    stand_ins: tuple[exp.Expr, ...]
    named: tuple[tuple[str, exp.Expr], ...]

    @staticmethod
    def of(nodes: Sequence[exp.Expr], *, queries: bool) -> _Operands | None:
        """Return the operands of a call; None if no operand is volatile.

        With `queries` a subquery counts as volatile: a view inside may have random values.
        """
        if not any(_has_chance(node, queries=queries) for node in nodes):
            return None
        prefix = _free_prefix(nodes)
        stand_ins, named = [], []
        for position, node in enumerate(nodes):
            value = _value(node)
            if value is None or not _has_chance(value, queries=queries):
                stand_ins.append(node)
                continue
            name = f"{prefix}{position}"
            named.append((name, value))
            stand_in = SparkText(this=name)
            set_kind(stand_in, kind_of(value))
            stand_ins.append(stand_in if value is node else exp.cast(stand_in, "VARIANT"))
        return _Operands(tuple(stand_ins), tuple(named))

    def substitute_names(self, sql: str, render: Render) -> str:
        """Return a text with every name replaced by the operand."""
        for name, node in self.named:
            if _mentions(name, sql) > 1:
                raise NotYet(
                    "A random value is mentioned several times in an aggregate.",
                    hint="Compute it in a subquery in FROM.",
                )
            sql = _insert_operand(name, operand(node, render(node)), sql)
        return sql

    def bind_names(self, sql: str, render: Render, *, always: bool) -> str:
        """Return a text with every name bound to the operand by a lambda.

        If a name is mentioned once, the operand stands in the place of the name instead.

        Args:
            sql: the text that mentions the names.
            render: returns the SQL of an operand.
            always: whether Spark itself computes an operand several times.
        """
        for name, node in reversed(self.named):
            written = operand(node, render(node))
            if not _mentions(name, sql):
                continue
            # a lambda may run several times; a query in front of the lambda runs once
            seen = sql.partition(_LAMBDA)[0] if _QUERY in written else sql
            is_once = _mentions(name, sql) == _mentions(name, seen) == 1
            if not always and is_once and _LAMBDA not in seen:
                sql = _insert_operand(name, written, sql)
                continue
            if _QUERY in written or _QUERY in sql:
                raise NotYet(
                    "A value that is needed several times is not computed beside a subquery.",
                    hint="Compute it in a subquery in FROM.",
                )
            sql = f"get(transform(array({written}), {name} -> {sql}), 0)"
        return sql


def _value(node: exp.Expr) -> exp.Expr | None:
    """Return the part of an argument that has a value: the operand inside a cast to VARIANT."""
    if isinstance(node, exp.Cast) and node.to.this == exp.DType.VARIANT:
        return _value(node.this)
    return None if isinstance(node, _NO_VALUES) else node


def _has_chance(node: exp.Expr, *, queries: bool) -> bool:
    if queries and node.find(exp.Query) is not None:
        return True
    return any(map(is_volatile, node.walk()))


def _free_prefix(nodes: Sequence[exp.Expr]) -> str:
    """Return a prefix for names; no text of the operands contains the prefix."""
    prefix = "__icemelt_b"
    texts = [
        text
        for node in nodes
        for part in node.walk()
        for text in part.args.values()
        if isinstance(text, str) and prefix in text
    ]
    while any(prefix in text for text in texts):
        prefix += "_"
    return prefix


def _mentions(name: str, sql: str) -> int:
    return len(re.findall(rf"\b{name}\b", sql))


def _insert_operand(name: str, operand: str, sql: str) -> str:
    return re.sub(rf"\b{name}\b", lambda _: operand, sql)
