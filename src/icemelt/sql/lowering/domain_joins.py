"""Push a dependent join into a join: inputs with outer columns get the domain's columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.nodes import Join, JoinKind, Project, Relation
from icemelt.sql.lowering.correlation import outer_columns, outer_columns_of
from icemelt.sql.lowering.expressions import join_by_and
from icemelt.sql.lowering.names import is_outer

__all__ = ["equality", "push_into_join"]


@dataclass(frozen=True, slots=True)
class _DomainSides:
    """Both inputs of a join, with or without the domain's columns behind their own columns."""

    join: Join
    left: Relation
    right: Relation

    @property
    def own(self) -> tuple[int, int]:
        """The number of columns that each input has of its own."""
        return self.join.left.width, self.join.right.width

    @property
    def both(self) -> bool:
        """Whether both inputs have the domain's columns."""
        return self.left.width > self.own[0] and self.right.width > self.own[1]

    @property
    def domain(self) -> int:
        """The number of the domain's first column, on the side whose rows are all kept."""
        left_width, right_width = self.own
        of_right = self.join.kind is JoinKind.RIGHT or self.left.width == left_width
        return self.left.width + right_width if of_right else left_width


def push_into_join(
    join: Join,
    domain: Relation,
    positions: Mapping[int, int],
    push_down: Callable[[Relation], Relation],
) -> Relation:
    """Return the rows of a join for every row of a domain, with the domain's columns behind.

    Args:
        join: the join, whose inputs may read outer columns.
        domain: the distinct values of the outer columns.
        positions: the position in the domain of each outer column.
        push_down: a function that returns an input's rows for each row of the domain.
    """
    left, right = bool(outer_columns(join.left)), bool(outer_columns(join.right))
    match join.kind:
        case JoinKind.INNER:
            left = left or not right
        case JoinKind.RIGHT:
            right = True
        case JoinKind.FULL:
            left = right = True
        case _:
            left = True
    sides = _DomainSides(
        join,
        push_down(join.left) if left else join.left,
        push_down(join.right) if right else join.right,
    )
    joined = _join_sides(sides, domain.width, positions)
    if join.kind.gives_left_alone:
        return joined
    left_width, right_width = sides.own
    wide, start = sides.left.width, sides.domain
    domain_columns = columns(start, start + domain.width)
    if join.kind is JoinKind.FULL:
        right_domain = columns(wide + right_width, wide + right_width + domain.width)
        domain_columns = tuple(
            Expression(("coalesce(", *left_value.parts, ", ", *right_value.parts, ")"))
            for left_value, right_value in zip(domain_columns, right_domain, strict=True)
        )
    return Project(
        joined, (*columns(0, left_width), *columns(wide, wide + right_width), *domain_columns)
    )


def _join_sides(sides: _DomainSides, size: int, positions: Mapping[int, int]) -> Join:
    """Join both inputs; if both have the domain's columns, these columns have to be equal."""
    join, (left_width, right_width) = sides.join, sides.own
    wide, start = sides.left.width, sides.domain

    def at(number: int) -> int:
        if is_outer(number):
            return start + positions[number]
        return number if number < left_width else number - left_width + wide

    null_safe = sides.both or join.null_safe
    pairs, conditions = [], []
    for left_value, right_value in join.equalities:
        if outer_columns_of((left_value, right_value)) or null_safe != join.null_safe:
            moved = right_value.remap_columns(
                lambda each: each if is_outer(each) else each + left_width
            )
            conditions.append(
                equality(left_value, moved, null_safe=join.null_safe).remap_columns(at)
            )
        else:
            pairs.append((left_value, right_value))
    if join.residual is not None:
        conditions.append(join.residual.remap_columns(at))
    if sides.both:
        left_domain, right_domain = (
            columns(left_width, left_width + size),
            columns(right_width, right_width + size),
        )
        pairs += zip(left_domain, right_domain, strict=True)
    return replace(
        join,
        left=sides.left,
        right=sides.right,
        equalities=tuple(pairs),
        residual=join_by_and(conditions),
        null_safe=null_safe,
    )


def equality(left: Expression, right: Expression, *, null_safe: bool = False) -> Expression:
    """Return the condition that two values are equal.

    Args:
        left: the left value.
        right: the right value.
        null_safe: whether two NULLs are equal, as by `<=>`.
    """
    sign = ") <=> (" if null_safe else ") = ("
    return Expression(("(", *left.parts, sign, *right.parts, ")"))
