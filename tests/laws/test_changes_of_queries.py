"""The law of changes: what was, less what went, plus what came, is what is."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from reference.interpreter import Row, Tables, evaluate
from reference.relations import relations, tables

from icemelt.algebra.nodes import Pin, Relation
from icemelt.changes.naive import naive_changes
from icemelt.changes.pin import pin_relation

pytestmark = pytest.mark.turns(4)


@settings(max_examples=500)
@given(relations(), tables())
def test_old_and_changes_make_new(relation: Relation, rows: Tables) -> None:
    old = Counter(evaluate(pin_relation(relation, Pin.OLD), rows))
    new = Counter(evaluate(pin_relation(relation, Pin.NEW), rows))
    changes = evaluate(naive_changes(relation), rows)
    check(relation, old, new, changes)


def check(relation: Relation, old: Counter[Row], new: Counter[Row], changes: list[Row]) -> None:
    """Check changes: their sum, one row at most before and after of each identity, and updates."""
    total = Counter(old)
    sides: dict[Row, list[int]] = {}
    for row in changes:
        values, ids, weight = row[: relation.width], row[relation.width : -2], row[-2]
        assert weight in {-1, 1}
        total[values] += weight
        sides.setdefault(ids, []).append(weight)
    assert {row: count for row, count in total.items() if count} == dict(new)
    assert all(len(set(weights)) == len(weights) for weights in sides.values())
    for row in changes:
        assert row[-1] is (len(sides[row[relation.width : -2]]) == 2)
