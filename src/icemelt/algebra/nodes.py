"""Relations: frozen nodes over numbered columns.

The columns of a node's output are numbered from 0. Expressions in a node count the columns of its
input; those of a join count its left input's and then its right input's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self

from icemelt.algebra.combining import Join, JoinKind, SetKind, SetOperation, UnionAll
from icemelt.algebra.expressions import Expression, columns, format_list
from icemelt.algebra.leaves import Delta, Ends, Pin, Scan, Shared, Values
from icemelt.algebra.parts import ChangeExpression, Origins, Unary

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
    "leaves",
]


@dataclass(frozen=True, slots=True)
class Project(Unary):
    """An expression for each column."""

    input: Relation
    expressions: tuple[Expression, ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.expressions)

    @property
    def origins(self) -> Origins:
        """The expressions."""
        return self.expressions

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the node with other expressions."""
        return replace(self, expressions=tuple(map(change, self.expressions)))

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Project {format_list(self.expressions)}"


@dataclass(frozen=True, slots=True)
class Filter(Unary):
    """The rows for which the condition is true."""

    input: Relation
    condition: Expression

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The condition."""
        return (self.condition,)

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the node with another condition."""
        return replace(self, condition=change(self.condition))

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Filter {self.condition}"


@dataclass(frozen=True, slots=True)
class Linear:
    """An aggregate that is a sum over rows: of 1 where the argument is not NULL, or of its values.

    `type` is None for such a count; else the argument's values are exact numbers, and the sum, NULL
    where there is no value, is of this type of Spark's.
    """

    argument: Expression
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Aggregate(Unary):
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
    def expressions(self) -> tuple[Expression, ...]:
        """The keys, the aggregates, and what these are sums of."""
        arguments = (each.argument for each in self.linear if each is not None)
        return (*self.keys, *self.aggregates, *arguments)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.keys) + len(self.aggregates)

    @property
    def origins(self) -> Origins:
        """The keys and the aggregates."""
        return (*self.keys, *self.aggregates)

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the groups with other keys, aggregates and arguments of sums."""
        return replace(
            self,
            keys=tuple(map(change, self.keys)),
            aggregates=tuple(map(change, self.aggregates)),
            linear=tuple(
                each and replace(each, argument=change(each.argument)) for each in self.linear
            ),
        )

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Aggregate by {format_list(self.keys)}: {format_list(self.aggregates)}"


@dataclass(frozen=True, slots=True)
class Window(Unary):
    """The input's columns and then a window function's value for each row.

    All functions are of one `partition`; their text has the whole OVER clause.
    """

    input: Relation
    partition: tuple[Expression, ...]
    functions: tuple[Expression, ...]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The partition and the functions."""
        return (*self.partition, *self.functions)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.input.width + len(self.functions)

    @property
    def origins(self) -> Origins:
        """The input's columns and the functions."""
        return (*columns(0, self.input.width), *self.functions)

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the node with another partition and other functions."""
        partition, functions = (
            tuple(map(change, each)) for each in (self.partition, self.functions)
        )
        return replace(self, partition=partition, functions=functions)

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Window by {format_list(self.partition)}: {format_list(self.functions)}"


@dataclass(frozen=True, slots=True)
class Distinct(Unary):
    """Each row once."""

    input: Relation

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """None."""
        return ()

    def map_expressions(self, _: ChangeExpression) -> Self:
        """Return the node itself."""
        return self

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return "Distinct"


@dataclass(frozen=True, slots=True)
class Generate(Unary):
    """Each row with each that a function makes of it; `outer` keeps those of which it makes none.

    The function gives `made` columns, the first of which tells the row from the others of the same.
    """

    input: Relation
    function: Expression
    output_columns: int
    outer: bool = False

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The function."""
        return (self.function,)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.input.width + self.output_columns

    @property
    def origins(self) -> Origins:
        """The input's columns, and None for each that the function makes."""
        return (*columns(0, self.input.width), *(None,) * self.output_columns)

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the node with another function."""
        return replace(self, function=change(self.function))

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


def leaves(relation: Relation) -> Iterator[Scan | Delta | Ends | Shared | Values]:
    """Give the relations without inputs, from left to right.

    >>> [str(leaf) for leaf in leaves(UnionAll((Scan("t", ("a",)), Scan("u", ("b",)))))]
    ['Scan t(a)', 'Scan u(b)']
    """
    if isinstance(relation, Scan | Delta | Ends | Shared | Values):
        yield relation
    for each in relation.inputs:
        yield from leaves(each)


def explain(node: Node, depth: int = 0) -> str:
    """Return a plan as text: a node a line, its inputs below it.

    >>> print(explain(Filter(Scan("t", ("a",)), Expression((0, " > 1")))))
    Filter #0 > 1
      Scan t(a)
    """
    lines = [explain(each, depth + 1) for each in node.inputs]
    return "\n".join((f"{'  ' * depth}{node}", *lines))
