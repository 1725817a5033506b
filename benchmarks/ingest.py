"""Row ingestion over HTTP: how many rows a second, how soon visible, and does it stay so."""

from __future__ import annotations

import contextlib
import json
import math
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from matplotlib.axes import Axes

from benchmarks.changes import run_peer
from benchmarks.peers.ingest_rows import COLUMNS, query
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_PEERS = Path(__file__).parent / "peers"
_CLIENTS, _PER_REQUEST = 4, 5_000
_SECONDS, _LONG_SECONDS, _LONG_RATE = 60, 600, 120_000
_LAG = 1.0
_PAGE = resource.getpagesize()
_INGEST = "icemelt_ingest_"
_NAMES = {"json": "NDJSON", "arrow": "Arrow"}
_SIZES = ("1,000 rows, ms", "10,000 rows, ms", "100,000 rows, ms")
_BLANK: dict[str, Any] = dict.fromkeys(
    (
        "",
        "rows a second",
        "commits a minute",
        "a commit, ms",
        "clients' CPU",
        "server's memory, MiB",
        "visible p50, s",
        "visible p99, s",
        *_SIZES,
    ),
    "",
)


@dataclass
class Server:
    """`icemelt serve` on a lake of its own."""

    url: str
    key: str
    process: subprocess.Popen[str]
    seen: list[dict[str, float]] = field(default_factory=list)

    def metrics(self) -> dict[str, float]:
        """Return the server's metrics, and the memory of its processes."""
        headers = {"Authorization": f"Bearer {self.key}"}
        lines = httpx.get(f"{self.url}/metrics", headers=headers, timeout=60).text.splitlines()
        found = {"time": time.monotonic(), "memory": _memory(self.process.pid) / (1 << 20)}
        for line in lines:
            if not line.startswith("#") and "{" not in line:
                name, value = line.split()
                found[name] = float(value)
        return found

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Note the metrics each second meanwhile."""
        is_over = threading.Event()
        self.seen = [self.metrics()]

        def watch() -> None:
            while not is_over.wait(1):
                self.seen.append(self.metrics())

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve a lake with an empty table `t`."""
    lake = Path(tempfile.mkdtemp(dir=folder))
    make = f"import icemelt; icemelt.connect({str(lake)!r}).sql('CREATE TABLE t ({COLUMNS})')"
    subprocess.run([sys.executable, "-c", make], check=True)
    command = [sys.executable, "-m", "icemelt", "serve", str(lake), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        key = re.search(r"ice_\S+", _line(process, "ice_"))
        url = re.search(r"http://\S+", _line(process, "http://"))
        if key is None or url is None:
            sys.exit("The server does not start.")
        yield Server(url.group(), key.group(), process)
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(lake, ignore_errors=True)


def _line(process: subprocess.Popen[str], word: str) -> str:
    """Return the next line of a process that has a word."""
    return next((line for line in process.stdout or () if word in line), "")


def run() -> Outcome:
    """Measure one after the other: how many, how long, how soon, and beside others."""
    folder = Path(tempfile.mkdtemp(prefix="icemelt-bench-"))
    try:
        rows = [_rate(folder, kind) for kind in ("json", "arrow")]
        long, series = _long(folder)
        rows.append(long)
        soon = [_latency(folder, channels) for channels in (1, 1_000)]
        peers: list[dict[str, Any]] = run_peer(folder, "ingest_appends.py")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    table = [*rows, *soon, *({**_BLANK, **each} for each in peers)]
    return Outcome(table, _targets(rows, soon, series))


def _rate(folder: Path, kind: str) -> dict[str, Any]:
    """Let the clients send as fast as the server takes it."""
    with serving(folder) as server, server.watched():
        sent = _clients(server, kind, _SECONDS, math.inf)
    return _row(f"{_CLIENTS} clients, {_NAMES[kind]}, {_SECONDS} s", server, sent)


def _long(folder: Path) -> tuple[dict[str, Any], list[dict[str, float]]]:
    with serving(folder) as server, server.watched():
        sent = _clients(server, "json", _LONG_SECONDS, _LONG_RATE / _CLIENTS)
    what = f"{_CLIENTS} clients, NDJSON, {_LONG_RATE:,} rows/s, {_LONG_SECONDS} s"
    return _row(what, server, sent), server.seen


def _clients(server: Server, kind: str, seconds: int, rate: float) -> list[dict[str, float]]:
    """Run clients in processes of their own, each at a rate; return what each sent."""
    program = [sys.executable, str(_PEERS / "ingest_load.py"), server.url, server.key]
    more = [kind, str(_PER_REQUEST), str(seconds), str(rate)]
    running = [
        subprocess.Popen([*program, f"c{number}", *more], stdout=subprocess.PIPE, text=True)
        for number in range(_CLIENTS)
    ]
    answers = [process.communicate()[0] for process in running]
    return [json.loads(answer) for answer in answers]


def _row(what: str, server: Server, sent: list[dict[str, float]]) -> dict[str, Any]:
    """Return the figures of the time in which all clients were sending."""
    seconds = min(each["seconds"] for each in sent)
    first = server.seen[0]["time"]
    steady = [each for each in server.seen if 10 <= each["time"] - first <= seconds]
    begin, end = steady[0], steady[-1]
    took = end["time"] - begin["time"]
    commits = end[f"{_INGEST}commits_total"] - begin[f"{_INGEST}commits_total"]
    spent = end[f"{_INGEST}commit_seconds_total"] - begin[f"{_INGEST}commit_seconds_total"]
    committed = end[f"{_INGEST}rows_committed_total"] - begin[f"{_INGEST}rows_committed_total"]
    return {
        **_BLANK,
        "": what,
        "rows a second": round(committed / took),
        "commits a minute": round(60 * commits / took),
        "a commit, ms": round(1000 * spent / commits),
        "clients' CPU": f"{sum(each['cpu'] for each in sent) / seconds:.0%} of a core",
        "server's memory, MiB": round(max(each["memory"] for each in steady)),
    }


def _latency(folder: Path, channels: int) -> dict[str, Any]:
    """Return how soon rows are visible to a query, sent at 10,000 a second."""
    with serving(folder) as server:
        _warm(server)
        program = [sys.executable, str(_PEERS / "ingest_latency.py"), server.url, server.key]
        command = [*program, str(channels), "10000", str(_SECONDS)]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {
        **_BLANK,
        "": f"{channels:,} channel{'s' if channels > 1 else ''}, 10,000 rows/s, {_SECONDS} s",
        "rows a second": round(found["rate"]),
        "visible p50, s": round(found["p50"], 2),
        "visible p99, s": round(found["p99"], 2),
    }


def _warm(server: Server) -> None:
    """Have the server load what its first statement and its first commit need."""
    from icemelt.ingest import StreamingIngestClient

    for _ in range(5):
        query(server.url, server.key, "SELECT count(*) FROM t")
    with StreamingIngestClient(server.url, server.key) as client:
        channel, _ = client.open_channel("warm", "main", "public", "t")
        for number in range(3):
            channel.append_rows([], end_offset_token=str(number))
            channel.wait_for_flush()


def _targets(
    rows: list[dict[str, Any]], soon: list[dict[str, Any]], series: list[dict[str, float]]
) -> list[Target]:
    json_rate, arrow_rate, long = rows
    fast = [
        Target("NDJSON, rows a second", json_rate["rows a second"], 100_000, at_least=True),
        Target("Arrow, rows a second", arrow_rate["rows a second"], 300_000, at_least=True),
        Target("ten minutes, commits a minute", long["commits a minute"], 50, at_least=True),
        Target("ten minutes, rows a second", long["rows a second"], 100_000, at_least=True),
    ]
    early, late = _part(series, 60, 180), _part(series, _LONG_SECONDS - 120, _LONG_SECONDS)
    flat = [
        Target("ten minutes: a late commit's time over an early one's", late[0] / early[0], 1.2),
        Target("ten minutes: memory late over early", late[1] / early[1], 1.1),
    ]
    visible = [
        Target(f"visible, {name}, {row['']}", row[f"visible {name}, s"], _LAG + more)
        for row in soon
        for name, more in (("p50", 0.5), ("p99", 1.5))
    ]
    return [*fast, *flat, *visible]


def _part(series: list[dict[str, float]], since: float, until: float) -> tuple[float, float]:
    """Return the mean time of a commit in a part of the run, and the most memory."""
    first = series[0]["time"]
    part = [each for each in series if since <= each["time"] - first <= until]
    commits = part[-1][f"{_INGEST}commits_total"] - part[0][f"{_INGEST}commits_total"]
    spent = part[-1][f"{_INGEST}commit_seconds_total"] - part[0][f"{_INGEST}commit_seconds_total"]
    return spent / commits, max(each["memory"] for each in part)


def _memory(pid: int) -> int:
    """Return the bytes in memory of a process and of those that it started."""
    total, todo = 0, [pid]
    while todo:
        one = Path(f"/proc/{todo.pop()}")
        try:
            total += int((one / "statm").read_text().split()[1]) * _PAGE
            todo += map(int, (one / f"task/{one.name}/children").read_text().split())
        except OSError:
            continue
    return total


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw how long a commit takes each way."""
    peers = [row for row in outcome.rows if row["1,000 rows, ms"] != ""]
    sizes = [key for key in peers[0] if key.endswith("rows, ms")]
    width = 0.8 / len(peers)
    for index, row in enumerate(peers):
        places = [number + index * width for number in range(len(sizes))]
        bars = axes.bar(places, [float(row[size]) for size in sizes], width, label=row[""])
        axes.bar_label(bars, fmt="%.0f", fontsize=7)
    names = [size.removesuffix(", ms") for size in sizes]
    axes.set_xticks([number + width for number in range(len(sizes))], names)
    axes.set_yscale("log")
    axes.set_ylabel("milliseconds")
    axes.set_title("One commit of a batch of rows in memory. Lower is better")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "ingest",
    "Rows of ten columns come over HTTP to `icemelt serve`, which commits them each second. The "
    "server, clients and queries share the machine. How many a second, from clients that post "
    "prepared bodies of 5,000 rows? Does a commit stay as fast, and memory as small, for ten "
    "minutes? How soon does a query see rows that come ten at a time, 10,000 a second? Below, one "
    "commit of a batch that is in memory, by a channel of an embedded session, by Spark, and by "
    "delta-rs.",
    run,
    draw,
)
