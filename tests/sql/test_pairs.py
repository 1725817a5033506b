from __future__ import annotations

from dataclasses import replace

import pytest
from sql.pairs import FIXTURES, Pair, read_pairs, write_pairs
from sql.tables import columns_of

from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import Branch, Insert, InsertAll, RowLevel, Select, Unload

TYPED = {
    "functions.sql": False,
    "queries.sql": True,
    "rows.sql": True,
    "streams.sql": True,
    "untyped.sql": False,
}


def outputs(text: str, *, typed: bool) -> list[str]:
    match parse_statement(text, None, columns_of if typed else None):
        case Select(query) | Insert(query=query) | Unload(query=query):
            return [query.text]
        case InsertAll(branches, query):
            return [query.text, *map(written_branch, branches)]
        case RowLevel() as statement:
            exact = [] if statement.exact is None else [statement.exact]
            return [statement.text, *exact]
        case other:
            raise AssertionError(other)


def written_branch(branch: Branch) -> str:
    return f"{branch.condition}: {', '.join(map(str, branch.values or ()))}"


@pytest.mark.parametrize("name", TYPED)
def test_each_statement_becomes_the_spark_sql_below_it(
    name: str, subtests: pytest.Subtests, request: pytest.FixtureRequest
) -> None:
    found: list[Pair] = []
    for pair in read_pairs(name):
        written = outputs(pair.text, typed=TYPED[name])
        found.append(replace(pair, outputs=written))
        if not request.config.getoption("--complete"):
            with subtests.test(pair.text):
                assert written == pair.outputs
    if request.config.getoption("--complete"):
        write_pairs(name, found)


def test_all_fixtures_are_read() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == set(TYPED)
