"""Walks over relations: their leaves, and the same node over other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from icemelt.algebra.nodes import (
    Delta,
    Ends,
    Join,
    Relation,
    Scan,
    SetOperation,
    Shared,
    UnionAll,
    Values,
)

__all__ = ["leaves", "with_inputs"]


def leaves(relation: Relation) -> Iterator[Scan | Delta | Ends | Shared | Values]:
    """Give the relations without inputs, from left to right.

    >>> [str(leaf) for leaf in leaves(UnionAll((Scan("t", ("a",)), Scan("u", ("b",)))))]
    ['Scan t(a)', 'Scan u(b)']
    """
    match relation:
        case Scan() | Delta() | Ends() | Shared() | Values():
            yield relation
        case _:
            for each in relation.inputs:
                yield from leaves(each)


def with_inputs(relation: Relation, changed: Callable[[Relation], Relation]) -> Relation:
    """Return a node over its inputs as something makes them; one without inputs as it is.

    >>> both = UnionAll((Scan("t", ("a",)), Scan("u", ("b",))))
    >>> with_inputs(both, lambda each: Scan("v", ("c",))).inputs[1].source
    'v'
    """
    match relation:
        case Scan() | Delta() | Ends() | Shared() | Values():
            return relation
        case Join() | SetOperation():
            return replace(relation, left=changed(relation.left), right=changed(relation.right))
        case UnionAll(inputs):
            return UnionAll(tuple(map(changed, inputs)))
        case _:
            return replace(relation, input=changed(relation.input))
