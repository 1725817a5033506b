"""Killed at any step of the registry's transactions, workers leave all of a commit or nothing.

ICEMELT_TORTURE_SEED chooses other steps; `make torture` kills a thousand on each catalog.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from transactions.registry_checks import clones_are_whole, nothing_is_half_written, rows_of
from transactions.registry_worker import PIPED, SINK, SOURCE, Clock
from transactions.test_registry_locks import make_table_and_streams

from conftest import DAY, postgres_url, sqlite_url
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.open_transactions import find_lock_holder
from icemelt.catalog.queries.positions import read_position

SEED = os.environ.get("ICEMELT_TORTURE_SEED", "7")
KILLS = 100
TORTURE_KILLS = int(os.environ.get("ICEMELT_TORTURE_KILLS", "1000"))
# within a transaction's life, and past it
PAUSES = (1_000, 31_000)


@dataclass
class Kills:
    """The server of workers, and what is known of their ends."""

    url: str
    folder: Path
    database: Database
    time: int = DAY
    places: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        command = [sys.executable, str(Path(__file__).with_name("registry_worker.py"))]
        self.server = subprocess.Popen(
            [*command, self.url, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def round(self, number: int) -> int:
        """Let two workers work at once; return how many have killed themselves."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.time += PAUSES[number % len(PAUSES)]
        seeds = [f"{SEED} {number} {worker}" for worker in range(2)]
        self.server.stdin.write(json.dumps({"time": self.time, "seeds": seeds}) + "\n")
        self.server.stdin.flush()
        told: dict[str, Any] = {}
        while "ends" not in told:
            told = json.loads(self.server.stdout.readline())
            if "killed_at" in told:
                self.places[told["killed_at"]] += 1
        assert set(told["ends"]) <= {0, -signal.SIGKILL}, told
        return int(told["ends"].count(-signal.SIGKILL))

    def close(self) -> None:
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait()
        self.database.close()


@pytest.mark.slow
def test_what_killed_workers_leave_is_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _kill(sqlite_url(tmp_path), tmp_path, KILLS, capsys)


@pytest.mark.torture
@pytest.mark.parametrize("catalog", ["sqlite", "postgres"])
def test_what_a_thousand_killed_workers_leave_is_whole(
    catalog: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    url = sqlite_url(tmp_path)
    if catalog == "postgres":
        url = postgres_url(request.getfixturevalue("postgres_server"))
    _kill(url, tmp_path, TORTURE_KILLS, capsys)


def _kill(url: str, folder: Path, wanted: int, capsys: pytest.CaptureFixture[str]) -> None:
    database = open_database(url, str(folder), clock=Clock(DAY))
    make_table_and_streams(database)
    kills = Kills(url, folder, database)
    killed = rounds = 0
    try:
        while killed < wanted:
            killed += kills.round(rounds)
            rounds += 1
            found = _check(database, kills.time)
    finally:
        kills.close()
        with capsys.disabled():
            places = len(kills.places)
            print(f"\nseed {SEED}: {killed} kills at {places} steps")  # noqa: T201
    assert found["moves"] > wanted // 4, "too few consumptions were published to prove anything"
    assert found["rows"] > 0
    assert found["listings"] > wanted // 10, "too few listings were published to prove anything"
    assert found["loads"] > wanted // 10, "too few files were loaded to prove anything"


def _check(database: Database, time: int) -> dict[str, int]:
    """Check what stands in the registry; return how much of it there is."""
    with database.read() as connection:
        _pointers_are_their_versions(connection)
        nothing_is_half_written(connection)
        clones_are_whole(connection)
        listings = _listings_are_their_files(connection)
        loads = _files_are_loaded_once(connection)
        taken = [
            tuple(int(end) for end in location.split("/")[0].split("-"))
            for location in _locations(connection, SINK.name)[1:]
        ]
        stream_id, move = rows_of(
            connection,
            "SELECT stream_id, move FROM icemelt_streams JOIN icemelt_objects "
            "ON object_id = stream_id WHERE name = 's'",
        )[0]
        position = rows_of(
            connection,
            f"SELECT position FROM icemelt_frontiers WHERE stream_id = '{stream_id}' "
            f"AND move = {move}",
        )[0][0]
        past = Database(
            database.engine, Clock(time + 60_000), database.lake_id, "icemelt", database.warehouse
        )
        assert find_lock_holder(connection, past.clock(connection), stream_id) is None, (
            "a lock outlives its holder"
        )
        rows = rows_of(
            connection,
            "SELECT v.commit_number, v.inserted FROM icemelt_versions v JOIN icemelt_objects "
            f"ON object_id = table_id WHERE name = '{SOURCE.name}' ORDER BY v.version",
        )
    assert len(taken) == move, "a move of the frontier without its write, or the reverse"
    ends = [1, *(end for _, end in taken)]
    assert [start for start, _ in taken] == ends[:-1], "a gap, or rows taken twice"
    assert read_position(position)[1] == ends[-1]
    assert ends == sorted(ends)
    times = [sum(start < commit <= end for start, end in taken) for commit, _ in rows[1:]]
    assert times == [int(commit <= ends[-1]) for commit, _ in rows[1:]]
    counts = {"moves": move, "listings": listings, "loads": loads}
    return counts | {"rows": sum(inserted or 0 for _, inserted in rows)}


def _pointers_are_their_versions(connection: sa.Connection) -> None:
    for name in (SOURCE.name, SINK.name, PIPED.name):
        pointer, known, version = rows_of(
            connection,
            "SELECT metadata_location, known_location, version FROM icemelt_objects JOIN "
            f"iceberg_tables ON table_name = name WHERE name = '{name}'",
        )[0]
        locations = _locations(connection, name)
        assert pointer == known == locations[-1]
        assert version == len(locations)


def _listings_are_their_files(connection: sa.Connection) -> int:
    """Check that each listing has the files that it tells of; return how many there are."""
    told = rows_of(
        connection, "SELECT commit_number, added, changed, removed FROM icemelt_listings ORDER BY 1"
    )
    begun, ended = Counter[tuple[int, bool]](), Counter[int]()
    chains: dict[str, list[tuple[int, int | None]]] = {}
    for path, since, until, added_in in rows_of(
        connection,
        "SELECT path, since_commit, until_commit, added_in FROM icemelt_listed_files ORDER BY 1, 2",
    ):
        begun[since, since == added_in] += 1
        ended[until] += 1
        chains.setdefault(path, []).append((since, until))
    for commit, added, changed, removed in told:
        assert (begun[commit, True], begun[commit, False]) == (added, changed)
        assert ended[commit] == changed + removed
    for states in chains.values():
        assert all(end is not None and end <= start for (_, end), (start, _) in pairwise(states))
    return len(told)


def _files_are_loaded_once(connection: sa.Connection) -> int:
    """Check that each file queued for the pipe waits or was loaded, once; return how many were."""
    loaded = [int(row[0]) for row in rows_of(connection, "SELECT path FROM icemelt_loads")]
    queued = [int(row[0]) for row in rows_of(connection, "SELECT path FROM icemelt_queued_files")]
    highest = max([*loaded, *queued], default=0)
    assert {*loaded, *queued} == {*range(1, highest + 1)}, "a file was forgotten"
    ((written,),) = rows_of(
        connection,
        "SELECT SUM(v.inserted) FROM icemelt_versions v JOIN icemelt_objects "
        f"ON object_id = table_id WHERE name = '{PIPED.name}'",
    )
    assert (written or 0) == len(loaded), "a file was loaded twice"
    return len(loaded)


def _locations(connection: sa.Connection, name: str) -> list[str]:
    found = rows_of(
        connection,
        "SELECT v.location FROM icemelt_versions v JOIN icemelt_objects ON object_id = table_id "
        f"WHERE name = '{name}' ORDER BY v.version",
    )
    return [row[0] for row in found]
