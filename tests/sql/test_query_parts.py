"""Queries of WITH as parts: which queries have parts, and what the parts are."""

from __future__ import annotations

import pytest
from sql.tables import columns_of

from icemelt.errors import NotYet
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import DividedQuery, Query


def query(text: str) -> Query:
    statement = parse_statement(text, None, columns_of)
    found: Query = statement.query
    return found


def chain(number: int, first: str = "SELECT id FROM t", last: str = "SELECT * FROM c{}") -> str:
    """Return a query of WITH queries, each over the one before."""
    above = [f"c{at} AS (SELECT id FROM c{at - 1})" for at in range(1, number)]
    return f"WITH {', '.join([f'c0 AS ({first})', *above])} {last.format(number - 1)}"


def divided(text: str) -> DividedQuery:
    found = query(text).divided
    assert found is not None
    return found


def test_few_queries_have_no_parts() -> None:
    assert query(chain(7)).divided is None


def test_each_query_of_a_long_with_is_a_part_over_those_before() -> None:
    found = divided(chain(8))
    assert [part.text for part in found.parts][:2] == [
        "SELECT `id` FROM __icemelt_0__ AS `t`",
        "SELECT `id` FROM __icemelt_w0__ AS `c0`",
    ]
    assert found.text == "SELECT * FROM __icemelt_w7__ AS `c7`"
    assert all(part.is_subquery for part in found.parts)


def test_the_whole_text_has_the_names_of_the_queries() -> None:
    whole = query(chain(8)).text
    assert whole.startswith(
        "WITH `c0` AS (SELECT `id` FROM __icemelt_0__ AS `t`), "
        "`c1` AS (SELECT `id` FROM `c0` AS `c0`)"
    )
    assert "__icemelt_w" not in whole


def test_a_query_that_an_expression_or_lateral_reads_does_not_stand_in_parentheses() -> None:
    last = "SELECT id, (SELECT MAX(id) FROM c0) AS m FROM c{} WHERE id IN (SELECT id FROM c1)"
    found = divided(chain(8, last=last))
    assert [part.is_subquery for part in found.parts] == [False, False, *[True] * 6]


def test_the_columns_of_an_alias_are_the_columns_of_the_part() -> None:
    text = chain(8).replace("c0 AS (SELECT id FROM t)", "c0(id) AS (SELECT v FROM t)")
    assert divided(text).parts[0].text == (
        "SELECT * FROM (SELECT `v` FROM __icemelt_0__ AS `t`) AS `c0`(`id`)"
    )


def test_a_name_means_the_nearest_query_of_with() -> None:
    inner = "SELECT * FROM (WITH c0 AS (SELECT id FROM u) SELECT id FROM c0) AS q, c{}"
    found = divided(chain(8, last=inner))
    assert "`c0` AS (SELECT `id`" in found.text
    assert "__icemelt_w0__" not in found.text


@pytest.mark.parametrize("first", ["SELECT RANDOM() AS id", "SELECT id FROM t SAMPLE (10)"])
def test_random_values_are_made_once_for_all_readers(first: str) -> None:
    assert query(chain(8, first=first)).divided is None


def test_random_values_outside_of_with_have_no_other_readers() -> None:
    assert query(chain(8, last="SELECT id, RANDOM() AS r FROM c{}")).divided is not None


def test_a_recursive_query_has_no_parts() -> None:
    recursive = "n AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM n WHERE id < 3), "
    assert query(chain(8).replace("WITH ", f"WITH RECURSIVE {recursive}")).divided is None


def test_the_clock_is_filled_in_parts() -> None:
    found = query(chain(8, first="SELECT CURRENT_TIMESTAMP AS id"))
    bound = found.bind_context({"CURRENT_TIMESTAMP": "now"})
    assert bound.divided is not None
    assert bound.divided.parts[0].text == "SELECT now AS `id`"


def test_queries_in_parts_may_double_what_they_read() -> None:
    doubled = [f"c{at} AS (SELECT a.id FROM c{at - 1} a JOIN c{at - 1} b ON a.id = b.id)"
               for at in range(1, 60)]  # fmt: skip
    assert len(divided(f"WITH c0 AS (SELECT id FROM t), {', '.join(doubled)} SELECT * FROM c59")
               .parts) == 60  # fmt: skip


def test_queries_with_random_values_may_not() -> None:
    doubled = [f"c{at} AS (SELECT a.id FROM c{at - 1} a JOIN c{at - 1} b ON a.id = b.id)"
               for at in range(1, 60)]  # fmt: skip
    with pytest.raises(NotYet, match="2,000 tables at most"):
        query(f"WITH c0 AS (SELECT RANDOM() AS id), {', '.join(doubled)} SELECT * FROM c59")
