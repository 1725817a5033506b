"""Holders of leases in processes of their own: killed, stopped for too long, with a wrong clock.

ICEMELT_TORTURE_SEED chooses other histories of the random test in `make torture`.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from transactions.test_registry_locks import make_table_and_streams

from conftest import postgres_url, sqlite_url
from icemelt.catalog.database import open_database
from icemelt.catalog.leases import (
    Claim,
    LeaseKind,
    find_leases,
    release_leases,
    renew_leases,
    take_leases,
)
from icemelt.catalog.open_transactions import (
    list_locks,
    list_open_transactions,
    remove_expired_transactions,
)
from icemelt.catalog.publishing import Published
from icemelt.catalog.queries.finding import find_streams

pytestmark = pytest.mark.turns(4)

SEED = os.environ.get("ICEMELT_TORTURE_SEED", "19")
ROUNDS = int(os.environ.get("ICEMELT_TORTURE_LEASES", "300"))
PROGRAM = str(Path(__file__).with_name("lease_holder.py"))
LIFE = 0.6
HOUR = 3600
PATIENCE_SECONDS = 60


class Holder:
    """A process that holds leases; it is killed at the end."""

    def __init__(self, url: str, folder: Path, life: float, skew: float = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM, url, str(folder), str(life), str(skew)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.answer() == {"ready": True}

    def ask(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def tell(self, word: str) -> dict[str, Any]:
        self.ask(word)
        return self.answer()

    def stop(self) -> None:
        """Have the process stop, between two renewals, and wait until it has."""
        self.ask("stop")
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        assert self.answer() == {}

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


class Registry:
    """A registry with a table and a stream on it, and processes that hold leases there."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.database = open_database(url, str(folder))
        make_table_and_streams(self.database)
        self.holders: list[Holder] = []

    def holder(self, life: float = LIFE, skew: float = 0) -> Holder:
        made = Holder(self.url, self.folder, life, skew)
        self.holders.append(made)
        return made

    @property
    def moves(self) -> int:
        """How often the stream was moved."""
        with self.database.read() as connection:
            streams = find_streams(connection, self.database)
        return next(each.frontier.move_count for each in streams if each.name.name == "s")

    def state(self) -> list[Any]:
        """Everything that a publication changes."""
        tables = ("icemelt_lake", "icemelt_versions", "icemelt_frontiers", "icemelt_transactions")
        with self.database.read() as connection:
            found = [connection.execute(sa.text(f"SELECT * FROM {each}")).all() for each in tables]
        # the last token that was given out is not a part of what was published
        return [[tuple(row)[:6] for row in rows] for rows in found]

    def close(self) -> None:
        for holder in self.holders:
            holder.kill()
        self.database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def registry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Registry]:
    url = sqlite_url(tmp_path)
    if request.param == "postgres":
        url = postgres_url(request.getfixturevalue("postgres_server"))
    made = Registry(url, tmp_path)
    yield made
    made.close()


def test_a_holder_that_was_stopped_for_too_long_changes_nothing(registry: Registry) -> None:
    stopped, other = registry.holder(), registry.holder()
    first = stopped.tell("lock")["token"]
    stopped.stop()
    second = other.tell("lock")["token"]
    assert second > first
    assert other.tell("move") == {"outcome": Published.__name__}
    before = registry.state()
    stopped.go_on()
    refused = stopped.tell("move")
    assert refused["code"] == "transaction-ended"
    assert "has lapsed" in refused["message"]
    assert "ROLLBACK" in refused["hint"]
    assert stopped.tell("lost") == {"lost": True}
    assert registry.state() == before
    assert registry.moves == 1


def test_a_stopped_holder_is_refused_also_while_the_next_one_still_works(
    registry: Registry,
) -> None:
    stopped, other = registry.holder(), registry.holder()
    stopped.tell("lock")
    stopped.stop()
    other.tell("lock")
    before = registry.state()
    stopped.go_on()
    assert stopped.tell("move")["code"] == "transaction-ended"
    assert registry.state() == before
    assert other.tell("move") == {"outcome": Published.__name__}


def test_a_holder_that_is_stopped_for_less_than_its_lease_goes_on(registry: Registry) -> None:
    holder, other = registry.holder(life=20), registry.holder(life=20)
    holder.tell("lock")
    holder.stop()
    other.ask("lock")
    time.sleep(0.5)
    holder.go_on()
    assert holder.tell("move") == {"outcome": Published.__name__}
    assert "token" in other.answer()


def test_a_killed_holder_s_lease_is_taken_when_it_has_expired_and_not_before(
    registry: Registry,
) -> None:
    life = 2.0
    dead, other = registry.holder(life), registry.holder(life)
    first = dead.tell("lock")["token"]
    dead.kill()
    with registry.database.read() as connection:
        [lease] = find_leases(connection, LeaseKind.TRANSACTION)
    second = other.tell("lock")["token"]
    with registry.database.read() as connection:
        now = registry.database.clock(connection)
        [lock] = list_locks(connection)
    assert now >= lease.expires_at
    assert lock.acquired_at >= lease.expires_at
    assert lock.token == second > first
    assert other.tell("move") == {"outcome": Published.__name__}
    with registry.database.write() as connection:
        # the dead one's own row stays until somebody removes what has lapsed
        assert remove_expired_transactions(connection, registry.database.clock(connection)) == 1
        assert list_open_transactions(connection) == []
        assert find_leases(connection, LeaseKind.TRANSACTION) == []


@pytest.mark.slow
@pytest.mark.parametrize("skew", [HOUR, -HOUR])
def test_a_host_whose_clock_is_off_keeps_and_takes_leases_as_others_do(
    registry: Registry, skew: float
) -> None:
    odd, other = registry.holder(life=2, skew=skew), registry.holder(life=2)
    first = odd.tell("lock")["token"]
    other.ask("lock")
    # two lives: it is renewed, and nobody takes it
    time.sleep(4.5)
    assert odd.tell("move") == {"outcome": Published.__name__}
    assert other.answer()["token"] > first
    odd.ask("lock")
    time.sleep(0.5)
    with registry.database.read() as connection:
        assert [lock.token > first for lock in list_locks(connection)] == [True]
    assert other.tell("move") == {"outcome": Published.__name__}
    assert "token" in odd.answer()
    assert registry.moves == 2


@pytest.mark.slow
def test_a_stopped_holder_s_reservation_is_free_after_its_life(registry: Registry) -> None:
    stopped, other = registry.holder(life=2), registry.holder(life=2)
    stopped.tell("reserve")
    assert other.tell("append") == {"outcome": "TableReserved"}
    stopped.stop()
    _until(lambda: other.tell("append") == {"outcome": Published.__name__})
    before = registry.state()
    stopped.go_on()
    # what it read is not the newest state any more: the pointer's comparison is what keeps it out
    assert stopped.tell("append") == {"outcome": Published.__name__}
    assert registry.state() != before


def test_tokens_rise_with_each_lease_of_any_kind_also_after_it_was_given_back(
    registry: Registry,
) -> None:
    database, tokens = registry.database, []
    for number in range(3):
        for kind, resource in (
            (LeaseKind.STREAM, "s"),
            (LeaseKind.TABLE, "t"),
            (LeaseKind.SERVER, "v"),
        ):
            with database.write() as connection:
                claim = Claim(kind, [resource], f"holder {number}", 30)
                tokens.append(take_leases(connection, database, claim))
                # whoever has it keeps its token
                assert take_leases(connection, database, claim) == tokens[-1]
                other = Claim(kind, [resource], "another", 30)
                assert take_leases(connection, database, other) is None
        with database.write() as connection:
            release_leases(connection, f"holder {number}")
    assert tokens == sorted(set(tokens))


def test_leases_of_several_resources_are_taken_together_or_not_at_all(registry: Registry) -> None:
    database = registry.database
    with database.write() as connection:
        assert (
            take_leases(connection, database, Claim(LeaseKind.TABLE, ["b"], "first", 30))
            is not None
        )
        assert (
            take_leases(connection, database, Claim(LeaseKind.TABLE, ["a", "b"], "second", 30))
            is None
        )
        assert [each.resource_id for each in find_leases(connection, LeaseKind.TABLE)] == ["b"]
        assert (
            take_leases(connection, database, Claim(LeaseKind.TABLE, ["b", "c"], "first", 30))
            is not None
        )
    assert renew_leases(database, LeaseKind.TABLE, "first", 0.001)
    time.sleep(0.05)
    assert not renew_leases(database, LeaseKind.TABLE, "first", 30)
    with database.write() as connection:
        assert (
            take_leases(connection, database, Claim(LeaseKind.TABLE, ["a", "b"], "second", 30))
            is not None
        )


@pytest.mark.torture
def test_of_holders_that_are_stopped_and_killed_at_random_each_move_is_one_holder_s(
    registry: Registry,
) -> None:
    choose = random.Random(SEED)  # noqa: S311 - chance is what is wanted
    published = 0
    holders = [registry.holder() for _ in range(3)]
    for _ in range(ROUNDS):
        holder = choose.choice(holders)
        taken = holder.tell("lock")
        time.sleep(choose.uniform(0, LIFE / 2))
        match choose.choice(("go on", "stop", "stop", "kill")):
            case "stop":
                holder.stop()
                time.sleep(choose.uniform(0, 2 * LIFE))
                rival = choose.choice([each for each in holders if each is not holder])
                assert "token" in rival.tell("lock")
                published += rival.tell("move") == {"outcome": Published.__name__}
                holder.go_on()
            case "kill":
                holder.kill()
                holders.remove(holder)
                holders.append(registry.holder())
                continue
            case _:
                pass
        told = holder.tell("move") if "token" in taken else taken
        assert told == {"outcome": Published.__name__} or told["code"] == "transaction-ended", told
        published += "outcome" in told
        assert registry.moves == published
    assert published > ROUNDS // 4


def _until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.05)
