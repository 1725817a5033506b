"""Δ(L ▷ R) = ΔL ▷ R₁ + (L₀ ▷ R₁ − L₀ ▷ R₀): linear in the side whose rows are kept or dropped.

A changed left row, also with a NULL key, is joined to the right side after. A change of the right
side matters to the rows of L₀ that match it: they are joined to both ends. If the right side only
gained rows or only lost rows, semi and anti joins read one end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.expressions import columns
from icemelt.algebra.nodes import Join, JoinKind, Project, Relation
from icemelt.changes.rule import Change, Changes, Derivation, subtract, union_all, with_weight
from icemelt.changes.rules.joining import changed_keys, join_left_changes, restrict_side, sides
from icemelt.changes.shape import Shape

__all__ = ["differentiate_preserving_join", "differentiate_right_join"]


def differentiate_preserving_join(
    join: Join, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of a left, semi or anti join.

    Args:
        join: the join.
        changes: the changes of the left and the right input.
        derivation: the state of the plan.
    """
    left, right = changes
    made, shape = [], Shape.EMPTY
    if left is not None:
        made.append(join_left_changes(join, left, derivation))
        shape |= left.shape
    if right is not None:
        met = _find_met_rows(join, right, derivation)
        one_way = right.shape is not Shape.BOTH and join.kind is not JoinKind.LEFT
        found = _find_flipped_rows(join, right, met) if one_way else _join_both_ends(join, met)
        made.append(found.relation)
        shape |= found.shape
    return Change(union_all(made), shape, sides(join)[0].expressions) if made else None


def differentiate_right_join(join: Join, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of a right join, from the rule of the mirrored left join.

    Args:
        join: the join.
        changes: the changes of the left and the right input.
        derivation: the state of the plan.
    """
    start, width = join.left.width, join.right.width
    residual = join.residual
    if residual is not None:
        residual = residual.remap_columns(lambda n: n + width if n < start else n - start)
    mirrored = Join(
        JoinKind.LEFT,
        join.right,
        join.left,
        tuple((other, one) for one, other in join.equalities),
        residual,
        null_safe=join.null_safe,
    )
    change = differentiate_preserving_join(mirrored, changes[::-1], derivation)
    if change is None:
        return None
    ordered = (
        *columns(width, width + start),
        *columns(0, width),
        *columns(width + start, width + start + 1),
    )
    keys = sides(join)[0].expressions
    return replace(change, relation=Project(change.relation, ordered), keys=keys)


@dataclass(frozen=True, slots=True)
class _MetRows:
    """The rows that changes of the right side matter to.

    Args:
        left: left rows before the interval that may match a change.
        old: right rows before, with the same keys.
        new: right rows after, with the same keys.
        changed: the changes of the right side.
    """

    left: Relation
    old: Relation
    new: Relation
    changed: Relation


def _find_met_rows(join: Join, change: Change, derivation: Derivation) -> _MetRows:
    changed = derivation.share(change.relation)
    mine, theirs = sides(join)
    left, old, new = (
        derivation.old(join.left),
        derivation.old(join.right),
        derivation.new(join.right),
    )
    if join.equalities:
        rows = changed_keys(join, theirs, replace(change, relation=changed), derivation)
        left, old, new = (
            restrict_side(rows, mine, left),
            restrict_side(rows, theirs, old),
            restrict_side(rows, theirs, new),
        )
    else:
        left = _semi_join(join, left, changed)
    return _MetRows(derivation.share(left), old, new, changed)


def _join_both_ends(join: Join, met: _MetRows) -> Change:
    """Join the left rows to the right side after, less the join to the right side before."""
    old, new = (replace(join, left=met.left, right=each) for each in (met.old, met.new))
    return Change(subtract(old, new), Shape.BOTH)


def _find_flipped_rows(join: Join, change: Change, met: _MetRows) -> Change:
    """Return the left rows with a matching change, and no match at the end without changed rows.

    A semi join gains or loses these rows as the right side does, an anti join the other way.
    """
    came = change.shape is Shape.INSERTS
    meeting = _semi_join(join, met.left, met.changed)
    turned = replace(join, kind=JoinKind.ANTI, left=meeting, right=met.old if came else met.new)
    shape = change.shape if join.kind is JoinKind.SEMI else change.shape.opposite
    return Change(with_weight(turned, shape.weight), shape)


def _semi_join(join: Join, left: Relation, changed: Relation) -> Relation:
    """Return the left rows with a matching change; the condition does not read the weight."""
    return replace(join, kind=JoinKind.SEMI, left=left, right=changed)
