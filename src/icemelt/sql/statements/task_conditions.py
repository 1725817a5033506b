"""The condition of a task, after WHEN: streams, functions for tasks, constants, comparisons."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from icemelt.schema import DataType

__all__ = [
    "AllOf",
    "AnyOf",
    "Comparison",
    "Condition",
    "Constant",
    "Converted",
    "IsNull",
    "Not",
    "Operator",
    "StreamHasData",
    "TaskCall",
    "find_streams",
]


class Operator(enum.Enum):
    """How two values are compared."""

    EQUAL = "="
    UNEQUAL = "<>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal: a text, a number, TRUE, FALSE or NULL."""

    value: str | Decimal | bool | None


@dataclass(frozen=True, slots=True)
class StreamHasData:
    """`SYSTEM$STREAM_HAS_DATA('stream')`; the name is as written."""

    stream: str


@dataclass(frozen=True, slots=True)
class TaskCall:
    """A call of a function for tasks, as `SYSTEM$GET_PREDECESSOR_RETURN_VALUE('task')`.

    The argument is None where the call has none.
    """

    function: str
    argument: str | None


@dataclass(frozen=True, slots=True)
class Converted:
    """`operand::type`; a type of numbers, texts or booleans.

    With `is_tried`, as for TRY_CAST, a value that the type does not have becomes NULL.
    """

    operand: Condition
    type: DataType
    is_tried: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right`."""

    operator: Operator
    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class IsNull:
    """`operand IS NULL`."""

    operand: Condition


@dataclass(frozen=True, slots=True)
class Not:
    """`NOT operand`."""

    operand: Condition


@dataclass(frozen=True, slots=True)
class AllOf:
    """`a AND b AND …`."""

    operands: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """`a OR b OR …`."""

    operands: tuple[Condition, ...]


Condition = (
    Constant | StreamHasData | TaskCall | Converted | Comparison | IsNull | Not | AllOf | AnyOf
)


def find_streams(condition: Condition) -> Iterator[str]:
    """Yield the names of the streams of a condition, as written and in the order of the text.

    >>> list(find_streams(AllOf((StreamHasData("a"), Not(StreamHasData("b"))))))
    ['a', 'b']
    """
    match condition:
        case StreamHasData(stream):
            yield stream
        case Converted(operand=operand) | IsNull(operand) | Not(operand):
            yield from find_streams(operand)
        case Comparison(left=left, right=right):
            yield from find_streams(left)
            yield from find_streams(right)
        case AllOf(operands) | AnyOf(operands):
            for operand in operands:
                yield from find_streams(operand)
        case Constant() | TaskCall():
            pass
