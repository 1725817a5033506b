"""Δ(Q) = Q₁ ⋉ K − Q₀ ⋉ K: of DISTINCT and set operations only changed rows can come or go.

K are the changed rows of the inputs. If the input of DISTINCT only gained rows, rows present before
are not new: Δ(distinct Q) = distinct(ΔQ) − Q₀.
"""

from __future__ import annotations

from dataclasses import replace

from icemelt.algebra.expressions import columns
from icemelt.algebra.nodes import Distinct, Relation, SetKind, SetOperation
from icemelt.changes.restrict import Keys, push_down_semi_join
from icemelt.changes.rule import Change, Changes, Derivation, subtract, with_weight
from icemelt.changes.shape import Shape

__all__ = ["differentiate_distinct", "differentiate_set_operation"]


def differentiate_distinct(
    distinct: Distinct, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of distinct rows.

    Args:
        distinct: the node.
        changes: the changes of the input.
        derivation: the state of the plan.
    """
    (change,) = changes
    if change is None:
        return None
    own = columns(0, distinct.width)
    keys = Keys(own, derivation.distinct([change.rows]))

    def restrict(relation: Relation) -> Relation:
        return push_down_semi_join(relation, keys)

    match change.shape:
        case Shape.INSERTS:
            others = restrict(derivation.old(distinct.input))
        case Shape.DELETES:
            others = restrict(derivation.new(distinct.input))
        case _:
            old, new = restrict(derivation.old(distinct)), restrict(derivation.new(distinct))
            return Change(subtract(old, new), Shape.BOTH, own)
    left = SetOperation(SetKind.EXCEPT, keys.rows, others)
    return Change(with_weight(left, change.shape.weight), change.shape, own)


def differentiate_set_operation(
    operation: SetOperation, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of EXCEPT or INTERSECT.

    Args:
        operation: the node.
        changes: the changes of the left and the right input.
        derivation: the state of the plan.
    """
    changed = [change.rows for change in changes if change is not None]
    if not changed:
        return None
    own = columns(0, operation.width)
    keys = Keys(own, derivation.distinct(changed))
    old, new = _restrict_both_ends(operation, keys, derivation)
    shape = _infer_shape(operation, changes)
    match shape:
        case Shape.INSERTS:
            made = with_weight(_except_rows(operation, new, old), shape.weight)
        case Shape.DELETES:
            made = with_weight(_except_rows(operation, old, new), shape.weight)
        case _:
            made = subtract(old, new)
    return Change(made, shape, own)


def _restrict_both_ends(
    operation: SetOperation, keys: Keys, derivation: Derivation
) -> tuple[Relation, Relation]:
    return push_down_semi_join(derivation.old(operation), keys), push_down_semi_join(
        derivation.new(operation), keys
    )


def _infer_shape(operation: SetOperation, changes: Changes) -> Shape:
    left, right = (Shape.EMPTY if change is None else change.shape for change in changes)
    return left | (right.opposite if operation.kind is SetKind.EXCEPT else right)


def _except_rows(operation: SetOperation, rows: Relation, others: Relation) -> Relation:
    return replace(operation, kind=SetKind.EXCEPT, left=rows, right=others)
