"""Relations: frozen nodes over numbered columns.

The columns of a node's output are numbered from 0. Expressions in a node count the columns of its
input; those of a join count its left input's and then its right input's.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from icemelt.algebra.expressions import Expression, listed
from icemelt.algebra.leaves import Delta, Ends, Pin, Scan, Shared, Values

__all__ = [
    "Aggregate",
    "Delta",
    "Distinct",
    "Ends",
    "Filter",
    "Generate",
    "Join",
    "JoinKind",
    "Linear",
    "Pin",
    "Project",
    "Relation",
    "Scan",
    "SetKind",
    "SetOperation",
    "Shared",
    "UnionAll",
    "Values",
    "Window",
    "explain",
]


class JoinKind(enum.Enum):
    """Which rows a join gives. A semi or anti join gives the left input's columns alone."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"

    @property
    def gives_left_alone(self) -> bool:
        """Whether the right input's columns are not in the result."""
        return self in {JoinKind.SEMI, JoinKind.ANTI}


class SetKind(enum.Enum):
    """A set operation that takes rows away."""

    EXCEPT = "except"
    INTERSECT = "intersect"


@dataclass(frozen=True, slots=True)
class Project:
    """An expression for each column."""

    input: Relation
    expressions: tuple[Expression, ...]

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The input."""
        return (self.input,)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.expressions)

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Project {listed(self.expressions)}"


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the condition is true."""

    input: Relation
    condition: Expression

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The input."""
        return (self.input,)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.input.width

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Filter {self.condition}"


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows that are equal in `equalities` and meet the residual condition.

    An equality is an expression of the left input and one of the right, each over its own columns.
    `null_safe` equalities hold between NULLs too.
    """

    kind: JoinKind
    left: Relation
    right: Relation
    equalities: tuple[tuple[Expression, Expression], ...] = ()
    residual: Expression | None = None
    null_safe: bool = False

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """Left and right."""
        return (self.left, self.right)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.left.width + (0 if self.kind.gives_left_alone else self.right.width)

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        sign = "<=>" if self.null_safe else "="
        parts = [f"left {one} {sign} right {other}" for one, other in self.equalities]
        parts += [] if self.residual is None else [str(self.residual)]
        return f"Join {self.kind.value}{' on ' if parts else ''}{' and '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Linear:
    """An aggregate that is a sum over rows: of 1 where the argument is not NULL, or of its values.

    `type` is None for such a count; else the argument's values are exact numbers, and the sum, NULL
    where there is no value, is of this type of Spark's.
    """

    argument: Expression
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A row for each group, its keys and then its aggregates; without keys exactly one row.

    `linear` says of each aggregate what it is a sum of, None where it is no such sum; it is empty
    where nothing is known of any.
    """

    input: Relation
    keys: tuple[Expression, ...]
    aggregates: tuple[Expression, ...]
    linear: tuple[Linear | None, ...] = ()

    def __post_init__(self) -> None:
        """Refuse to say it of some aggregates alone."""
        if self.linear and len(self.linear) != len(self.aggregates):
            raise AssertionError(self.linear)

    @property
    def sums(self) -> tuple[Linear, ...]:
        """What all aggregates are sums of; empty where one of them is none."""
        found = tuple(each for each in self.linear if each is not None)
        return found if len(found) == len(self.linear) else ()

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The input."""
        return (self.input,)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.keys) + len(self.aggregates)

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Aggregate by {listed(self.keys)}: {listed(self.aggregates)}"


@dataclass(frozen=True, slots=True)
class Window:
    """The input's columns and then a window function's value for each row.

    All functions are of one `partition`; their text has the whole OVER clause.
    """

    input: Relation
    partition: tuple[Expression, ...]
    functions: tuple[Expression, ...]

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The input."""
        return (self.input,)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.input.width + len(self.functions)

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Window by {listed(self.partition)}: {listed(self.functions)}"


@dataclass(frozen=True, slots=True)
class Distinct:
    """Each row once."""

    input: Relation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The input."""
        return (self.input,)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.input.width

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return "Distinct"


@dataclass(frozen=True, slots=True)
class UnionAll:
    """All rows of all inputs."""

    inputs: tuple[Relation, ...]

    def __post_init__(self) -> None:
        """Refuse inputs of different widths."""
        if len({each.width for each in self.inputs}) != 1:
            raise AssertionError(self.inputs)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.inputs[0].width

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return "UnionAll"


@dataclass(frozen=True, slots=True)
class SetOperation:
    """EXCEPT or INTERSECT, of sets or (`every`) of bags."""

    kind: SetKind
    left: Relation
    right: Relation
    every: bool = False

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """Left and right."""
        return (self.left, self.right)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.left.width

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"{self.kind.value.capitalize()}{' all' if self.every else ''}"


@dataclass(frozen=True, slots=True)
class Generate:
    """Each row with each that a function makes of it; `outer` keeps those of which it makes none.

    The function gives `made` columns, the first of which tells the row from the others of the same.
    """

    input: Relation
    function: Expression
    made: int
    outer: bool = False

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The input."""
        return (self.input,)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.input.width + self.made

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Generate{' outer' if self.outer else ''} {self.function}"


Relation = (
    Scan
    | Delta
    | Ends
    | Shared
    | Values
    | Project
    | Filter
    | Join
    | Aggregate
    | Window
    | Distinct
    | UnionAll
    | SetOperation
    | Generate
)


class Node(Protocol):
    """What has a line of a plan, and inputs."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Those below it."""


def explain(node: Node, depth: int = 0) -> str:
    """Return a plan as text: a node a line, its inputs below it.

    >>> print(explain(Filter(Scan("t", ("a",)), Expression((0, " > 1")))))
    Filter #0 > 1
      Scan t(a)
    """
    lines = [explain(each, depth + 1) for each in node.inputs]
    return "\n".join((f"{'  ' * depth}{node}", *lines))
