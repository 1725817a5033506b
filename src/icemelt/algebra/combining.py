"""Nodes of several inputs: joins, unions and set operations."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.parts import ChangeExpression, ChangeInput, Origins, PlaceColumn, keep_width

if TYPE_CHECKING:
    from icemelt.algebra.nodes import Relation

__all__ = ["Join", "JoinKind", "SetKind", "SetOperation", "UnionAll"]


class JoinKind(enum.Enum):
    """The kind of a join. A semi join and an anti join give the left input's columns alone."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"

    @property
    def gives_left_alone(self) -> bool:
        """Whether the result lacks the right input's columns."""
        return self in {JoinKind.SEMI, JoinKind.ANTI}


class SetKind(enum.Enum):
    """A set operation that removes rows."""

    EXCEPT = "except"
    INTERSECT = "intersect"


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows with equal values in `equalities`, and a true residual condition.

    Args:
        kind: inner, left, right, full, semi or anti.
        left: the left input.
        right: the right input.
        equalities: pairs of an expression of the left input and an expression of the right input,
            over the columns of its own input.
        residual: a further condition over the columns of both inputs, the left input's first.
        null_safe: whether NULL equals NULL in `equalities`.
    """

    kind: JoinKind
    left: Relation
    right: Relation
    equalities: tuple[tuple[Expression, Expression], ...] = ()
    residual: Expression | None = None
    null_safe: bool = False
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep the number of columns."""
        keep_width(self, self.left.width + (0 if self.kind.gives_left_alone else self.right.width))

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The left and the right input."""
        return (self.left, self.right)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Both sides of the equalities, and the residual condition."""
        start = self.left.width
        right = (
            other.remap_columns(lambda at: at + start if at >= 0 else at)
            for _, other in self.equalities
        )
        return (*(one for one, _ in self.equalities), *right, *_present(self.residual))

    @property
    def origins(self) -> Origins:
        """The columns of the inputs returned by the join."""
        return columns(0, self.width)

    def map_inputs(self, change: ChangeInput) -> Self:
        """Return the join of changed inputs with the same columns."""
        return replace(self, left=change(self.left), right=change(self.right))

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the join with changed expressions; a side of an equality is over its own input."""
        pairs = tuple((change(one), change(other)) for one, other in self.equalities)
        residual = None if self.residual is None else change(self.residual)
        return replace(self, equalities=pairs, residual=residual)

    def remap_columns(self, inputs: Sequence[Relation], place: PlaceColumn) -> Self:
        """Return the join of other inputs.

        `inputs` are the new left and right input. `place` maps a column number of the old inputs to
        the column's number in the new ones.
        """
        left, right = inputs
        start, wide = self.left.width, left.width

        def place_right(number: int) -> int:
            placed = place(number + start if number >= 0 else number)
            return placed - wide if placed >= 0 else placed

        pairs = tuple(
            (one.remap_columns(place), other.remap_columns(place_right))
            for one, other in self.equalities
        )
        residual = None if self.residual is None else self.residual.remap_columns(place)
        return replace(self, left=left, right=right, equalities=pairs, residual=residual)

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        sign = "<=>" if self.null_safe else "="
        parts = [f"left {one} {sign} right {other}" for one, other in self.equalities]
        parts += [] if self.residual is None else [str(self.residual)]
        return f"Join {self.kind.value}{' on ' if parts else ''}{' and '.join(parts)}"


@dataclass(frozen=True, slots=True)
class UnionAll:
    """All rows of all inputs, with duplicates."""

    inputs: tuple[Relation, ...]
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse inputs of different widths, and keep the number of columns."""
        if len({each.width for each in self.inputs}) != 1:
            raise AssertionError([str(each) for each in self.inputs])
        keep_width(self, self.inputs[0].width)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """No expressions."""
        return ()

    @property
    def origins(self) -> Origins:
        """The first input's columns."""
        return columns(0, self.width)

    def map_inputs(self, change: ChangeInput) -> Self:
        """Return the union of changed inputs."""
        return replace(self, inputs=tuple(map(change, self.inputs)))

    def map_expressions(self, _: ChangeExpression) -> Self:
        """Return the node itself."""
        return self

    def remap_columns(self, inputs: Sequence[Relation], _: PlaceColumn) -> Self:
        """Return the union of other inputs with columns in the same order."""
        return replace(self, inputs=tuple(inputs))

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return "UnionAll"


@dataclass(frozen=True, slots=True)
class SetOperation:
    """EXCEPT or INTERSECT of sets, or of bags if `all` is true."""

    kind: SetKind
    left: Relation
    right: Relation
    all: bool = False
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep the number of columns."""
        keep_width(self, self.left.width)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The left and the right input."""
        return (self.left, self.right)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """No expressions."""
        return ()

    @property
    def origins(self) -> Origins:
        """The left input's columns."""
        return columns(0, self.width)

    def map_inputs(self, change: ChangeInput) -> Self:
        """Return the operation on changed inputs."""
        return replace(self, left=change(self.left), right=change(self.right))

    def map_expressions(self, _: ChangeExpression) -> Self:
        """Return the node itself."""
        return self

    def remap_columns(self, inputs: Sequence[Relation], _: PlaceColumn) -> Self:
        """Return the operation on other inputs with columns in the same order."""
        left, right = inputs
        return replace(self, left=left, right=right)

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"{self.kind.value.capitalize()}{' all' if self.all else ''}"


def _present(expression: Expression | None) -> tuple[Expression, ...]:
    return () if expression is None else (expression,)
