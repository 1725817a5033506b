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
        """The number of the domain's first column, on the side with all rows of the join."""
        ours, theirs = self.own
        of_right = self.join.kind is JoinKind.RIGHT or self.left.width == ours
        return self.left.width + theirs if of_right else ours


def push_into_join(
    join: Join,
    domain: Relation,
    places: Mapping[int, int],
    spread: Callable[[Relation], Relation],
) -> Relation:
    """Return the rows of a join for every row of a domain, with the domain's columns behind.

    Args:
        join: the join, whose inputs may read outer columns.
        domain: the distinct values of the outer columns.
        places: the position in the domain of each outer column.
        spread: a function that returns an input's rows for each row of the domain.
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
        join, spread(join.left) if left else join.left, spread(join.right) if right else join.right
    )
    joined = _join_sides(sides, domain.width, places)
    if join.kind.gives_left_alone:
        return joined
    ours, theirs = sides.own
    wide, start = sides.left.width, sides.domain
    behind = columns(start, start + domain.width)
    if join.kind is JoinKind.FULL:
        other = columns(wide + theirs, wide + theirs + domain.width)
        behind = tuple(
            Expression(("coalesce(", *one.parts, ", ", *two.parts, ")"))
            for one, two in zip(behind, other, strict=True)
        )
    return Project(joined, (*columns(0, ours), *columns(wide, wide + theirs), *behind))


def _join_sides(sides: _DomainSides, size: int, places: Mapping[int, int]) -> Join:
    """Join both inputs; if both have the domain's columns, these columns have to be equal."""
    join, (ours, theirs) = sides.join, sides.own
    wide, start = sides.left.width, sides.domain

    def at(number: int) -> int:
        if is_outer(number):
            return start + places[number]
        return number if number < ours else number - ours + wide

    null_safe = sides.both or join.null_safe
    pairs, others = [], []
    for one, other in join.equalities:
        if outer_columns_of((one, other)) or null_safe != join.null_safe:
            moved = other.remap_columns(lambda each: each if is_outer(each) else each + ours)
            others.append(equality(one, moved, null_safe=join.null_safe).remap_columns(at))
        else:
            pairs.append((one, other))
    if join.residual is not None:
        others.append(join.residual.remap_columns(at))
    if sides.both:
        mine, own = columns(ours, ours + size), columns(theirs, theirs + size)
        pairs += zip(mine, own, strict=True)
    return replace(
        join,
        left=sides.left,
        right=sides.right,
        equalities=tuple(pairs),
        residual=join_by_and(others),
        null_safe=null_safe,
    )


def equality(one: Expression, other: Expression, *, null_safe: bool = False) -> Expression:
    """Return the condition that two values are equal.

    Args:
        one: the first value.
        other: the second value.
        null_safe: whether two NULLs are equal, as by `<=>`.
    """
    sign = ") <=> (" if null_safe else ") = ("
    return Expression(("(", *one.parts, sign, *other.parts, ")"))
