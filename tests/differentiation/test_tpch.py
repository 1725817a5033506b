"""TPC-H's queries, and others in the shapes of TPC-DS, whose tables are refreshed at random.

In `make torture` ICEMELT_TORTURE_SEED is the first seed, and ICEMELT_TORTURE_REFRESHES says how
many there are.
"""

from __future__ import annotations

import os
import sys

import pytest
from differentiation.histories import in_one_task
from differentiation.oracle import States, check, derived
from differentiation.test_whole_queries import queries
from differentiation.tpch import refreshes
from pyspark.sql import SparkSession

# all queries have changes
_SEED = 12
_FIRST = int(os.environ.get("ICEMELT_TORTURE_SEED", "100"))
_REFRESHES = int(os.environ.get("ICEMELT_TORTURE_REFRESHES", "20"))


@pytest.fixture(scope="module")
def intervals(spark: SparkSession) -> list[States]:
    return refreshes(in_one_task(spark), _SEED)


@pytest.mark.turns(16)
@pytest.mark.parametrize("query", queries("tpch.sql"), ids=range(1, 23))
def test_changes_of_tpch_are_new_less_old(intervals: list[States], query: str) -> None:
    assert not any(derived(states, query).is_too_large for states in intervals)
    assert check(intervals, query)


@pytest.mark.turns(16)
@pytest.mark.parametrize("query", queries("tpcds.sql"))
def test_changes_in_the_shapes_of_tpcds_are_new_less_old(
    intervals: list[States], query: str
) -> None:
    assert check(intervals, query)


@pytest.mark.torture
def test_changes_under_many_refreshes_are_new_less_old(spark: SparkSession) -> None:
    changed, wrong = 0, {}
    asked = [*queries("tpch.sql"), *queries("tpcds.sql")]
    for seed in range(_FIRST, _FIRST + _REFRESHES):
        made = refreshes(in_one_task(spark), seed)
        for number, query in enumerate(asked):
            try:
                changed += check(made, query) > 0
            except AssertionError as error:
                wrong[seed, number] = str(error)
    told = f"{_REFRESHES} times {len(asked)} queries from seed {_FIRST}: "
    sys.stdout.write(f"{told}{changed} with changes, {len(wrong)} wrong\n")
    assert not wrong
    assert changed > _REFRESHES * len(asked) // 2
