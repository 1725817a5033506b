"""Clients that are forked, cancelled, refused or closed in vain: no row is lost or doubled."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest.reaching import served

from icemelt.catalog.keys import create_key, list_keys, revoke_key
from icemelt.ingest import (
    AsyncStreamingIngestClient,
    Channel,
    ChannelInvalid,
    IngestBusy,
    IngestError,
    StreamingIngestClient,
    Unauthorized,
)
from icemelt.server import channels as routes
from icemelt.session.session import Session

WHERE = ("main", "public", "t")
FORKING = """
import multiprocessing, sys
from icemelt.ingest import IngestError, StreamingIngestClient

client = StreamingIngestClient(*sys.argv[1:])
channel, _ = client.open_channel("c", "main", "public", "t")
channel.append_row({"n": 0}, "0")

def work(place):
    for call in (
        lambda: channel.append_row({"n": place}, str(place)),
        lambda: channel.wait_for_flush(30),
        channel.get_channel_status,
        lambda: client.open_channel("d", "main", "public", "t"),
        client.close,
    ):
        try:
            call()
        except IngestError as error:
            assert "forked" in error.message, error
        else:
            sys.exit(1)
    with StreamingIngestClient(*sys.argv[1:]) as own:
        mine, _ = own.open_channel(f"of {place}", "main", "public", "t")
        mine.append_row({"n": place}, str(place))

there = multiprocessing.get_context("fork")
processes = [there.Process(target=work, args=(place,)) for place in (1, 2)]
for process in processes:
    process.start()
for process in processes:
    process.join()
    assert process.exitcode == 0
channel.append_row({"n": 3}, "3")
client.close()
"""


@pytest.fixture
def key(session: Session) -> str:
    session.sql("CREATE TABLE t (n BIGINT)")
    return create_key(session._core.database, "ann")[1]


@pytest.fixture
def url(session: Session, key: str) -> Iterator[str]:
    assert key
    with served(session, 0.2) as url:
        yield url


def check(session: Session, count: int) -> None:
    rows = session.sql("SELECT n FROM t ORDER BY n").fetchall()
    assert rows == [(number,) for number in range(count)]


def append_for(channel: Channel, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        channel.append_row({"n": 0})
        time.sleep(0.05)


def test_forked_processes_have_clients_of_their_own(session: Session, url: str, key: str) -> None:
    subprocess.run([sys.executable, "-c", FORKING, url, key], check=True, timeout=60)
    check(session, 4)


def test_a_channel_whose_append_was_cancelled_takes_no_more(
    session: Session, url: str, key: str
) -> None:
    goes_on = threading.Event()

    def slowly() -> Iterator[dict[str, int]]:
        assert goes_on.wait(20)
        yield {"n": 0}

    async def ingest() -> None:
        async with AsyncStreamingIngestClient(url, key) as client:
            channel, _ = await client.open_channel("c", *WHERE)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(channel.append_rows(slowly(), end_offset_token="0"), 0.1)
            goes_on.set()
            with pytest.raises(ChannelInvalid, match="interrupted"):
                await channel.append_row({"n": 0}, "0")
            channel, status = await client.open_channel("c", *WHERE)
            begin = int(status.latest_committed_offset_token or -1) + 1
            for number in range(begin, 3):
                await channel.append_row({"n": number}, str(number))

    asyncio.run(ingest())
    check(session, 3)


def test_who_waits_for_commits_keeps_nobody_from_appending(
    session: Session, url: str, key: str
) -> None:
    async def ingest() -> None:
        async with AsyncStreamingIngestClient(url, key) as client:
            opened = await asyncio.gather(
                *(client.open_channel(f"c{number}", *WHERE) for number in range(40))
            )
            waits = [
                asyncio.ensure_future(channel.wait_for_commit(lambda token: token == "0", 60))
                for channel, _ in opened
            ]
            await asyncio.sleep(0.3)
            for number, (channel, _) in enumerate(opened):
                await asyncio.wait_for(channel.append_row({"n": number}, "0"), 20)
            await asyncio.gather(*waits)

    asyncio.run(ingest())
    check(session, 40)


@pytest.mark.slow
def test_a_channel_that_could_not_be_closed_is_closed_again(
    session: Session, url: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_LONGEST_WAIT", 0.5)
    monkeypatch.setattr(routes, "_SHORT_WAIT", 0.1)
    with StreamingIngestClient(url, key) as client:
        channel, _ = client.open_channel("c", *WHERE)
        channel.append_row({"n": 0}, "0")
        other = sqlite3.connect(tmp_path / "catalog.db", isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(IngestBusy):
                channel.close()
        finally:
            other.close()
        monkeypatch.undo()
        channel.append_row({"n": 1}, "1")
        channel.close()
    check(session, 2)


def test_a_key_that_was_revoked_ends_its_channels(session: Session, url: str, key: str) -> None:
    database = session._core.database
    with StreamingIngestClient(url, key) as client:
        channel, _ = client.open_channel("c", *WHERE)
        channel.append_row({"n": 0}, "0")
        channel.wait_for_flush(30)
        with database.read() as connection:
            [found] = list_keys(connection)
        assert revoke_key(database, found.key_id)
        with pytest.raises(ChannelInvalid, match="no key that is in force"):
            append_for(channel, 20)
        with pytest.raises(Unauthorized):
            client.open_channel("c", *WHERE)
        assert channel.is_closed is False


def test_rows_to_be_kept_as_rejects_count_as_they_are_sent(session: Session) -> None:
    session.sql("CREATE TABLE logged (n BIGINT) ERROR_LOGGING = TRUE")
    _, key = create_key(session._core.database, "ann")
    # three bytes for each character
    bad = [{"n": "長" * 10_000}] * 100
    with (
        served(session, 0.2, most_bytes=3 << 20) as url,
        StreamingIngestClient(url, key) as client,
    ):
        where = ("main", "public", "logged")
        channel, _ = client.open_channel("c", *where, on_error="CONTINUE")
        with pytest.raises(IngestError, match="3 MiB"):
            channel.append_rows(bad)
        channel.append_rows(bad[:10], end_offset_token="1")
        channel.wait_for_flush(30)
        assert channel.get_latest_committed_offset_token() == "1"
    query = "SELECT count(*) FROM ERROR_TABLE(logged)"
    assert session.sql(query).fetchone() == (10,)
