"""How many channels an owner may have open, and of how many tables; and the end of an owner."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest
from ingest.test_writer import ROWS, TARGET, Commits, opened, put, writer_of

from icemelt.catalog.activity_records import ChannelRecord
from icemelt.ingest.answers import Append
from icemelt.ingest.errors import ChannelInvalid, TooManyChannels
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.ingest.writer.open_channels import OpenChannels
from icemelt.ingest.writer.table_writer import OpenChannel, TableWriter
from icemelt.transactions.pending import Author
from icemelt.transactions.resolver import Resolver

LIMITS = WriterLimits(by_owner=True, most_tables=2, most_channels=4, idle=300)


@pytest.fixture
def commits() -> Commits:
    return Commits(lambda _chunks: None)


@pytest.fixture
def writer(commits: Commits) -> Iterator[TableWriter]:
    writer = writer_of(commits, lag=600)
    # it does not end before it has had a channel
    opened(writer, "first")
    yield writer
    writer.end()
    writer.join()


def channel_of(writer: TableWriter, owner: str, table: str, name: str) -> OpenChannel:
    record = ChannelRecord(f"{table}.{name}", table, name, owner, 0, 0, 1, 0, None)
    channel = OpenChannel(record, replace(TARGET, table_id=table), writer)
    writer.add(channel)
    return channel


def used_long_ago(channel: OpenChannel) -> None:
    channel.used_at = time.monotonic() - 301


def test_a_key_has_channels_of_so_many_tables_and_other_keys_have_theirs(
    writer: TableWriter,
) -> None:
    channels = OpenChannels()
    for table in ("a", "b"):
        channels.require_capacity(LIMITS, "ann", table, "c")
        channels.add(channel_of(writer, "ann", table, "c"))
    with pytest.raises(TooManyChannels, match="of 2 tables, as many as it may have") as refused:
        channels.require_capacity(LIMITS, "ann", "d", "c")
    assert "--max-tables" in refused.value.hint
    channels.require_capacity(LIMITS, "ann", "a", "another")
    channels.require_capacity(LIMITS, "bob", "d", "c")
    # everybody is one owner, who may have all
    channels.require_capacity(replace(LIMITS, by_owner=False), "ann", "d", "c")
    closed = channels.get("a.c")
    assert closed is not None
    channels.set_aside(closed, "it was closed")
    channels.require_capacity(LIMITS, "ann", "d", "c")


def test_a_key_has_so_many_channels_and_opens_one_of_them_again(writer: TableWriter) -> None:
    channels = OpenChannels()
    for name in "pqrs":
        channels.require_capacity(LIMITS, "ann", "a", name)
        channels.add(channel_of(writer, "ann", "a", name))
    with pytest.raises(TooManyChannels, match="has 4 open channels") as refused:
        channels.require_capacity(LIMITS, "ann", "a", "t")
    assert "--max-channels" in refused.value.hint
    channels.require_capacity(LIMITS, "ann", "a", "q")
    channels.require_capacity(LIMITS, "bob", "a", "t")
    assert len(channels) == 4


def test_what_was_used_longest_ago_gives_way_unless_rows_wait(writer: TableWriter) -> None:
    channels = OpenChannels()
    by_table = {table: channel_of(writer, "ann", table, "c") for table in "ab"}
    for channel in by_table.values():
        channels.add(channel)
        used_long_ago(channel)
    put(writer, by_table["a"], 1)
    used_long_ago(by_table["a"])
    # rows of a wait, so b gives way
    channels.require_capacity(LIMITS, "ann", "d", "c")
    assert [channel.record.table_id for channel in channels.of_owner("ann")] == ["a"]
    with pytest.raises(ChannelInvalid, match="it was idle, and its key has opened others"):
        by_table["b"].require_valid()
    assert channels.find(by_table["b"].handle) is by_table["b"]
    channels.add(channel_of(writer, "ann", "d", "c"))
    with pytest.raises(TooManyChannels):
        channels.require_capacity(LIMITS, "ann", "e", "c")
    writer.request_flush()
    assert writer.wait(by_table["a"], 1, 20)
    channels.require_capacity(LIMITS, "ann", "e", "c")
    assert [channel.record.table_id for channel in channels.of_owner("ann")] == ["d"]


def test_an_owner_ends_once_what_was_taken_is_committed(
    writer: TableWriter, commits: Commits
) -> None:
    ingestor = Ingestor(
        cast("Resolver", None), Author("s", "ann"), LIMITS, _writers={TARGET: writer}
    )
    waiting, quiet = (channel_of(writer, "ann", "a", name) for name in ("waiting", "quiet"))
    other = channel_of(writer, "bob", "a", "other")
    for channel in (waiting, quiet, other):
        ingestor._channels.add(channel)
    ingestor.append(waiting, Append(1, ROWS))
    assert ingestor.owners() == {"ann", "bob"}
    assert ingestor.end_owner("ann", "its key was revoked") == 1
    with pytest.raises(ChannelInvalid, match="its key was revoked"):
        ingestor.append(quiet, Append(1, ROWS))
    # the look at the owner has asked for the flush: no row waits for the lag
    assert writer.wait(waiting, 1, 20)
    assert commits.done == [("a.waiting", 1)]
    with waiting.turn:
        # an append under way goes on
        assert ingestor.end_owner("ann", "its key was revoked") == 1
    assert ingestor.end_owner("ann", "its key was revoked") == 0
    with pytest.raises(ChannelInvalid, match="its key was revoked"):
        ingestor.append(waiting, Append(2, ROWS))
    assert ingestor.owners() == {"bob"}
    ingestor.append(other, Append(1, ROWS))
