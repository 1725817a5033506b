"""TPC-H's queries, and others in the shapes of TPC-DS, whose tables are refreshed at random."""

from __future__ import annotations

import pytest
from differentiation.histories import in_one_task
from differentiation.oracle import States, check, derived
from differentiation.test_whole_queries import queries
from differentiation.tpch import refreshes
from pyspark.sql import SparkSession

# all queries have changes
_SEED = 12


@pytest.fixture(scope="module")
def intervals(spark: SparkSession) -> list[States]:
    return refreshes(in_one_task(spark), _SEED)


@pytest.mark.parametrize("query", queries("tpch.sql"), ids=range(1, 23))
def test_changes_of_tpch_are_new_less_old(intervals: list[States], query: str) -> None:
    assert not any(derived(states, query).is_too_large for states in intervals)
    assert check(intervals, query)


@pytest.mark.parametrize("query", queries("tpcds.sql"))
def test_changes_in_the_shapes_of_tpcds_are_new_less_old(
    intervals: list[States], query: str
) -> None:
    assert check(intervals, query)
