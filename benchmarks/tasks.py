"""Tasks: how soon one starts, what idle ones cost, a thousand at once, and what a run adds."""

from __future__ import annotations

import datetime
import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import sqlalchemy as sa
from matplotlib.axes import Axes

import icemelt
from benchmarks.catalogs import catalogs
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_QUICK = "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS = 1"
_ROUNDS, _TASKS, _IN_SCHEMA, _IDLE_SECONDS = 40, 1_000, 50, 60
_SETTLING_SECONDS = 30
_PATIENCE_SECONDS = 600.0
_BYTES_OF_A_MIB = 1 << 20
_PUBLISHED = """SELECT t.committed_at FROM icemelt_statements s JOIN icemelt_transactions t
ON t.transaction_id = s.transaction_id WHERE s.text = '{}' ORDER BY 1"""
_BEGUN = "SELECT started_at FROM icemelt_statements WHERE text = '{}' ORDER BY 1"
_ONE, _TWO = "one process", "two processes"


def _run() -> Outcome:
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="icemelt-bench-") as name:
        folder = Path(name)
        with catalogs(folder) as urls:
            for catalog, url in urls.items():
                lake = _Lake(catalog, url, folder / f"{catalog} files")
                rows += _measure_lake(lake)
    return Outcome(rows, tuple(_targets(rows)))


def _targets(rows: Sequence[dict[str, Any]]) -> Iterator[Target]:
    found = {(row["catalog"], row["measure"]): row for row in rows}
    for catalog, processes, most in (
        ("SQLite", _ONE, 150),
        ("SQLite", _TWO, 600),
        ("PostgreSQL", _TWO, 250),
    ):
        row = found[catalog, f"publication to start, {processes}, ms"]
        yield Target(f"ms from publication to start, {catalog}, {processes}", row["median"], most)
    for catalog in ("SQLite", "PostgreSQL"):
        idle, memory = (f"{_TASKS:,} idle tasks, {what}" for what in ("% of a core", "MiB"))
        yield Target(f"{idle}, {catalog}", found[catalog, idle]["median"], 2)
        yield Target(f"{memory}, {catalog}", found[catalog, memory]["median"], 50)
        due = found[catalog, f"{_TASKS:,} due at once, lateness, s"]
        yield Target(f"s until {_TASKS:,} due at once have started, {catalog}", due["most"], 60)
        extra = found[catalog, "a run beyond its statement, ms"]
        yield Target(f"ms of a run beyond its statement, p95, {catalog}", extra["95 %"], 20)


class _Lake:
    """A new lake with a catalog of one kind."""

    def __init__(self, catalog: str, url: str, warehouse: Path) -> None:
        warehouse.mkdir()
        self.catalog, self.url, self.warehouse = catalog, url, str(warehouse)
        self.session = icemelt.connect(
            catalog=url,
            warehouse=self.warehouse,
            master="local[2]",
            memory="2g",
            maintain_every=None,
        )
        self.engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))

    def sql(self, statement: str) -> None:
        self.session.sql(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the registry."""
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(sa.text(query))]

    def runs(self, where: str) -> list[tuple[str, int, int, int, str]]:
        """Return task, scheduled, started and completed time in ms, and state of ended runs."""
        return self.rows(
            "SELECT task, scheduled_at, started_at, completed_at, state FROM icemelt_task_runs "
            f"WHERE completed_at IS NOT NULL AND {where} ORDER BY completed_at"
        )

    def has_runs(self, count: int, where: str) -> bool:
        return len(self.runs(where)) == count

    def row(self, measure: str, values: Sequence[float]) -> dict[str, Any]:
        ordered = sorted(values)
        late = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]
        numbers = {"median": statistics.median(ordered), "95 %": late, "most": ordered[-1]}
        shown = {name: round(number, 2) for name, number in numbers.items()}
        return {"catalog": self.catalog, "measure": measure, "count": len(values), **shown}


def _measure_lake(lake: _Lake) -> Iterator[dict[str, Any]]:
    with lake.session:
        _prepare(lake)
        yield _measure_latency(lake, _ONE, lake.session.scheduler)
        yield _measure_latency(lake, _TWO, lambda: _scheduler_apart(lake))
        yield _measure_overhead(lake)
        yield from _measure_many(lake)
    lake.engine.dispose()


def _prepare(lake: _Lake) -> None:
    # as every process of `icemelt` does: to look through all modules for garbage takes 0.2 s
    gc.freeze()
    for statement in (
        "CREATE TABLE orders (id INT)",
        "CREATE TABLE seen (id INT)",
        "CREATE STREAM new_orders ON TABLE orders",
        f"""CREATE TASK consume {_QUICK} WHEN SYSTEM$STREAM_HAS_DATA('new_orders')
AS INSERT INTO seen SELECT id FROM new_orders""",
        "CREATE TASK once AS INSERT INTO seen VALUES (-1)",
    ):
        lake.sql(statement)


@contextmanager
def _scheduler_apart(lake: _Lake) -> Iterator[None]:
    places = ("--catalog", lake.url, "--warehouse", lake.warehouse)
    command = (sys.executable, "-m", "icemelt", "scheduler", *places)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


def _measure_latency(
    lake: _Lake, processes: str, scheduler: Callable[[], AbstractContextManager[Any]]
) -> dict[str, Any]:
    """Return how long after the publication of a row a triggered task's statement has begun.

    The publication's time is the registry's, the statement's that of the history.
    """
    lake.sql("ALTER TASK consume RESUME")
    with scheduler():
        for _ in range(_ROUNDS + 1):
            _insert_and_wait(lake)
            # a condition is looked at once a second, after a run for what the run has published
            time.sleep(2.2)
    lake.sql("ALTER TASK consume SUSPEND")
    published = lake.rows(_PUBLISHED.format("INSERT INTO orders VALUES (1)"))[-_ROUNDS:]
    begun = lake.rows(_BEGUN.format("INSERT INTO seen SELECT id FROM new_orders"))[-_ROUNDS:]
    waits = [begin - end for (begin,), (end,) in zip(begun, published, strict=True)]
    return lake.row(f"publication to start, {processes}, ms", waits)


def _insert_and_wait(lake: _Lake) -> None:
    """Publish a row and wait for the run, by the registry: queries would take the run's cores."""
    is_run = "task = 'consume'"
    before = len(lake.runs(is_run))
    lake.sql("INSERT INTO orders VALUES (1)")
    _wait(lambda: lake.has_runs(before + 1, is_run))


def _measure_overhead(lake: _Lake) -> dict[str, Any]:
    """Return how much longer runs take than their statement in a session, in turns.

    Fast ones are compared with fast ones, slow ones with slow ones: a statement's own time varies
    by more than a run adds to it.
    """
    alone, runs = [], []
    with lake.session.scheduler():
        for number in range(_ROUNDS + 2):
            begin = time.perf_counter()
            lake.sql("INSERT INTO seen VALUES (-1)")
            alone.append((time.perf_counter() - begin) * 1000)
            lake.sql("EXECUTE TASK once")
            _wait(partial(lake.has_runs, number + 1, "task = 'once'"))
        runs = [end - start for _, _, start, end, _ in lake.runs("task = 'once'")]
    pairs = zip(sorted(runs[2:]), sorted(alone[2:]), strict=True)
    return lake.row("a run beyond its statement, ms", [run - statement for run, statement in pairs])


def _measure_many(lake: _Lake) -> Iterator[dict[str, Any]]:
    """Measure a thousand tasks: half wait for their streams, half for a time; then all are due."""
    begin = time.monotonic()
    for number, schema in _spread(lake, "idle"):
        when = "SCHEDULE = '192 HOURS'"
        if number % 2:
            lake.sql(f"CREATE STREAM {schema}.s{number} ON TABLE public.orders")
            when = f"{_QUICK} WHEN SYSTEM$STREAM_HAS_DATA('{schema}.s{number}')"
        _make_task(lake, f"{schema}.t{number}", when)
    made_within = time.monotonic() - begin
    without = _cost(nullcontext())
    with lake.session.scheduler():
        # a new task is looked at once, whatever its condition
        _wait(lambda: lake.rows("SELECT 1 FROM icemelt_task_graphs WHERE wants_look") == [])
    cost = _cost(lake.session.scheduler())
    first = cost.first_seconds - without.first_seconds
    yield lake.row(f"the first look at {_TASKS:,} tasks, s of a core", [first])
    yield lake.row(f"{_TASKS:,} idle tasks, % of a core", [cost.share - without.share])
    yield lake.row(f"{_TASKS:,} idle tasks, MiB", [cost.grown])
    for first in range(0, _TASKS, _IN_SCHEMA):
        lake.sql(f"DROP SCHEMA idle{first}")
    # as long as the idle ones took, and a minute that has begun
    wait = datetime.timedelta(seconds=1.5 * made_within + 60)
    due = datetime.datetime.now(datetime.UTC) + wait
    at = f"SCHEDULE = 'USING CRON {due.minute} {due.hour} * * * UTC'"
    for number, schema in _spread(lake, "due"):
        _make_task(lake, f"{schema}.d{number}", at)
    if datetime.datetime.now(datetime.UTC) > due.replace(second=0):
        raise RuntimeError("the tasks were due before they were there")
    with lake.session.scheduler():
        _wait(partial(lake.has_runs, _TASKS, "task LIKE 'd%'"))
        time.sleep(5)
    runs = lake.runs("task LIKE 'd%'")
    if len({run[0] for run in runs}) != _TASKS or len(runs) != _TASKS:
        raise RuntimeError(f"{len(runs)} runs of {_TASKS} tasks")
    late = [(start - scheduled) / 1000 for _, scheduled, start, _, _ in runs]
    yield lake.row(f"{_TASKS:,} due at once, lateness, s", late)


def _spread(lake: _Lake, name: str) -> Iterator[tuple[int, str]]:
    """Return the number of each task and its schema, which is made for the first of it."""
    for number in range(_TASKS):
        schema = f"{name}{number - number % _IN_SCHEMA}"
        if number % _IN_SCHEMA == 0:
            lake.sql(f"CREATE SCHEMA {schema}")
        yield number, schema


def _make_task(lake: _Lake, name: str, when: str) -> None:
    lake.sql(f"CREATE TASK {name} {when} AS SELECT '{name}'")
    lake.sql(f"ALTER TASK {name} RESUME")


class _Cost(NamedTuple):
    """What this process and its Java take while a scheduler lives.

    Attributes:
        first_seconds: processor time of the beginning: a scheduler looks at each condition.
        share: the share of a core after that, in %.
        grown: by how many MiB the process has grown.
    """

    first_seconds: float
    share: float
    grown: float


def _cost(scheduler: AbstractContextManager[Any]) -> _Cost:
    me = psutil.Process()
    before, busy_before = me.memory_info().rss, _busy_seconds(me)
    with scheduler:
        time.sleep(_SETTLING_SECONDS)
        busy, begin = _busy_seconds(me), time.perf_counter()
        time.sleep(_IDLE_SECONDS)
        share = 100 * (_busy_seconds(me) - busy) / (time.perf_counter() - begin)
        grown = (me.memory_info().rss - before) / _BYTES_OF_A_MIB
    return _Cost(busy - busy_before, share, grown)


def _busy_seconds(process: psutil.Process) -> float:
    """Return the processor time of a process and of its Java."""
    every = (process, *process.children(recursive=True))
    return sum(sum(each.cpu_times()[:2]) for each in every)


def _wait(is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while not is_done():
        if time.monotonic() > end:
            raise RuntimeError("a task did not run")
        time.sleep(0.02)


def _draw(outcome: Outcome, axes: Axes) -> None:
    rows = [row for row in outcome.rows if row["measure"].startswith("publication")]
    names = [f"{row['catalog']}\n{row['measure'].split(', ')[1]}" for row in rows]
    for name in ("median", "95 %"):
        axes.plot(names, [row[name] for row in rows], marker="o", linestyle="", label=name)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("milliseconds from publication to start")
    axes.legend()


EXPERIMENT = Experiment(
    "tasks",
    "How soon does a task start, and what do tasks cost?",
    _run,
    _draw,
)
