"""Small transactions a second: icemelt beside plain Iceberg appends on the same kind of catalog."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from matplotlib.axes import Axes
from pyspark.sql import SparkSession

import icemelt
from benchmarks.catalogs import catalogs
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_SESSIONS = (1, 4, 8)
_SECONDS, _TURNS = 5, 2
# of a session alone, on SQLite; of others
_LEAST_ALONE = 2.5
_LEAST, _FAIR = 0.8, 5
_DRIVERS = ("org.xerial:sqlite-jdbc:3.53.1.0", "org.postgresql:postgresql:42.7.13")
_FRONTIER_LIMIT = 1024

_Work = Callable[[], Any]


def run() -> Outcome:
    """Measure each catalog with more and more sessions."""
    folder = Path(tempfile.mkdtemp(prefix="icemelt-bench-"))
    rows, frontiers = [], []
    try:
        with catalogs(folder) as urls:
            for name, url in urls.items():
                for sessions in _SESSIONS:
                    rows += _measured(name, url, folder, sessions)
                frontiers.append(_longest_frontier(url))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Outcome(rows, _targets(rows, max(frontiers)))


def _targets(rows: Sequence[dict[str, Any]], frontier: int) -> list[Target]:
    rates = [
        Target(
            f"{row['transaction']}, {row['catalog']}, {row['sessions']} sessions: "
            "times plain Iceberg's",
            row["icemelt, a second"] / row["Iceberg, a second"],
            _LEAST_ALONE if (row["catalog"], row["sessions"]) == ("SQLite", 1) else _LEAST,
            at_least=True,
        )
        for row in rows
    ]
    fairness = max(row["slowest / median"] for row in rows)
    return [
        *rates,
        Target("the slowest transaction: times the median", fairness, _FAIR),
        Target("the longest stored frontier, bytes", frontier, _FRONTIER_LIMIT),
    ]


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw what is reached with each number of sessions."""
    for catalog in ("SQLite", "PostgreSQL"):
        for kind in ("INSERT", "consume"):
            rows = [r for r in outcome.rows if r["catalog"] == catalog and r["transaction"] == kind]
            ours = axes.plot(
                [row["sessions"] for row in rows],
                [row["icemelt, a second"] for row in rows],
                marker="o",
                label=f"icemelt, {kind}, {catalog}",
            )
            axes.plot(
                [row["sessions"] for row in rows],
                [row["Iceberg, a second"] for row in rows],
                linestyle="--",
                color=ours[0].get_color(),
            )
    axes.set_xticks(_SESSIONS)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("sessions")
    axes.set_ylabel("transactions a second")
    axes.set_title("Small transactions (dashed: plain Iceberg appends of the same rows)")
    axes.legend(fontsize=8)


def _measured(catalog: str, url: str, folder: Path, count: int) -> list[dict[str, Any]]:
    """Let so many sessions work at once, icemelt's and plain ones in turn."""
    warehouse = folder / catalog
    warehouse.mkdir(exist_ok=True)
    sessions = [
        icemelt.connect(
            catalog=url,
            warehouse=str(warehouse),
            master="local[2]",
            memory="3g",
            packages=_DRIVERS,
            maintain_every=None,
        )
        for _ in range(count)
    ]
    try:
        plain = [_plain(sessions[0].spark, url, warehouse) for _ in sessions]
        works = {
            "INSERT": (_inserts(sessions), _plain_inserts(plain)),
            "consume": (_consumers(sessions), _plain_consumers(plain)),
        }
        rows = []
        for kind, (ours, theirs) in works.items():
            mine, yours = _race_in_turn(ours, theirs)
            rows.append(
                {
                    "transaction": kind,
                    "catalog": catalog,
                    "sessions": count,
                    "icemelt, a second": round(_rate(mine), 2),
                    "Iceberg, a second": round(_rate(yours), 2),
                    "median, ms": round(
                        1000 * statistics.median(time for each in mine for time in each)
                    ),
                    "slowest / median": _fairness(mine),
                }
            )
            print(rows[-1], flush=True)
        return rows
    finally:
        for session in sessions:
            session.close()


def _plain(spark: SparkSession, url: str, warehouse: Path) -> SparkSession:
    """Return a session of a Spark that has the same tables in a JDBC catalog of Iceberg's own."""
    own = spark.newSession()
    parts = sa.make_url(url)
    prefix = "spark.sql.catalog.plain"
    own.conf.set(prefix, "org.apache.iceberg.spark.SparkCatalog")
    own.conf.set(f"{prefix}.catalog-impl", "org.apache.iceberg.jdbc.JdbcCatalog")
    own.conf.set(f"{prefix}.warehouse", str(warehouse / "plain"))
    own.conf.set(f"{prefix}.jdbc.schema-version", "V1")
    own.conf.set(f"{prefix}.cache-enabled", "false")
    if parts.get_backend_name() == "sqlite":
        jdbc = f"jdbc:sqlite:{parts.database}-plain?journal_mode=WAL&busy_timeout=30000"
    else:
        jdbc = f"jdbc:postgresql://{parts.host}:{parts.port or 5432}/{parts.database}"
        own.conf.set(f"{prefix}.jdbc.user", parts.username or "")
        own.conf.set(f"{prefix}.jdbc.password", parts.password or "")
    own.conf.set(f"{prefix}.uri", jdbc)
    return own


def _inserts(sessions: Sequence[icemelt.Session]) -> list[_Work]:
    sessions[0].sql("CREATE OR REPLACE TABLE t (id INT, v VARCHAR)")
    return [partial(session.sql, "INSERT INTO t VALUES (1, 'x')") for session in sessions]


def _plain_inserts(sessions: Sequence[SparkSession]) -> list[_Work]:
    _plain_table(sessions[0], "t")

    def insert(session: SparkSession) -> None:
        session.sql("INSERT INTO plain.public.t VALUES (1, 'x')").collect()

    return [partial(insert, session) for session in sessions]


def _consumers(sessions: Sequence[icemelt.Session]) -> list[_Work]:
    """Give each session a table, its stream and a sink: a row goes in, and from there on."""
    for number in range(len(sessions)):
        sessions[0].sql(f"CREATE OR REPLACE TABLE source_{number} (id INT, v VARCHAR)")
        sessions[0].sql(f"CREATE OR REPLACE TABLE sink_{number} (id INT, v VARCHAR)")
        sessions[0].sql(f"CREATE OR REPLACE STREAM s_{number} ON TABLE source_{number}")

    def consume(session: icemelt.Session, number: int) -> None:
        session.sql(f"INSERT INTO source_{number} VALUES (1, 'x')")
        session.sql(f"INSERT INTO sink_{number} SELECT id, v FROM s_{number}")

    return [partial(consume, session, number) for number, session in enumerate(sessions)]


def _plain_consumers(sessions: Sequence[SparkSession]) -> list[_Work]:
    for number in range(len(sessions)):
        for name in ("source", "sink", "one_row"):
            _plain_table(sessions[0], f"{name}_{number}")
        sessions[0].sql(f"INSERT INTO plain.public.one_row_{number} VALUES (1, 'x')").collect()

    def copy(session: SparkSession, number: int) -> None:
        session.sql(f"INSERT INTO plain.public.source_{number} VALUES (1, 'x')").collect()
        session.sql(
            f"INSERT INTO plain.public.sink_{number} SELECT * FROM plain.public.one_row_{number}"
        ).collect()

    return [partial(copy, session, number) for number, session in enumerate(sessions)]


def _plain_table(spark: SparkSession, name: str) -> None:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS plain.public")
    spark.sql(f"DROP TABLE IF EXISTS plain.public.{name}")
    spark.sql(
        f"CREATE TABLE plain.public.{name} (id INT, v STRING) USING iceberg "
        "TBLPROPERTIES ('format-version' = '3', 'commit.retry.num-retries' = '1000', "
        "'commit.retry.total-timeout-ms' = '600000')"
    )


def _race_in_turn(
    ours: Sequence[_Work], theirs: Sequence[_Work]
) -> tuple[list[list[float]], list[list[float]]]:
    """Race both in turn, after a while that warms Java up; return how long each work took."""
    both: tuple[list[list[float]], list[list[float]]] = ([[] for _ in ours], [[] for _ in theirs])
    for turn in range(_TURNS + 1):
        for works, taken in zip((ours, theirs), both, strict=True):
            times = _race(works)
            for one, more in zip(taken, times if turn else [], strict=False):
                one.extend(more)
    return both


def _race(works: Sequence[_Work]) -> list[list[float]]:
    """Repeat each work in a thread of its own for a time; return how long each took."""
    stop = threading.Event()

    def repeat(work: _Work) -> list[float]:
        times = []
        while not stop.is_set():
            started = time.perf_counter()
            work()
            times.append(time.perf_counter() - started)
        return times

    with ThreadPoolExecutor(len(works)) as pool:
        running = [pool.submit(repeat, work) for work in works]
        stop.wait(_SECONDS)
        stop.set()
        return [each.result() for each in running]


def _rate(times: Sequence[Sequence[float]]) -> float:
    """Return works a second: each session was at work all the time."""
    return sum(len(each) / sum(each) for each in times if each)


def _fairness(times: Sequence[Sequence[float]]) -> float:
    """Return the slowest transaction of all over the median."""
    every = [time for each in times for time in each]
    return round(max(every) / statistics.median(every), 2)


def _longest_frontier(url: str) -> int:
    engine = sa.create_engine(sa.make_url(url).set(drivername=_driver(url)))
    try:
        with engine.connect() as connection:
            text = "SELECT max(length(position)) FROM icemelt_frontiers"
            return int(connection.execute(sa.text(text)).scalar_one())
    finally:
        engine.dispose()


def _driver(url: str) -> str:
    name = sa.make_url(url).get_backend_name()
    return "postgresql+psycopg" if name == "postgresql" else name


EXPERIMENT = Experiment(
    "throughput",
    "How many small transactions a second? INSERT: one row, all sessions into one table. consume: "
    "a row is inserted into a session's table, and from its stream into another one. Beside it the "
    "same INSERTs by plain Iceberg in the same Spark, with a JDBC catalog of the same kind.",
    run,
    draw,
)
