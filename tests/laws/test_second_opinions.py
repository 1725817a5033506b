"""The law of functions: a call gives what a second opinion gives, for any arguments."""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from laws.second_opinions import AGGREGATES, DATES, NUMBERS, TEXTS, Opinions
from pyspark.sql import Row, SparkSession

from icemelt.schema import DataType, DecimalType, Primitive, spark_type
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import Select

# each query is a few seconds of Spark, whatever its rows
_ROWS, _GROUPS = 1_000, 60
_VIEW = "second_opinions"
_LONG, _STRING, _DATE = Primitive("long"), Primitive("string"), Primitive("date")
_CHANCES = st.randoms(use_true_random=True)
# a smaller case says no more: each call tells of one row
_FEW = settings(
    max_examples=2,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
_CHARACTERS = "aabbAB  cäß9-,éΣ🜁"
_ODD_DAYS = ("0104-02-29", "1582-10-15", "1899-12-31", "1969-12-31", "2000-02-29", "2024-12-30")


def ask(
    spark: SparkSession,
    rows: Sequence[tuple[Any, ...]],
    columns: Mapping[str, DataType],
    expressions: Iterable[str],
    rest: str = "",
) -> list[Row]:
    """Return what expressions give for each row, or for the groups of `rest`."""
    schema = ", ".join(f"`{name}` {spark_type(kind)}" for name, kind in columns.items())
    spark.createDataFrame(list(rows), schema).coalesce(2).createOrReplaceTempView(_VIEW)
    text = f"SELECT {', '.join(expressions)} FROM t {rest}"
    statement = parse_statement(text, None, lambda _: columns)
    assert isinstance(statement, Select)
    (reference,) = statement.query.references
    return spark.sql(statement.query.text.replace(reference.slot, _VIEW)).collect()


def agree(found: object, expected: object) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    return found == expected


def disagreements(
    rows: Sequence[tuple[Any, ...]], found: Sequence[Row], opinions: Opinions
) -> list[str]:
    """Return up to one disagreement for each call."""
    told = {}
    for row, answers in zip(rows, found, strict=True):
        for (call, opinion), answer in zip(opinions.items(), answers, strict=True):
            expected = opinion(*row)
            if not agree(answer, expected):
                told.setdefault(call, f"{call} of {row} is {answer!r}, not {expected!r}")
    return list(told.values())


def make_number(chance: random.Random) -> tuple[float, int, int, Decimal, int]:
    x = chance.choice([chance.uniform(-10, 10), chance.uniform(-1e6, 1e6), 0.5, -2.5, 0.0])
    i = chance.choice([chance.getrandbits(63), -chance.getrandbits(40), 0, -1, 2**63 - 1])
    d = Decimal(chance.choice([chance.randint(-(10**10), 10**10), 5, -15, 25_000, 0])).scaleb(-4)
    return x, i, chance.randint(-1_000, 1_000), d, chance.randint(0, 20)


def make_text(chance: random.Random, most: int, least: int = 0) -> str:
    return "".join(chance.choices(_CHARACTERS, k=chance.randint(least, most)))


def make_date(chance: random.Random) -> datetime.date:
    if chance.random() < 0.2:
        return datetime.date.fromisoformat(chance.choice(_ODD_DAYS))
    return datetime.date(1800, 1, 1) + datetime.timedelta(chance.randint(0, 150_000))


def make_moment(chance: random.Random) -> datetime.datetime:
    start = datetime.datetime(1900, 1, 1)  # noqa: DTZ001 - as a TIMESTAMP_NTZ
    return start + datetime.timedelta(microseconds=chance.randint(0, 6 * 10**15))


@_FEW
@given(chance=_CHANCES)
def test_numbers(with_functions: SparkSession, chance: random.Random) -> None:
    rows = [make_number(chance) for _ in range(_ROWS)]
    kinds = (Primitive("double"), _LONG, _LONG, DecimalType(12, 4), _LONG)
    columns = dict(zip("xijdk", kinds, strict=True))
    assert disagreements(rows, ask(with_functions, rows, columns, NUMBERS), NUMBERS) == []


@_FEW
@given(chance=_CHANCES)
def test_texts(with_functions: SparkSession, chance: random.Random) -> None:
    rows = [
        (
            make_text(chance, 12),
            make_text(chance, 2, 1),
            make_text(chance, 5),
            chance.randint(-4, 12),
        )
        for _ in range(_ROWS)
    ]
    columns = {"s": _STRING, "p": _STRING, "o": _STRING, "n": _LONG}
    assert disagreements(rows, ask(with_functions, rows, columns, TEXTS), TEXTS) == []


@_FEW
@given(chance=_CHANCES)
def test_dates(with_functions: SparkSession, chance: random.Random) -> None:
    rows = [
        (make_date(chance), make_date(chance), make_moment(chance), chance.randint(-40, 2_000))
        for _ in range(_ROWS)
    ]
    columns = {"d": _DATE, "e": _DATE, "t": Primitive("timestamp"), "n": _LONG}
    assert disagreements(rows, ask(with_functions, rows, columns, DATES), DATES) == []


@_FEW
@given(chance=_CHANCES)
def test_aggregates(with_functions: SparkSession, chance: random.Random) -> None:
    groups = {}
    for number in range(_GROUPS):
        size = chance.choice([1, 2, 3, 4, 20])
        many = [Decimal(chance.randint(-(10**6), 10**6)).scaleb(-4) for _ in range(size)]
        whole = [chance.randint(-50, 50) for _ in range(size)]
        groups[number] = (many, whole, [make_text(chance, 3) for _ in range(size)])
    rows = [(key, *row) for key, group in groups.items() for row in zip(*group, strict=True)]
    columns = {"g": _LONG, "d": DecimalType(12, 4), "i": _LONG, "s": _STRING}
    found = ask(with_functions, rows, columns, AGGREGATES, "GROUP BY g ORDER BY g")
    assert disagreements(list(groups.values()), found, AGGREGATES) == []
