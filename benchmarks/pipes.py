"""What a pipe costs beside one COPY INTO, and 1,000 small files beside one file of their rows.

DuckDB is beside them as the fastest way to bring such files into tables of one machine: it keeps a
file of its own format, remembers no files, and ends at the first row that does not fit.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_FILES, _ROWS_OF_A_FILE, _ROUNDS = 1_000, 1_000, 5
_ROWS = _FILES * _ROWS_OF_A_FILE
_SCHEMA = "id BIGINT, v STRING, n DOUBLE"
_PEER = "peer"


def _run() -> Outcome:
    times = _measure_all()
    rows = [_row(name, measured) for name, measured in times.items()]
    many = "pipe, 1,000 files"
    return Outcome(
        rows,
        (
            Target(
                f"a pipe's {_FILES:,} files, × the time of one file with the same rows",
                _ratio(times[many], times["pipe, one file"]),
                3.0,
            ),
            Target(
                f"a pipe's {_FILES:,} files, × the time of one COPY INTO of them",
                _ratio(times[many], times["COPY INTO, 1,000 files"]),
                round(1 / 0.9, 2),
            ),
            Target(
                f"a pipe's {_FILES:,} files, × the time of Structured Streaming's file source, "
                "which reads what does not fit as NULL, and counts nothing",
                _ratio(times[many], times["Structured Streaming"]),
                1.0,
            ),
        ),
    )


def _row(name: str, measured: list[float]) -> dict[str, Any]:
    seconds = statistics.median(measured)
    return {"loaded by": name, "seconds": round(seconds, 3), "rows/s": round(_ROWS / seconds)}


def _ratio(measured: list[float], others: list[float]) -> float:
    """Return the median of the rounds' ratios: what else runs slows both ways of a round."""
    return round(statistics.median(a / b for a, b in zip(measured, others, strict=True)), 2)


def _measure_all() -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        catalog = f"spark.sql.catalog.{_PEER}"
        conf = {
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            f"{catalog}.type": "hadoop",
            f"{catalog}.warehouse": f"{folder}/peer",
        }
        lake = Path(folder, "lake")
        with icemelt.connect(lake, master="local[2]", maintain_every=None, conf=conf) as session:
            return _measure(session, Path(folder))


def _measure(session: icemelt.Session, folder: Path) -> dict[str, list[float]]:
    """Return the seconds of each round of each way to load the same rows into a new table."""
    many, one = _make_files(folder / "many", _FILES), _make_files(folder / "one", 1)
    ways: dict[str, Callable[[int], float]] = {
        "pipe, one file": partial(_load_by_pipe, session, one),
        "pipe, 1,000 files": partial(_load_by_pipe, session, many),
        "COPY INTO, 1,000 files": partial(_load_by_copy, session, many),
        "COPY INTO, one file": partial(_load_by_copy, session, one),
        "Structured Streaming": partial(_load_by_streaming, session, many, folder),
        "DuckDB, 1,000 files": partial(_load_by_duckdb, many, folder),
        "DuckDB, one file": partial(_load_by_duckdb, one, folder),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    # the first round loads Java's classes, and is not counted
    for number in range(_ROUNDS + 1):
        for name, load in ways.items():
            seconds = load(number)
            if number:
                times[name].append(seconds)
    return times


def _make_files(folder: Path, count: int) -> Path:
    folder.mkdir()
    rows = _ROWS // count
    for number in range(count):
        first = number * rows
        lines = (f"{each},value {each},{each / 7}\n" for each in range(first, first + rows))
        Path(folder, f"{number}.csv").write_text("".join(lines))
    return folder


def _load_by_pipe(session: icemelt.Session, files: Path, number: int) -> float:
    table = f"piped_{files.name}_{number}"
    session.sql(f"CREATE TABLE {table} ({_SCHEMA})")
    session.sql(f"CREATE PIPE p_{table} AUTO_INGEST = TRUE AS COPY INTO {table} FROM '{files}'")
    seconds = _seconds(session.run_pipes)
    session.sql(f"DROP PIPE p_{table}")
    _check(session.sql(f"SELECT COUNT(*) FROM {table}").fetchall())
    return seconds


def _load_by_copy(session: icemelt.Session, files: Path, number: int) -> float:
    table = f"copied_{files.name}_{number}"
    session.sql(f"CREATE TABLE {table} ({_SCHEMA})")
    seconds = _seconds(partial(session.sql, f"COPY INTO {table} FROM '{files}'"))
    _check(session.sql(f"SELECT COUNT(*) FROM {table}").fetchall())
    return seconds


def _load_by_streaming(session: icemelt.Session, files: Path, folder: Path, number: int) -> float:
    """Load as Spark's own users do: a stream of files that ends when it has read all there are."""
    spark, table = session.spark, f"{_PEER}.public.streamed_{number}"
    spark.sql(
        f"CREATE TABLE {table} ({_SCHEMA}) USING iceberg TBLPROPERTIES ('format-version'='3')"
    )
    source = spark.readStream.schema(_SCHEMA).csv(str(files))
    checkpoint = str(folder / f"checkpoint {number}")
    writer = source.writeStream.format("iceberg").option("checkpointLocation", checkpoint)

    def run() -> None:
        writer.trigger(availableNow=True).toTable(table).awaitTermination()

    seconds = _seconds(run)
    _check(spark.table(table).groupBy().count().collect())
    return seconds


def _load_by_duckdb(files: Path, folder: Path, number: int) -> float:
    """Load as DuckDB's users do: INSERT of what read_csv gives, into a database on disk."""
    import duckdb

    table, columns = f"inserted_{files.name}_{number}", _SCHEMA.replace("STRING", "VARCHAR")
    types = ", ".join("'{}': '{}'".format(*column.split(" ")) for column in columns.split(", "))
    with duckdb.connect(folder / "peer.duckdb", config={"threads": 2}) as connection:
        connection.sql(f"CREATE TABLE {table} ({columns})")
        query = f"SELECT * FROM read_csv('{files}/*.csv', header = false, columns = {{{types}}})"
        seconds = _seconds(partial(connection.sql, f"INSERT INTO {table} {query}"))
        _check(connection.sql(f"SELECT COUNT(*) FROM {table}").fetchall())
    return seconds


def _check(counted: list[Any]) -> None:
    if counted[0][0] != _ROWS:
        raise RuntimeError(f"{counted[0][0]} rows were loaded")


def _seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _draw(outcome: Outcome, axes: Axes) -> None:
    rows = outcome.rows
    axes.barh([row["loaded by"] for row in rows], [row["seconds"] for row in rows])
    axes.set(xlabel=f"seconds for {_ROWS:,} rows")


EXPERIMENT = Experiment(
    "pipes",
    "What does a pipe cost beside one COPY INTO, and 1,000 small files beside one large file?",
    _run,
    _draw,
)
