"""Δ(σπ(Q)) = σπ(Δ(Q)): an operator that works row by row is applied to the changed rows."""

from __future__ import annotations

from dataclasses import replace

from icemelt.algebra.expressions import column
from icemelt.algebra.nodes import Filter, Generate, Project, UnionAll
from icemelt.changes.rule import (
    Change,
    Changes,
    Derivation,
    project_columns,
    union_all,
    with_weight,
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
    """Return the changes of a projection; the weight is passed through."""
    (change,) = changes
    if change is None:
        return None
    weight = column(change.relation.width - 1)
    return Change(project_columns(change.relation, (*project.expressions, weight)), change.shape)


def differentiate_filter(filter_: Filter, changes: Changes, _: Derivation) -> Change | None:
    """Return the changes of a filter."""
    (change,) = changes
    if change is None:
        return None
    return Change(Filter(change.relation, filter_.condition), change.shape)


def differentiate_generate(generate: Generate, changes: Changes, _: Derivation) -> Change | None:
    """Return the changes of generated rows; the weight of a row goes to the rows made from it."""
    (change,) = changes
    if change is None:
        return None
    made = replace(generate, input=change.relation)
    return Change(with_weight_last(made, change.relation.width - 1), change.shape)


def differentiate_union_all(
    union: UnionAll, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of all inputs together.

    An input without changes adds no rows, but still decides the types of columns.

    Args:
        union: the union.
        changes: the changes of the inputs.
        derivation: the state of the plan.
    """
    shape = Shape.EMPTY
    parts = []
    for each, change in zip(union.inputs, changes, strict=True):
        if change is not None:
            shape |= change.shape
            parts.append(change.relation)
        else:
            parts.append(with_weight(derivation.nothing_of(each), "0"))
    return Change(union_all(parts), shape)
