"""Random compositions of all operators on Spark: their changes against the original SQL.

The same tables serve a few queries. In `make torture` ICEMELT_TORTURE_SEED is the first seed, and
ICEMELT_TORTURE_QUERIES says how many there are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest
from differentiation.compositions import composed
from differentiation.histories import histories, in_one_task
from differentiation.oracle import Refused, States, check
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from icemelt.algebra import plan_parts
from icemelt.errors import IcemeltError

_SHARING = 8
_FIRST = int(os.environ.get("ICEMELT_TORTURE_SEED", "1000"))
_QUERIES = int(os.environ.get("ICEMELT_TORTURE_QUERIES", "3000"))

Tables = Callable[[int], list[States]]


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Tables:
    """Return what gives a seed's tables; it keeps those of the last seed."""
    session = in_one_task(spark)
    kept: dict[int, list[States]] = {}

    def of(seed: int) -> list[States]:
        number = seed // _SHARING
        if number not in kept:
            kept.clear()
            kept[number] = histories(session, number)
        return kept[number]

    return of


@pytest.mark.turns(16)
@pytest.mark.parametrize("seed", range(112))
def test_changes_of_a_composition_are_new_less_old(tables: Tables, seed: int) -> None:
    check(tables(seed), composed(seed))


@pytest.mark.turns(64)
@pytest.mark.parametrize("seed", range(112))
def test_changes_by_both_ends_are_new_less_old(tables: Tables, seed: int) -> None:
    check(tables(seed), composed(seed), plain=True)


@pytest.mark.turns(64)
@pytest.mark.parametrize("by", ["rules", "both ends"])
@pytest.mark.parametrize("seed", range(56))
def test_changes_put_together_of_small_parts_are_new_less_old(
    tables: Tables, seed: int, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_parts, "_FEW_NODES", 2)
    monkeypatch.setattr(plan_parts, "_MOST_LEVELS", 1 + seed % 4)
    check(tables(seed), composed(seed), plain=by == "both ends", divided=True)


def test_a_seed_makes_the_same_query(tables: Tables) -> None:
    assert [composed(seed) for seed in range(5)] == [composed(seed) for seed in range(5)]
    assert len({composed(seed) for seed in range(112)}) > 100


@pytest.mark.torture
def test_changes_of_many_compositions_are_new_less_old(tables: Tables) -> None:
    changed, refused, wrong = 0, 0, {}
    for seed in range(_FIRST, _FIRST + _QUERIES):
        try:
            changed += check(tables(seed), composed(seed)) > 0
        except Refused:
            # GROUPING SETS and HAVING over a column of USING; projections pushed through a union
            refused += 1
        except (AssertionError, IcemeltError, PySparkException, Py4JError) as error:
            wrong[seed] = (composed(seed), str(error))
            sys.stdout.write(f"seed {seed}: {type(error).__name__} {str(error)[:300]}\n")
        many = seed - _FIRST + 1
        if many % 50 == 0 or many == _QUERIES:
            told = f"{many} queries from seed {_FIRST}: {changed} with changes, {len(wrong)} wrong"
            sys.stdout.write(f"{told}, {refused} that Spark refuses\n")
    assert not wrong
    assert refused < _QUERIES // 50
    assert changed > _QUERIES // 4
