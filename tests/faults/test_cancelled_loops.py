"""Tasks end where they are cancelled in a loop that makes no rows: Spark looks at scans alone."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from waiting import wait_until

from icemelt.errors import StatementCancelled
from icemelt.session.runtime.cores import open_spark_session
from icemelt.session.runtime.jobs import Jobs

# few rows, of which all pairs take minutes
FEW, MANY = (
    "(SELECT id AS n, 0 AS k FROM range(2000))",
    "(SELECT id AS n, 0 AS k FROM range(50000))",
)
NEVER = "md5(concat(a.n, '-', b.n)) = 'x'"
PATIENCE_SECONDS = 60
SOON_SECONDS = 5
ARRAYS = "(SELECT sequence(1, 20000) AS x)"
BY_KEY = f"{FEW} a JOIN {MANY} b ON a.k = b.k AND {NEVER}"
LOOPS = {
    "cross join": f"SELECT /*+ BROADCAST(b) */ count(*) FROM {FEW} a CROSS JOIN {MANY} b"
    f" WHERE {NEVER}",
    "cross join, filtered above": f"SELECT /*+ BROADCAST(b) */ count(*) FROM"
    f" (SELECT a.n + rand() * 0 AS a, b.n AS b FROM {FEW} a CROSS JOIN {MANY} b)"
    " WHERE md5(concat(a, '-', b)) = 'x'",
    "left join": f"SELECT count(b.n) FROM {FEW} a LEFT JOIN {MANY} b ON {NEVER}",
    "full join": f"SELECT count(b.n) FROM {FEW} a FULL JOIN {MANY} b ON {NEVER}",
    "exists": f"SELECT * FROM {FEW} a WHERE EXISTS (SELECT 1 FROM {MANY} b WHERE {NEVER})",
    "not exists": f"SELECT count(*) FROM {FEW} a WHERE NOT EXISTS (SELECT 1 FROM {MANY} b"
    f" WHERE {NEVER})",
    "cartesian product": f"SELECT /*+ SHUFFLE_REPLICATE_NL(b) */ count(*) FROM {FEW} a"
    f" JOIN {MANY} b ON {NEVER}",
    "broadcast hash join": f"SELECT /*+ BROADCAST(b) */ count(*) FROM {BY_KEY}",
    "shuffled hash join": f"SELECT /*+ SHUFFLE_HASH(b) */ count(*) FROM {BY_KEY}",
    "hash join, filtered above": "SELECT /*+ BROADCAST(b) */ count(*) FROM"
    f" (SELECT a.n + rand() * 0 AS a, b.n AS b FROM {FEW} a JOIN {MANY} b ON a.k = b.k)"
    " WHERE md5(concat(a, '-', b)) = 'x'",
    "two arrays": f"SELECT count(*) FROM {ARRAYS} LATERAL VIEW explode(x) AS a"
    " LATERAL VIEW explode(x) AS b WHERE md5(concat(a, '-', b)) = 'x'",
    "two arrays, outer": f"SELECT count(*) FROM {ARRAYS} LATERAL VIEW OUTER explode(x) AS a"
    " LATERAL VIEW OUTER posexplode(x) AS p, b WHERE md5(concat(a, '-', b)) = 'x'",
    "window": "SELECT sum(w) FROM (SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 20000 PRECEDING"
    " AND 20000 FOLLOWING) AS w FROM range(100000))",
}
INTERPRETED = ("cross join", "broadcast hash join", "two arrays")


@pytest.fixture(scope="module")
def own(spark: SparkSession) -> SparkSession:
    return open_spark_session(spark)


@pytest.fixture
def settings(own: SparkSession) -> Iterator[None]:
    """Put back afterwards what a test sets."""
    yield
    for key in ("spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage"):
        own.conf.unset(key)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_hears_a_cancel(own: SparkSession, loop: str) -> None:
    _cancel(own, LOOPS[loop])


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("loop", INTERPRETED)
def test_a_loop_without_generated_code_hears_a_cancel(own: SparkSession, loop: str) -> None:
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    _cancel(own, LOOPS[loop])


@pytest.mark.usefixtures("settings")
def test_a_loop_of_a_plan_that_is_not_adaptive_hears_a_cancel(own: SparkSession) -> None:
    own.conf.set("spark.sql.adaptive.enabled", "false")
    _cancel(own, LOOPS["cross join"])


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("is_adaptive", ["true", "false"])
def test_what_is_read_twice_is_read_once(own: SparkSession, is_adaptive: str) -> None:
    own.conf.set("spark.sql.adaptive.enabled", is_adaptive)
    pairs = "SELECT a.id % 7 AS k, count(*) AS c FROM range(20) a JOIN range(20) b ON a.id < b.id"
    rows = own.sql(
        f"WITH p AS ({pairs} GROUP BY a.id % 7) SELECT x.k, y.c FROM p x JOIN p y ON x.k = y.k"
    )
    found = rows.collect()
    assert sum(row.c for row in found) == 20 * 19 // 2
    plan = rows._jdf.queryExecution().executedPlan().toString()
    assert "not_cancelled()" in plan
    assert "ReusedExchange" in plan


def test_explain_is_as_without_the_checks(own: SparkSession) -> None:
    plan = own.sql(LOOPS["cross join"])._jdf.queryExecution().executedPlan().toString()
    assert "NestedLoopJoin" in plan
    assert "not_cancelled" not in plan


def test_sessions_share_one_rule(spark: SparkSession) -> None:
    for _ in range(2):
        rules = open_spark_session(spark)._jsparkSession.sessionState().columnarRules()
        assert rules.size() == 1


def _cancel(own: SparkSession, statement: str) -> None:
    """Cancel a statement whose job has run for a second; its tasks must end soon."""
    jobs, ended = Jobs(own, str(uuid.uuid4()), ""), threading.Event()

    def work() -> None:
        with pytest.raises(StatementCancelled), jobs.of("loop"):
            own.sql(statement).collect()
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    _wait_for_a_long_job(jobs)
    jobs.cancel()
    wait_until(lambda: not _running_tasks(own), SOON_SECONDS)
    thread.join(SOON_SECONDS)
    assert ended.is_set()


def _wait_for_a_long_job(jobs: Jobs) -> None:
    """Wait until one job has run for a second: before it, short ones make the sides of a join."""
    ends = time.monotonic() + PATIENCE_SECONDS
    seen: list[int] = []
    while not seen or jobs.running() != seen:
        assert time.monotonic() < ends
        seen = jobs.running()
        time.sleep(1)


def _running_tasks(own: SparkSession) -> int:
    executors = own._jsparkSession.sparkContext().statusTracker().getExecutorInfos()
    return sum(executor.numRunningTasks() for executor in executors)
