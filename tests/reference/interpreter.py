"""Evaluates relations on lists of tuples.

Its expressions are a small fixed set, written as Spark would: a column, a number, NULL, `#0 + #1`,
`#0 > 1`, `#0 = #1`, `sum(#0)`, `count(#0)`, `count(1)`, `max(#0)` and `row_number() OVER (…)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Aggregate,
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
    UnionAll,
    Values,
    Window,
)

Row = tuple[Any, ...]
Tables = Mapping[tuple[str, Pin], Mapping[int, Row]]
_AGGREGATE = re.compile(r"(sum|count|max)\((.*)\)")
_BINARY = re.compile(r"(.+) (\+|>|=|<>|<=>) (.+)")


def evaluate(relation: Relation, tables: Tables) -> list[Row]:
    """Return a relation's rows; `tables` has the rows of each by row id, at both moments."""
    match relation:
        case Scan(source, _, pin, with_id):
            rows = tables[source, pin].items()
            return [(*row, number) if with_id else row for number, row in rows]
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
        case Aggregate(_, keys, aggregates):
            return _aggregate(rows, keys, aggregates)
        case Window(_, partition, functions):
            return _window(rows, partition, functions)
        case Distinct():
            return list(dict.fromkeys(rows))
        case Generate(_, function, made, outer):
            return _generate(rows, function, made, outer=outer)


def value(expression: Expression, row: Row) -> Any:
    """Return an expression's value; NULL in, NULL out, but for `<=>`."""
    written = expression.written(lambda number: f"#{number}")
    return _value(written, row)


def _value(written: str, row: Row) -> Any:
    if re.fullmatch(r"#\d+", written):
        return row[int(written[1:])]
    if written == "NULL":
        return None
    if re.fullmatch(r"-?\d+", written):
        return int(written)
    found = _BINARY.fullmatch(written)
    if found is None:
        raise AssertionError(written)
    left, right = _value(found[1], row), _value(found[3], row)
    if found[2] == "<=>":
        return left == right
    if left is None or right is None:
        return None
    operations: dict[str, Callable[[Any, Any], Any]] = {
        "+": lambda a, b: a + b,
        ">": lambda a, b: a > b,
        "=": lambda a, b: a == b,
        "<>": lambda a, b: a != b,
    }
    return operations[found[2]](left, right)


def _join(join: Join, left: list[Row], right: list[Row]) -> list[Row]:
    def meets(one: Row, other: Row) -> bool:
        for mine, theirs in join.equalities:
            a, b = value(mine, one), value(theirs, other)
            if a != b or (a is None and not join.null_safe):
                return False
        return join.residual is None or value(join.residual, (*one, *other)) is True

    pairs = [(i, j) for i, one in enumerate(left) for j, two in enumerate(right) if meets(one, two)]
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
    found = _AGGREGATE.fullmatch(written)
    if found is None:
        raise AssertionError(written)
    values = [each for row in rows if (each := _value(found[2], row)) is not None]
    if found[1] == "count":
        return len(values)
    return (sum(values) if found[1] == "sum" else max(values)) if values else None


def _window(
    rows: list[Row], partition: Sequence[Expression], functions: Sequence[Expression]
) -> list[Row]:
    groups: dict[Row, list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(tuple(value(each, row) for each in partition), []).append(index)
    made: dict[int, list[Any]] = {index: [] for index in range(len(rows))}
    for function in functions:
        name, over = str(function).split(" OVER ")
        beyond = over.endswith(" > 1")
        for indexes in groups.values():
            group = [rows[index] for index in indexes]
            for number, index in enumerate(indexes, start=1):
                found = number if name == "row_number()" else _folded(name, group)
                made[index].append(found > 1 if beyond else found)
    return [(*row, *made[index]) for index, row in enumerate(rows)]


def _set(operation: SetOperation, left: list[Row], right: list[Row]) -> list[Row]:
    if not operation.every:
        there = set(right)
        keeps = operation.kind is SetKind.INTERSECT
        return [row for row in dict.fromkeys(left) if (row in there) is keeps]
    ours, theirs = Counter(left), Counter(right)
    kept = ours - theirs if operation.kind is SetKind.EXCEPT else ours & theirs
    return list(kept.elements())


def _generate(rows: list[Row], function: Expression, made: int, *, outer: bool) -> list[Row]:
    """The function is a column: a row for each number below its value, twice it beside it."""
    result: list[Row] = []
    for row in rows:
        count = value(function, row) or 0
        result += [(*row, *(number, number * 2)[:made]) for number in range(count)]
        if count <= 0 and outer:
            result.append((*row, *(None,) * made))
    return result
