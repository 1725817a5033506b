"""Base classes of nodes, by number of inputs.

Every node has these members, so a walk over a relation works for any kind of node:

- `inputs`, and `map_inputs`: the node over other inputs with the same columns;
- `expressions`, and `map_expressions`: everything the node computes, over the inputs' columns;
- `remap_columns`: the node over other inputs with other column numbers;
- `origins`: for every column the expression over the inputs that computes the column.

The columns of two inputs are numbered one after the other. A number below 0 is a column of an
enclosing query, and is in no input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from icemelt.algebra.expressions import Expression, columns

if TYPE_CHECKING:
    from icemelt.algebra.nodes import Relation

__all__ = [
    "ChangeExpression",
    "ChangeInput",
    "Leaf",
    "Origins",
    "PlaceColumn",
    "Unary",
    "keep_width",
]

ChangeExpression = Callable[[Expression], Expression]
ChangeInput = Callable[["Relation"], "Relation"]
PlaceColumn = Callable[[int], int]
Origins = tuple[Expression | None, ...]


class Leaf:
    """A node without inputs."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def width(self) -> int:
            """The number of columns."""

    @property
    def inputs(self) -> tuple[()]:
        """No inputs."""
        return ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """No expressions, but for rows that are written out."""
        return ()

    @property
    def origins(self) -> Origins:
        """None for every column: a leaf has no input."""
        return (None,) * self.width

    def map_inputs(self, _: ChangeInput) -> Self:
        """Return the node itself."""
        return self

    def map_expressions(self, _: ChangeExpression) -> Self:
        """Return the node itself, but for rows that are written out."""
        return self

    def remap_columns(self, _: Sequence[Relation], place: PlaceColumn) -> Self:
        """Return the node with other numbers for columns of enclosing queries."""
        return self.map_expressions(lambda expression: expression.remap_columns(place))


def keep_width(node: object, width: int) -> None:
    """Keep the number of columns of a new node, which would take a walk over all nodes below."""
    object.__setattr__(node, "width", width)


class Unary:
    """A node over one input. By default the node's columns are the input's columns."""

    __slots__ = ()

    if TYPE_CHECKING:
        input: Relation

        def map_expressions(self, change: ChangeExpression) -> Self:
            """Return the node with other expressions."""

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The input."""
        return (self.input,)

    @property
    def width(self) -> int:
        """The number of columns; a node of many queries keeps it, as the walk down takes long."""
        return self.input.width

    @property
    def origins(self) -> Origins:
        """The input's columns."""
        return columns(0, self.input.width)

    def map_inputs(self, change: ChangeInput) -> Self:
        """Return the node over the changed input with the same columns."""
        return replace(self, input=change(self.input))  # type: ignore[type-var]

    def remap_columns(self, inputs: Sequence[Relation], place: PlaceColumn) -> Self:
        """Return the node over another input.

        `inputs` has one relation, the new input. `place` maps a column number of the old input to
        the column's number in the new input.
        """
        (input_,) = inputs
        moved = self.map_expressions(lambda expression: expression.remap_columns(place))
        return moved.map_inputs(lambda _: input_)
