"""Rows that cannot be written cost no other owner a row, and delay others by one flush at most."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa
import pytest
from ingest.test_writer import DIED, Commits, opened, put, writer_of

from icemelt.errors import NotYet
from icemelt.ingest.errors import ChannelInvalid
from icemelt.ingest.writer.failing_owners import FailingOwners
from icemelt.ingest.writer.flush import Chunk
from icemelt.ingest.writer.table_writer import OpenChannel, TableWriter

TOO_LONG = NotYet("File name too long.", hint="")
Fails = Callable[[Sequence[Chunk]], Exception | None]


def opened_by(writer: TableWriter, owner: str, name: str) -> OpenChannel:
    channel = opened(writer, name)
    channel.record = replace(channel.record, owner=owner)
    return channel


def rows_of(*owners: str, error: Exception = TOO_LONG) -> Fails:
    return lambda chunks: error if any(chunk.owner in owners for chunk in chunks) else None


@pytest.mark.parametrize("error", [TOO_LONG, ValueError("its values")])
def test_rows_of_another_owner_wait_for_two_failing_flushes_and_are_never_given_up(
    error: Exception,
) -> None:
    before: list[int] = []

    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        if any(chunk.owner == "bob" for chunk in chunks) and len({c.owner for c in chunks}) == 1:
            before.append(commits.calls)
        return rows_of("ann", error=error)(chunks)

    commits = Commits(fails)
    writer = writer_of(commits, lag=600)
    many = [opened_by(writer, "ann", f"a{number}") for number in range(200)]
    bob = opened_by(writer, "bob", "b")
    for channel in (*many, bob):
        put(writer, channel, 1, "token")
    writer.request_flush()
    assert writer.wait(bob, 1, 30)
    # all together, the half that is Ann's, and the half that is Bob's
    assert before == [3]
    assert (bob.offset_token, writer.status(bob).last_error) == ("token", "")
    for channel in many:
        with pytest.raises(ChannelInvalid, match=r"too long|its values"):
            writer.wait(channel, 1, 30)
    assert bob.void_reason is None
    writer.end()
    assert writer.join() == []
    assert writer.waiting_bytes == 0


def test_what_is_appended_meanwhile_waits_for_one_failing_flush() -> None:
    # the failing flushes while Bob's rows wait, by the number of Bob's last commit
    waited: Counter[int] = Counter()

    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        error = rows_of("ann")(chunks)
        if error is not None:
            waited[bob.last_committed] += bool(writer.waiting_by_owner()["bob"])
            time.sleep(0.02)
        return error

    commits = Commits(fails)
    writer = writer_of(commits, lag=0.02)
    many = [opened_by(writer, "ann", f"a{number}") for number in range(40)]
    bob = opened_by(writer, "bob", "b")
    for channel in many:
        put(writer, channel, 1)
    for number in range(1, 11):
        put(writer, bob, number)
        assert writer.wait(bob, number, 20)
    # the first may be together with Ann's rows: all, and Ann's half
    assert waited.pop(0) <= 2
    assert max(waited.values()) <= 1
    for channel in many:
        with pytest.raises(ChannelInvalid):
            writer.wait(channel, 1, 30)
    # the next failing rows of Ann's are apart from the first
    again, calls = opened_by(writer, "ann", "again"), commits.calls
    put(writer, again, 1)
    put(writer, bob, 11)
    assert writer.wait(bob, 11, 20)
    with pytest.raises(ChannelInvalid):
        writer.wait(again, 1, 20)
    # Bob's and Ann's, each once
    assert commits.calls == calls + 2
    writer.end()
    assert writer.join() == []


def test_the_good_channels_of_the_owner_are_written_in_order() -> None:
    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        return TOO_LONG if any(chunk.channel_id == "a3" for chunk in chunks) else None

    commits = Commits(fails)
    writer = writer_of(commits, lag=600)
    channels = [opened_by(writer, "ann", f"a{number}") for number in range(6)]
    channels.append(opened_by(writer, "bob", "b"))
    for number in range(1, 4):
        for channel in channels:
            put(writer, channel, number)
    writer.request_flush()
    for channel in channels:
        if channel.record.name == "a3":
            with pytest.raises(ChannelInvalid, match="too long"):
                writer.wait(channel, 3, 20)
        else:
            assert writer.wait(channel, 3, 20)
    for name in ("a0", "a1", "a2", "a4", "a5", "b"):
        assert [number for channel, number in commits.done if channel == name] == [1, 2, 3]
    writer.end()
    assert writer.join() == []


def test_a_failure_that_passes_alone_leaves_no_owner_apart() -> None:
    sizes: list[int] = []

    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        sizes.append(len(chunks))
        return ValueError("once") if commits.calls <= 2 else None

    commits = Commits(fails)
    writer = writer_of(commits, lag=600)
    channels = [opened_by(writer, owner, owner) for owner in ("ann", "bob")]
    for number in (1, 2):
        for channel in channels:
            put(writer, channel, number)
        writer.request_flush()
        for channel in channels:
            assert writer.wait(channel, number, 20)
        if number == 1:
            assert writer.status(channels[0]).last_error == ""
    # both, Ann, Bob, Ann again; then both together
    assert sizes == [2, 1, 1, 1, 2]
    writer.end()
    assert writer.join() == []


def test_an_owner_reads_why_its_own_rows_wait_and_no_other_owner_does() -> None:
    goes_on = threading.Event()

    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        if commits.calls > 3:
            assert goes_on.wait(20)
        return rows_of("ann", error=ValueError("its values"))(chunks)

    commits = Commits(fails)
    writer = writer_of(commits, lag=600)
    ann, bob = (opened_by(writer, owner, owner) for owner in ("ann", "bob"))
    for channel in (ann, bob):
        put(writer, channel, 1)
    writer.request_flush()
    assert writer.wait(bob, 1, 20)
    assert (writer.status(ann).last_error, writer.status(bob).last_error) == ("its values", "")
    goes_on.set()
    with pytest.raises(ChannelInvalid, match="its values"):
        writer.wait(ann, 1, 20)
    writer.end()
    assert writer.join() == []


def test_spark_may_die_while_an_owner_is_looked_for() -> None:
    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        return DIED if commits.calls in {2, 4} else rows_of("ann")(chunks)

    commits = Commits(fails)
    writer = writer_of(commits, lag=600)
    channels = [opened_by(writer, owner, owner) for owner in ("ann", "bob", "cay", "dan")]
    for channel in channels:
        put(writer, channel, 1)
    writer.request_flush()
    for channel in channels[1:]:
        assert writer.wait(channel, 1, 30)
    with pytest.raises(ChannelInvalid, match="too long"):
        writer.wait(channels[0], 1, 30)
    writer.end()
    assert writer.join() == []
    assert writer.waiting_bytes == 0


def test_an_owner_is_written_with_others_again_after_ten_minutes() -> None:
    rows = pa.table({"n": [1]})
    ann, bob = (Chunk(name, 1, 1, rows, None, owner=name) for name in ("ann", "bob"))
    failing = FailingOwners()
    assert failing.note_failure([ann], "Too long", is_permanent=True, now=0.0) == [ann.handle]
    assert len(failing.take([ann, bob], now=599.0)) == 1
    assert failing.take([ann, bob], now=601.0) == [ann, bob]
    assert not failing
