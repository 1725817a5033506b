"""Killed at any step, with Spark or without it, sessions leave all of a statement or nothing.

ICEMELT_TORTURE_SEED chooses other steps, ICEMELT_TORTURE_SPARK_KILLS how many in `make torture`.
"""

from __future__ import annotations

import itertools
import os
import random
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from torture.journal import Journal, Rows
from transactions.registry_checks import nothing_is_half_written
from transactions.stream_victim import (
    AUDIT,
    CONSUME,
    FAMILIES,
    FOLLOW,
    INSERT,
    KINDS,
    MERGE,
    UPDATE,
)
from transactions.victim_process import VictimProcess, is_running

from conftest import Lake, postgres_url, sqlite_url
from icemelt import Session
from icemelt.catalog.database import Database, system_clock
from icemelt.catalog.open_transactions import list_locks, list_open_transactions
from icemelt.catalog.queries.finding import find_streams
from icemelt.catalog.queries.retention import live_transactions
from icemelt.cli.findings import Level
from icemelt.cli.lake import Lake as NamedLake
from icemelt.cli.lake_checks import check_lake
from icemelt.transactions import keeping

SEED = os.environ.get("ICEMELT_TORTURE_SEED", "11")
KILLS = 4
TORTURE_KILLS = int(os.environ.get("ICEMELT_TORTURE_SPARK_KILLS", "100"))
# how long a dead session's transaction lives on: in `make test`, and really
SHORT_LAPSE, LAPSE = 5, keeping.LEASE_SECONDS
# a job is killed at one of the first so many, anything else at one of so many steps
JOBS = 12
STEPS = {"sql": 40, "workspace": 16, "rebase": 12, "lock": 12, "maintain": 120}
# after so many operations a kill may be anywhere
PATIENCE = 6
PATIENCE_SECONDS = 150
# between two writes of others, in seconds
PAUSES, PAUSES_OF_REBASES = (1.0, 5.0), (0.0, 0.5)
SETUP = (
    "CREATE TABLE t (writer VARCHAR, n INT, part INT, v INT) DATA_RETENTION_TIME_IN_DAYS = 0",
    "CREATE TABLE sink (writer VARCHAR, n INT, part INT) DATA_RETENTION_TIME_IN_DAYS = 0",
    "CREATE TABLE replica (writer VARCHAR, n INT, part INT, v INT) DATA_RETENTION_TIME_IN_DAYS = 0",
    "CREATE TABLE audit (writer VARCHAR, n INT) DATA_RETENTION_TIME_IN_DAYS = 0",
    "CREATE STREAM s ON TABLE t APPEND_ONLY = TRUE",
    "CREATE STREAM s2 ON TABLE t",
    """CREATE VIEW standing AS SELECT t.writer, n, part, v, total, audits FROM t
JOIN (SELECT writer, sum(v) AS total FROM t GROUP BY writer) w ON t.writer = w.writer
LEFT JOIN (SELECT writer, count(*) AS audits FROM audit GROUP BY writer) a
ON t.writer = a.writer""",
    """CREATE TABLE followed
(row_id VARCHAR, writer VARCHAR, n INT, part INT, v INT, total INT, audits INT)
DATA_RETENTION_TIME_IN_DAYS = 0""",
    "CREATE STREAM s3 ON VIEW standing",
)
# sources with their copies and the streams that keep these
COPIES = (("t", "replica", "s2"), ("standing", "followed", "s3"))
# why an operation may be refused: Java is gone, or somebody was first
REFUSALS = {"spark-died", "conflict", "lock-timeout", "transaction-ended"}
# columns of SHOW STREAMS
STALE, INVALID_REASON = 10, 13
# the whole lake, at one moment
EVERYTHING = """SELECT 't' AS place, writer, n, part, v, NULL AS total, NULL AS audits, NULL AS id
FROM t
UNION ALL SELECT 'sink', writer, n, part, NULL, NULL, NULL, NULL FROM sink
UNION ALL SELECT 's', writer, n, part, NULL, NULL, NULL, NULL FROM s
UNION ALL SELECT 'replica', writer, n, part, v, NULL, NULL, NULL FROM replica
UNION ALL SELECT 's2 ' || METADATA$ACTION, writer, n, part, v, NULL, NULL, NULL FROM s2
UNION ALL SELECT 'audit', writer, n, NULL, NULL, NULL, NULL, NULL FROM audit
UNION ALL SELECT 'standing', writer, n, part, v, total, audits, NULL FROM standing
UNION ALL SELECT 'followed', writer, n, part, v, total, audits, row_id FROM followed
UNION ALL SELECT 's3 ' || METADATA$ACTION, writer, n, part, v, total, audits, METADATA$ROW_ID
FROM s3"""


@dataclass
class Counts:
    """What a run did."""

    kinds: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    lost: int = 0
    acknowledged: int = 0
    committed_after_python: int = 0
    rows: int = 0


@dataclass
class Contents:
    """What stands in the lake, by place: table, view, stream, or action in a stream of changes."""

    rows: dict[str, Counter[tuple[object, ...]]]

    def check(self) -> None:
        """Check that the copies and what their streams still give are their sources."""
        for source, copy, stream in COPIES:
            target, gone = self.place(copy), self.place(f"{stream} DELETE")
            assert not gone - target, "a change of what is not there"
            target = target - gone + self.place(f"{stream} INSERT")
            values: Counter[tuple[object, ...]] = Counter()
            for (*row, row_id), count in target.items():
                values[(*row, None)] += count
                assert row_id is None or count == 1, "a row of a view is there twice"
            assert values == self.place(source), "copy and changes are not the source"

    def place(self, name: str) -> Counter[tuple[object, ...]]:
        """Return the rows of a place."""
        return self.rows.get(name, Counter())

    def of(self, writer: str) -> tuple[Rows, Rows, Rows]:
        """Return what a writer's journal is about."""

        def mine(name: str, width: int) -> Rows:
            found = self.place(name).items()
            return Counter({row[1 : width + 1]: c for row, c in found if row[0] == writer})

        return mine("t", 3), mine("sink", 2) + mine("s", 2), mine("audit", 1)


@dataclass
class Kills:
    """The lake, its victims, and what was seen of it.

    `haste` divides how far a victim gets before it is killed.
    """

    lake: Lake
    named: NamedLake
    wanted: int
    lapse: int
    haste: int
    choose: random.Random = field(default_factory=lambda: random.Random(SEED))  # noqa: S311
    counts: Counts = field(default_factory=Counts)
    victims: deque[VictimProcess] = field(default_factory=deque)
    journals: dict[str, Journal] = field(default_factory=lambda: {"parent": Journal()})
    dead: list[tuple[str, int, float]] = field(default_factory=list)
    frontiers: dict[str, tuple[int, int]] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def begin(self) -> None:
        """Make the lake, while the first victims start."""
        (self.lake.folder / "warehouse").mkdir()
        self.session: Session = self.lake.open("parent")
        self.database: Database = self.session._core.database
        for _ in range(2):
            self.start()
        for statement in SETUP:
            self.session.sql(statement)
        for _ in range(3):
            self.write()

    def start(self) -> None:
        """Start a victim, where one more is needed; it gets ready while another is at work."""
        if self.counts.kinds.total() + len(self.victims) >= self.wanted:
            return
        number = next(self.numbers)
        seed, name = f"{SEED} {number}", f"c{number}"
        victim = VictimProcess(self.lake.url, self.lake.folder, name, seed, self.lapse)
        self.journals[name] = victim.journal
        self.victims.append(victim)

    def kill(self, kind: str, family: str) -> None:
        """Let a victim work until it is killed; check the lake, and give the next one its turn."""
        victim = self.victims[0]
        most = JOBS if kind == "job" else STEPS[family]
        steps, patience = self.choose.randint(1, most // self.haste), PATIENCE // self.haste
        plan = {"kind": kind, "family": family, "steps": steps, "patience": patience}
        victim.order(plan, PATIENCE_SECONDS)
        session_id, java_id = victim.session_id, victim.java_id
        shortest, longest = PAUSES_OF_REBASES if family == "rebase" else PAUSES
        deadline = time.monotonic() + PATIENCE_SECONDS
        self.write()
        while not victim.over.wait(self.choose.uniform(shortest, longest)):
            assert time.monotonic() < deadline, f"it hangs: {victim.told[-3:]}"
            self.write()
        victim.end(by_signal=kind != "java")
        self.counts.kinds[kind] += 1
        self.counts.places[victim.killed_at] += 1
        self.counts.refusals.update(told["code"] for told in victim.told if "code" in told)
        assert self.counts.refusals.keys() <= REFUSALS, victim.told
        if kind != "java":
            self.victims.popleft()
            self.start()
        else:
            assert victim.told[-2:] == [{"refused": "spark-died"}, {"closed": True}], victim.told
            self.victims.rotate(-1)
        if kind == "job":
            self.counts.committed_after_python += self.commits_after_python(java_id)
        self.dead.append((session_id, java_id, time.monotonic()))
        self.check(closed=session_id if kind == "java" else None)

    def write(self) -> None:
        """Write the source, as others do while somebody is killed."""
        journal, number = self.journals["parent"], len(self.journals["parent"].copied) + 1
        operation, statement = self.choose.choice((("insert", INSERT), ("update", UPDATE)))
        if operation == "update":
            number = self.choose.randint(1, number)
        journal.hear({"operation": operation, "n": number})
        self.session.sql(statement.format(name="parent", n=number))
        journal.hear({"done": True})

    def commits_after_python(self, java_id: int) -> bool:
        """Wait for Java's end; tell whether it has written a table's metadata since Python's."""
        before = self.metadata_files()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while is_running(java_id):
            assert time.monotonic() < deadline, "Java stays without Python"
            time.sleep(0.05)
        return bool(self.metadata_files() - before)

    def metadata_files(self) -> set[Path]:
        """Return the metadata files of all tables, published or not."""
        return set((self.lake.folder / "warehouse").glob("*/metadata/*.metadata.json"))

    def check(self, closed: str | None = None) -> None:
        """Check the lake; `closed` is a session that was closed in order, without its Java."""
        rows: dict[str, Counter[tuple[object, ...]]] = {}
        for place, *row in self.session.sql(EVERYTHING).fetchall():
            rows.setdefault(place, Counter())[tuple(row)] += 1
        contents = Contents(rows)
        contents.check()
        for name, journal in self.journals.items():
            kept = journal.settle(*contents.of(name))
            self.counts.kept += kept is True
            self.counts.lost += kept is False
        self.counts.rows = contents.place("t").total()
        for stream in self.session.sql("SHOW STREAMS").fetchall():
            assert (stream[STALE], stream[INVALID_REASON]) == ("false", "N/A"), stream
        self.check_registry(contents.place("audit").total(), closed)
        findings = list(check_lake(self.named))
        assert {each.level for each in findings} == {Level.OK}, findings

    def check_registry(self, audited: int, closed: str | None) -> None:
        """Check frontiers, locks and open transactions."""
        with self.database.read() as connection:
            nothing_is_half_written(connection)
            moved = {
                stream.name.name: (stream.frontier.move_count, stream.frontier.commit_number)
                for stream in find_streams(connection, self.database)
            }
            alive = {each.session_id for each in live_transactions(connection, self.database)}
            opened = {each.session_id for each in list_open_transactions(connection)}
        for name, (move, commit_number) in self.frontiers.items():
            assert move <= moved[name][0], "a frontier's moves were lost"
            assert commit_number <= moved[name][1], "a frontier went back"
        self.frontiers = moved
        assert moved["s2"][0] == audited, "a frontier moved without its writes, or the reverse"
        long_ago = time.monotonic() - self.lapse
        lapsed = {session_id for session_id, _, at in self.dead if at < long_ago}
        assert not lapsed & alive, "a dead session's transaction lives on"
        assert closed not in opened, "a closed session's transaction stays open"

    def finish(self) -> None:
        """Consume what is left: source and target are one, and nothing of the dead stays."""
        for victim in self.victims:
            victim.kill()
        self.wait_for_lapses()
        self.session.sql(CONSUME)
        with self.session.transaction():
            self.session.sql(MERGE)
            self.session.sql(AUDIT.format(name="parent", n=0))
        self.session.sql(FOLLOW)
        self.journals["parent"].hear({"operation": "copy", "n": 0})
        self.journals["parent"].hear({"done": True})
        streams = [f"SELECT * FROM {stream}" for stream in ("s", "s2", "s3")]
        for query in (*streams, "SHOW LOCKS", "SHOW TRANSACTIONS"):
            assert self.session.sql(query).fetchall() == [], query
        self.check()
        self.session.maintain(safe_age=0)
        assert self.session.maintain(safe_age=0).files_removed == 0
        self.check()
        with self.database.read() as connection:
            assert (list_open_transactions(connection), list_locks(connection)) == ([], [])
        for _, java_id, _ in self.dead:
            assert not is_running(java_id), "Java stays without Python"
        self.counts.acknowledged = sum(each.acknowledged for each in self.journals.values())

    def wait_for_lapses(self) -> None:
        """Wait until no transaction of the dead can be extended or published any more."""
        deadline = time.monotonic() + self.lapse
        while True:
            with self.database.read() as connection:
                if not live_transactions(connection, self.database):
                    return
            assert time.monotonic() < deadline, "a dead session's transaction lives on"
            time.sleep(0.1)


@pytest.mark.slow
def test_what_killed_sessions_leave_is_whole(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = Lake(spark, sqlite_url(tmp_path), tmp_path, system_clock)
    kills = Kills(lake, NamedLake(str(tmp_path)), KILLS, SHORT_LAPSE, haste=3)
    _kill(kills, capsys)
    assert kills.counts.kinds == dict.fromkeys(KINDS, KILLS // len(KINDS))


@pytest.mark.torture
@pytest.mark.parametrize("catalog", ["sqlite", "postgres"])
def test_what_a_hundred_killed_sessions_leave_is_whole(
    catalog: str,
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    url, named = sqlite_url(tmp_path), NamedLake(str(tmp_path))
    if catalog == "postgres":
        url = postgres_url(request.getfixturevalue("postgres_server"))
        named = NamedLake(None, url, str(tmp_path / "warehouse"))
    lake = Lake(spark, url, tmp_path, system_clock)
    _kill(Kills(lake, named, TORTURE_KILLS, LAPSE, haste=1), capsys)


def _kill(kills: Kills, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        kills.begin()
        for kind, family in itertools.islice(_turns(kills.choose), kills.wanted):
            kills.kill(kind, family)
        kills.finish()
    finally:
        for victim in kills.victims:
            victim.kill()
        kills.lake.close()
        with capsys.disabled():
            _print(kills.counts)
    assert kills.counts.kinds.total() == kills.wanted
    assert kills.counts.acknowledged > 0


def _turns(choose: random.Random) -> Sequence[tuple[str, str]]:
    """Yield kinds of kills with families of places, each kind and each family as often."""
    families = itertools.cycle(choose.sample(list(FAMILIES), len(FAMILIES)))
    return zip(itertools.cycle(KINDS), families, strict=False)


def _print(counts: Counts) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.kinds.items())
    told = (
        f"seed {SEED}: {counts.kinds.total()} kills ({kinds}) at {len(counts.places)} places",
        f"{counts.acknowledged} operations done, refused: {dict(counts.refusals)}",
        f"of those cut off {counts.kept} were published, {counts.lost} left nothing",
        f"{counts.rows} rows; Java committed {counts.committed_after_python} times after Python",
        *(f"{count:4} {place}" for place, count in sorted(counts.places.items())),
    )
    print("", *told, sep="\n")  # noqa: T201 - the result
