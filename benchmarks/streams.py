"""What it costs to consume a stream, to ask it, and to open a transaction in a large lake."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from matplotlib.axes import Axes
from py4j.clientserver import ClientServerConnection

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_ROWS, _ROUNDS, _WARM_UP = 10_000, 25, 10
_TABLES = _STREAMS = 1000
_CONSUME_LIMIT, _ASK_LIMIT, _EMPTY_LIMIT, _TRANSACTION_LIMIT = 1.3, 5, 30, 30


def run() -> Outcome:
    """Measure on a small lake, then in one of a thousand tables and streams."""
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="3g") as session:
        consumed, plain = _consuming(session)
        jobs = _jobs(session)
        asked = _times(lambda: session.sql("SELECT SYSTEM$STREAM_HAS_DATA('s')").fetchall())
        empty = _times(lambda: session.sql("SELECT * FROM s").fetchall())
        jobs = _jobs(session) - jobs
        _fill(session)
        whole, outside, own = _transactions(session)
    rows = [
        _row("INSERT INTO t SELECT … FROM stream", consumed),
        _row("INSERT INTO t SELECT … FROM table", plain),
        _row("SELECT SYSTEM$STREAM_HAS_DATA", asked),
        _row("SELECT from an empty stream", empty),
        _row("BEGIN; INSERT … FROM stream; COMMIT", whole),
        _row("of it outside Spark", outside),
        _row("of that outside Java: Python and the catalog", own),
    ]
    targets = [
        Target(
            f"consuming {_ROWS:,} rows: times the same INSERT from a table",
            statistics.median(consumed) / statistics.median(plain),
            _CONSUME_LIMIT,
        ),
        Target("SYSTEM$STREAM_HAS_DATA, ms", statistics.median(asked), _ASK_LIMIT),
        Target("SELECT from an empty stream, ms", statistics.median(empty), _EMPTY_LIMIT),
        Target("Spark jobs of both", jobs, 0),
        Target(
            f"a transaction among {_TABLES:,} tables and streams: ms outside Spark, 95 %",
            _high(outside),
            _TRANSACTION_LIMIT,
        ),
    ]
    return Outcome(rows, targets)


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw the medians and the 95th percentiles."""
    names = [row["statement"] for row in outcome.rows][::-1]
    medians = [row["median, ms"] for row in outcome.rows][::-1]
    highs = [row["95th percentile, ms"] for row in outcome.rows][::-1]
    axes.barh(names, highs, color="lightgrey", label="95th percentile")
    axes.barh(names, medians, label="median")
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds (log)")
    axes.set_title("Consuming a stream, asking it, and a transaction in a large lake")
    axes.legend(fontsize=8)


def _consuming(session: icemelt.Session) -> tuple[list[float], list[float]]:
    """Consume in turn with an INSERT of the same rows from a table."""
    session.sql("CREATE TABLE source (id INT, v VARCHAR)")
    session.sql("CREATE TABLE sink (id INT, v VARCHAR)")
    rows = f"SELECT SEQ8(), 'value' FROM TABLE(GENERATOR(ROWCOUNT => {_ROWS}))"
    session.sql(f"CREATE TABLE same AS {rows.replace('SEQ8()', 'SEQ8() AS id')}")
    session.sql("CREATE STREAM s ON TABLE source")
    consumed, plain = [], []
    for _ in range(_ROUNDS):
        session.sql(f"INSERT INTO source {rows}")
        consumed.append(_time(lambda: session.sql("INSERT INTO sink SELECT id, v FROM s")))
        plain.append(_time(lambda: session.sql("INSERT INTO sink SELECT * FROM same")))
    return consumed[_WARM_UP:], plain[_WARM_UP:]


def _fill(session: icemelt.Session) -> None:
    for number in range(_TABLES):
        session.sql(f"CREATE TABLE table_{number} (id INT)")
    for number in range(_STREAMS):
        session.sql(f"CREATE STREAM stream_{number} ON TABLE source")


def _transactions(session: icemelt.Session) -> tuple[list[float], list[float], list[float]]:
    """Consume in transactions: how long each took, how much of it not in Spark, not in Java."""

    def consume() -> None:
        with session.transaction():
            session.sql("INSERT INTO sink SELECT id, v FROM s")

    frame = session.spark.range(1)
    # analysis, and the query itself
    spark = [
        (type(session.spark), "sql"),
        (type(frame), "selectExpr"),
        (type(frame.writeTo("t")), "append"),
    ]
    whole, outside, own = [], [], []
    with _timed(*spark) as in_spark, _timed((ClientServerConnection, "send_command")) as in_java:
        for _ in range(3 * _ROUNDS):
            session.sql("INSERT INTO source VALUES (1, 'x')")
            in_spark.clear()
            in_java.clear()
            whole.append(_time(consume))
            outside.append(whole[-1] - 1000 * sum(in_spark))
            own.append(whole[-1] - 1000 * sum(in_java))
    return whole[_ROUNDS:], outside[_ROUNDS:], own[_ROUNDS:]


@contextmanager
def _timed(*calls: tuple[type, str]) -> Iterator[list[float]]:
    """Note how many seconds each call of some methods takes."""
    taken: list[float] = []

    def timed(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*arguments, **named)
            finally:
                taken.append(time.perf_counter() - started)

        return run

    with ExitStack() as stack:
        for owner, name in calls:
            call = timed(getattr(owner, name))
            stack.enter_context(mock.patch.object(owner, name, call))
        yield taken


def _jobs(session: icemelt.Session) -> int:
    """Return how many Spark jobs there were until now."""
    # the newest is first, and has the number of those before it; old ones are forgotten
    jobs = session.spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return 0 if jobs.isEmpty() else int(jobs.head().jobId()) + 1


def _times(work: Callable[[], Any]) -> list[float]:
    return [_time(work) for _ in range(3 * _ROUNDS)][_ROUNDS:]


def _time(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def _high(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _row(statement: str, times: list[float]) -> dict[str, Any]:
    return {
        "statement": statement,
        "median, ms": round(statistics.median(times), 1),
        "95th percentile, ms": round(_high(times), 1),
    }


EXPERIMENT = Experiment(
    "streams",
    f"How much longer does an INSERT take that consumes {_ROWS:,} rows of a stream than one that "
    "reads them from a table? What does it cost to ask an empty stream? And what does a "
    f"transaction that consumes add to Spark's work, with {_TABLES:,} tables in the catalog and "
    f"{_STREAMS:,} streams on one table?",
    run,
    draw,
)
