"""Column pruning: removes unread columns from a relation, down to the tables.

A pruned column is not read from the files of a table's changes either, and small changes are
collected whole. As in Spark, an unread expression is not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import column
from icemelt.algebra.graph import walk
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
    nodes = list(walk(relation))
    read: dict[int, set[int]] = {id(node): set() for node in nodes}
    read[id(relation)].update(range(relation.width))
    for node in reversed(nodes):
        for below, numbers in zip(node.inputs, _read_of_inputs(node, read[id(node)]), strict=True):
            read[id(below)].update(numbers)
    kept: dict[int, _Pruned] = {}
    for node in nodes:
        numbers = sorted(read[id(node)]) or [0]
        kept[id(node)] = _prune(node, numbers, lambda each: kept[id(each)])
    return _select_columns(kept[id(relation)], range(relation.width))


@dataclass(frozen=True, slots=True)
class _Pruned:
    """A pruned relation. `places` maps an old column number to the number in `relation`."""

    relation: Relation
    places: Mapping[int, int]


_Kept = Callable[[Relation], _Pruned]


def _read_of_inputs(relation: Relation, read: Collection[int]) -> list[Iterable[int]]:
    """Return the columns that a node reads of each input, so that the node has those in `read`."""
    match relation:
        case Project() | Aggregate() | Window():
            start = 0 if isinstance(relation, Project | Aggregate) else relation.input.width
            numbers = sorted(read) or [0]
            if isinstance(relation, Window) and numbers[-1] < start:
                return [numbers]
            chosen = _choose(relation, numbers)
            own = {each for expression in chosen.expressions for each in expression.columns}
            return [own | {number for number in numbers if number < start}]
        case Filter() | Generate() | Join():
            numbers_of_inputs = _columns_read(relation, read or [0])
            return [*_split_by_input(relation, numbers_of_inputs)]
        case UnionAll():
            return [read or [0]] * len(relation.inputs)
        case _:
            return [range(each.width) for each in relation.inputs]


def _prune(relation: Relation, numbers: list[int], kept: _Kept) -> _Pruned:
    """Return a relation with at least the columns in `numbers`; a cheap unread column may stay.

    Args:
        relation: the relation.
        numbers: the columns that readers of the relation read, in order.
        kept: gives the pruned inputs.
    """
    match relation:
        case Scan():
            return _prune_scan(relation, numbers)
        case Project():
            chosen = _choose(relation, numbers)
            return _Pruned(_prune_inputs(chosen, kept).relation, _positions(numbers))
        case Aggregate(keys=keys):
            at = [number for number in numbers if number >= len(keys)]
            made = _prune_inputs(_choose(relation, numbers), kept).relation
            return _Pruned(made, _positions([*range(len(keys)), *at]))
        case Window():
            return _prune_window(relation, numbers, kept)
        case Filter() | Generate() | Join():
            return _prune_inputs(relation, kept)
        case UnionAll():
            made = relation.map_inputs(lambda each: _select_columns(kept(each), numbers))
            return _Pruned(made, _positions(numbers))
        case _:
            # of other nodes nothing is known but that they have their inputs' columns
            made = relation.map_inputs(lambda each: _select_columns(kept(each), range(each.width)))
            return _Pruned(made, _positions(range(relation.width)))


def _choose(
    relation: Project | Aggregate | Window, numbers: Sequence[int]
) -> Project | Aggregate | Window:
    """Return a node with those expressions alone that compute the columns in `numbers`."""
    match relation:
        case Project(expressions=expressions):
            return replace(relation, expressions=tuple(expressions[each] for each in numbers))
        case Aggregate(keys=keys, linear=linear):
            at = [number - len(keys) for number in numbers if number >= len(keys)]
            return replace(
                relation,
                aggregates=tuple(relation.aggregates[each] for each in at),
                linear=tuple(linear[each] for each in at) if linear else (),
            )
        case Window(functions=functions):
            start = relation.input.width
            chosen = tuple(functions[number - start] for number in numbers if number >= start)
            return replace(relation, functions=chosen)


def _columns_read(relation: Relation, numbers: Iterable[int]) -> set[int]:
    """Return the columns of its inputs that a node reads, and those in `numbers`."""
    read = {each for expression in relation.expressions for each in expression.columns}
    return read.union(numbers)


def _split_by_input(relation: Relation, numbers: Collection[int]) -> Iterator[set[int]]:
    """Yield the columns of each input, numbered in the input."""
    start = 0
    for each in relation.inputs:
        yield {number - start for number in numbers if start <= number < start + each.width}
        start += each.width


def _prune_inputs(relation: Relation, kept: _Kept) -> _Pruned:
    """Return a node over pruned inputs.

    The inputs' columns are the node's first columns; columns added by the node follow.
    """
    inputs: list[Relation] = []
    places: dict[int, int] = {}
    start = wide = 0
    for each in relation.inputs:
        pruned = kept(each)
        places |= {start + number: wide + place for number, place in pruned.places.items()}
        inputs.append(pruned.relation)
        start, wide = start + each.width, wide + pruned.relation.width
    made = relation.remap_columns(inputs, places.__getitem__)
    behind = {start + at: wide + at for at in range(relation.width - start)}
    return _Pruned(made, places | behind)


def _select_columns(pruned: _Pruned, numbers: Iterable[int]) -> Relation:
    """Return a relation with exactly the columns in `numbers`, in this order."""
    places = [pruned.places[number] for number in numbers]
    if places == list(range(pruned.relation.width)):
        return pruned.relation
    return Project(pruned.relation, tuple(map(column, places)))


def _prune_scan(scan: Scan, numbers: list[int]) -> _Pruned:
    names = tuple(scan.columns[number] for number in numbers if number < len(scan.columns))
    made = replace(scan, columns=names, with_id=numbers[-1] == len(scan.columns))
    return _Pruned(made, _positions(numbers))


def _prune_window(window: Window, numbers: list[int], kept: _Kept) -> _Pruned:
    start = window.input.width
    at = [number - start for number in numbers if number >= start]
    if not at:
        return kept(window.input)
    pruned = _prune_inputs(_choose(window, numbers), kept)
    behind = {start + each: pruned.places[start + place] for place, each in enumerate(at)}
    return replace(pruned, places={n: p for n, p in pruned.places.items() if n < start} | behind)


def _positions(numbers: Iterable[int]) -> dict[int, int]:
    return {number: place for place, number in enumerate(numbers)}
