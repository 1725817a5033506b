"""The law of small queries: run in the driver, they give what Spark's jobs give of them."""

from __future__ import annotations

import random
import re
from collections import Counter
from decimal import Decimal

import pytest
from rotation import this_turn

from icemelt import Session
from icemelt.errors import IcemeltError

DRIVER_RUNS = "spark.icemelt.driverRuns"
_VALUES = re.compile(r"-?\d+(\.\d+)?|'[^']*'")
_QUERIES = (
    "SELECT * FROM t WHERE k = 3",
    "SELECT k, COUNT(*), SUM(v), MAX(txt), COUNT(DISTINCT part) FROM t GROUP BY k",
    "SELECT COUNT(*), SUM(v), MIN(x), MEDIAN(v) FROM t",
    "SELECT LISTAGG(DISTINCT txt, ',') WITHIN GROUP (ORDER BY txt) FROM t",
    "SELECT part, k, SUM(v), GROUPING(k) FROM t GROUP BY ROLLUP (part, k)",
    "SELECT part, k, COUNT(*) FROM t GROUP BY GROUPING SETS ((part), (k), ())",
    "SELECT COUNT(DISTINCT k), COUNT(DISTINCT part), SUM(DISTINCT v) FROM t",
    "SELECT DISTINCT part, txt FROM t UNION SELECT part, txt FROM s",
    "SELECT part FROM t INTERSECT SELECT part FROM s",
    "SELECT k, part FROM t EXCEPT SELECT k, part FROM s",
    "SELECT * FROM t JOIN s ON t.k = s.k AND t.v < s.v",
    "SELECT t.k, s.txt FROM t LEFT JOIN s ON t.k = s.k",
    "SELECT t.k, s.txt FROM t RIGHT JOIN s ON t.k = s.k AND t.part = 1",
    "SELECT t.k, s.k FROM t FULL JOIN s ON t.k = s.k AND s.part = t.part",
    "SELECT t.k, s.k FROM t LEFT JOIN s ON EQUAL_NULL(t.k, s.k) FULL JOIN s AS u ON u.k = t.k",
    "SELECT t.k, s.k FROM t JOIN s ON t.k > s.k WHERE t.part = s.part OR t.v > s.v",
    "SELECT * FROM t WHERE k IN (SELECT k FROM s)",
    "SELECT * FROM t WHERE k NOT IN (SELECT k FROM s)",
    "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.k = t.k AND s.v > t.v)",
    "SELECT k, (SELECT MAX(v) FROM s WHERE s.k = t.k) FROM t",
    "SELECT k, v - (SELECT AVG(v) FROM s) FROM t",
    "SELECT k, RANK() OVER (PARTITION BY part ORDER BY k, v) AS r FROM t QUALIFY r <= 2",
    "SELECT k, SUM(v) OVER (ORDER BY k, v ROWS 2 PRECEDING) FROM t",
    "SELECT k, v FROM t ORDER BY k NULLS LAST, v, x LIMIT 5",
    "SELECT f.value::INT, COUNT(*) FROM t, LATERAL FLATTEN(ARRAY_CONSTRUCT(k, part)) f GROUP BY 1",
    "SELECT TO_VARCHAR(at), at::DATE, DATE_TRUNC('month', at) FROM t",
    "SELECT PARSE_JSON('{\"a\": ' || k || '}'):a + 1 FROM t WHERE k IS NOT NULL",
    "SELECT * EXCLUDE (metadata$row_id) FROM changed",
    "SELECT k, SUM(v) FROM changed WHERE metadata$action = 'INSERT' GROUP BY k",
    # some row of these has no value
    "SELECT 10 / (k - 3) FROM t",
    "SELECT TO_NUMBER(txt) FROM t",
    "SELECT CAST(v AS NUMBER(2, 0)) FROM t",
)


@pytest.fixture
def tables(session: Session) -> Session:
    rng = random.Random(this_turn())  # noqa: S311 - chance is wanted
    session.sql("ALTER SESSION SET TIMEZONE = 'America/New_York'")
    for name in ("t", "s"):
        session.sql(f"""CREATE TABLE {name} (k INT, part INT, v NUMBER(10, 2), x DOUBLE,
            txt VARCHAR, at TIMESTAMP_LTZ)""")
        rows = [
            (
                rng.choice([None, *range(8)]),
                rng.randrange(3),
                Decimal(rng.randrange(20_000)) / 100,
                rng.choice([None, -0.0, 0.5, 1e300, 7.25]),
                rng.choice([None, "a", "b", "ü", "7"]),
                f"2024-0{rng.randrange(1, 9)}-11 23:{rng.randrange(10, 59)}:00",
            )
            for _ in range(rng.choice([0, 1, 40, 300]) if name == "s" else 200)
        ]
        for values in rows[::50]:
            listed = ", ".join(["?"] * len(values))
            session.sql(f"INSERT INTO {name} SELECT {listed}", list(values))
        session.sql(f"INSERT INTO {name} SELECT k, part, v + 1, x, txt, at FROM {name}")
        session.sql(f"INSERT INTO {name} SELECT k + 1, part, v, x, txt, at FROM {name}")
    session.sql("CREATE STREAM changed ON TABLE t")
    session.sql("UPDATE t SET v = v + 1 WHERE part = 1")
    session.sql("DELETE FROM t WHERE k = 5")
    session.sql("INSERT INTO t (k, part, v) VALUES (100, 1, 1), (101, 2, 2)")
    return session


def _answer(session: Session, query: str, *, in_driver: bool) -> object:
    session.spark.conf.set(DRIVER_RUNS, str(in_driver).lower())
    try:
        rows = session.sql(query).fetchall()
    except IcemeltError as error:
        # of several rows without a value any may be named
        return type(error), _VALUES.sub("…", error.message)
    return rows if "ORDER BY k NULLS LAST" in query else Counter(map(repr, rows))


def test_the_driver_gives_what_jobs_give(tables: Session) -> None:
    before = tables.spark.conf.get(DRIVER_RUNS, "true")
    try:
        for query in _QUERIES:
            by_job = _answer(tables, query, in_driver=False)
            assert _answer(tables, query, in_driver=True) == by_job, query
    finally:
        tables.spark.conf.set(DRIVER_RUNS, before)
