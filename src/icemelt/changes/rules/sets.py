"""Δ(Q) = Q₁ ⋉ K − Q₀ ⋉ K: of distinct rows and set operations only rows that changed come or go.

K are the changed rows of the inputs. Where the input only gained rows, those there before are not
new: Δ(distinct Q) = distinct(ΔQ) − Q₀.
"""

from __future__ import annotations

from dataclasses import replace

from icemelt.algebra.expressions import columns
from icemelt.algebra.nodes import Distinct, Relation, SetKind, SetOperation
from icemelt.changes.restrict import Keys, restricted
from icemelt.changes.rule import Change, Changes, Derivation, signed, weighted
from icemelt.changes.shape import Shape

__all__ = ["differentiate_distinct", "differentiate_set_operation"]


def differentiate_distinct(
    distinct: Distinct, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of distinct rows."""
    (change,) = changes
    if change is None:
        return None
    own = columns(0, distinct.width)
    keys = Keys(own, derivation.distinct([change.rows]))

    def limited(relation: Relation) -> Relation:
        return restricted(relation, keys)

    match change.shape:
        case Shape.INSERTS:
            others = limited(derivation.old(distinct.input))
        case Shape.DELETES:
            others = limited(derivation.new(distinct.input))
        case _:
            old, new = limited(derivation.old(distinct)), limited(derivation.new(distinct))
            return Change(signed(old, new), Shape.BOTH, own)
    left = SetOperation(SetKind.EXCEPT, keys.rows, others)
    return Change(weighted(left, change.shape.weight), change.shape, own)


def differentiate_set_operation(
    operation: SetOperation, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of EXCEPT and INTERSECT."""
    changed = [change.rows for change in changes if change is not None]
    if not changed:
        return None
    own = columns(0, operation.width)
    keys = Keys(own, derivation.distinct(changed))
    old, new = _limited(operation, keys, derivation)
    shape = _shape(operation, changes)
    match shape:
        case Shape.INSERTS:
            made = weighted(_less(operation, new, old), shape.weight)
        case Shape.DELETES:
            made = weighted(_less(operation, old, new), shape.weight)
        case _:
            made = signed(old, new)
    return Change(made, shape, own)


def _limited(
    operation: SetOperation, keys: Keys, derivation: Derivation
) -> tuple[Relation, Relation]:
    return restricted(derivation.old(operation), keys), restricted(derivation.new(operation), keys)


def _shape(operation: SetOperation, changes: Changes) -> Shape:
    left, right = (Shape.EMPTY if change is None else change.shape for change in changes)
    return left | (right.flipped if operation.kind is SetKind.EXCEPT else right)


def _less(operation: SetOperation, rows: Relation, others: Relation) -> Relation:
    return replace(operation, kind=SetKind.EXCEPT, left=rows, right=others)
