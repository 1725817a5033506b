"""The second act of the demonstration: tasks keep tables, and a scheduler is killed under a run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from icemelt.catalog.database import Connection
from icemelt.catalog.queries.task_overview import find_task_overviews
from icemelt.catalog.schedulers import find_schedulers
from icemelt.catalog.task_states import read_root_state
from icemelt.cli.event_reporting import EventReporting, LogLevel
from icemelt.errors import SetupError
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import Event, TaskRunEnded
from icemelt.session.session import core_of
from icemelt.tasks.records import RootState

if TYPE_CHECKING:
    from icemelt.cli.demo_steps import Demo

__all__ = ["show_tasks", "start_scheduler"]

_KEY = "t.time_hour = s.time_hour AND t.carrier = s.carrier AND t.flight = s.flight"
_MIRROR = f"""\
CREATE TASK keep_mirror WHEN SYSTEM$STREAM_HAS_DATA('to_mirror')
  USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS = 1 TASK_AUTO_RETRY_ATTEMPTS = 2 AS
MERGE INTO mirror t USING (
  SELECT * FROM to_mirror WHERE NOT (METADATA$ACTION = 'DELETE' AND METADATA$ISUPDATE)) s
ON {_KEY}
WHEN MATCHED AND s.METADATA$ACTION = 'DELETE' THEN DELETE
WHEN MATCHED THEN UPDATE SET dep_delay = s.dep_delay
WHEN NOT MATCHED AND s.METADATA$ACTION = 'INSERT' THEN
  INSERT (time_hour, carrier, flight, dep_delay)
  VALUES (s.time_hour, s.carrier, s.flight, s.dep_delay)"""
_TOTALS = """\
CREATE TASK total_up WHEN SYSTEM$STREAM_HAS_DATA('to_totals')
  USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS = 1 TASK_AUTO_RETRY_ATTEMPTS = 2 AS
MERGE INTO totals t USING (
  SELECT carrier, sum(IFF(METADATA$ACTION = 'INSERT', 1, -1)) AS flights,
    sum(IFF(METADATA$ACTION = 'INSERT', 1, -1) * COALESCE(dep_delay, 0)) AS delay
  FROM to_totals GROUP BY carrier) s
ON t.carrier = s.carrier
WHEN MATCHED THEN UPDATE SET flights = t.flights + s.flights, delay = t.delay + s.delay
WHEN NOT MATCHED THEN INSERT (carrier, flights, delay) VALUES (s.carrier, s.flights, s.delay)"""
_WORST = """\
CREATE TASK find_worst AFTER total_up AS
INSERT OVERWRITE INTO worst
SELECT carrier, delay / flights FROM totals ORDER BY delay / flights DESC LIMIT 3"""
_REPORT = """\
CREATE TASK report FINALIZE = total_up AS
INSERT INTO reports SELECT SYSTEM$TASK_RUNTIME_INFO('CURRENT_TASK_GRAPH_RUN_GROUP_ID')::INT,
  (SELECT sum(flights) FROM totals), (SELECT MAX_BY(carrier, minutes) FROM worst)"""
_HISTORY = """\
SELECT name, graph_run_group_id AS run, attempt_number AS attempt, state, error_code,
  ROUND(TIMESTAMPDIFF(MILLISECOND, query_start_time, completed_time) / 1000, 1) AS seconds
FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY())
ORDER BY scheduled_time, name, attempt"""
_MIRROR_COLUMNS = "time_hour, carrier, flight, dep_delay"
_TOTAL_COLUMNS = "carrier, count(*) AS flights, sum(COALESCE(dep_delay, 0)) AS delay"
# the default of 30 seconds is for schedulers on many machines, and too long to watch
_LEASE, _LOOK = 3, 0.1
# how long a MERGE of the other scheduler has run when it is killed
_UNDER_WAY = 0.3
_PATIENCE = 60


@contextmanager
def start_scheduler(lake: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start `icemelt scheduler` in a process, which starts a Spark meanwhile."""
    command = [sys.executable, "-m", "icemelt", "scheduler", str(lake)]
    with subprocess.Popen(  # noqa: S603 - our own program
        [*command, "--parallel", "1", "--lease", str(_LEASE)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "SPARK_DRIVER_MEMORY": "1g"},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def show_tasks(demo: Demo, other: subprocess.Popen[bytes]) -> None:
    """Show tasks on two streams, and a scheduler killed under a run: no row is lost or doubled.

    Args:
        demo: the demonstration.
        other: a second scheduler of the lake.
    """
    _make(demo, f"AT (STATEMENT => '{demo.points['november']}')")
    with _telling_of_runs(demo), demo.session.scheduler(parallel=1, lease=_LEASE):
        with demo.console.status("The other scheduler starts …"):
            _wait_until(lambda: _is_live(demo, other), other)
        demo.step("It all runs by itself from now on", "ALTER TASK keep_mirror RESUME")
        demo.step("A graph as a whole", "SELECT SYSTEM$TASK_DEPENDENTS_ENABLE('total_up')")
        demo.console.print("\n[bold]Two runs are due; each scheduler takes one …[/bold]")
        _kill_under_a_run(demo, other)
        _wait_for_runs(demo)
        demo.step(
            "More corrections arrive, and need nobody",
            "UPDATE flights SET dep_delay = dep_delay + 2 WHERE carrier = 'AS'",
        )
        _wait_for_runs(demo)
    runs = demo.step("What has run? The history of tasks tells", _HISTORY)
    demo.rows(runs, ("name", "run", "attempt", "state", "error_code", "seconds"), most=20)
    reports = demo.step(
        "The finalizer has reported, also after the attempt that failed",
        "SELECT * FROM reports ORDER BY run",
    )
    demo.rows(reports, ("run", "flights", "worst"))
    _prove(demo)


@contextmanager
def _telling_of_runs(demo: Demo) -> Iterator[None]:
    """Print a line for each run that this process ends, or finds lost, until the block's end."""

    def tell(event: Event) -> None:
        if isinstance(event, TaskRunEnded):
            end = f"{event.state} {event.error_code or ''}".rstrip()
            style = "green" if event.state == "SUCCEEDED" else "red"
            line = f"  {event.task}: {end} after {event.seconds:.1f} s"
            demo.console.print(line, style=style, highlight=False)

    unsubscribe = subscribe(tell, TaskRunEnded)
    try:
        # the lines above say the same as the log's warnings
        with EventReporting(LogLevel.ERROR).report():
            yield
    finally:
        unsubscribe()


def _make(demo: Demo, november: str) -> None:
    """Make two tables of the state of November, a stream from there on and tasks for each."""
    demo.session.sql(f"CREATE TABLE mirror AS SELECT {_MIRROR_COLUMNS} FROM flights {november}")
    demo.session.sql(
        f"CREATE TABLE totals AS SELECT {_TOTAL_COLUMNS} FROM flights {november} GROUP BY carrier"
    )
    demo.session.sql("CREATE TABLE worst (carrier VARCHAR(2), minutes NUMBER(10, 2))")
    demo.session.sql("CREATE TABLE reports (run INT, flights INT, worst VARCHAR(2))")
    demo.session.sql(f"CREATE STREAM to_totals ON TABLE flights {november}")
    demo.step(
        "A stream remembers how far a table was read; this one begins where the mirror ends",
        f"CREATE STREAM to_mirror ON TABLE flights {november}",
    )
    demo.step("A task runs where its stream has rows; its MERGE moves the stream", _MIRROR)
    demo.step("Another stream, at its own pace, begins a graph: first the totals …", _TOTALS)
    demo.step("… then the airlines that are late most …", _WORST)
    demo.step("… and last a report, also after a failure", _REPORT)


def _kill_under_a_run(demo: Demo, other: subprocess.Popen[bytes]) -> None:
    """Kill the other scheduler while it executes a run."""
    _wait_until(lambda: _executed_task(demo, other) is not None or not _is_at_work(demo), other)
    # the kill is to come while the body runs, and not as it begins
    time.sleep(_UNDER_WAY)
    task = _executed_task(demo, other)
    other.kill()
    other.wait()
    under = "between two runs" if task is None else f"under its run of {task}"
    demo.console.print(f"… and the other is killed with SIGKILL, {under}", style="red")


def _wait_for_runs(demo: Demo) -> None:
    """Wait until the streams are read and no task runs."""
    with demo.console.status("Tasks run …"):
        _wait_until(lambda: not _is_at_work(demo))


def _wait_until(is_so: Callable[[], bool], needed: subprocess.Popen[bytes] | None = None) -> None:
    """Wait for something to become true.

    Args:
        is_so: tells whether it is true.
        needed: a process that has to live until then, None for no process.

    Raises:
        SetupError: it did not become true in a minute, or the process has ended.
    """
    end = time.monotonic() + _PATIENCE
    while not is_so():
        if time.monotonic() > end or (needed is not None and needed.poll() is not None):
            raise SetupError(
                "The schedulers of the demo do not run.", hint="icemelt doctor --start"
            )
        # what is waited for is in other processes and in the registry, which send no events
        time.sleep(_LOOK)


def _is_live(demo: Demo, other: subprocess.Popen[bytes]) -> bool:
    """Tell whether the scheduler of a process runs tasks."""
    with core_of(demo.session).database.read() as connection:
        return bool(_names(connection, other))


def _executed_task(demo: Demo, other: subprocess.Popen[bytes]) -> str | None:
    """Return the name of the task that the scheduler of a process executes."""
    with core_of(demo.session).database.read() as connection:
        names = _names(connection, other)
        runs = (run for state in _root_states(connection) for run in state.active)
        claims = ((task.task, task.claim) for run in runs for task in run.task_runs)
        return next((task for task, claim in claims if claim and claim.holder in names), None)


def _is_at_work(demo: Demo) -> bool:
    """Tell whether a stream has rows that no run has read, or a task runs."""
    # in this order: what has emptied the stream runs still, or is over
    for stream in ("to_mirror", "to_totals"):
        [(has_data,)] = demo.session.sql(f"SELECT SYSTEM$STREAM_HAS_DATA('{stream}')").fetchall()
        if has_data:
            return True
    with core_of(demo.session).database.read() as connection:
        return any(state.active for state in _root_states(connection))


def _names(connection: Connection, other: subprocess.Popen[bytes]) -> list[str]:
    """Return the name of the scheduler of a process, none before the scheduler has told of it."""
    found = find_schedulers(connection)
    return [each.scheduler.name for each in found if each.scheduler.process_id == other.pid]


def _root_states(connection: Connection) -> list[RootState]:
    """Return the states of all graphs."""
    ids = [overview.task.object_id for overview in find_task_overviews(connection)]
    states = [read_root_state(connection, task_id) for task_id in ids]
    return [state for state in states if state is not None]


def _prove(demo: Demo) -> None:
    """Show that both tables equal a full recompute."""
    pairs = (
        ("mirror", _MIRROR_COLUMNS, f"SELECT {_MIRROR_COLUMNS}", "flights"),
        (
            "totals",
            "carrier, flights, delay",
            f"SELECT {_TOTAL_COLUMNS}",
            "flights GROUP BY carrier",
        ),
    )
    both = "\nUNION ALL ".join(
        f"SELECT '{name}' AS kept, count(*) AS rows_that_differ FROM (\n"
        f"  SELECT sum(weight) AS total FROM (\n"
        f"    SELECT {columns}, 1 AS weight FROM {name}\n"
        f"    UNION ALL {recomputed}, -1 FROM {source})\n"
        f"  GROUP BY {columns} HAVING total <> 0)"
        for name, columns, recomputed, source in pairs
    )
    result = demo.step("The proof: both tables are what a full recompute gives", both)
    demo.rows(result, ("kept", "rows_that_differ"))
