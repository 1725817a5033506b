"""The laws of incremental changes: they are the naive ones, and their shapes are true."""

from __future__ import annotations

import os
from collections import Counter
from functools import reduce
from operator import or_
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from reference.interpreter import Row, Tables, evaluate, evaluate_derived, with_shared
from reference.relations import (
    CASES,
    VALUES,
    aggregates,
    conditions,
    picked,
    randoms,
    relations,
    scalars,
    several_tables,
    tables,
)

from icemelt.algebra.column_pruning import prune_columns
from icemelt.algebra.expressions import column, text
from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Pin,
    Project,
    Relation,
    Scan,
    Shared,
)
from icemelt.changes.append_only import append_only_changes, find_losing_operator
from icemelt.changes.both_ends import compare_both_ends
from icemelt.changes.consolidate import consolidate_changes
from icemelt.changes.differentiation import RULES, differentiate_query, differentiate_relation
from icemelt.changes.naive import naive_changes
from icemelt.changes.pin import pin_relation
from icemelt.changes.restrict import Keys, push_down_semi_join, semi_join
from icemelt.changes.semi_joins import lower_semi_joins
from icemelt.changes.shape import DeltaFormat, Shape
from icemelt.changes.shared_scans import share_scans

pytestmark = pytest.mark.turns(4)

# of random queries, hundreds where the laws of histories have one; each run draws others
MANY = 50 * int(os.environ.get("ICEMELT_LAW_EXAMPLES", "6"))
WEIGHTS = {Shape.INSERTS: {1}, Shape.DELETES: {-1}, Shape.BOTH: {1, -1}}


@pytest.mark.slow
@settings(max_examples=MANY)
@given(relations(), several_tables())
def test_incremental_changes_are_the_naive_ones(relation: Relation, several: list[Tables]) -> None:
    for rows in several:
        found = evaluate_derived(differentiate_query(relation, rows.shapes), rows)
        assert counted(found) == counted(evaluate(naive_changes(relation), rows)), rows


@pytest.mark.slow
@settings(max_examples=MANY // 2)
@given(relations(), several_tables())
def test_tables_that_are_read_once_give_the_same_changes(
    relation: Relation, several: list[Tables]
) -> None:
    for rows in several:
        derived = share_scans(
            differentiate_query(relation, rows.shapes), rows.shapes, lambda _: True
        )
        found = evaluate_derived(derived, rows)
        assert counted(found) == counted(evaluate(naive_changes(relation), rows)), rows
        event(f"tables read once: {len(derived.few)}")


@pytest.mark.slow
@settings(max_examples=MANY // 2)
@given(relations(), several_tables())
def test_both_ends_in_one_pass_give_the_same_changes(
    relation: Relation, several: list[Tables]
) -> None:
    for rows in several:
        found = compare_both_ends(add_identity(relation).relation, rows.shapes, lambda *_: True)
        expected = counted(evaluate(naive_changes(relation), rows))
        if found is None:
            assert not expected
        else:
            made = evaluate(consolidate_changes(found, relation.width), rows)
            assert counted(made) == expected, rows


@st.composite
def semi_joined_groups(draw: st.DrawFn) -> Relation:
    """Rows with some keys, on top of joins or beside groups that are joined by the same keys."""
    left, keys = draw(relations(2)), draw(relations(1))
    column_of = draw(picked(left.width))
    pairs = ((column_of, draw(picked(keys.width))),)
    null_safe = draw(st.booleans())
    kept = Join(JoinKind.SEMI, left, keys, pairs, null_safe=null_safe)
    if draw(st.booleans()):
        return kept
    inner = draw(relations(1))
    made = tuple(draw(st.lists(aggregates(inner.width), max_size=2)))
    groups = Aggregate(
        inner, tuple(draw(st.lists(scalars(inner.width), min_size=1, max_size=2))), made
    )
    some = Filter(groups, draw(conditions(groups.width))) if draw(st.booleans()) else groups
    shown = Project(some, tuple(draw(st.lists(scalars(some.width), min_size=1, max_size=3))))
    equalities = ((column_of, draw(picked(shown.width))),)
    return Join(JoinKind.INNER, kept, shown, equalities, null_safe=null_safe)


@settings(max_examples=100)
@given(semi_joined_groups(), several_tables())
def test_semi_joins_put_elsewhere_keep_the_same_rows(
    relation: Relation, several: list[Tables]
) -> None:
    moved = lower_semi_joins(relation, lambda *_: True)
    event(f"moved: {moved != relation}")
    for rows in several:
        found, expected = (counted(evaluate(each, rows)) for each in (moved, relation))
        assert found == expected, rows


@settings(max_examples=125)
@given(relations(), several_tables())
def test_changes_of_a_bag_are_new_less_old_and_of_the_shape_that_is_said(
    relation: Relation, several: list[Tables]
) -> None:
    for rows in several:
        derived = differentiate_relation(relation, relation.width, rows.shapes)
        total = counted(evaluate(pin_relation(relation, Pin.OLD), rows))
        if derived.relation is None:
            assert derived.shape is Shape.EMPTY
        else:
            found = evaluate(derived.relation, with_shared(derived, rows))
            assert {row[-1] for row in found} <= WEIGHTS[derived.shape], rows
            total.update(counted([row[:-1] for row in found if row[-1] == 1]))
            total.subtract(counted([row[:-1] for row in found if row[-1] == -1]))
        assert total == counted(evaluate(pin_relation(relation, Pin.NEW), rows)), rows


@settings(max_examples=125)
@given(relations(), several_tables())
def test_a_relation_without_columns_that_nobody_reads_has_the_same_rows(
    relation: Relation, several: list[Tables]
) -> None:
    fewer = Project(relation, (column(relation.width - 1),))
    for query in (relation, fewer):
        narrow = prune_columns(query)
        for rows in several:
            found = counted(evaluate(pin_relation(narrow, Pin.NEW), rows))
            assert found == counted(evaluate(pin_relation(query, Pin.NEW), rows)), rows


@settings(max_examples=125)
@given(relations(), tables())
def test_rules_keep_what_their_table_says(relation: Relation, rows: Tables) -> None:
    derived = differentiate_query(relation, rows.shapes)
    every = with_inputs(derived.explanation)
    for node in every:
        rule = RULES[type(node.relation)]
        below = reduce(or_, (each.shape for each in node.inputs), Shape.EMPTY)
        if node.inputs and rule.format is DeltaFormat.MIN_DELTA:
            assert node.shape is below
        if node.shape.format is DeltaFormat.REDUNDANT_DELTA:
            assert rule.format is DeltaFormat.REDUNDANT_DELTA or below is Shape.BOTH
    if derived.relation is not None and all(RULES[type(each.relation)].linear for each in every):
        assert not reads_tables(derived.relation)


def reads_tables(relation: Relation) -> bool:
    """Return whether some row is read; below a filter that keeps none there is nothing to read."""
    if isinstance(relation, Filter) and relation.condition == text("false"):
        return False
    return isinstance(relation, Scan) or any(map(reads_tables, relation.inputs))


def with_inputs(node: Any) -> list[Any]:
    return [node, *(each for below in node.inputs for each in with_inputs(below))]


@st.composite
def keyed(draw: st.DrawFn) -> tuple[Relation, Keys, list[list[Row]]]:
    """A relation, some of its keys, and several sets of values for these."""
    relation = draw(relations())
    keys = tuple(draw(st.lists(scalars(relation.width), min_size=1, max_size=2)))
    random = draw(randoms())
    values = [
        [tuple(random.choice(VALUES) for _ in keys) for _ in range(random.randrange(4))]
        for _ in range(CASES)
    ]
    return relation, Keys(keys, Shared("k", len(keys))), values


@settings(max_examples=MANY // 2)
@given(keyed(), several_tables())
def test_a_restriction_is_the_semi_join_on_top(
    question: tuple[Relation, Keys, list[list[Row]]], several: list[Tables]
) -> None:
    relation, keys, values = question
    for rows, wanted in zip(several, values, strict=True):
        rows.shared["k"] = wanted
        found = counted(evaluate(push_down_semi_join(relation, keys), rows))
        assert found == counted(evaluate(semi_join(relation, keys), rows)), rows


@settings(max_examples=MANY // 2)
@given(relations(), several_tables())
def test_a_monotonic_query_only_gains_rows_and_these_are_what_it_gained(
    relation: Relation, several: list[Tables]
) -> None:
    if find_losing_operator(relation) is not None:
        return
    for rows in several:
        gained, unread = only_gained(rows)
        old, new = (counted(evaluate(pin_relation(relation, pin), gained)) for pin in Pin)
        assert old <= new
        found = evaluate_derived(append_only_changes(relation, rows.shapes), unread)
        assert counted(found) == counted(evaluate(naive_changes(relation), gained)), rows


def only_gained(rows: Tables) -> tuple[Tables, Tables]:
    """Return tables that lost and changed no rows, and the same where nothing is known of after."""
    gained, unread = Tables({}), Tables({})
    for source in rows.shapes:
        old, new = rows.ends[source, Pin.OLD], rows.ends[source, Pin.NEW]
        came = {number: row for number, row in new.items() if number not in old}
        for each in (gained, unread):
            each.ends[source, Pin.OLD] = old
            each.deltas[source] = [(*row, number, 1) for number, row in came.items()]
        gained.ends[source, Pin.NEW] = {**old, **came}
    return gained, unread


def counted(rows: list[Row]) -> Counter[Row]:
    """Return rows as a bag, in which false is not 0."""
    return Counter(tuple(repr(each) for each in row) for row in rows)
