"""Killed while they list, consume, load, clone or swap, sessions lose no file and read none twice.

ICEMELT_TORTURE_SEED chooses other steps, ICEMELT_TORTURE_FILE_KILLS how many on each catalog in
`make torture`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from rotation import this_turn
from session import file_victim
from session.file_victim import FAMILIES, LATEST_SECONDS, LATEST_STEPS
from session.shared_files import find_lost_files, find_unnamed_files
from transactions.registry_checks import nothing_is_half_written

from conftest import Lake
from icemelt import Session
from icemelt.catalog.queries import retention

SEED = os.environ.get("ICEMELT_TORTURE_SEED", str(this_turn()))
KILLS = 2 * len(FAMILIES)
TORTURE_KILLS = int(os.environ.get("ICEMELT_TORTURE_FILE_KILLS", "100"))
# after so many kills each table's files are looked for
LOOKS = 6
SETUP = (
    "ALTER DATABASE main SET DATA_RETENTION_TIME_IN_DAYS = 0",
    "CREATE STAGE landing URL = '{folder}' DIRECTORY = (ENABLE = TRUE)",
    """CREATE EXTERNAL TABLE e (n INT AS (VALUE:n::INT)) LOCATION = @landing
FILE_FORMAT = (TYPE = JSON)""",
    "CREATE STREAM st ON EXTERNAL TABLE e INSERT_ONLY = TRUE",
    "CREATE STREAM ds ON STAGE landing",
    "CREATE TABLE copied (n INT)",
    "CREATE TABLE paths (path VARCHAR)",
    "CREATE TABLE piped (n INT)",
    """CREATE PIPE p AS COPY INTO piped FROM (SELECT $1:n::INT FROM @landing)
FILE_FORMAT = (TYPE = JSON)""",
    "CREATE SCHEMA work",
    "USE SCHEMA main.public",
    "CREATE TABLE work.a (id INT)",
    "INSERT INTO work.a SELECT id FROM VALUES (1), (2) AS given(id)",
    "INSERT INTO work.a VALUES (3)",
    "DELETE FROM work.a WHERE id = 2",
    "CREATE TABLE work.b (id INT, v VARCHAR)",
    "INSERT INTO work.b VALUES (1, 'b')",
    "CREATE TABLE work.c CLONE work.a",
)
EVERYTHING = """SELECT 'e' AS place, n, CAST(NULL AS VARCHAR) AS path FROM e
UNION ALL SELECT 'st', n, NULL FROM st
UNION ALL SELECT 'copied', n, NULL FROM copied
UNION ALL SELECT 'piped', n, NULL FROM piped
UNION ALL SELECT 'directory', NULL, relative_path FROM DIRECTORY(@landing)
UNION ALL SELECT 'ds ' || METADATA$ACTION, NULL, relative_path FROM ds
UNION ALL SELECT 'paths', NULL, path FROM paths"""
ROWS_OF_A, ROWS_OF_B = [(1,), (3,)], [(1, "b")]


@dataclass
class Killing:
    """The program that forks victims of one lake, and what they told.

    Attributes:
        allowed: what the listing of the stage, and of the external table, may be: as it was, or as
            the last victim began it.
        consumed: by stream, the files that a victim was told are consumed.
        loaded: the files that a victim was told the pipe has loaded.
    """

    lake: Lake
    session: Session
    seed: str
    places: Counter[str]
    allowed: dict[str, list[set[str]]] = field(
        default_factory=lambda: {"e": [set()], "directory": [set()]}
    )
    consumed: dict[str, set[str]] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)
    story: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        place = self.lake.folder
        command = [sys.executable, file_victim.__file__, self.lake.url]
        self.program = subprocess.Popen(
            [*command, str(place / "warehouse"), str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def kill(self, number: int) -> None:
        """Let a victim work until it is killed."""
        choose = random.Random(f"{self.seed} {number}")  # noqa: S311 - chance is what is wanted
        family = FAMILIES[number % len(FAMILIES)]
        plan: dict[str, Any] = {"family": family, "seed": f"{self.seed} {number}"}
        is_moment = choose.random() < 0.3
        plan["seconds"] = choose.uniform(0, LATEST_SECONDS) if is_moment else None
        plan["step"] = None if is_moment else choose.randint(1, LATEST_STEPS[family])
        assert self.program.stdin is not None
        self.program.stdin.write(json.dumps(plan) + "\n")
        self.program.stdin.flush()
        self.story = [{"plan": plan}]
        while "end" not in self.story[-1]:
            assert self.program.stdout is not None
            self.hear(json.loads(self.program.stdout.readline()))
        assert self.story[-1] == {"end": -signal.SIGKILL}, self.story

    def hear(self, told: dict[str, Any]) -> None:
        """Note what is known once a victim has told something."""
        self.story.append(told)
        if "listing" in told:
            for owner, (*_, last) in self.allowed.items():
                self.allowed[owner] = [last, set(told["listing"])]
        if told.get("done") == "listing":
            for owner, (*_, last) in self.allowed.items():
                self.allowed[owner] = [last]
        if told.get("done") in {"st", "ds"}:
            self.consumed[told["done"]] = self.allowed["e"][-1]
        if told.get("done") == "pipe":
            self.loaded = set(told["files"])
        if "killed_at" in told:
            self.places[f"{self.story[0]['plan']['family']}: {told['killed_at']}"] += 1

    def close(self) -> None:
        """End the program, and Java with it."""
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        self.program.stdin.close()
        self.program.stdout.close()
        self.program.wait()


@pytest.mark.slow
def test_killed_sessions_lose_no_file_and_read_none_twice(
    any_lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sessions(any_lake, KILLS, monkeypatch, Counter())


@pytest.mark.torture
def test_a_hundred_killed_sessions_lose_no_file_and_read_none_twice(
    any_lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    places = Counter[str]()
    try:
        kill_sessions(any_lake, TORTURE_KILLS, monkeypatch, places)
    finally:
        with capsys.disabled():
            print(f"\nseed {SEED}: {places.total()} kills at {len(places)} steps")  # noqa: T201


def kill_sessions(
    lake: Lake, wanted: int, monkeypatch: pytest.MonkeyPatch, places: Counter[str]
) -> None:
    """Kill sessions that work with files, and check what each leaves; `places` is where they died.

    A place is the family of operations with the step.
    """
    monkeypatch.setattr(retention, "GRACE", file_victim.GRACE)
    session, folder = lake.open(), lake.folder / "in"
    folder.mkdir()
    # its Spark starts meanwhile
    killing = Killing(lake, session, SEED, places)
    try:
        for statement in SETUP:
            session.sql(statement.format(folder=folder))
        for number in range(wanted):
            killing.kill(number)
            check(killing)
            if number % LOOKS == LOOKS - 1:
                assert find_lost_files(lake, session) == set(), killing.story
    finally:
        killing.close()
    finish(killing)


def check(killing: Killing) -> None:
    """Check what a killed session has left."""
    session, story = killing.session, killing.story
    found: dict[str, Counter[Any]] = {}
    for place, number, path in session.sql(EVERYTHING).fetchall():
        found.setdefault(place, Counter())[path if number is None else number] += 1

    def at(place: str) -> Counter[Any]:
        return found.get(place, Counter())

    registered = {"e": {f"{n // 10 * 10}.json" for n in at("e")}, "directory": {*at("directory")}}
    for owner, files in registered.items():
        assert files in killing.allowed[owner], f"{owner}: {sorted(files)} {story}"
        killing.allowed[owner] = [files]
    assert at("e") == numbers_of(killing.lake, registered["e"]), story
    # each row was given once, or will be
    assert at("copied") + at("st") == at("e"), story
    assert at("paths") + at("ds INSERT") == at("directory"), story
    assert not at("ds DELETE"), story
    for place, files in (("copied", "st"), ("paths", "ds")):
        told = killing.consumed.get(files, set())
        wanted = numbers_of(killing.lake, told) if place == "copied" else Counter(told)
        assert not wanted - at(place), story
    assert set(at("piped").values()) <= {1}, story
    assert not numbers_of(killing.lake, killing.loaded) - at("piped"), story
    with session._core.database.read() as connection:
        nothing_is_half_written(connection)
    check_work(killing)


def check_work(killing: Killing) -> None:
    """Check the tables that are swapped and cloned."""
    session, story = killing.session, killing.story
    tables = session.sql("SHOW TABLES IN DATABASE main").fetchall()
    rows = {}
    for row in tables:
        if row[3] != "public":
            name = f"main.{row[3]}.{row[1]}"
            rows[name] = sorted(session.sql(f"SELECT * FROM {name}").fetchall())
    swapped = [rows["main.work.a"], rows["main.work.b"]]
    assert swapped in ([ROWS_OF_A, ROWS_OF_B], [ROWS_OF_B, ROWS_OF_A]), story
    for name, of_table in rows.items():
        assert of_table in (ROWS_OF_A, ROWS_OF_B), f"{name}: {story}"


def finish(killing: Killing) -> None:
    """Read and load what is left, and let maintenance remove what nobody names."""
    lake, session = killing.lake, killing.session
    for statement in (
        "ALTER STAGE landing REFRESH",
        "ALTER EXTERNAL TABLE e REFRESH",
        "INSERT INTO copied SELECT n FROM st",
        "ALTER PIPE p REFRESH",
    ):
        session.sql(statement)
    everything = numbers_of(lake, {path.name for path in (lake.folder / "in").iterdir()})
    for table in ("copied", "piped", "e"):
        rows = session.sql(f"SELECT n FROM {table}").fetchall()
        assert Counter(row[0] for row in rows) == everything, table
    for _ in range(2):
        assert session.maintain(safe_age=0).skipped == ()
    assert find_lost_files(lake, session) == set()
    assert find_unnamed_files(lake, session) == set()


def numbers_of(lake: Lake, names: set[str]) -> Counter[int]:
    """Return the numbers in some files."""
    texts = ((lake.folder / "in" / name).read_text() for name in names)
    return Counter(json.loads(line)["n"] for text in texts for line in text.splitlines())
