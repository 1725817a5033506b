"""What a statement costs over `spark.sql` of the same text on the same table."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from pyspark.sql import SparkSession

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_REPEATS, _WARM_UP = 40, 15
_LIMIT = 30


def run() -> Outcome:
    """Time both in turn: the differences then share the machine's moods."""
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="2g") as session:
        session.sql("CREATE TABLE t (id INT, v INT)")
        session.sql("INSERT INTO t SELECT 1, 1")
        spark = session.spark
        plain = "icemelt.plain.t"
        core = session._core
        core.iceberg.register(("plain",), "t", core.table(_name("t")).known_location)
        rows: list[dict[str, Any]] = []
        for name, statement in {
            "SELECT": "SELECT * FROM {t} WHERE id = 1",
            "INSERT": "INSERT INTO {t} SELECT 2, 2",
            "UPDATE": "UPDATE {t} SET v = 3 WHERE id = 1",
        }.items():
            ours, theirs = _medians(
                partial(_ours, session, statement.format(t="t")),
                partial(_theirs, spark, statement.format(t=plain)),
            )
            rows.append(
                {
                    "statement": name,
                    "icemelt, ms": round(ours, 1),
                    "spark.sql, ms": round(theirs, 1),
                    "overhead, ms": round(ours - theirs, 1),
                }
            )
    targets = [
        Target(f"{row['statement']}: milliseconds over spark.sql", row["overhead, ms"], _LIMIT)
        for row in rows
    ]
    return Outcome(rows, targets)


def _ours(session: icemelt.Session, statement: str) -> object:
    return session.sql(statement).fetchall()


def _theirs(spark: SparkSession, statement: str) -> object:
    return spark.sql(statement).collect()


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw what Spark takes, and icemelt on top."""
    names = [row["statement"] for row in outcome.rows]
    spark = [row["spark.sql, ms"] for row in outcome.rows]
    more = [row["overhead, ms"] for row in outcome.rows]
    axes.bar(names, spark, label="spark.sql")
    bars = axes.bar(names, more, bottom=spark, label="icemelt: names, snapshot, publication")
    axes.bar_label(bars, [f"+{value:.0f} ms" for value in more])
    axes.set_ylabel("milliseconds")
    axes.set_title("What a statement costs over spark.sql of the same text")
    axes.legend()


def _name(name: str) -> Any:
    from icemelt.names import ObjectName

    return ObjectName((name,))


def _medians(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_REPEATS):
        for work, taken in zip((ours, theirs), times, strict=True):
            started = time.perf_counter()
            work()
            taken.append(1000 * (time.perf_counter() - started))
    mine, yours = (statistics.median(taken[_WARM_UP:]) for taken in times)
    return mine, yours


EXPERIMENT = Experiment(
    "overhead",
    "What does a statement on a table of one row cost over `spark.sql` of the same text on the "
    "same kind of table: parsing, resolving names, the snapshot, the workspace, publication? "
    "Medians of 25 warm runs, in turn.",
    run,
    draw,
)
