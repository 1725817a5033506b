"""Δ(L ▷ R) = ΔL ▷ R₁ + (L₀ ▷ R₁ − L₀ ▷ R₀): linear in the side whose rows are kept or dropped.

A changed row of the left, also one whose key is NULL, is joined to what is there after. A change of
the right matters to the rows of L₀ that meet it: these are joined to both ends. Where rows only
came or only went, semi and anti joins read one end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.expressions import columns
from icemelt.algebra.nodes import Join, JoinKind, Project, Relation
from icemelt.changes.rule import Change, Changes, Derivation, signed, together, weighted
from icemelt.changes.rules.joining import changed_keys, joined_to_left, read_by, sides
from icemelt.changes.shape import Shape

__all__ = ["differentiate_preserving_join", "differentiate_right_join"]


def differentiate_preserving_join(
    join: Join, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of a left, semi or anti join."""
    left, right = changes
    made, shape = [], Shape.EMPTY
    if left is not None:
        made.append(joined_to_left(join, left, derivation))
        shape |= left.shape
    if right is not None:
        met = _met(join, right, derivation)
        one_way = right.shape is not Shape.BOTH and join.kind is not JoinKind.LEFT
        found = _turned(join, right, met) if one_way else _anew(join, met)
        made.append(found.relation)
        shape |= found.shape
    return Change(together(made), shape, sides(join)[0].expressions) if made else None


def differentiate_right_join(join: Join, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of a right join: those of the left join that it mirrors."""
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
class _Met:
    """The old rows of the left that changes of the right can matter to; both ends of the right."""

    left: Relation
    old: Relation
    new: Relation
    changed: Relation


def _met(join: Join, change: Change, derivation: Derivation) -> _Met:
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
            read_by(rows, mine, left),
            read_by(rows, theirs, old),
            read_by(rows, theirs, new),
        )
    else:
        left = _semi(join, left, changed)
    return _Met(derivation.share(left), old, new, changed)


def _anew(join: Join, met: _Met) -> Change:
    """Join to both ends."""
    old, new = (replace(join, left=met.left, right=each) for each in (met.old, met.new))
    return Change(signed(old, new), Shape.BOTH)


def _turned(join: Join, change: Change, met: _Met) -> Change:
    """Take the rows that meet a change, and nothing at the end that has no changed row."""
    came = change.shape is Shape.INSERTS
    meeting = _semi(join, met.left, met.changed)
    turned = replace(join, kind=JoinKind.ANTI, left=meeting, right=met.old if came else met.new)
    shape = change.shape if join.kind is JoinKind.SEMI else change.shape.flipped
    return Change(weighted(turned, shape.weight), shape)


def _semi(join: Join, left: Relation, changed: Relation) -> Relation:
    """Return the rows that meet changed ones; the weight behind those is not read."""
    return replace(join, kind=JoinKind.SEMI, left=left, right=changed)
