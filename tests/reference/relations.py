"""Random relations and tables for the laws, over small numbers with duplicates and NULLs."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from icemelt.algebra.expressions import Expression, column, text
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    Linear,
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
from icemelt.changes.shape import Shape
from icemelt.sql.lowering.unpivots import unpivot_function
from reference.expressions import Row
from reference.interpreter import Tables

SOURCES = ("t", "u")
SHAPES = (Shape.BOTH, Shape.BOTH, Shape.EMPTY, Shape.INSERTS, Shape.DELETES)
VALUES = (None, 0, 1, 2)
CASES = 10

_LINEAR: dict[str | int, str | None] = {"sum(": "BIGINT", "count(": None}


def randoms() -> st.SearchStrategy[Random]:
    """Return seeded randomness: what is drawn with it is drawn fast."""
    return st.integers(0, 2**32).map(Random)


def tables() -> st.SearchStrategy[Tables]:
    """Two tables of two columns, before and after, and changes of every shape that say so."""
    return randoms().map(random_tables)


def several_tables() -> st.SearchStrategy[list[Tables]]:
    """Several of these: relations are slow to draw, and each is worth more than one case."""
    return randoms().map(lambda random: [random_tables(random) for _ in range(CASES)])


def random_tables(random: Random) -> Tables:
    """Draw two tables: one of some shape each, with rows that stay, change, move, come and go."""
    made = Tables({})
    for source in SOURCES:
        shape = random.choice(SHAPES)
        old = random_rows(random, range(4))
        new = dict(old)
        if shape & Shape.DELETES:
            stays = random.choice([0, 0.5, 0.8])
            new = {number: row for number, row in old.items() if random.random() < stays}
        if shape is Shape.BOTH:
            changed = random_rows(random, range(4))
            new |= {number: row for number, row in changed.items() if number in new}
        if shape & Shape.INSERTS:
            new |= random_rows(random, range(4, 6))
        moved = {number for number in old if shape is Shape.BOTH and random.random() < 0.2}
        made.ends[source, Pin.OLD], made.ends[source, Pin.NEW] = old, new
        made.deltas[source] = delta(old, new, moved)
        made.shapes[source] = shape
    return made


def random_rows(random: Random, numbers: range) -> dict[int, Row]:
    """Draw rows for some of some row ids: all, half or none of them."""
    some = random.choice([0, 0.5, 1])
    chosen = [number for number in numbers if random.random() < some]
    return {number: (random.choice(VALUES), random.choice(VALUES)) for number in chosen}


def delta(old: dict[int, Row], new: dict[int, Row], moved: set[int]) -> list[Row]:
    """Return changes as a change scan gives them: of rows that differ, and of those that moved."""

    def differs(number: int) -> bool:
        return old.get(number) != new.get(number) or number in moved

    went = [(*row, number, -1) for number, row in old.items() if differs(number)]
    came = [(*row, number, 1) for number, row in new.items() if differs(number)]
    return [*went, *came]


def scalars(width: int) -> st.SearchStrategy[Expression]:
    """Return expressions over some columns, and constants."""
    numbers = st.integers(0, width - 1)
    return st.one_of(
        numbers.map(column),
        numbers.map(column),
        st.sampled_from(["0", "1", "NULL"]).map(text),
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


def grouped(
    inner: Relation, keys: tuple[Expression, ...], made: tuple[Expression, ...], *, told: bool
) -> Aggregate:
    """Return groups, with what their aggregates are sums of if that is to be told."""
    linear = []
    for each in made:
        name, number = each.parts[0], each.parts[1]
        is_sum = name in _LINEAR and isinstance(number, int)
        linear.append(Linear(column(number), _LINEAR[name]) if is_sum else None)
    return Aggregate(inner, keys, made, tuple(linear) if told else ())


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
def joins_by_columns(draw: st.DrawFn, depth: int) -> Relation:
    """Two or three tables joined by columns, and often grouped by some: as queries mostly are."""
    made = draw(relations(0))
    for _ in range(draw(st.integers(1, 2))):
        other = draw(relations(min(depth, 1)))
        pairs = st.tuples(picked(made.width), picked(other.width))
        equalities = tuple(draw(st.lists(pairs, min_size=1, max_size=2)))
        made = Join(draw(st.sampled_from(JoinKind)), made, other, equalities)
    keys = tuple(draw(st.lists(picked(made.width), min_size=1, max_size=3)))
    over = draw(aggregates(made.width))
    groups_of = grouped(made, keys, (over,), told=draw(st.booleans()))
    window = Window(made, keys, (Expression((*over.parts, " OVER (…)")),))
    return draw(st.sampled_from([made, groups_of, window, Project(made, keys)]))


def picked(width: int) -> st.SearchStrategy[Expression]:
    return st.integers(0, width - 1).map(column)


@st.composite
def groups(draw: st.DrawFn, depth: int) -> Relation:
    inner = draw(relations(depth))
    keys = tuple(draw(st.lists(scalars(inner.width), max_size=2)))
    least = 0 if keys else 1
    made = tuple(draw(st.lists(aggregates(inner.width), min_size=least, max_size=2)))
    return grouped(inner, keys, made, told=draw(st.booleans()))


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
    return SetOperation(kind, left, right, all=draw(st.booleans()))


@st.composite
def generates(draw: st.DrawFn, depth: int) -> Relation:
    inner = draw(relations(depth))
    number = draw(st.integers(0, inner.width - 1))
    return Generate(inner, column(number), 2, outer=draw(st.booleans()))


@st.composite
def unpivots(draw: st.DrawFn, depth: int) -> Relation:
    """A row of each of some columns, most often without those whose value is NULL."""
    inner = draw(relations(depth))
    listed = draw(st.lists(st.integers(0, inner.width - 1), min_size=1, max_size=3))
    made = Generate(inner, unpivot_function(listed), 2)
    value = made.width - 1
    return draw(st.sampled_from([made, Filter(made, Expression((value, " IS NOT NULL")))]))


_KINDS = (
    projects,
    filters,
    joins,
    joins_by_columns,
    joins_by_columns,
    groups,
    windows,
    distincts,
    unions,
    set_operations,
    generates,
    unpivots,
)
