"""Which of two plans is taken, from sizes alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from icemelt.algebra.expressions import Expression, column, text
from icemelt.algebra.nodes import Aggregate, Join, JoinKind, Relation, Scan, explain
from icemelt.changes.choice import PlanChoice, choose_plan
from icemelt.changes.cost import TableSize
from icemelt.changes.shape import Shape

MB = 1 << 20
ORDERS = Scan("orders", ("id", "customer", "placed"))
LINES = Scan("lines", ("order", "price"))
BOTH = dict.fromkeys(("orders", "lines"), Shape.BOTH)
# newest keys: changes are in one file of sixteen
NEWEST = {
    "orders": TableSize(
        160 * MB, 1_500_000, 10 * MB, 3_000, 3, {"id": 1 / 16}, at_hand=True, once=True, again=0
    ),
    "lines": TableSize(
        640 * MB, 6_000_000, 40 * MB, 9_000, 2, {"order": 1 / 16}, at_hand=True, once=True, again=0
    ),
}
SCATTERED = {name: replace(size, changed_bytes=size.bytes) for name, size in NEWEST.items()}
TINY = {
    name: replace(size, bytes=1_000, rows=20, changed_bytes=500, changed_rows=2)
    for name, size in NEWEST.items()
}
JOINED = Join(JoinKind.INNER, ORDERS, LINES, ((column(0), column(0)),))
PER_ORDER = Aggregate(JOINED, (column(0),), (Expression(("max(", 4, ")")),))


def test_changes_that_are_together_are_made_by_the_rules() -> None:
    found = choose_plan(PER_ORDER, BOTH, NEWEST)
    assert found.is_derivative
    assert found.cost.bytes < found.cost_of_both_ends.bytes / 5


@pytest.mark.parametrize(
    "sizes", [TINY, {name: replace(each, at_hand=False) for name, each in SCATTERED.items()}]
)
def test_tiny_tables_and_many_changes_everywhere_are_read_at_both_ends(
    sizes: dict[str, TableSize],
) -> None:
    assert not choose_plan(PER_ORDER, BOTH, sizes).is_derivative


def test_an_aggregate_over_everything_is_read_at_both_ends() -> None:
    most = Aggregate(LINES, (), (Expression(("max(", 1, ")")),))
    assert not choose_plan(most, BOTH, NEWEST).is_derivative


def test_what_is_not_in_the_order_of_the_files_is_read_whole() -> None:
    anywhere = {
        name: replace(size, selectivities={"order": 1.0, "id": 1.0})
        for name, size in NEWEST.items()
    }
    cost = choose_plan(PER_ORDER, BOTH, anywhere).cost
    assert cost.bytes > 3 * choose_plan(PER_ORDER, BOTH, NEWEST).cost.bytes


def test_keys_without_a_range_are_taken_to_be_anywhere() -> None:
    unbounded = {name: replace(size, selectivities={}) for name, size in NEWEST.items()}
    assert (
        choose_plan(PER_ORDER, BOTH, unbounded).cost.bytes
        > choose_plan(PER_ORDER, BOTH, NEWEST).cost.bytes
    )
    assert not choose_plan(PER_ORDER, BOTH, unbounded).derived.few


def _scans(found: PlanChoice) -> list[str]:
    relations: list[Relation] = [each for _, each in found.derived.shared]
    if found.derived.relation is not None:
        relations.append(found.derived.relation)
    lines = [line.strip() for each in relations for line in explain(each).splitlines()]
    return sorted(line for line in lines if line.startswith("Scan"))


def test_a_table_is_read_once_for_both_ends_where_that_saves_enough() -> None:
    assert _scans(choose_plan(PER_ORDER, BOTH, SCATTERED)) == [
        "Scan lines@old(order, price, row id)",
        "Scan orders@old(id, row id)",
    ]
    usual = {name: replace(size, once=False) for name, size in SCATTERED.items()}
    assert _scans(choose_plan(PER_ORDER, BOTH, usual)) == [
        "Scan lines(order, price)",
        "Scan lines@old(order, price)",
        "Scan orders(id)",
        "Scan orders@old(id)",
    ]


def test_rows_that_stay_few_are_told_with_the_plan() -> None:
    found = choose_plan(PER_ORDER, BOTH, SCATTERED)
    assert found.derived.few <= {name for name, _ in found.derived.shared}
    assert found.fallback.few == frozenset()
    assert (
        choose_plan(Aggregate(LINES, (), (text("count(1)"),)), BOTH, SCATTERED).derived.few == set()
    )
