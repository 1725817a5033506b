"""What the rules of joins share: changes joined to the other side, and sides read by keys."""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Join,
    Relation,
    SetOperation,
    Window,
)
from icemelt.changes.keys import changed_values, values_at_hand
from icemelt.changes.restrict import Keys, restricted
from icemelt.changes.rule import Change, Derivation, with_weight_last

__all__ = ["Side", "changed_keys", "joined_to_left", "joined_to_right", "read_by", "sides"]


@dataclass(frozen=True, slots=True)
class Side:
    """An input of a join, and the expressions that are equal to those of the other input."""

    relation: Relation
    expressions: tuple[Expression, ...]


def sides(join: Join) -> tuple[Side, Side]:
    """Return the left side of a join, and the right."""
    left = tuple(one for one, _ in join.equalities)
    right = tuple(other for _, other in join.equalities)
    return Side(join.left, left), Side(join.right, right)


def joined_to_left(join: Join, change: Change, derivation: Derivation) -> Relation:
    """Return ΔL with R₁, for a join that is linear in its left input."""
    left, right = sides(join)
    changed, rows = _with_keys(join, left, change, right, derivation)
    weight = join.left.width
    after = read_by(rows, right, derivation.new(join.right))
    made = join.remap_columns([changed, after], lambda number: number + (number >= weight))
    return with_weight_last(made, weight)


def joined_to_right(join: Join, change: Change, derivation: Derivation) -> Relation:
    """Return L₀ with ΔR, for a join that is linear in its right input."""
    left, right = sides(join)
    changed, rows = _with_keys(join, right, change, left, derivation)
    return replace(join, left=read_by(rows, left, derivation.old(join.left)), right=changed)


def changed_keys(join: Join, side: Side, change: Change, derivation: Derivation) -> Relation:
    """Return the values by which the changed rows of a side can meet others."""
    values = changed_values(side.relation, change, side.expressions, derivation)
    return derivation.distinct(values, nulls=join.null_safe)


def read_by(rows: Relation | None, side: Side, end: Relation) -> Relation:
    """Return a side, at one end, with the rows that some values can meet; None for all."""
    return end if rows is None else restricted(end, Keys(side.expressions, rows))


def _with_keys(
    join: Join, side: Side, change: Change, other: Side, derivation: Derivation
) -> tuple[Relation, Relation | None]:
    """Return the changes of a side, and the keys by which to read the other; None to read it all.

    Where keys would be made of a join with tables, and the other side makes nothing of many rows,
    the join itself asks for as little: keys would be the same work again.
    """
    if not join.equalities:
        return change.relation, None
    if values_at_hand(side.relation, side.expressions, derivation) is None:
        if not _makes_much(other.relation):
            return change.relation, None
        change = replace(change, relation=derivation.share(change.relation))
    return change.relation, changed_keys(join, side, change, derivation)


def _makes_much(relation: Relation) -> bool:
    match relation:
        case Join() | Aggregate() | Window() | Distinct() | SetOperation():
            return True
    return any(map(_makes_much, relation.inputs))
