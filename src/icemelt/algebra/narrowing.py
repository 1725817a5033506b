"""Leaves columns that nobody reads out of a relation, from its tables up.

What is not read is not in a table's changes either: these are read from files, and small ones are
brought over whole. An expression that nobody reads is not computed, as in Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, column
from icemelt.algebra.nodes import (
    Aggregate,
    Delta,
    Distinct,
    Ends,
    Filter,
    Generate,
    Join,
    Project,
    Relation,
    Scan,
    SetOperation,
    Shared,
    UnionAll,
    Values,
    Window,
)

__all__ = ["narrowed"]


def narrowed(relation: Relation) -> Relation:
    """Return a relation of the same columns, with no other below it than those that are read.

    >>> from icemelt.algebra.nodes import explain
    >>> kept = Filter(Scan("t", ("a", "b", "c"), with_id=True), Expression((2, " > 0")))
    >>> print(explain(narrowed(Project(kept, (column(1), column(3))))))
    Project (#0, #2)
      Filter #1 > 0
        Scan t(b, c, row id)
    """
    return _exactly(relation, range(relation.width))


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is left of a relation; `places` says where its columns of before are."""

    relation: Relation
    places: Mapping[int, int]

    def moved(self, expressions: Iterable[Expression]) -> tuple[Expression, ...]:
        """Return expressions over what is left."""
        return tuple(each.mapped(self.places.__getitem__) for each in expressions)


def _kept(relation: Relation, read: Iterable[int]) -> _Kept:
    """Return what is left where some columns are read; it has others too where they cost little."""
    numbers = sorted(set(read)) or [0]
    match relation:
        case Scan():
            return _of_scan(relation, numbers)
        case Project(inner, expressions):
            chosen = [expressions[number] for number in numbers]
            kept = _kept(inner, _columns(chosen))
            return _Kept(Project(kept.relation, kept.moved(chosen)), _in_order(numbers))
        case Filter(inner, condition):
            kept = _kept(inner, {*numbers, *condition.columns})
            (moved,) = kept.moved([condition])
            return replace(kept, relation=Filter(kept.relation, moved))
        case Join():
            return _of_join(relation, numbers)
        case Aggregate():
            return _of_aggregate(relation, numbers)
        case Window(functions=functions):
            return _of_window(relation, numbers, functions)
        case Generate(inner, function):
            return _of_generate(relation, _kept_for(inner, numbers, [function]))
        case UnionAll(inputs):
            made = UnionAll(tuple(_exactly(each, numbers) for each in inputs))
            return _Kept(made, _in_order(numbers))
        case _:
            return _Kept(_whole(relation), _in_order(range(relation.width)))


def _exactly(relation: Relation, numbers: Iterable[int]) -> Relation:
    """Return some columns of a relation, in this order."""
    numbers = list(numbers)
    kept = _kept(relation, numbers)
    places = [kept.places[number] for number in numbers]
    if places == list(range(kept.relation.width)):
        return kept.relation
    return Project(kept.relation, tuple(map(column, places)))


def _whole(relation: Distinct | SetOperation | Values | Delta | Ends | Shared) -> Relation:
    """Return a node that reads all columns of its inputs."""
    match relation:
        case Distinct(inner):
            return Distinct(narrowed(inner))
        case SetOperation(left=left, right=right):
            return replace(relation, left=narrowed(left), right=narrowed(right))
    return relation


def _of_scan(scan: Scan, numbers: list[int]) -> _Kept:
    names = tuple(scan.columns[number] for number in numbers if number < len(scan.columns))
    made = replace(scan, columns=names, with_id=numbers[-1] == len(scan.columns))
    return _Kept(made, _in_order(numbers))


def _of_join(join: Join, numbers: list[int]) -> _Kept:
    start = join.left.width
    beside = () if join.residual is None else join.residual.columns
    read = {*numbers, *beside}
    mine, theirs = zip(*join.equalities, strict=True) if join.equalities else ((), ())
    left = _kept(join.left, {n for n in read if n < start} | _columns(mine))
    right = _kept(join.right, {n - start for n in read if n >= start} | _columns(theirs))
    width = left.relation.width
    places = dict(left.places) | {
        start + number: width + place for number, place in right.places.items()
    }
    residual = join.residual and join.residual.mapped(places.__getitem__)
    pairs = tuple(zip(left.moved(mine), right.moved(theirs), strict=True))
    made = replace(
        join, left=left.relation, right=right.relation, equalities=pairs, residual=residual
    )
    return _Kept(made, places)


def _of_aggregate(aggregate: Aggregate, numbers: list[int]) -> _Kept:
    start = len(aggregate.keys)
    at = [number - start for number in numbers if number >= start]
    made = [aggregate.aggregates[each] for each in at]
    linear = [aggregate.linear[each] for each in at] if aggregate.linear else []
    arguments = [each.argument for each in linear if each is not None]
    kept = _kept(aggregate.input, _columns((*aggregate.keys, *made, *arguments)))
    moved = iter(kept.moved(arguments))
    relation = Aggregate(
        kept.relation,
        kept.moved(aggregate.keys),
        kept.moved(made),
        tuple(each and replace(each, argument=next(moved)) for each in linear),
    )
    return _Kept(relation, _in_order([*range(start), *(start + each for each in at)]))


def _of_window(window: Window, numbers: list[int], functions: tuple[Expression, ...]) -> _Kept:
    start = window.input.width
    at = [number - start for number in numbers if number >= start]
    if not at:
        return _kept(window.input, numbers)
    made = [functions[each] for each in at]
    kept = _kept_for(window.input, numbers, (*window.partition, *made))
    width = kept.relation.width
    relation = replace(
        window,
        input=kept.relation,
        partition=kept.moved(window.partition),
        functions=kept.moved(made),
    )
    behind = {start + each: width + place for place, each in enumerate(at)}
    return _Kept(relation, dict(kept.places) | behind)


def _of_generate(generate: Generate, kept: _Kept) -> _Kept:
    start, width = generate.input.width, kept.relation.width
    (function,) = kept.moved([generate.function])
    made = replace(generate, input=kept.relation, function=function)
    behind = {start + each: width + each for each in range(generate.made)}
    return _Kept(made, dict(kept.places) | behind)


def _kept_for(inner: Relation, numbers: list[int], beside: Iterable[Expression]) -> _Kept:
    """Return what is left of an input that is handed on, and that expressions read beside."""
    return _kept(inner, {n for n in numbers if n < inner.width} | _columns(beside))


def _columns(expressions: Iterable[Expression]) -> set[int]:
    return {number for each in expressions for number in each.columns}


def _in_order(numbers: Iterable[int]) -> dict[int, int]:
    return {number: place for place, number in enumerate(numbers)}
