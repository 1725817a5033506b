"""Whole queries on Spark: their changes against the original SQL at both ends."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from differentiation.histories import in_one_task, mixed
from differentiation.oracle import TABLES, States, check
from pyspark.errors import SparkRuntimeException
from pyspark.sql import SparkSession

from icemelt.algebra.nodes import BothEndsScan, Delta, Scan, Shared
from icemelt.spark_sql.rendering import render_relation
from icemelt.sql.parse import lower

_HERE = Path(__file__).parent


def queries(name: str) -> list[str]:
    """Return the queries of a file."""
    lines = (_HERE / name).read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("--"))
    return [query.strip() for query in text.split(";") if query.strip()]


@pytest.fixture(scope="module")
def states(spark: SparkSession) -> States:
    """Tables with duplicates, NULLs, NaN and both zeros, in which rows came, went and changed."""
    chance = random.Random(5)  # noqa: S311 - chance is wanted
    made = States(in_one_task(spark), TABLES)
    made.put("t", *mixed(chance, "t", 8), moved=(1, 2))
    made.put("u", *mixed(chance, "u", 7))
    made.put("a", *mixed(chance, "a", 5))
    return made


@pytest.mark.turns(16)
@pytest.mark.parametrize("query", queries("queries.sql"))
def test_changes_are_new_less_old(states: States, query: str) -> None:
    check([states], query)


@pytest.mark.turns(48)
@pytest.mark.parametrize("query", queries("queries.sql"))
def test_changes_by_both_ends_are_new_less_old(states: States, query: str) -> None:
    check([states], query, plain=True)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, (SELECT w FROM u WHERE u.k IS NULL OR u.k > t.k) AS w FROM t",
        "SELECT id, (SELECT w FROM u WHERE u.k = t.k) AS w FROM t",
    ],
)
def test_a_value_of_two_rows_is_an_error(states: States, query: str) -> None:
    found = lower(query, lambda name: TABLES.get(name.last))
    views = {each.slot: states.of(each.name.last, "new") for each in found.query.references}

    def read(leaf: Scan | Delta | BothEndsScan | Shared) -> str:
        assert isinstance(leaf, Scan)
        return views[leaf.source]

    with pytest.raises(SparkRuntimeException, match="gave more than one row"):
        states.spark.sql(render_relation(found.relation, read)).collect()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT w AS n FROM u UNION ALL SELECT x FROM t",
        "SELECT n::string AS text FROM (SELECT w AS n FROM u UNION ALL SELECT x FROM t)",
        "SELECT n::string AS text FROM (SELECT w AS n FROM u UNION SELECT x FROM t)",
    ],
)
def test_an_input_without_changes_has_its_say_on_types(spark: SparkSession, query: str) -> None:
    chance = random.Random(6)  # noqa: S311 - chance is wanted
    made = States(in_one_task(spark), TABLES)
    rows, _ = mixed(chance, "t", 6)
    made.put("t", rows, rows)
    made.put("u", *mixed(chance, "u", 6))
    assert check([made], query)
