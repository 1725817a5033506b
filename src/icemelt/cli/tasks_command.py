"""`icemelt tasks`: a table of the tasks of a lake, and the run of one."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from icemelt.catalog.queries.task_overview import (
    LastRun,
    TaskOverview,
    find_manual_run,
    find_task_overviews,
    read_graph_run,
)
from icemelt.catalog.schedulers import find_schedulers, last_seen
from icemelt.catalog.task_states import read_root_state
from icemelt.cli.arguments import USAGE
from icemelt.cli.background_session import BackgroundSession, Start
from icemelt.cli.batch import FAILED, INTERRUPTED, SUCCEEDED, run_to_end
from icemelt.cli.catalog import open_catalog, write_list
from icemelt.cli.failure import show_error
from icemelt.cli.formats import OutputFormat
from icemelt.cli.outcome import Outcome
from icemelt.cli.terminal import complain
from icemelt.errors import IcemeltError, ParameterError
from icemelt.tasks.states import RunState
from icemelt.times import as_datetime

if TYPE_CHECKING:
    import datetime

    from icemelt.catalog.database import Database
    from icemelt.cli.lake import Lake

__all__ = ["run", "show", "watch"]

_COLUMNS = (
    *("name", "state", "schedule", "last_state", "last_started_on", "last_seconds", "last_error"),
    *("next_on", "failures_in_a_row"),
)
_RUN_COLUMNS = ("name", "attempt", "state", "started_on", "seconds", "error")
_WATCH_SECONDS = 2.0
_LOOK_SECONDS = 0.2
# a scheduler that is being started may take so long until it tells of itself
_PATIENCE_SECONDS = 15.0


def show(lake: Lake, format_: OutputFormat) -> int:
    """List the tasks of a lake; return the exit code."""
    try:
        with open_catalog(lake) as database:
            _write_tasks(database, format_)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    return SUCCEEDED


def watch(lake: Lake) -> int:
    """Draw the list of the tasks again and again, until Ctrl-C; return the exit code."""
    if not sys.stdout.isatty():
        hint = f"icemelt tasks {lake.label} --format json"
        show_error(ParameterError("--watch draws on a terminal, and this is none.", hint=hint))
        return USAGE
    try:
        with open_catalog(lake) as database:
            while True:
                sys.stdout.write("\x1b[H\x1b[2J")
                _write_tasks(database, OutputFormat.TABLE)
                # until the table is drawn again; Ctrl-C ends it
                time.sleep(_WATCH_SECONDS)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def run(lake: Lake, name: str, format_: OutputFormat, *, waits: bool) -> int:
    """Run a task, and show how it and those after it ended; return the exit code.

    Args:
        lake: the lake.
        name: the name of the root task, as SQL has it.
        format_: how the runs are written.
        waits: whether to wait for the end.
    """
    try:
        lake.require_existing()
    except IcemeltError as error:
        show_error(error)
        return FAILED
    connection = BackgroundSession(Start(lake, maintain_every=None))

    def work() -> int:
        session = connection.session()
        described = session.sql(f"DESCRIBE TASK {name}")
        (row,) = described.fetchall()
        task_id = str(row[described.columns.index("id")])
        result = session.sql(f"EXECUTE TASK {name}")
        result.close()
        if not waits:
            if result.notice is not None:
                complain(result.notice)
            return SUCCEEDED
        with open_catalog(lake) as database:
            return _wait(lake, database, task_id, format_)

    return run_to_end(connection, work)


def _write_tasks(database: Database, format_: OutputFormat) -> None:
    with database.read() as connection:
        tasks = find_task_overviews(connection)
        absent = last_seen(find_schedulers(connection), database.clock(connection))
    write_list(Outcome(_COLUMNS, [_row(task) for task in tasks], 0), format_)
    if absent is not None:
        when = "never seen" if absent == 0 else f"last seen {_time(absent):%Y-%m-%d %H:%M:%S} UTC"
        complain(f"No scheduler is alive: {when}. `icemelt scheduler` runs one.")


def _row(overview: TaskOverview) -> tuple[object, ...]:
    task, last = overview.task, overview.last
    return (
        str(task.name),
        "started" if task.is_started else "suspended",
        _begins(overview),
        *(
            (None, None, None, None)
            if last is None
            else (last.state.value, _time(last.started_at), last.seconds, _error(last))
        ),
        _time(overview.next_at),
        overview.failures,
    )


def _begins(overview: TaskOverview) -> str | None:
    """Return what begins the runs of a task: its schedule, its condition, or other tasks."""
    task = overview.task
    if task.after:
        return f"AFTER {', '.join(task.after)}"
    if task.finalizes is not None:
        return f"FINALIZE {task.finalizes}"
    return task.schedule or (None if task.condition is None else f"WHEN {task.condition}")


def _wait(lake: Lake, database: Database, root_id: str, format_: OutputFormat) -> int:
    """Wait for the end of the run that was asked for last, and show it; return the exit code."""
    with database.read() as connection:
        run_id = find_manual_run(connection, root_id)
    absent_since = time.monotonic()
    while run_id is not None and _is_under_way(database, root_id, run_id):
        with database.read() as connection:
            absent = last_seen(find_schedulers(connection), database.clock(connection))
        if absent is None:
            absent_since = time.monotonic()
        elif time.monotonic() - absent_since > _PATIENCE_SECONDS:
            complain("No scheduler is alive: the run waits for one.")
            complain(f"Hint: icemelt scheduler {lake.label}")
            return FAILED
        # the run is in the registry, which sends no events
        time.sleep(_LOOK_SECONDS)
    runs: list[LastRun] = []
    if run_id is not None:
        with database.read() as connection:
            runs = read_graph_run(connection, root_id, run_id)
    rows = [(*_ends(each), each.seconds, _error(each)) for each in runs]
    write_list(Outcome(_RUN_COLUMNS, rows, 0), format_)
    last = {each.task: each.state for each in runs}
    is_bad = any(state.is_failure or state is RunState.CANCELLED for state in last.values())
    return FAILED if is_bad or not last else SUCCEEDED


def _is_under_way(database: Database, root_id: str, run_id: int) -> bool:
    with database.read() as connection:
        state = read_root_state(connection, root_id)
    if state is None:
        return False
    queued = () if state.queued is None else (state.queued,)
    return any(each.id == run_id for each in (*state.active, *queued))


def _ends(run: LastRun) -> tuple[object, ...]:
    return (run.task, run.attempt, run.state.value, _time(run.started_at))


def _error(run: LastRun) -> str | None:
    if run.error_code is None:
        return None
    return f"{run.error_code}: {run.error_message}"


def _time(milliseconds: int | None) -> datetime.datetime | None:
    return None if milliseconds is None else as_datetime(milliseconds)
