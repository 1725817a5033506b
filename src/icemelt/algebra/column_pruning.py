"""Column pruning: removes unread columns from a relation, down to the tables.

A pruned column is not read from the files of a table's changes either, and small changes are
collected whole. As in Spark, an unread expression is not computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import column
from icemelt.algebra.nodes import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Project,
    Relation,
    Scan,
    UnionAll,
    Window,
)

__all__ = ["prune_columns"]


def prune_columns(relation: Relation) -> Relation:
    """Return a relation with the same columns, over pruned inputs.

    >>> from icemelt.algebra.expressions import Expression
    >>> from icemelt.algebra.nodes import explain
    >>> kept = Filter(Scan("t", ("a", "b", "c"), with_id=True), Expression((2, " > 0")))
    >>> print(explain(prune_columns(Project(kept, (column(1), column(3))))))
    Project (#0, #2)
      Filter #1 > 0
        Scan t(b, c, row id)
    """
    return _select_columns(relation, range(relation.width))


@dataclass(frozen=True, slots=True)
class _Pruned:
    """A pruned relation. `places` maps an old column number to the number in `relation`."""

    relation: Relation
    places: Mapping[int, int]


def _prune(relation: Relation, read: Iterable[int]) -> _Pruned:
    """Return a relation with at least the columns in `read`; a cheap unread column may stay."""
    numbers = sorted(set(read)) or [0]
    match relation:
        case Scan():
            return _prune_scan(relation, numbers)
        case Project(expressions=expressions):
            chosen = replace(relation, expressions=tuple(expressions[each] for each in numbers))
            return _Pruned(_prune_inputs(chosen, ()).relation, _positions(numbers))
        case Aggregate():
            return _prune_aggregate(relation, numbers)
        case Window():
            return _prune_window(relation, numbers)
        case Filter() | Generate() | Join():
            return _prune_inputs(relation, numbers)
        case UnionAll():
            made = relation.map_inputs(lambda each: _select_columns(each, numbers))
            return _Pruned(made, _positions(numbers))
        case _:
            # of other nodes nothing is known but that they have their inputs' columns
            return _Pruned(relation.map_inputs(prune_columns), _positions(range(relation.width)))


def _prune_inputs(relation: Relation, numbers: Iterable[int]) -> _Pruned:
    """Return a node over pruned inputs.

    The inputs keep the columns read by the node's expressions, and the columns in `numbers`. The
    inputs' columns are the node's first columns; columns added by the node follow.
    """
    read = {each for expression in relation.expressions for each in expression.columns}
    read |= set(numbers)
    inputs: list[Relation] = []
    places: dict[int, int] = {}
    start = wide = 0
    for each in relation.inputs:
        kept = _prune(each, {n - start for n in read if start <= n < start + each.width})
        places |= {start + number: wide + place for number, place in kept.places.items()}
        inputs.append(kept.relation)
        start, wide = start + each.width, wide + kept.relation.width
    made = relation.remap_columns(inputs, places.__getitem__)
    behind = {start + at: wide + at for at in range(relation.width - start)}
    return _Pruned(made, places | behind)


def _select_columns(relation: Relation, numbers: Iterable[int]) -> Relation:
    """Return a relation with exactly the columns in `numbers`, in this order."""
    numbers = list(numbers)
    kept = _prune(relation, numbers)
    places = [kept.places[number] for number in numbers]
    if places == list(range(kept.relation.width)):
        return kept.relation
    return Project(kept.relation, tuple(map(column, places)))


def _prune_scan(scan: Scan, numbers: list[int]) -> _Pruned:
    names = tuple(scan.columns[number] for number in numbers if number < len(scan.columns))
    made = replace(scan, columns=names, with_id=numbers[-1] == len(scan.columns))
    return _Pruned(made, _positions(numbers))


def _prune_aggregate(aggregate: Aggregate, numbers: list[int]) -> _Pruned:
    start = len(aggregate.keys)
    at = [number - start for number in numbers if number >= start]
    chosen = replace(
        aggregate,
        aggregates=tuple(aggregate.aggregates[each] for each in at),
        linear=tuple(aggregate.linear[each] for each in at) if aggregate.linear else (),
    )
    places = _positions([*range(start), *(start + each for each in at)])
    return _Pruned(_prune_inputs(chosen, ()).relation, places)


def _prune_window(window: Window, numbers: list[int]) -> _Pruned:
    start = window.input.width
    at = [number - start for number in numbers if number >= start]
    if not at:
        return _prune(window.input, numbers)
    functions = tuple(window.functions[each] for each in at)
    kept = _prune_inputs(replace(window, functions=functions), [n for n in numbers if n < start])
    behind = {start + each: kept.places[start + place] for place, each in enumerate(at)}
    return replace(kept, places={n: p for n, p in kept.places.items() if n < start} | behind)


def _positions(numbers: Iterable[int]) -> dict[int, int]:
    return {number: place for place, number in enumerate(numbers)}
