"""The law of identities: they are unique, and give the rows what they are without."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from reference.interpreter import Tables, evaluate
from reference.relations import relations, tables

from icemelt.algebra.identity import identified
from icemelt.algebra.nodes import Relation


@settings(max_examples=2_000, deadline=None)
@given(relations(), tables())
def test_an_identity_is_unique_and_changes_no_row(relation: Relation, rows: Tables) -> None:
    found = identified(relation)
    with_ids = evaluate(found.relation, rows)
    ids = [row[found.width :] for row in with_ids]
    assert Counter(row[: found.width] for row in with_ids) == Counter(evaluate(relation, rows))
    assert len(set(ids)) == len(ids)
