"""Parts of the rules of joins: changes joined to the other side, and sides read by keys."""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.graph import walk
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Join,
    Relation,
    SetOperation,
    Window,
)
from icemelt.changes.keys import changed_values, values_from_changes
from icemelt.changes.restrict import Keys, push_down_semi_join
from icemelt.changes.rule import Change, Derivation, with_weight_last

__all__ = [
    "JoinSide",
    "changed_keys",
    "join_left_changes",
    "join_right_changes",
    "restrict_side",
    "sides",
]


@dataclass(frozen=True, slots=True)
class JoinSide:
    """An input of a join, and its expressions in the join's equalities."""

    relation: Relation
    expressions: tuple[Expression, ...]


def sides(join: Join) -> tuple[JoinSide, JoinSide]:
    """Return the left side and the right side of a join."""
    left = tuple(one for one, _ in join.equalities)
    right = tuple(other for _, other in join.equalities)
    return JoinSide(join.left, left), JoinSide(join.right, right)


def join_left_changes(join: Join, change: Change, derivation: Derivation) -> Relation:
    """Return ΔL joined to R₁, for a join linear in its left input.

    Args:
        join: the join.
        change: the changes of the left input.
        derivation: the state of the plan.
    """
    left, right = sides(join)
    changed, rows = _with_keys(join, left, change, right, derivation)
    weight = join.left.width
    after = restrict_side(rows, right, derivation.new(join.right))
    made = join.remap_columns([changed, after], lambda number: number + (number >= weight))
    return with_weight_last(made, weight)


def join_right_changes(join: Join, change: Change, derivation: Derivation) -> Relation:
    """Return L₀ joined to ΔR, for a join linear in its right input.

    Args:
        join: the join.
        change: the changes of the right input.
        derivation: the state of the plan.
    """
    left, right = sides(join)
    changed, rows = _with_keys(join, right, change, left, derivation)
    return replace(join, left=restrict_side(rows, left, derivation.old(join.left)), right=changed)


def changed_keys(join: Join, side: JoinSide, change: Change, derivation: Derivation) -> Relation:
    """Return the key values of a side's changed rows, to find rows of the other side.

    Args:
        join: the join.
        side: the side with changes.
        change: the changes of the side.
        derivation: the state of the plan.
    """
    values = changed_values(side.relation, change, side.expressions, derivation)
    return derivation.distinct(values, nulls=join.null_safe)


def restrict_side(rows: Relation | None, side: JoinSide, end: Relation) -> Relation:
    """Return the rows of a side with key values in `rows`; all rows if `rows` is None.

    Args:
        rows: the key values, a column for every expression of the side.
        side: the side.
        end: the side's relation before or after the interval.
    """
    return end if rows is None else push_down_semi_join(end, Keys(side.expressions, rows))


def _with_keys(
    join: Join, side: JoinSide, change: Change, other: JoinSide, derivation: Derivation
) -> tuple[Relation, Relation | None]:
    """Return the changes of a side, and the keys by which to read the other; None to read all.

    If keys would have to be made by a join with tables, and the other side reduces no rows, there
    are no keys: the join itself reads as little, and keys would repeat the work.
    """
    if not join.equalities:
        return change.relation, None
    if values_from_changes(side.relation, side.expressions, derivation) is None:
        if not _reduces_rows(other.relation):
            return change.relation, None
        change = replace(change, relation=derivation.share(change.relation))
    return change.relation, changed_keys(join, side, change, derivation)


def _reduces_rows(relation: Relation) -> bool:
    reducing = Join | Aggregate | Window | Distinct | SetOperation
    return any(isinstance(node, reducing) for node in walk(relation))
