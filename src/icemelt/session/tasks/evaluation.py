"""The value of a task's condition: pure, over what streams and predecessors are said to be."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, InvalidOperation
from typing import Any, Protocol, assert_never

from icemelt.errors import ValueRefused
from icemelt.schema import DataType, DecimalType, Primitive
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

__all__ = ["ConditionFacts", "Value", "evaluate"]

Value = str | Decimal | bool | None

_COMPARE: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.UNEQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.LESS_OR_EQUAL: operator.le,
    Operator.GREATER: operator.gt,
    Operator.GREATER_OR_EQUAL: operator.ge,
}
# Snowflake, "TO_BOOLEAN"
_TRUE = frozenset({"1", "on", "t", "true", "y", "yes"})
_FALSE = frozenset({"0", "f", "false", "n", "no", "off"})
_WHOLE = DecimalType(38, 0)
# more digits than a number has
_DIGITS = Context(prec=200)


class ConditionFacts(Protocol):
    """What a condition asks about."""

    def has_data(self, stream: str) -> bool:
        """Tell whether a stream has rows, by its name as written."""
        ...

    def answer(self, function: str, argument: str | None) -> str | None:
        """Answer a function for tasks."""
        ...


def evaluate(condition: Condition, facts: ConditionFacts) -> bool:
    """Return whether a condition is true; a condition that is NULL is not.

    Operands are evaluated from left to right, up to the one that decides.

    Raises:
        ValueRefused: a text is compared with a number, or cast to one, and is none.
        IcemeltError: whatever `facts` raises, as for a stream that does not exist.

    >>> class Facts:
    ...     def has_data(self, stream):
    ...         return stream == "full"
    ...
    ...     def answer(self, function, argument):
    ...         return "7"
    >>> evaluate(AllOf((StreamHasData("full"), Not(StreamHasData("empty")))), Facts())
    True
    >>> call = TaskCall("SYSTEM$GET_PREDECESSOR_RETURN_VALUE", None)
    >>> evaluate(Comparison(Operator.GREATER, call, Constant(Decimal(5))), Facts())
    True
    """
    return _as_boolean(_value(condition, facts)) is True


def _value(condition: Condition, facts: ConditionFacts) -> Value:
    match condition:
        case Constant(value):
            return value
        case StreamHasData(stream):
            return facts.has_data(stream)
        case TaskCall(function, argument):
            return facts.answer(function, argument)
        case Converted(operand, wanted, is_tried):
            return _convert(_value(operand, facts), wanted, is_tried=is_tried)
        case Comparison(how, left, right):
            return _compare(how, _value(left, facts), _value(right, facts))
        case IsNull(operand):
            return _value(operand, facts) is None
        case Not(operand):
            truth = _as_boolean(_value(operand, facts))
            return None if truth is None else not truth
        case AllOf(operands):
            return _decide(operands, facts, decisive=False)
        case AnyOf(operands):
            return _decide(operands, facts, decisive=True)
        case _:
            assert_never(condition)


def _decide(operands: Iterable[Condition], facts: ConditionFacts, *, decisive: bool) -> bool | None:
    """Return the decisive truth if an operand has it; else NULL if one is NULL, or the other."""
    found: bool | None = not decisive
    for operand in operands:
        truth = _as_boolean(_value(operand, facts))
        if truth is decisive:
            return decisive
        found = None if truth is None else found
    return found


def _compare(how: Operator, left: Value, right: Value) -> bool | None:
    """Compare two values; a text beside a number is a number, one beside a boolean a boolean."""
    if left is None or right is None:
        return None
    kinds = {type(left), type(right)}
    if bool in kinds:
        return _COMPARE[how](_as_boolean(left), _as_boolean(right))
    if Decimal in kinds:
        return _COMPARE[how](_as_number(left), _as_number(right))
    return _COMPARE[how](left, right)


def _convert(value: Value, wanted: DataType, *, is_tried: bool) -> Value:
    try:
        return _cast(value, wanted)
    except ValueRefused:
        if is_tried:
            return None
        raise


def _cast(value: Value, wanted: DataType) -> Value:
    if value is None:
        return None
    match wanted:
        case Primitive("boolean"):
            return _as_boolean(value)
        case Primitive("string", length):
            return _as_text(value, length)
        case Primitive("double"):
            return _as_number(value)
        case DecimalType():
            return _rounded(_as_number(value), wanted)
        case _:
            return _rounded(_as_number(value), _WHOLE)


def _as_text(value: str | Decimal | bool, length: int | None) -> str:  # noqa: FBT001 - a value
    text = str(value).lower() if isinstance(value, bool) else value
    text = f"{text:f}" if isinstance(text, Decimal) else text
    if length is not None and len(text) > length:
        raise ValueRefused(
            f"{text[:40]!r} has {len(text)} characters, and VARCHAR({length}) has {length}.",
            hint="Cast it to VARCHAR, or to a longer one.",
        )
    return text


def _as_boolean(value: Value) -> bool | None:
    if isinstance(value, Decimal):
        return value != 0
    if not isinstance(value, str):
        return value
    word = value.lower()
    if word not in _TRUE | _FALSE:
        raise ValueRefused(
            f"Boolean value {value[:40]!r} is not recognized.",
            hint="Compare the value in WHEN: … = 'true'.",
        )
    return word in _TRUE


def _as_number(value: str | Decimal | bool) -> Decimal:  # noqa: FBT001 - a value of SQL
    if not isinstance(value, str):
        return Decimal(value)
    try:
        number = Decimal(value.strip().replace("_", "x"))
    except DecimalException:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ValueRefused(
            f"Numeric value {value[:40]!r} is not recognized.",
            hint="Compare it with a text in quotes, or cast it by TRY_CAST.",
        )
    return number


def _rounded(value: Decimal, wanted: DecimalType) -> Decimal:
    """Return a number with the scale of a type; halves are rounded away from zero."""
    try:
        rounded = value.quantize(Decimal(1).scaleb(-wanted.scale), ROUND_HALF_UP, _DIGITS)
    except InvalidOperation:
        rounded = Decimal("Infinity")
    if not rounded.is_finite() or abs(rounded) >= Decimal(10) ** (wanted.precision - wanted.scale):
        raise ValueRefused(
            f"Number {value:.20g} is out of the range of NUMBER({wanted.precision}, "
            f"{wanted.scale}).",
            hint="Cast it to a type with more digits.",
        )
    return rounded
