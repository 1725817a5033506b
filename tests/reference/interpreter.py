"""Evaluates relations on lists of tuples; `expressions.py` says what expressions it knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Aggregate,
    BothEndsScan,
    Delta,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    Pin,
    Project,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Shared,
    UnionAll,
    Values,
    Window,
)
from icemelt.changes.differentiation import Derivative, min_delta
from icemelt.changes.rules.linear_aggregate import WEIGHTS
from icemelt.changes.shape import Shape
from reference.expressions import Row, function, value


@dataclass
class Tables:
    """What there is to read.

    `ends` has the rows of each table by row id at both moments, `deltas` each table's changes,
    `shapes` what is said of these, and `shared` the relations that plans compute once. All tables
    have the same `columns`.
    """

    ends: dict[tuple[str, Pin], dict[int, Row]]
    deltas: dict[str, list[Row]] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    shared: dict[str, list[Row]] = field(default_factory=dict)
    columns: tuple[str, ...] = ("a", "b")

    def chosen(self, row: Row, names: Sequence[str]) -> Row:
        """Return the columns with these names, and all that stands behind the columns."""
        own = [row[self.columns.index(name)] for name in names]
        return (*own, *row[len(self.columns) :])

    def marked(self, source: str) -> list[tuple[Row, int]]:
        """Return a table's rows with their ids, and the ends of each: those with a change apart."""
        deltas = self.deltas[source]
        changed = {row[-2] for row in deltas}
        stays = [(*row, n) for n, row in self.ends[source, Pin.NEW].items() if n not in changed]
        ends = [(row[:-1], 1 if row[-1] < 0 else 2) for row in deltas]
        return [*((row, 3) for row in stays), *ends]


def evaluate_derived(derived: Derivative, tables: Tables) -> list[Row]:
    """Return the min-delta of changes, computing first what they share."""
    relation = min_delta(derived)
    if relation is None:
        return []
    return evaluate(relation, with_shared(derived, tables))


def with_shared(derived: Derivative, tables: Tables) -> Tables:
    """Return tables with what changes share computed, in the order in which it is said."""
    known = replace(tables, shared={})
    for name, relation in derived.shared:
        known.shared[name] = evaluate(relation, known)
    return known


def evaluate(relation: Relation, tables: Tables) -> list[Row]:
    """Return a relation's rows."""
    match relation:
        case Scan(source, names, pin, with_id):
            rows = tables.ends[source, pin].items()
            return [tables.chosen((*row, n) if with_id else row, names) for n, row in rows]
        case Delta(source, names):
            return [tables.chosen(row, names) for row in tables.deltas[source]]
        case BothEndsScan(source, names, with_id):
            rows = tables.marked(source)
            return [
                (*tables.chosen(row[: None if with_id else -1], names), end) for row, end in rows
            ]
        case Shared(name):
            return tables.shared[name]
        case Values(rows):
            return [tuple(value(each, ()) for each in row) for row in rows]
        case Join(left=left, right=right):
            return _join(relation, evaluate(left, tables), evaluate(right, tables))
        case UnionAll(inputs):
            return [row for each in inputs for row in evaluate(each, tables)]
        case SetOperation(left=left, right=right):
            return _set(relation, evaluate(left, tables), evaluate(right, tables))
        case _:
            return _of_one(relation, evaluate(relation.input, tables))


def _of_one(
    relation: Project | Filter | Aggregate | Window | Distinct | Generate, rows: list[Row]
) -> list[Row]:
    match relation:
        case Project(_, expressions):
            return [tuple(value(each, row) for each in expressions) for row in rows]
        case Filter(_, condition):
            return [row for row in rows if value(condition, row) is True]
        case Aggregate(_, keys, aggregates, _):
            return _aggregate(rows, keys, aggregates)
        case Window(_, partition, functions):
            return _window(rows, partition, functions)
        case Distinct():
            return list(dict.fromkeys(rows))
        case Generate(_, made_of, made, outer):
            return _generate(rows, made_of, made, outer=outer)


def _join(join: Join, left: list[Row], right: list[Row]) -> list[Row]:
    ours, theirs = (
        [tuple(value(pair[side], row) for pair in join.equalities) for row in rows]
        for side, rows in enumerate((left, right))
    )

    def meets(i: int, j: int) -> bool:
        if ours[i] != theirs[j] or (None in ours[i] and not join.null_safe):
            return False
        return join.residual is None or value(join.residual, (*left[i], *right[j])) is True

    pairs = [(i, j) for i in range(len(left)) for j in range(len(right)) if meets(i, j)]
    with_left, with_right = {i for i, _ in pairs}, {j for _, j in pairs}
    if join.kind is JoinKind.SEMI:
        return [row for i, row in enumerate(left) if i in with_left]
    if join.kind is JoinKind.ANTI:
        return [row for i, row in enumerate(left) if i not in with_left]
    rows = [(*left[i], *right[j]) for i, j in pairs]
    if join.kind in {JoinKind.LEFT, JoinKind.FULL}:
        nulls = (None,) * join.right.width
        rows += [(*row, *nulls) for i, row in enumerate(left) if i not in with_left]
    if join.kind in {JoinKind.RIGHT, JoinKind.FULL}:
        nulls = (None,) * join.left.width
        rows += [(*nulls, *row) for j, row in enumerate(right) if j not in with_right]
    return rows


def _aggregate(
    rows: list[Row], keys: Sequence[Expression], aggregates: Sequence[Expression]
) -> list[Row]:
    groups: dict[Row, list[Row]] = {} if keys else {(): []}
    for row in rows:
        groups.setdefault(tuple(value(key, row) for key in keys), []).append(row)
    return [
        (*key, *(_folded(str(each), group) for each in aggregates)) for key, group in groups.items()
    ]


def _folded(written: str, rows: list[Row]) -> Any:
    name, argument = function(written)
    values = [each for row in rows if (each := argument(row)) is not None]
    if name == "bit_or":
        return reduce(or_, values) if values else None
    if name == "count":
        return len(values)
    return (sum(values) if name == "sum" else max(values)) if values else None


def _window(
    rows: list[Row], partition: Sequence[Expression], functions: Sequence[Expression]
) -> list[Row]:
    groups: dict[Row, list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(tuple(value(each, row) for each in partition), []).append(index)
    made: dict[int, list[Any]] = {index: [] for index in range(len(rows))}
    for each in functions:
        name, over = str(each).split(" OVER ")
        beyond = over.endswith(" > 1")
        for indexes in groups.values():
            group = [rows[index] for index in indexes]
            for number, index in enumerate(indexes, start=1):
                found = number if name == "row_number()" else _folded(name, group)
                made[index].append(found > 1 if beyond else found)
    return [(*row, *made[index]) for index, row in enumerate(rows)]


def _set(operation: SetOperation, left: list[Row], right: list[Row]) -> list[Row]:
    if not operation.all:
        there = set(right)
        keeps = operation.kind is SetKind.INTERSECT
        return [row for row in dict.fromkeys(left) if (row in there) is keeps]
    ours, theirs = Counter(left), Counter(right)
    kept = ours - theirs if operation.kind is SetKind.EXCEPT else ours & theirs
    return list(kept.elements())


def _generate(rows: list[Row], made_of: Expression, made: int, *, outer: bool) -> list[Row]:
    """The function is a column: a row for each number below its value, twice it beside it.

    Or it is that of UNPIVOT, which gives places and values; that of the rules, which gives both
    weights; or that which takes both ends apart.
    """
    if str(made_of).startswith("SELECT posexplode(array(#"):
        listed = [part for part in made_of.parts if isinstance(part, int)]
        return [(*row, at, row[number]) for row in rows for at, number in enumerate(listed)]
    if str(made_of).startswith("SELECT explode(if("):
        at = made_of.columns
        ends = [(row, row[min(at)]) for row in rows]
        return [(*row, n) for row, end in ends for n in ((1, 2) if end == 3 else (end,))]
    if made_of == WEIGHTS:
        return [(*row, *weight) for row in rows for weight in ((0, -1), (1, 1))]
    result: list[Row] = []
    for row in rows:
        count = value(made_of, row) or 0
        result += [(*row, *(number, number * 2)[:made]) for number in range(count)]
        if count <= 0 and outer:
            result.append((*row, *(None,) * made))
    return result
