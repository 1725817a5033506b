"""Tables of a million files and logs of 100,000 snapshots, as metadata alone."""

from __future__ import annotations

import json
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.many_files import commit_unwritten
from benchmarks.planning import plan_changes_since
from benchmarks.report import Experiment, Outcome, Target
from icemelt.catalog.model import iceberg_tables
from icemelt.names import ObjectName
from icemelt.storage.locations import local_path

__all__ = ["EXPERIMENT"]

_FILES = (10_000, 100_000, 1_000_000)
_SNAPSHOTS = (1_000, 10_000, 100_000)
_CHANGED = 10
_AT_ONCE = 10_000
_MEBIBYTES = 1 << 20


def run() -> Outcome:
    """Make the metadata, change ten files, and plan the changes; no data file exists."""
    rows: list[dict[str, Any]] = []
    with icemelt.connect(
        tempfile.mkdtemp(), master="local[2]", memory="4g", maintain_every=None
    ) as session:
        for number in _FILES:
            rows += _among_files(session, number)
        for number in _SNAPSHOTS:
            rows += _among_snapshots(session, number)
    return Outcome(rows, list(_targets(rows)))


def _among_files(session: icemelt.Session, number: int) -> Iterator[dict[str, Any]]:
    """Yield what it takes to add ten files to so many, and to remove ten."""
    table = f"files{number}"
    session.sql(f"CREATE TABLE {table} (id INT, v INT)")
    for first in range(0, number, _AT_ONCE):
        made = commit_unwritten(session, table, range(first, first + _AT_ONCE))
    added = range(number, number + _CHANGED)
    for change, numbers, removed in (("added", added, []), ("removed", range(0), made[:_CHANGED])):
        before = session.sql("SELECT 1").statement_id
        started = time.perf_counter()
        commit_unwritten(session, table, numbers, removed)
        committed = time.perf_counter() - started
        yield _row(session, table, f"{number:,} files, {_CHANGED} {change}", before, committed)


def _among_snapshots(session: icemelt.Session, number: int) -> Iterator[dict[str, Any]]:
    """Yield what it takes to take over so many snapshots of another engine's, and to go on."""
    table = f"snapshots{number}"
    session.sql(f"CREATE TABLE {table} (id INT, v INT)")
    commit_unwritten(session, table, range(1))
    _commit_elsewhere(session, table, number)
    before = session.sql("SELECT 1").statement_id
    started = time.perf_counter()
    session.sql(f"DESCRIBE TABLE {table}").fetchall()
    taken_over = time.perf_counter() - started
    yield _row(session, table, f"{number:,} snapshots, taken over", before, taken_over)
    before = session.sql("SELECT 1").statement_id
    started = time.perf_counter()
    for at in range(_CHANGED):
        commit_unwritten(session, table, [at])
    committed = (time.perf_counter() - started) / _CHANGED
    yield _row(session, table, f"{number:,} snapshots, {_CHANGED} more", before, committed)


def _commit_elsewhere(session: icemelt.Session, table: str, number: int) -> None:
    """Commit as another engine does: by a new metadata file, with so many more snapshots.

    None changes a file: they share the manifest list of the last one.
    """
    core = session._core
    full = core.full(ObjectName((table,)))
    record = core.resolve([full]).tables[full]
    metadata = core.metadata(record)
    document = json.loads(json.dumps(metadata.document))
    last = document["snapshots"][-1]
    now = document["last-updated-ms"]
    for at in range(1, number + 1):
        snapshot_id = last["snapshot-id"] + at
        document["snapshots"].append(
            {
                **last,
                "snapshot-id": snapshot_id,
                "parent-snapshot-id": snapshot_id - 1,
                "sequence-number": last["sequence-number"] + at,
                "timestamp-ms": now + at,
                "first-row-id": document["next-row-id"],
                "added-rows": 0,
            }
        )
        document["snapshot-log"].append({"snapshot-id": snapshot_id, "timestamp-ms": now + at})
    document["last-sequence-number"] += number
    document["last-updated-ms"] = now + number
    document["current-snapshot-id"] += number
    document["refs"]["main"]["snapshot-id"] = document["current-snapshot-id"]
    place = Path(local_path(metadata.location) or "")
    written = place.with_name(f"00009-{uuid.uuid4()}.metadata.json")
    written.write_text(json.dumps(document))
    location = metadata.location.replace(place.name, written.name)
    with core.database.write() as connection:
        connection.execute(
            iceberg_tables.update()
            .where(iceberg_tables.c.metadata_location == record.known_location)
            .values(metadata_location=location, previous_metadata_location=record.known_location)
        )


def _row(
    session: icemelt.Session, table: str, says: str, before: str | None, committed: float
) -> dict[str, Any]:
    first, scan = plan_changes_since(session, table, before, repeats=1)
    again, _ = plan_changes_since(session, table, before)
    python, java = _memory(session)
    location = session._core.metadata(_record(session, table)).location
    size = Path(local_path(location) or "").stat().st_size
    return {
        "table": says,
        "the change, s": f"{committed:.2f}",
        "planned first, ms": f"{1000 * first:.0f}",
        "planned, ms": f"{1000 * again:.1f}",
        "manifests opened": scan.manifests,
        "metadata.json, MB": f"{size / 1_000_000:.2f}",
        "Python, MiB": python,
        "Java's heap, MiB": java,
    }


def _record(session: icemelt.Session, table: str) -> Any:
    full = session._core.full(ObjectName((table,)))
    return session._core.resolve([full]).tables[full]


def _memory(session: icemelt.Session) -> tuple[int, int]:
    """Return the mebibytes that this process has, and those that live in the JVM's heap."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    jvm: Any = session._core.spark._jvm
    jvm.java.lang.System.gc()
    runtime = jvm.java.lang.Runtime.getRuntime()
    heap = runtime.totalMemory() - runtime.freeMemory()
    return int(fields["VmRSS"].split()[0]) // 1_024, int(heap) // _MEBIBYTES


def _targets(rows: list[dict[str, Any]]) -> Iterator[Target]:
    for change in ("added", "removed"):
        row = next(
            each
            for each in rows
            if each["table"].startswith(f"{_FILES[-1]:,} ") and each["table"].endswith(change)
        )
        yield Target(f"{row['table']}: planned, ms", float(row["planned, ms"]), 100)


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw the milliseconds to plan, by the size of the table."""
    for ending, sizes in (
        (f"files, {_CHANGED} added", _FILES),
        (f"files, {_CHANGED} removed", _FILES),
        (f"snapshots, {_CHANGED} more", _SNAPSHOTS),
    ):
        found = [row for row in outcome.rows if str(row["table"]).endswith(ending)]
        axes.plot(sizes, [float(row["planned, ms"]) for row in found], marker="o", label=ending)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("files, or snapshots (log)")
    axes.set_ylabel("milliseconds to plan")
    axes.set_title("Ten changed files, by the size of the table's metadata")
    axes.legend()


EXPERIMENT = Experiment(
    "scale",
    "Tables of up to a million files, and logs of up to 100,000 snapshots of another engine, as "
    "metadata: the manifests are real, and no data file exists. Ten files come, or go. How long "
    "does it take to commit that, to resolve the table and plan the changes (the first time, and "
    "the median of 15), how many manifests are opened, and what stays in memory?",
    run,
    draw,
)
