"""Relations: frozen nodes over numbered columns.

The columns of a node's output are numbered from 0. An expression in a node refers to columns of the
node's input by number. In a join the numbers of the right input follow those of the left input.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

from icemelt.algebra.combining import Join, JoinKind, SetKind, SetOperation, UnionAll
from icemelt.algebra.expressions import Expression, columns, format_list
from icemelt.algebra.graph import walk
from icemelt.algebra.leaves import BothEndsScan, Delta, Pin, Scan, Shared, Values
from icemelt.algebra.parts import ChangeExpression, Origins, Unary, keep_width

__all__ = [
    "Aggregate",
    "BothEndsScan",
    "Delta",
    "Distinct",
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
    """A column for each expression."""

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
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep the number of columns."""
        keep_width(self, self.input.width)

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
    """An aggregate that is a sum over rows: a count of values, or a sum of values.

    Args:
        argument: the expression whose values count. A NULL counts as nothing.
        type: None for a count; otherwise Spark's type of the sum, which is NULL if there is no
            value. The argument's values are exact numbers.
    """

    argument: Expression
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Aggregate(Unary):
    """A row for every group: the keys, then the aggregates. Without keys there is exactly one row.

    Args:
        input: the rows to group.
        keys: the expressions to group by.
        aggregates: the aggregate calls.
        linear: for each aggregate its sum over rows, None if it is no such sum. Empty if unknown.
    """

    input: Relation
    keys: tuple[Expression, ...]
    aggregates: tuple[Expression, ...]
    linear: tuple[Linear | None, ...] = ()

    def __post_init__(self) -> None:
        """Refuse `linear` for some of the aggregates."""
        if self.linear and len(self.linear) != len(self.aggregates):
            raise AssertionError(self.linear)

    @property
    def sums(self) -> tuple[Linear, ...]:
        """The sums of all aggregates; empty if an aggregate is no sum over rows."""
        found = tuple(each for each in self.linear if each is not None)
        return found if len(found) == len(self.linear) else ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The keys, the aggregates, and the arguments of the sums."""
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
    """The input's columns, and then the value of every window function for every row.

    All functions have the same `partition`. The text of a function has the whole OVER clause.
    """

    input: Relation
    partition: tuple[Expression, ...]
    functions: tuple[Expression, ...]
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep the number of columns."""
        keep_width(self, self.input.width + len(self.functions))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The partition and the functions."""
        return (*self.partition, *self.functions)

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
    """The input's rows without duplicates."""

    input: Relation
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep the number of columns."""
        keep_width(self, self.input.width)

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
    """A lateral join with a function that makes rows of a row, as LATERAL FLATTEN does.

        input              function          output
        (1, ['x', 'y'])    posexplode(#1)    (1, ['x', 'y'], 0, 'x')
                                             (1, ['x', 'y'], 1, 'y')
        (2, [])                              none; with `outer`: (2, [], NULL, NULL)

    Args:
        input: the rows to make rows of.
        function: a Spark query that makes rows of the input's columns.
        output_columns: the number of columns that the function adds. The first added column tells
            the rows of one input row apart: in the example the position.
        outer: whether an input row is kept if the function makes no row of it.

    >>> array = Scan("t", ("id", "words"))
    >>> words = Generate(array, Expression(("SELECT posexplode(", 1, ")")), output_columns=2)
    >>> words.width
    4
    >>> print(explain(words))
    Generate SELECT posexplode(#1)
      Scan t(id, words)
    """

    input: Relation
    function: Expression
    output_columns: int
    outer: bool = False
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep the number of columns."""
        keep_width(self, self.input.width + self.output_columns)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The function."""
        return (self.function,)

    @property
    def origins(self) -> Origins:
        """The input's columns, and None for every column added by the function."""
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
    | BothEndsScan
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
    """A node of a plan, which has inputs and prints as a line."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes below."""


def leaves(relation: Relation) -> Iterator[Scan | Delta | BothEndsScan | Shared | Values]:
    """Yield the nodes without inputs, every node once, from left to right.

    >>> [str(leaf) for leaf in leaves(UnionAll((Scan("t", ("a",)), Scan("u", ("b",)))))]
    ['Scan t(a)', 'Scan u(b)']
    """
    for node in walk(relation):
        if isinstance(node, Scan | Delta | BothEndsScan | Shared | Values):
            yield node


def explain(node: Node, depth: int = 0) -> str:
    """Return a plan as text: a line for every node, above the lines of the node's inputs.

    `depth` is the node's depth in the plan: the indentation of the line.

    >>> print(explain(Filter(Scan("t", ("a",)), Expression((0, " > 1")))))
    Filter #0 > 1
      Scan t(a)
    """
    lines = [explain(each, depth + 1) for each in node.inputs]
    return "\n".join((f"{'  ' * depth}{node}", *lines))
