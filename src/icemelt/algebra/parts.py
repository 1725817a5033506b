"""What nodes of one number of inputs share: how their inputs and their columns are exchanged.

Every node has these, so that a walk over a relation need not know its nodes:

- `inputs`, and `map_inputs`: the node over other inputs that have the same columns;
- `expressions`, and `map_expressions`: all that the node computes, over the columns of its inputs;
- `remap_columns`: the node over other inputs, in which the columns have other numbers;
- `origins`: what each of its columns is made of.

The columns of two inputs are numbered one after the other. A number below 0 is a column of a query
around, which no input has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from icemelt.algebra.expressions import Expression, columns

if TYPE_CHECKING:
    from icemelt.algebra.nodes import Relation

__all__ = ["ChangeExpression", "ChangeInput", "Leaf", "Origins", "PlaceColumn", "Unary"]

ChangeExpression = Callable[[Expression], Expression]
ChangeInput = Callable[["Relation"], "Relation"]
PlaceColumn = Callable[[int], int]
Origins = tuple[Expression | None, ...]


class Leaf:
    """A node without inputs, whose columns are its own."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def width(self) -> int:
            """The number of columns."""

    @property
    def inputs(self) -> tuple[()]:
        """None."""
        return ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """None, but for rows that are written out."""
        return ()

    @property
    def origins(self) -> Origins:
        """None for each column: no input has it."""
        return (None,) * self.width

    def map_inputs(self, _: ChangeInput) -> Self:
        """Return the node itself."""
        return self

    def map_expressions(self, _: ChangeExpression) -> Self:
        """Return the node itself, but for rows that are written out."""
        return self

    def remap_columns(self, _: Sequence[Relation], place: PlaceColumn) -> Self:
        """Return the node with the columns of queries around at other numbers."""
        return self.map_expressions(lambda expression: expression.remap_columns(place))


class Unary:
    """A node over one input. Its columns are those of the input, where it says nothing else."""

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
        """The number of columns."""
        return self.input.width

    @property
    def origins(self) -> Origins:
        """The input's columns."""
        return columns(0, self.input.width)

    def map_inputs(self, change: ChangeInput) -> Self:
        """Return the node over its input as `change` makes it, of the same columns."""
        return replace(self, input=change(self.input))  # type: ignore[type-var]

    def remap_columns(self, inputs: Sequence[Relation], place: PlaceColumn) -> Self:
        """Return the node over another input.

        `inputs` has that one; `place` says where in it a column of the node's own input is.
        """
        (input_,) = inputs
        moved = self.map_expressions(lambda expression: expression.remap_columns(place))
        return moved.map_inputs(lambda _: input_)
