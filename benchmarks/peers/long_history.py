"""A day of commits, one a second, in fast forward: what a commit costs, and what stays readable.

A minute lasts as long as sixty commits take, an hour as long as 3,600: the log of snapshots and
maintenance go by it. Each commit adds one row, whose number is the commit's.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import icemelt
from icemelt.names import TableName
from icemelt.session.maintenance import maintain
from icemelt.transactions import collapsing

_HOUR = 3_600
_WARM = 200
_FILL, _TURNS = 800, 1_000
_PAIRS, _NEAR = 60, 500
_LOGS, _LOG = 3, 1_000
_TABLE = TableName("main", "public", "t")


class Writer:
    """Commits one row after another to a new table t, whose `id` counts them."""

    def __init__(self, session: icemelt.Session) -> None:
        """Make the table and open a channel."""
        session.sql("CREATE TABLE t (id BIGINT, at TIMESTAMP_NTZ, v VARCHAR)")
        self.count = 0
        self.client = session.ingest_client()
        self._channel, _ = self.client.open_channel("c", "main", "public", "t")

    def commit(self) -> float:
        """Commit a row; the seconds it took."""
        began = time.perf_counter()
        text = str(self.count)
        self._channel.append_row({"id": self.count, "at": "2026-01-01 00:00:00", "v": text}, text)
        self._channel.initiate_flush()
        self._channel.wait_for_flush(60)
        self.count += 1
        return time.perf_counter() - began


def main(place: str, out: str, hours: str) -> None:
    """Commit for so many hours, then read between versions; write the figures."""
    session = icemelt.connect(f"{place}/lake")
    writer = Writer(session)
    commit, seen = writer.commit, []
    second = statistics.median(commit() for _ in range(_WARM))
    collapsing._MINUTE = second * 1_000 * 60
    for hour in range(int(hours)):
        times, largest = [], 0
        for number in range(_HOUR):
            times.append(commit())
            if number % 50 == 0:
                largest = max(largest, _metadata_size(session))
        seen.append(
            {
                "hour": hour,
                "median": statistics.median(times),
                "mean": statistics.fmean(times),
                "worst": max(times),
                "metadata": largest,
            }
        )
        began = time.perf_counter()
        session.sql(f"DELETE FROM t WHERE id = {hour}")
        maintain(session._core, safe_age=second * _HOUR)
        seen[-1] |= {"upkeep": time.perf_counter() - began, **_memory(session)}
        print(json.dumps(seen[-1]), flush=True)
    turns = _in_turns(writer, f"{place}/new")
    writer.client.close()
    figures = {"commits": writer.count, "hours": seen, "turns": turns, **_read(session)}
    Path(out).write_text(json.dumps(figures))


def _in_turns(writer: Writer, place: str) -> dict[str, list[float]]:
    """Commit to the day's table and to a new lake's in turns, at one pace of the machine."""
    with icemelt.connect(place) as session:
        new = Writer(session)
        collapsing._MINUTE *= 2  # a commit to each of two
        for _ in range(_FILL):
            writer.commit()
            new.commit()
        times = [(writer.commit(), new.commit()) for _ in range(_TURNS)]
        new.client.close()
    return {"old": [each[0] for each in times], "new": [each[1] for each in times]}


def _metadata_size(session: icemelt.Session) -> int:
    core = session._core
    location = core.newest.resolve([_TABLE]).tables[_TABLE].known_location
    return Path(location.removeprefix("file:")).stat().st_size


def _memory(session: icemelt.Session) -> dict[str, int]:
    """Return the bytes that this process has in memory, and those that live in the JVM's heap."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    jvm: Any = session._core.spark._jvm
    # what Spark drops goes once its cleaner, which hears of it by a collection, has let it go
    for _ in range(3):
        jvm.java.lang.System.gc()
        time.sleep(1)
    jvm.java.lang.System.gc()
    runtime = jvm.java.lang.Runtime.getRuntime()
    heap = runtime.totalMemory() - runtime.freeMemory()
    return {"python": int(fields["VmRSS"].split()[0]) * 1_024, "java": int(heap)}


@dataclass
class Questions:
    """Asks for changes and states of versions at random, and counts what is wrong.

    `behind` has the commits that each version has behind it, `deleted` the rows deleted until then.
    """

    session: icemelt.Session
    draw: random.Random = field(default_factory=lambda: random.Random(7))
    wrong: int = 0
    times: dict[str, list[float]] = field(default_factory=dict)
    versions: list[tuple[int, str]] = field(default_factory=list)
    behind: dict[int, int] = field(default_factory=dict)
    deleted: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the versions."""
        history = self.session.sql("DESC HISTORY t").fetchall()
        self.versions = sorted((row[0], row[5]) for row in history)
        done = gone = 0
        for version, operation in self.versions:
            done += operation == "INGEST"
            gone += operation == "DELETE"
            self.behind[version], self.deleted[version] = done, gone

    def ask(self, kind: str, text: str, expected: set[tuple[Any, ...]]) -> None:
        """Run a query and compare its rows."""
        began = time.perf_counter()
        got = {tuple(row) for row in self.session.sql(text).fetchall()}
        self.times.setdefault(kind, []).append(time.perf_counter() - began)
        if got != expected:
            self.wrong += 1
            print(kind, text, sorted(got)[:3], sorted(expected)[:3], flush=True)

    def ask_pair(self, *, near: bool) -> None:
        """Ask for the changes between two versions, and for the second."""
        last = self.versions[-1][0]
        start, _ = self.draw.choice(self.versions)
        end = min(start + self.draw.randint(1, _NEAR), last)
        if not near:
            start, end = sorted((start, self.draw.choice(self.versions)[0]))
        place = f"AT (VERSION => {start}) END (VERSION => {end})"
        came = set(range(self.behind[start], self.behind[end]))
        went = set(range(self.deleted[start], self.deleted[end]))
        net = {(row, "INSERT") for row in came - went} | {(row, "DELETE") for row in went - came}
        news = {(row, "INSERT") for row in came}
        for information, expected in (("DEFAULT", net), ("APPEND_ONLY", news)):
            changes = f"CHANGES (INFORMATION => {information}) {place}"
            text = f"SELECT id, METADATA$ACTION FROM t {changes}"
            self.ask(f"{information}, {'near' if near else 'any'} versions", text, expected)
        rows = range(self.deleted[end], self.behind[end])
        total = (len(rows), sum(rows) if rows else None)
        self.ask("AT", f"SELECT count(*), sum(id) FROM t AT (VERSION => {end})", {total})

    def ask_log(self) -> None:
        """Ask what each of many versions did."""
        start, _ = self.draw.choice(self.versions[: -_LOG - 1])
        inside = [(v, operation) for v, operation in self.versions if start < v <= start + _LOG]
        expected = {(self.behind[v] - 1, "INSERT", v) for v, what in inside if what == "INGEST"}
        expected |= {(self.deleted[v] - 1, "DELETE", v) for v, what in inside if what == "DELETE"}
        place = f"AT (VERSION => {start}) END (VERSION => {start + _LOG})"
        columns = "id, METADATA$ACTION, METADATA$COMMIT_VERSION"
        text = f"SELECT {columns} FROM t CHANGES (INFORMATION => REDO_LOG) {place}"
        self.ask("REDO_LOG of 1,000 versions", text, expected)


def _read(session: icemelt.Session) -> dict[str, Any]:
    questions = Questions(session)
    for number in range(_PAIRS):
        questions.ask_pair(near=number % 2 == 0)
    for _ in range(_LOGS):
        questions.ask_log()
    medians = {kind: statistics.median(found) for kind, found in questions.times.items()}
    asked = sum(map(len, questions.times.values()))
    return {"wrong": questions.wrong, "asked": asked, "reads": medians}


if __name__ == "__main__":
    main(*sys.argv[1:])
