"""Queries that are one algebra, however they are written."""

from __future__ import annotations

import pytest

from icemelt.schema import Primitive
from icemelt.sql.parse import lower


@pytest.mark.parametrize(
    ("doubled", "plain"),
    [
        ("SELECT * FROM ((a JOIN b USING (x)))", "SELECT * FROM a JOIN b USING (x)"),
        ("SELECT * FROM ((a)) JOIN (((b))) USING (x)", "SELECT * FROM a JOIN b USING (x)"),
        (
            "SELECT a.x FROM (((a JOIN b ON a.x = b.x)) JOIN c ON b.x = c.x)",
            "SELECT a.x FROM a JOIN b ON a.x = b.x JOIN c ON b.x = c.x",
        ),
        ("SELECT * FROM (((SELECT x FROM a))) p", "SELECT * FROM (SELECT x FROM a) p"),
    ],
)
def test_parentheses_around_parentheses_change_nothing(doubled: str, plain: str) -> None:
    first, second = (
        lower(query, lambda _: {"x": Primitive("long")}).relation for query in (doubled, plain)
    )
    assert first == second


def test_a_join_on_a_condition_of_no_column_is_lowered() -> None:
    """NOT IN of a constant reads neither side: it is tested after the join."""
    query = "SELECT t.id FROM t JOIN u ON 5 NOT IN (SELECT id FROM w)"
    lowered = lower(query, lambda _: {"id": Primitive("long")})
    assert lowered.relation.width == 1
