"""What it costs to read a partition of an external table, and its new files, beside Spark."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from matplotlib.axes import Axes

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_DAYS, _FILES_OF_A_DAY, _ROWS_OF_A_FILE = 50, 8, 125_000
_OLD, _NEW, _ROWS_OF_A_NEW_FILE = 100_000, 10, 20_000
_FILES_OF_A_FOLDER, _ROUNDS = 1_000, 7
# columns of the external table, and what Spark reads for the same
_COLUMNS = (
    "id INT AS (VALUE:id::INT), amount DOUBLE AS (VALUE:amount::DOUBLE), "
    "name VARCHAR AS (VALUE:name::VARCHAR)"
)


def _run() -> Outcome:
    with (
        tempfile.TemporaryDirectory() as folder,
        icemelt.connect(Path(folder, "lake"), master="local[2]", maintain_every=None) as session,
    ):
        rows = [
            _read_partition(session, Path(folder, "days")),
            *_read_new_files(session, Path(folder, "many")),
        ]
    return Outcome(
        rows,
        (
            Target("one partition, × Spark's read of its files", rows[0]["×"], 1.1),
            Target("10 new Parquet files among 100,000, × Spark's read", rows[1]["×"], 1.3),
            Target("10 new JSON files among 100,000, × Spark's read", rows[2]["×"], 1.3),
        ),
    )


def _read_partition(session: icemelt.Session, root: Path) -> dict[str, Any]:
    for day in range(_DAYS):
        Path(root, f"day={day}").mkdir(parents=True)
        for file in range(_FILES_OF_A_DAY):
            _write_parquet(Path(root, f"day={day}", f"{file}.parquet"), _ROWS_OF_A_FILE)
    session.sql(f"CREATE STAGE days URL = '{root}'")
    session.sql(
        f"CREATE EXTERNAL TABLE by_day ({_COLUMNS}, day INT AS (SPLIT_PART(SPLIT_PART("
        "METADATA$FILENAME, '/', 1), '=', 2)::INT)) PARTITION BY (day) LOCATION = @days "
        "FILE_FORMAT = (TYPE = PARQUET)"
    )
    files = [str(Path(root, "day=7", f"{file}.parquet")) for file in range(_FILES_OF_A_DAY)]

    def read_by_spark() -> list[Any]:
        frame = session.spark.read.parquet(*files)
        return frame.selectExpr("count(id)", "sum(amount)").collect()

    query = "SELECT COUNT(id), SUM(amount) FROM by_day WHERE day = 7"
    mine, spark = _duel(partial(_fetch, session, query), read_by_spark)
    return _row(f"1 of {_DAYS} partitions, {_FILES_OF_A_DAY} Parquet files", mine, spark)


def _read_new_files(session: icemelt.Session, root: Path) -> Iterator[dict[str, Any]]:
    for kind in ("parquet", "json"):
        folder = Path(root, kind)
        _make_files(folder, kind)
        session.sql(f"CREATE STAGE many_{kind} URL = '{folder}'")
        session.sql(
            f"CREATE EXTERNAL TABLE from_{kind} ({_COLUMNS}) LOCATION = @many_{kind} "
            f"FILE_FORMAT = (TYPE = {kind})"
        )
        session.sql(f"CREATE STREAM new_{kind} ON EXTERNAL TABLE from_{kind} INSERT_ONLY = TRUE")
        files = [str(Path(folder, "0", f"new {number}.{kind}")) for number in range(_NEW)]
        for file in files:
            _write(Path(file), kind, _ROWS_OF_A_NEW_FILE)
        session.sql(f"ALTER EXTERNAL TABLE from_{kind} REFRESH")
        query = f"SELECT COUNT(id), SUM(amount) FROM new_{kind}"
        mine, spark = _duel(
            partial(_fetch, session, query), partial(_by_spark, session, kind, files)
        )
        yield _row(f"{_NEW} new {kind} files among {_OLD:,}", mine, spark)


def _by_spark(session: icemelt.Session, kind: str, files: Sequence[str]) -> list[Any]:
    schema = "id BIGINT, amount DOUBLE, name STRING"
    frame = session.spark.read.schema(schema).format(kind).load(list(files))
    return frame.selectExpr("count(id)", "sum(amount)").collect()


def _duel(mine: Callable[[], Any], spark: Callable[[], Any]) -> tuple[float, float]:
    """Return the medians of the seconds of two reads that take turns."""
    times: dict[Callable[[], Any], list[float]] = {mine: [], spark: []}
    if [tuple(row) for row in mine()] != [tuple(row) for row in spark()]:
        raise RuntimeError("the two read other rows")
    for _ in range(_ROUNDS):
        for read, seconds in times.items():
            begin = time.perf_counter()
            read()
            seconds.append(time.perf_counter() - begin)
    return statistics.median(times[mine]), statistics.median(times[spark])


def _row(what: str, mine: float, spark: float) -> dict[str, Any]:
    return {
        "read": what,
        "icemelt, s": round(mine, 3),
        "Spark, s": round(spark, 3),
        "×": round(mine / spark, 2),
    }


def _make_files(root: Path, kind: str) -> None:
    """Make the old files, all of one content: nothing of them is read."""
    root.mkdir(parents=True)
    first = Path(root, f"first.{kind}")
    _write(first, kind, 1)
    content = first.read_bytes()
    for number in range(_OLD - 1):
        folder = Path(root, str(number // _FILES_OF_A_FOLDER))
        if number % _FILES_OF_A_FOLDER == 0:
            folder.mkdir()
        Path(folder, f"{number}.{kind}").write_bytes(content)


def _write(path: Path, kind: str, rows: int) -> None:
    if kind == "parquet":
        _write_parquet(path, rows)
        return
    lines = (
        f'{{"id": {number}, "amount": {number / 7}, "name": "name {number}"}}\n'
        for number in range(rows)
    )
    path.write_text("".join(lines))


def _write_parquet(path: Path, rows: int) -> None:
    numbers = range(rows)
    table = pa.table(
        {
            "id": list(numbers),
            "amount": [number / 7 for number in numbers],
            "name": [f"name {number}" for number in numbers],
            "unread": [f"{number:060d}" for number in numbers],
        }
    )
    pq.write_table(table, path)


def _fetch(session: icemelt.Session, statement: str) -> list[Any]:
    return session.sql(statement).fetchall()


def _draw(outcome: Outcome, axes: Axes) -> None:
    names = [row["read"] for row in outcome.rows]
    axes.barh(names, [row["×"] for row in outcome.rows])
    axes.axvline(1.0, color="grey")
    axes.set(xlabel="× the time of Spark's own read of the same files")


EXPERIMENT = Experiment(
    "external_files",
    "What does it cost to read a partition of an external table, and its new files?",
    _run,
    _draw,
)
