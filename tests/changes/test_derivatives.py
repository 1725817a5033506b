"""Derivatives for reading: what they read, what they share, how large they are, what they say."""

from __future__ import annotations

import time
import typing

import pytest

from icemelt.algebra.expressions import Expression, column, text
from icemelt.algebra.nodes import (
    Aggregate,
    BothEndsScan,
    Delta,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Linear,
    Pin,
    Project,
    Relation,
    Scan,
    Shared,
    Window,
    explain,
)
from icemelt.changes.append_only import append_only_changes, find_losing_operator
from icemelt.changes.differentiation import RULES, Derivative, differentiate_query, min_delta
from icemelt.changes.shape import Shape

ORDERS = Scan("orders", ("id", "customer", "placed"))
LINES = Scan("lines", ("order", "price"))
CUSTOMERS = Scan("customers", ("id", "name"))
SUM = Expression(("sum(", 4, ")"))
BOTH = dict.fromkeys(("orders", "lines", "customers"), Shape.BOTH)


def joined(left: Relation, right: Relation, one: int, other: int) -> Join:
    return Join(JoinKind.INNER, left, right, ((column(one), column(other)),))


def nodes(relation: Relation) -> list[Relation]:
    return [relation, *(node for each in relation.inputs for node in nodes(each))]


def all_nodes(derived: Derivative) -> list[Relation]:
    relations = [each for _, each in derived.shared]
    if derived.relation is not None:
        relations.append(derived.relation)
    return [node for each in relations for node in nodes(each)]


def unrestricted(derived: Derivative) -> set[str]:
    """Return the tables that are read somewhere without keys."""
    every = all_nodes(derived)
    below = [
        node.left
        for node in every
        if isinstance(node, Join) and node.kind is JoinKind.SEMI and node.null_safe
    ]
    scans = [node for node in every if isinstance(node, Scan)]
    return {scan.source for scan in scans if not any(scan is each for each in below)}


def test_every_node_of_a_query_has_a_rule() -> None:
    assert set(RULES) == set(typing.get_args(Relation)) - {Delta, BothEndsScan, Shared}


def test_groups_of_a_join_by_its_key_read_the_rows_of_changed_keys_alone() -> None:
    query = Aggregate(
        joined(Filter(ORDERS, Expression((2, " > 5"))), LINES, 0, 0), (column(0),), (SUM,)
    )
    derived = differentiate_query(query, BOTH)
    assert explain(derived.relation).splitlines()[1:] == [
        "  UnionAll",
        "    Project (#0, #1, -1)",
        "      Aggregate by (#0): (sum(#3))",
        "        Join inner on left #0 = right #0",
        "          Filter #1 > 5",
        "            Join semi on left #0 <=> right #0",
        "              Scan orders@old(id, placed)",
        "              Shared s3",
        "          Join semi on left #0 <=> right #0",
        "            Scan lines@old(order, price)",
        "            Shared s3",
        "    Project (#0, #1, 1)",
        "      Aggregate by (#0): (sum(#3))",
        "        Join inner on left #0 = right #0",
        "          Filter #1 > 5",
        "            Join semi on left #0 <=> right #0",
        "              Scan orders(id, placed)",
        "              Shared s3",
        "          Join semi on left #0 <=> right #0",
        "            Scan lines(order, price)",
        "            Shared s3",
    ]


def test_the_keys_of_changed_groups_are_made_of_changes_alone() -> None:
    query = Aggregate(joined(ORDERS, LINES, 0, 0), (column(3),), (SUM,))
    derived = differentiate_query(query, BOTH)
    assert len(derived.shared) == 1
    leaves = [node for node in nodes(derived.shared[0][1]) if not node.inputs]
    assert [type(leaf) for leaf in leaves] == [Delta, Delta]


def test_sums_are_read_before_and_gain_what_came_and_what_went() -> None:
    linear = (Linear(text("1")), Linear(column(2), "BIGINT"))
    made = (text("count(1)"), Expression(("sum(", 2, ")")))
    derived = differentiate_query(Aggregate(ORDERS, (column(1),), made, linear), BOTH)
    assert explain(derived.relation).splitlines()[1:] == [
        (
            "  Project (#0, if(#10 < 0, #2, #5), "
            "if(#10 < 0, #3, if(#7 = 0, NULL, CAST(#6 AS BIGINT))), #10)"
        ),
        "    Filter if(#10 < 0, #1, #4) > 0",
        "      Generate SELECT posexplode(array(-1, 1))",
        "        Filter #8 = 1",
        (
            "          Aggregate by (#0): (max(if(#5 = 0, #1, NULL)), max(if(#5 = 0, #2, NULL)), "
            "max(if(#5 = 0, #3, NULL)), sum(#1), sum(#2), sum(#3), sum(#4), max(#5))"
        ),
        "            UnionAll",
        "              Project (#0, #1, #2, #3, #4, 0)",
        "                Aggregate by (#0): (count(1), count(1), sum(#1), count(#1))",
        "                  Join semi on left #0 <=> right #0",
        "                    Scan orders@old(customer, placed)",
        "                    Shared s1",
        "              Project (#0, #1, #2, #3, #4, 1)",
        (
            "                Aggregate by (#0): (sum(#2), sum(if((1) IS NOT NULL, #2, 0)), "
            "sum(if(#2 > 0, (#1), -(#1))), sum(if((#1) IS NOT NULL, #2, 0)))"
        ),
        "                  Project (#0, #1, #3)",
        "                    Delta orders(customer, placed, row id, weight)",
    ]


def test_sums_by_keys_that_are_not_at_hand_read_all_rows_of_before_and_changes_once() -> None:
    both = joined(ORDERS, CUSTOMERS, 1, 0)
    total = Expression(("sum(", 0, ")"))
    query = Aggregate(both, (column(2), column(4)), (total,), (Linear(column(0), "BIGINT"),))
    derived = differentiate_query(query, {**BOTH, "customers": Shape.EMPTY})
    line = explain(derived.explanation).splitlines()[1]
    assert line.endswith("groups by what they gained, everything, both, redundant-delta")
    scans = [node for node in all_nodes(derived) if isinstance(node, Scan)]
    assert Scan("orders", ORDERS.columns, Pin.NEW) not in scans
    assert len([node for node in all_nodes(derived) if isinstance(node, Delta)]) == 2


def test_groups_by_attributes_of_a_joined_thing_are_found_by_the_key_it_is_joined_by() -> None:
    query = Aggregate(joined(ORDERS, LINES, 0, 0), (column(3), column(2)), (SUM,))
    derived = differentiate_query(query, BOTH)
    assert (len(derived.shared), derived.shared[0][1].width) == (1, 1)
    assert unrestricted(derived) == set()


def test_groups_by_what_nothing_is_joined_by_are_found_by_all_their_keys() -> None:
    query = Aggregate(joined(ORDERS, CUSTOMERS, 1, 0), (column(2), column(4)), (SUM,))
    derived = differentiate_query(query, {**BOTH, "customers": Shape.EMPTY})
    assert derived.shared[-1][1].width == 2


def test_a_join_without_equalities_is_made_anew_for_the_rows_that_meet_a_change() -> None:
    query = Join(JoinKind.LEFT, CUSTOMERS, ORDERS, (), Expression((0, " > ", 3)))
    derived = differentiate_query(query, {**BOTH, "customers": Shape.EMPTY})
    ((_, met),) = derived.shared
    assert explain(met).splitlines() == [
        "Join semi on #0 > #4",
        "  Scan customers@old(id, name, row id)",
        "  Delta orders(id, customer, placed, row id, weight)",
    ]


def test_a_key_that_a_filter_guards_is_not_computed_below_it() -> None:
    guarded = Filter(LINES, Expression((1, " <> 0")))
    query = Aggregate(guarded, (Expression(("1 / ", 1)), column(0)), ())
    derived = differentiate_query(query, BOTH)
    assert explain(derived.relation).splitlines()[3:9] == [
        "      Aggregate by (1 / #1, #0): ()",
        "        Join semi on left 1 / #1 <=> right #0 and left #0 <=> right #1",
        "          Filter #1 <> 0",
        "            Join semi on left #0 <=> right #0",
        "              Scan lines@old(order, price)",
        "              Project (#1)",
    ]


def test_keys_that_meet_nothing_for_being_null_are_not_among_a_join_s() -> None:
    derived = differentiate_query(joined(ORDERS, LINES, 0, 0), {**BOTH, "lines": Shape.EMPTY})
    ((_, keys),) = derived.shared
    assert explain(keys).splitlines()[:2] == ["Distinct", "  Filter #0 IS NOT NULL"]


def test_a_join_without_equalities_reads_the_other_side_whole() -> None:
    query = Join(JoinKind.INNER, ORDERS, LINES)
    derived = differentiate_query(query, BOTH)
    assert (derived.shared, unrestricted(derived)) == ((), {"orders", "lines"})


def test_an_unchanged_side_of_a_join_has_no_branch() -> None:
    derived = differentiate_query(joined(ORDERS, LINES, 0, 0), {**BOTH, "lines": Shape.EMPTY})
    assert [node.source for node in all_nodes(derived) if isinstance(node, Scan)] == ["lines"]


def test_a_window_by_a_column_reads_the_partitions_with_a_change() -> None:
    rank = Expression(("row_number() OVER (PARTITION BY ", 1, " ORDER BY ", 2, ")"))
    window = Window(ORDERS, (column(1),), (rank,))
    assert unrestricted(differentiate_query(window, BOTH)) == set()
    everything = Window(ORDERS, (), (Expression(("row_number() OVER (ORDER BY ", 2, ")")),))
    assert unrestricted(differentiate_query(everything, BOTH)) == {"orders"}


def test_nothing_is_made_where_no_table_has_changed() -> None:
    derived = differentiate_query(joined(ORDERS, LINES, 0, 0), dict.fromkeys(BOTH, Shape.EMPTY))
    assert (derived.relation, derived.shape, min_delta(derived)) == (None, Shape.EMPTY, None)


def test_inserts_stay_inserts_and_are_not_consolidated() -> None:
    query = Distinct(Project(joined(ORDERS, LINES, 0, 0), (column(1),)))
    derived = differentiate_query(query, dict.fromkeys(BOTH, Shape.INSERTS))
    assert derived.shape is Shape.INSERTS
    changes = min_delta(derived)
    assert changes is not None
    assert not any(isinstance(node, Aggregate | Window) for node in nodes(changes))


def test_the_changes_of_a_table_are_one_node_however_its_columns_are_read() -> None:
    query = joined(Scan("orders", ("id",)), Scan("orders", ("placed", "customer")), 0, 1)
    deltas = {
        node for node in all_nodes(differentiate_query(query, BOTH)) if isinstance(node, Delta)
    }
    assert deltas == {Delta("orders", ("id", "placed", "customer"))}


def test_append_only_changes_read_tables_as_they_were_and_what_came() -> None:
    derived = append_only_changes(joined(ORDERS, LINES, 0, 0), BOTH)
    assert derived.shape is Shape.INSERTS
    assert {node.pin for node in all_nodes(derived) if isinstance(node, Scan)} == {Pin.OLD}


def test_a_query_that_is_not_monotonic_names_the_operator() -> None:
    anti = Join(JoinKind.ANTI, ORDERS, LINES, ((column(0), column(0)),))
    reason = find_losing_operator(Distinct(Filter(anti, Expression((0, " > 1")))))
    assert reason is not None
    assert (reason.operator, reason.node) == ("NOT EXISTS or NOT IN", anti)


def test_an_account_says_how_the_changes_of_each_node_are_made() -> None:
    query = Aggregate(joined(ORDERS, CUSTOMERS, 1, 0), (column(4),), ())
    derived = differentiate_query(
        query, {**BOTH, "orders": Shape.INSERTS, "customers": Shape.EMPTY}
    )
    assert explain(derived.explanation).splitlines() == [
        "Project (#0, #0): linear, both, redundant-delta",
        "  Aggregate by (#2): (): changed groups, rows by #2, both, redundant-delta",
        "    Join inner on left #0 = right #0: join, rows by #0, inserts, min-delta",
        "      Scan orders(customer): change scan, inserts, min-delta",
        "      Scan customers(id, name): no change",
    ]


@pytest.mark.parametrize("kind", JoinKind)
@pytest.mark.parametrize("width", [10, 50])
def test_derivatives_of_long_joins_grow_with_the_square_of_their_length(
    kind: JoinKind, width: int
) -> None:
    query: Relation = Scan("t0", ("a", "b"))
    for number in range(1, width):
        table = Scan(f"t{number}", ("a", "b"))
        grouped = Aggregate(table, (column(0),), (Expression(("sum(", 1, ")")),))
        query = Join(kind, query, grouped, ((column(query.width - 1), column(0)),))
    # of this process alone: what else the machine does is of no matter
    start = time.process_time()
    derived = differentiate_query(query, {f"t{number}": Shape.BOTH for number in range(width)})
    assert time.process_time() - start < 2
    assert len(all_nodes(derived)) < 15 * width**2
