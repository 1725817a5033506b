"""Random relations and tables for the laws, over small numbers with duplicates and NULLs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from icemelt.algebra.expressions import Expression, column
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

SOURCES = ("t", "u")
VALUES = st.sampled_from([None, 0, 1, 2])
ROW = st.tuples(VALUES, VALUES)


@st.composite
def tables(draw: st.DrawFn) -> dict[tuple[str, Pin], dict[int, tuple[Any, ...]]]:
    """Two tables of two columns, before and after: some rows stay, some change, come or go."""
    made: dict[tuple[str, Pin], dict[int, tuple[Any, ...]]] = {}
    for source in SOURCES:
        old = draw(st.dictionaries(st.integers(0, 3), ROW, max_size=4))
        new = {number: row for number, row in old.items() if draw(st.integers(0, 3))}
        changed = {number: draw(ROW) for number in new if not draw(st.integers(0, 2))}
        come = draw(st.dictionaries(st.integers(4, 6), ROW, max_size=2))
        made[source, Pin.OLD] = old
        made[source, Pin.NEW] = {**new, **changed, **come}
    return made


def scalars(width: int) -> st.SearchStrategy[Expression]:
    """Return expressions over some columns."""
    numbers = st.integers(0, width - 1)
    return st.one_of(
        numbers.map(column),
        st.tuples(numbers, numbers).map(lambda two: Expression((two[0], " + ", two[1]))),
    )


def conditions(width: int) -> st.SearchStrategy[Expression]:
    """Return conditions over some columns."""
    numbers = st.integers(0, width - 1)
    signs = st.sampled_from([" = ", " > "])
    return st.tuples(numbers, signs, numbers).map(Expression)


def aggregates(width: int) -> st.SearchStrategy[Expression]:
    """Return aggregates over some columns."""
    names = st.sampled_from(["sum", "count", "max"])
    numbers = st.integers(0, width - 1)
    return st.tuples(names, numbers).map(lambda two: Expression((f"{two[0]}(", two[1], ")")))


@st.composite
def relations(draw: st.DrawFn, depth: int = 3) -> Relation:
    """A random relation."""
    if depth == 0 or not draw(st.integers(0, 4)):
        if not draw(st.integers(0, 5)):
            one = st.integers(0, 2).map(lambda number: (Expression((str(number),)),) * 2)
            return Values(tuple(draw(st.lists(one, min_size=1, max_size=2))))
        return Scan(draw(st.sampled_from(SOURCES)), ("a", "b"))
    kind = draw(st.sampled_from(_KINDS))
    return draw(kind(depth - 1))


@st.composite
def projects(draw: st.DrawFn, depth: int) -> Relation:
    inner = draw(relations(depth))
    return Project(inner, tuple(draw(st.lists(scalars(inner.width), min_size=1, max_size=3))))


@st.composite
def filters(draw: st.DrawFn, depth: int) -> Relation:
    inner = draw(relations(depth))
    return Filter(inner, draw(conditions(inner.width)))


@st.composite
def joins(draw: st.DrawFn, depth: int) -> Relation:
    left, right = draw(relations(depth)), draw(relations(depth))
    pairs = st.tuples(scalars(left.width), scalars(right.width))
    equalities = tuple(draw(st.lists(pairs, max_size=2)))
    residual = draw(st.none() | conditions(left.width + right.width))
    kind = draw(st.sampled_from(JoinKind))
    return Join(kind, left, right, equalities, residual, null_safe=draw(st.booleans()))


@st.composite
def groups(draw: st.DrawFn, depth: int) -> Relation:
    inner = draw(relations(depth))
    keys = tuple(draw(st.lists(scalars(inner.width), max_size=2)))
    least = 0 if keys else 1
    return Aggregate(
        inner, keys, tuple(draw(st.lists(aggregates(inner.width), min_size=least, max_size=2)))
    )


@st.composite
def windows(draw: st.DrawFn, depth: int) -> Relation:
    inner = draw(relations(depth))
    partition = tuple(draw(st.lists(scalars(inner.width), max_size=2)))
    over = draw(aggregates(inner.width))
    return Window(inner, partition, (Expression((*over.parts, " OVER (…)")),))


@st.composite
def distincts(draw: st.DrawFn, depth: int) -> Relation:
    return Distinct(draw(relations(depth)))


@st.composite
def pairs_of_one_width(draw: st.DrawFn, depth: int) -> tuple[Relation, Relation]:
    left, right = draw(relations(depth)), draw(relations(depth))
    width = min(left.width, right.width)
    cut = tuple(column(number) for number in range(width))
    return Project(left, cut), Project(right, cut)


@st.composite
def unions(draw: st.DrawFn, depth: int) -> Relation:
    return UnionAll(draw(pairs_of_one_width(depth)))


@st.composite
def set_operations(draw: st.DrawFn, depth: int) -> Relation:
    left, right = draw(pairs_of_one_width(depth))
    kind = draw(st.sampled_from(SetKind))
    return SetOperation(kind, left, right, every=draw(st.booleans()))


@st.composite
def generates(draw: st.DrawFn, depth: int) -> Relation:
    inner = draw(relations(depth))
    number = draw(st.integers(0, inner.width - 1))
    return Generate(inner, column(number), 2, outer=draw(st.booleans()))


_KINDS = (
    projects,
    filters,
    joins,
    groups,
    windows,
    distincts,
    unions,
    set_operations,
    generates,
)
