"""The condition after WHEN of a task, as plain data that is evaluated without Spark."""

from __future__ import annotations

from decimal import Decimal
from functools import reduce

from sqlglot import exp

from icemelt.errors import DefinitionRefused, NotYet
from icemelt.schema import DecimalType, Primitive
from icemelt.sql.analysis.data_types import data_type
from icemelt.sql.analysis.system_calls import OF_TASKS, read_task_argument, text_argument
from icemelt.sql.statements.task_conditions import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Constant,
    Converted,
    IsNull,
    Not,
    Operator,
    StreamHasData,
    TaskCall,
)

__all__ = ["lower_condition"]

_HAS_DATA = "SYSTEM$STREAM_HAS_DATA"
_OPERATORS: dict[type[exp.Expr], Operator] = {
    exp.EQ: Operator.EQUAL,
    exp.NEQ: Operator.UNEQUAL,
    exp.LT: Operator.LESS,
    exp.LTE: Operator.LESS_OR_EQUAL,
    exp.GT: Operator.GREATER,
    exp.GTE: Operator.GREATER_OR_EQUAL,
}
_TYPES = frozenset({"long", "double", "string", "boolean"})
_TAKES = (
    "WHEN takes SYSTEM$STREAM_HAS_DATA('s'), and comparisons of "
    "SYSTEM$GET_PREDECESSOR_RETURN_VALUE('task') and constants, with casts, AND, OR and NOT. "
)
# what a condition lacks for good: why, and what to do
_REFUSED: tuple[tuple[tuple[type[exp.Expr], ...], str, str], ...] = (
    ((exp.Query, exp.Exists), "has no query", "Ask in the body: INSERT … SELECT … WHERE …."),
    ((exp.AggFunc, exp.Window), "has no rows to compute over", "Compute them in the body."),
    ((exp.Column, exp.Star), "has no rows, and so no columns", "Write a text in quotes: '…'."),
)


def lower_condition(node: exp.Expr, text: str) -> Condition:
    """Return the condition of a task as plain data.

    Args:
        node: the parsed condition.
        text: the text of the condition, for errors.

    Raises:
        DefinitionRefused: the condition has a query, a column or an aggregate.
        NotYet: the condition has a function or an operator that is not evaluated without Spark.
        SqlSyntaxError: a function has other arguments than constant texts.
    """
    for kinds, reason, hint in _REFUSED:
        if node.find(*kinds) is not None:
            message = f"The condition of a task {reason}: {text}"
            raise DefinitionRefused(message, hint=f"{_TAKES}{hint}")
    return _lower(node)


def _lower(node: exp.Expr) -> Condition:
    match node:
        case exp.Paren():
            return _lower(node.this)
        case exp.And():
            return AllOf(tuple(map(_lower, node.flatten())))
        case exp.Or():
            return AnyOf(tuple(map(_lower, node.flatten())))
        case exp.Not():
            return Not(_lower(node.this))
        case exp.Is() if isinstance(node.expression, exp.Null):
            return IsNull(_lower(node.this))
        case exp.In() if node.expressions:
            return _lower_membership(node)
        case exp.Anonymous():
            return _lower_call(node)
        case exp.Cast():
            return _lower_cast(node)
        case _ if type(node) in _OPERATORS:
            return Comparison(_OPERATORS[type(node)], _lower(node.this), _lower(node.expression))
        case _:
            return _lower_constant(node)


def _lower_membership(node: exp.In) -> Condition:
    """Return `operand IN (a, b)` as `operand = a OR operand = b`."""
    operand = _lower(node.this)
    equal = [Comparison(Operator.EQUAL, operand, _lower(each)) for each in node.expressions]
    return AnyOf(tuple(equal))


def _lower_call(node: exp.Anonymous) -> Condition:
    name, arguments = node.name.upper(), tuple(node.expressions)
    if name == _HAS_DATA:
        return StreamHasData(text_argument(name, arguments))
    if name in OF_TASKS:
        return TaskCall(name, read_task_argument(name, arguments))
    raise _unsupported(f"the function {name}")


def _lower_cast(node: exp.Cast) -> Condition:
    wanted = data_type(node.to)
    name = wanted.name if isinstance(wanted, Primitive) else ""
    if name not in _TYPES and not isinstance(wanted, DecimalType):
        raise _unsupported(f"a cast to {node.to.sql(dialect='snowflake')}")
    return Converted(_lower(node.this), wanted, is_tried=isinstance(node, exp.TryCast))


def _lower_constant(node: exp.Expr) -> Constant:
    match node:
        case exp.Neg() if isinstance(number := _lower(node.this), Constant):
            if isinstance(number.value, Decimal):
                return Constant(-number.value)
        case exp.Literal() if node.is_string:
            return Constant(node.name)
        case exp.RawString():
            return Constant(node.name)
        case exp.Literal():
            return Constant(Decimal(node.name))
        case exp.Boolean():
            return Constant(bool(node.this))
        case exp.Null():
            return Constant(None)
    raise _unsupported(f"{reduce(_spaced, type(node).__name__, '').strip().upper()}")


def _spaced(text: str, letter: str) -> str:
    """Return a text with one more letter, after a space where the letter is upper case."""
    return f"{text} {letter}" if letter.isupper() else f"{text}{letter}"


def _unsupported(what: str) -> NotYet:
    return NotYet(
        f"The condition of a task does not take {what}: no Spark runs for it.",
        hint=f"{_TAKES}Ask the rest in the body.",
    )
