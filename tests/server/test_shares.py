"""What a key sends, or asks for, takes nothing of what other keys may."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from server.front import MOST_BYTES, SECONDS, Front, front
from server.test_connections import rest, told
from starlette.types import Message
from waiting import wait_until

from icemelt.ingest.errors import IngestBusy
from icemelt.ingest.rows.rows import read_arrow
from icemelt.server import bodies
from icemelt.server.bodies import Body, BodyLimits
from icemelt.server.threads import Threads

MIB = 1 << 20
CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Front]:
    with front(tmp_path) as server:
        yield server


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for bodies two seconds, and not half a minute."""
    monkeypatch.setattr(bodies, "_SECONDS", 2.0)


def send(connection: socket.socket, size: int) -> None:
    connection.sendall(b"%x\r\n" % size + b"x" * size + b"\r\n")


@pytest.mark.usefixtures("hurry")
def test_silence_ends_a_body_whatever_came_before(server: Front) -> None:
    with server.begin(server.key("bob"), "/v1/rows", CHUNKED) as connection:
        send(connection, 32 * MIB)
        began = time.monotonic()
        assert told(rest(connection)) == (408, "http")
        assert 1 < time.monotonic() - began < 10


@pytest.mark.usefixtures("hurry")
def test_a_body_that_goes_on_too_slowly_is_ended(server: Front) -> None:
    with server.begin(server.key("bob"), "/v1/rows", CHUNKED) as connection:
        send(connection, 32 * MIB)
        with contextlib.suppress(OSError):
            for _ in range(100):
                send(connection, 100)
                time.sleep(0.1)
            raise AssertionError
        assert told(rest(connection)) == (408, "http")


@pytest.mark.usefixtures("hurry")
def test_a_slow_body_is_heard_for_as_long_as_it_comes(server: Front) -> None:
    ends = ("Connection: close",)
    with server.begin(server.key("ann"), "/v1/rows", CHUNKED, *ends) as connection:
        for _ in range(60):
            send(connection, 1_000)
            time.sleep(0.1)
        connection.sendall(b"0\r\n\r\n")
        assert rest(connection).endswith(b"\r\n\r\n60000")


def test_bodies_that_do_not_end_keep_no_other_key_out(
    server: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "_MOST_BYTES", 128 * MIB)
    keys = [server.key(f"bob {number}") for number in range(3)]
    with contextlib.ExitStack() as stack, server.client("ann") as ann:
        taken = 0
        for key in keys * 8:
            connection = stack.enter_context(server.begin(key, "/v1/rows", CHUNKED))
            with contextlib.suppress(OSError):
                send(connection, 15 * MIB)
                taken += 15
        # all that may be read is being read
        assert taken * MIB > 128 * MIB
        for size in (10, MIB, 20 * MIB):
            answer = ann.post("/v1/rows", content=b"x" * size)
            assert (answer.status_code, answer.text) == (200, str(size))


def test_small_bodies_of_a_key_wait_for_none_of_its_large_ones(
    server: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "_MOST_BYTES", 128 * MIB)
    key = server.key("bob")
    headers = {"Authorization": f"Bearer {key}"}
    with (
        contextlib.ExitStack() as stack,
        httpx.Client(base_url=server.url, headers=headers) as client,
    ):
        for _ in range(4):
            send(stack.enter_context(server.begin(key, "/v1/rows", CHUNKED)), 16 * MIB - 1_000)
        wait_until(lambda: server.bodies._large.total() >= 63 * MIB, SECONDS)
        large = client.post("/v1/rows", content=b"x" * 8 * MIB)
        assert (large.status_code, large.headers["Retry-After"]) == (429, "1")
        assert client.post("/v1/statements", content=b"x" * MIB).text == str(MIB)
    for _ in range(100):
        with httpx.Client(base_url=server.url, headers=headers) as client:
            if client.post("/v1/rows", content=b"x" * 8 * MIB).status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError


def test_bodies_are_counted_as_long_as_they_are_there() -> None:
    counted = BodyLimits()
    counted.add("ann", 0, 1_000)
    counted.add("ann", 1_000, MOST_BYTES)
    assert not counted._small
    assert counted._large == {"ann": MOST_BYTES}
    counted.add("ann", MOST_BYTES, 0)
    assert not counted._large


async def no_message() -> Message:
    raise AssertionError


def compressed(mebibytes: int) -> bytes:
    sink, values = pa.BufferOutputStream(), pa.array([0] * (mebibytes * MIB // 8), pa.int64())
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, pa.schema([("n", pa.int64())]), options=options) as writer:
        writer.write_table(pa.table({"n": values}))
    return bytes(sink.getvalue())


def test_an_arrow_body_takes_room_for_what_it_is_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "_MOST_BYTES", 128 * MIB)
    counted, small = BodyLimits(), compressed(50)
    assert len(small) < MIB
    first, second, other = [Body(no_message, key, MIB, counted) for key in ("ann", "ann", "bob")]
    for body in (first, second, other):
        body._grow(len(small))
    assert read_arrow(small, first.unpack).num_rows == 50 * MIB // 8
    assert counted._large["ann"] > 50 * MIB
    # refused before it is unpacked
    with pytest.raises(IngestBusy, match="As much is being read as may"):
        read_arrow(small, second.unpack)
    assert read_arrow(small, other.unpack).num_rows == 50 * MIB // 8
    for body in (first, second, other):
        body.release()
    assert read_arrow(compressed(100), Body(no_message, "ann", MIB, counted).unpack).num_rows
    # a thread goes on after its client has gone
    first.unpack(50 * MIB)
    assert counted._large.keys() <= {"ann"}
    assert not counted._small


def test_long_json_of_a_key_waits_for_its_other_one() -> None:
    counted = BodyLimits()
    assert [counted.next_json("bob", size) for size in (60_000, 4 * MIB, MIB)] == [0, 0, 0]
    assert 0.5 < counted.next_json("bob", 4 * MIB) <= 1
    assert 4.5 < counted.next_json("bob", 100_000) <= 5
    assert counted.next_json("bob", 60_000) == 0
    assert counted.next_json("ann", 100_000) == 0


def test_a_key_without_limits_to_others_may_have_all() -> None:
    half = bodies._MOST_BYTES // 2
    for by_key in (True, False):
        counted = BodyLimits(by_key)
        counted.add("everybody", 0, half + 1)
        assert counted.has_room("everybody", half + 1, MOST_BYTES) is not by_key


def test_a_key_s_work_takes_some_threads_and_leaves_the_others() -> None:
    async def work() -> tuple[int, float]:
        threads, is_over, most, running = Threads(), threading.Event(), 0, 0
        lock = threading.Lock()

        def block() -> None:
            nonlocal most, running
            with lock:
                running += 1
                most = max(most, running)
            is_over.wait(20)
            with lock:
                running -= 1

        keys = [f"bob {number}" for number in range(7)]
        blocked = [asyncio.create_task(threads.run(key, block)) for key in keys for _ in range(30)]
        await asyncio.sleep(0.5)
        began = time.monotonic()
        assert await threads.run("ann", int, "1") == 1
        assert await threads.look_after_health(int, "2") == 2
        assert await threads.check_key(int, "3", is_known=True) == 3
        seconds = time.monotonic() - began
        is_over.set()
        await asyncio.gather(*blocked)
        assert await threads.run("bob 1", int, "4") == 4
        threads.close()
        return most, seconds

    most, seconds = asyncio.run(work())
    assert 24 <= most < 32
    assert seconds < 2


def test_one_key_has_four_threads_and_everybody_all() -> None:
    async def most_of(threads: Threads) -> int:
        arrived, is_over = [], threading.Event()

        def block() -> None:
            arrived.append(1)
            is_over.wait(20)

        blocked = [asyncio.create_task(threads.run("bob", block)) for _ in range(60)]
        await asyncio.sleep(0.5)
        most = len(arrived)
        is_over.set()
        await asyncio.gather(*blocked)
        threads.close()
        return most

    assert asyncio.run(most_of(Threads())) == 4
    assert asyncio.run(most_of(Threads(by_key=False))) == 32


def test_who_waits_no_longer_leaves_its_turn_to_others() -> None:
    async def work() -> None:
        threads, is_over = Threads(), threading.Event()
        blocked = [asyncio.create_task(threads.run("bob", is_over.wait, 20)) for _ in range(4)]
        waiting = [asyncio.create_task(threads.run("bob", is_over.wait, 20)) for _ in range(8)]
        await asyncio.sleep(0.2)
        for each in waiting:
            each.cancel()
        is_over.set()
        assert all(await asyncio.gather(*blocked))
        for _ in range(20):
            assert await threads.run("bob", int, "1") == 1
        threads.close()

    asyncio.run(work())
