"""A node that only `nodes.py`, `RULES` and the interpreter know is right everywhere, if slow.

So an operator may begin with these, and grow fast where it pays: docs/adding-an-operator.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, cast

import pytest
from hypothesis import event, given, settings
from reference.interpreter import Row, Tables, evaluate, evaluate_derived
from reference.relations import randoms, relations, several_tables

from icemelt.algebra.column_pruning import prune_columns
from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.identity import add_identity
from icemelt.algebra.naming import label_columns
from icemelt.algebra.nodes import Project, Relation, Scan, UnionAll
from icemelt.algebra.parts import ChangeExpression, Unary
from icemelt.algebra.uniqueness import is_unique
from icemelt.changes.append_only import find_losing_operator
from icemelt.changes.both_ends import compare_both_ends
from icemelt.changes.choice import choose_plan
from icemelt.changes.consolidate import consolidate_changes
from icemelt.changes.cost import TableSize
from icemelt.changes.differentiation import RULES, Derivative, differentiate_query
from icemelt.changes.naive import naive_changes
from icemelt.changes.rule import Change, Changes, Derivation, Rule, subtract
from icemelt.changes.shape import DeltaFormat, Shape

TABLE = Scan("t", ("a", "b"))
SIZE = TableSize(1 << 20, 100, 1 << 10, 1, 2, {}, at_hand=True, once=True, again=0)


@dataclass(frozen=True, slots=True)
class Twice(Unary):
    """Each row twice."""

    input: Relation

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def map_expressions(self, _: ChangeExpression) -> Twice:
        return self


def differentiate_twice(node: Twice, changes: Changes, derivation: Derivation) -> Change | None:
    """The rule that is never wrong: all that is, less all that was."""
    if changes[0] is None:
        return None
    old, new = (end(node.input) for end in (derivation.old, derivation.new))
    made: Any = (replace(node, input=old), replace(node, input=new))
    return Change(subtract(*made), Shape.BOTH)


@pytest.fixture(scope="module", autouse=True)
def rule() -> Iterator[None]:
    rules = cast("dict[type, Rule]", RULES)
    rules[Twice] = Rule("all anew", differentiate_twice, DeltaFormat.REDUNDANT_DELTA)
    yield
    del rules[Twice]


def sprinkled(relation: Relation, random: Random) -> Relation:
    """Return a relation with `Twice` on some of its nodes."""
    made: Any = relation.map_inputs(lambda each: sprinkled(each, random))
    return Twice(made) if random.random() < 0.25 else made


def known(relation: Any) -> Relation:
    """Return a relation in which `Twice` is written as the interpreter knows it."""
    if isinstance(relation, Twice):
        return UnionAll((known(relation.input),) * 2)
    return cast("Relation", relation.map_inputs(known))


def rows_of(relation: Relation, rows: Tables) -> Counter[Row]:
    return Counter(evaluate(known(relation), rows))


def known_changes(derived: Derivative) -> Derivative:
    shared = tuple((name, known(each)) for name, each in derived.shared)
    whole = None if derived.relation is None else known(derived.relation)
    return replace(derived, relation=whole, shared=shared)


def by_values(changes: list[Row], width: int) -> Counter[Row]:
    """Return what changes add and take away, without the identities: these may be others."""
    total: Counter[Row] = Counter()
    for row in changes:
        total[row[:width]] += row[-2]
    return Counter({row: count for row, count in total.items() if count})


@settings(max_examples=30)
@given(relations(2), randoms(), several_tables())
def test_a_node_that_no_module_knows_is_right_everywhere(
    drawn: Relation, random: Random, several: list[Tables]
) -> None:
    relation = sprinkled(drawn, random)
    event(f"unknown: {relation != drawn}")
    whole, some = add_identity(relation), Project(relation, columns(0, 1))
    assert is_unique(relation, (), lambda *_: False) in {True, False}
    for rows in several[:4]:
        assert rows_of(prune_columns(some), rows) == rows_of(some, rows)
        ids = [row[whole.width :] for row in evaluate(known(whole.relation), rows)]
        assert len(set(ids)) == len(ids)
        expected = by_values(evaluate(known(naive_changes(relation)), rows), relation.width)
        derived = differentiate_query(relation, rows.shapes)
        found = evaluate_derived(known_changes(derived), rows)
        assert by_values(found, relation.width) == expected
        both = compare_both_ends(whole.relation, rows.shapes)
        made = (
            [] if both is None else evaluate(known(consolidate_changes(both, relation.width)), rows)
        )
        assert by_values(made, relation.width) == expected
        assert (
            choose_plan(relation, rows.shapes, dict.fromkeys(rows.shapes, SIZE)).cost.seconds >= 0
        )


def test_a_node_that_no_module_knows_can_lose_rows_and_names_none() -> None:
    node: Any = Twice(Project(TABLE, columns(0, 2)))
    reason = find_losing_operator(node)
    assert reason is not None
    assert reason.operator == "Twice"
    assert len(label_columns(node, [label_columns(node.input, [label_columns(TABLE, ())])])) == 2
