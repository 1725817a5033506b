"""Δ(σπ(Q)) = σπ(Δ(Q)): what is made of each row alone is made of each changed row alone."""

from __future__ import annotations

from dataclasses import replace

from icemelt.algebra.expressions import column
from icemelt.algebra.nodes import Filter, Generate, Project, UnionAll
from icemelt.changes.rule import (
    Change,
    Changes,
    Derivation,
    projected,
    together,
    weighted,
    with_weight_last,
)
from icemelt.changes.shape import Shape

__all__ = [
    "differentiate_filter",
    "differentiate_generate",
    "differentiate_project",
    "differentiate_union_all",
]


def differentiate_project(project: Project, changes: Changes, _: Derivation) -> Change | None:
    """Return the changes of a projection: the weight goes along."""
    (change,) = changes
    if change is None:
        return None
    weight = column(change.relation.width - 1)
    return Change(projected(change.relation, (*project.expressions, weight)), change.shape)


def differentiate_filter(filter_: Filter, changes: Changes, _: Derivation) -> Change | None:
    """Return the changes of a filter."""
    (change,) = changes
    if change is None:
        return None
    return Change(Filter(change.relation, filter_.condition), change.shape)


def differentiate_generate(generate: Generate, changes: Changes, _: Derivation) -> Change | None:
    """Return the changes of generated rows."""
    (change,) = changes
    if change is None:
        return None
    made = replace(generate, input=change.relation)
    return Change(with_weight_last(made, change.relation.width - 1), change.shape)


def differentiate_union_all(
    union: UnionAll, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of all inputs together; one without changes still has its say on types."""
    shape = Shape.EMPTY
    parts = []
    for each, change in zip(union.inputs, changes, strict=True):
        if change is not None:
            shape |= change.shape
            parts.append(change.relation)
        else:
            parts.append(weighted(derivation.nothing_of(each), "0"))
    return Change(together(parts), shape)
