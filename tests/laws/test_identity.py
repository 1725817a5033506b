"""The law of identities: they are unique, and give the rows what they are without."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given, settings
from reference.interpreter import Tables, evaluate
from reference.relations import relations, tables

from icemelt.algebra.expressions import Expression, column
from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import Aggregate, Join, JoinKind, Pin, Relation, Scan

pytestmark = pytest.mark.turns(4)

# a group of NULL on both sides, which do not meet
GROUPS = Aggregate(Scan("t", ("a", "b")), (Expression(("if(", 0, " = 1, NULL, 1)")),), ())
TWO_OF_NULL = Join(JoinKind.FULL, GROUPS, GROUPS, ((column(0), column(0)),))
# the same beside rows of a table: what is missing on their side may be such a group
BESIDE = Join(JoinKind.FULL, GROUPS, Scan("u", ("a", "b")), ((column(0), column(0)),))
NESTED = Join(JoinKind.FULL, BESIDE, GROUPS, ((column(1), column(0)),))


@settings(max_examples=500)
@given(relations(), tables())
@example(TWO_OF_NULL, Tables({("t", Pin.NEW): {1: (1, 1)}}))
@example(NESTED, Tables({("t", Pin.NEW): {1: (1, 1)}, ("u", Pin.NEW): {}}))
def test_an_identity_is_unique_and_changes_no_row(relation: Relation, rows: Tables) -> None:
    found = add_identity(relation)
    with_ids = evaluate(found.relation, rows)
    ids = [row[found.width :] for row in with_ids]
    assert Counter(row[: found.width] for row in with_ids) == Counter(evaluate(relation, rows))
    assert len(set(ids)) == len(ids)
