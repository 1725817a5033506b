"""Whose rows end Spark is found whatever a client does: reopen its channel, or let many wait."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import pytest
from ingest.test_writer import DIED, POOL, ROWS, TARGET, Commits, opened, put

from icemelt.errors import SparkDied
from icemelt.ingest.errors import ChannelInvalid
from icemelt.ingest.writer.concurrent_statements import ConcurrentStatements
from icemelt.ingest.writer.flush import Chunk
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.ingest.writer.spark_flushes import SparkFlushes
from icemelt.ingest.writer.table_writer import OpenChannel, TableWriter, WriterActions


def test_two_tables_that_are_flushed_when_spark_dies_are_neither_s_fault() -> None:
    spark, flushes = object(), SparkFlushes()
    other = replace(TARGET, table_id="other")
    with pytest.raises(SparkDied), flushes.note(TARGET, (), spark):
        raise DIED
    assert flushes.was_alone()
    with (
        pytest.raises(SparkDied),
        flushes.note(other, (), spark),
        flushes.note(TARGET, (), spark),
    ):
        raise DIED
    assert not flushes.was_alone()
    with pytest.raises(SparkDied), flushes.note(TARGET, (), object()):
        raise DIED
    assert flushes.was_alone()
    flushes.concurrent = ConcurrentStatements(has_statements=lambda: True)
    assert not flushes.was_alone()


def test_all_whose_rows_spark_writes_when_it_dies_are_accused() -> None:
    accused: list[Collection[str]] = []
    flushes = SparkFlushes(ConcurrentStatements(accuse=accused.append))
    by_spark = replace(TARGET, by_spark=True)
    other, by_arrow = replace(by_spark, table_id="other"), replace(TARGET, table_id="arrow")
    with (
        pytest.raises(SparkDied),
        flushes.note(other, ["ann"], 1),
        flushes.note(by_arrow, ["cay"], 1),
        flushes.note(by_spark, ["ann", "bob"], 1),
    ):
        raise DIED
    assert accused[0] == {"ann", "bob"}


def test_while_there_are_suspects_flushes_hold_statements() -> None:
    held: list[str] = []

    @contextlib.contextmanager
    def hold(what: str) -> Iterator[None]:
        held.append(what)
        yield

    concurrent = ConcurrentStatements(
        hold_statements=lambda: hold("all"),
        hold_suspects=lambda: hold("suspects"),
        is_suspect=lambda owner: owner == "ann",
    )
    flushes, by_spark = SparkFlushes(concurrent), replace(TARGET, by_spark=True)
    with flushes.run_alone(by_spark, ["bob"], has_suspects=False):
        assert held == []
    with flushes.alone, flushes.run_alone(by_spark, ["bob"], has_suspects=True):
        assert held == ["all"]
    with flushes.run_alone(by_spark, ["ann"], has_suspects=False):
        assert held == ["all", "suspects"]
    # of rows that Arrow writes nobody is a suspect
    with flushes.run_alone(TARGET, ["ann"], has_suspects=False):
        assert held == ["all", "suspects"]


def test_a_channel_opened_again_during_its_flush_takes_no_blame_away() -> None:
    blamed: list[str] = []
    is_blamed = threading.Event()
    channel: OpenChannel

    def fails(_chunks: Sequence[Chunk]) -> Exception:
        writer.remove(channel, "it was opened again")
        return DIED

    def blame(owner: str) -> None:
        blamed.append(owner)
        is_blamed.set()

    commits = Commits(fails)
    work = WriterActions(commits, commits.look, lambda _writer: False, blame=blame)
    writer = TableWriter(work, WriterLimits(lag=0.02, grace=1.0, idle=0.1), "t", POOL)
    channel = opened(writer, "c")
    put(writer, channel, 1)
    assert is_blamed.wait(20)
    writer.end()
    assert writer.join() == []
    assert blamed == ["ann"]
    assert commits.calls == 1


def test_what_waits_of_a_refused_key_is_given_up_at_once() -> None:
    refused: set[str] = set()

    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        if any(chunk.owner == "ann" for chunk in chunks):
            refused.add("ann")
            return DIED
        return None

    commits = Commits(fails)
    work = WriterActions(
        commits,
        commits.look,
        lambda _writer: False,
        why_given_up=lambda owner: "Spark ended" if owner in refused else "",
    )
    writer = TableWriter(work, WriterLimits(lag=600, grace=1.0, idle=600), "t", POOL)
    channels = [opened(writer, f"c{number}") for number in range(40)]
    other = opened(writer, "other")
    for channel in channels:
        put(writer, channel, 1)
    writer.enqueue(other, Chunk(*other.handle, 1, ROWS, None, owner="bob"))
    writer.request_flush()
    assert writer.wait(other, 1, 20)
    for channel in channels:
        with pytest.raises(ChannelInvalid, match="Spark ended"):
            writer.wait(channel, 1, 20)
    assert commits.done == [("other", 1)]
    assert commits.calls == 2
    assert writer.waiting_bytes == 0
    assert not writer.has_suspects
    writer.end()
    assert writer.join() == []


def test_rows_of_a_suspect_are_written_without_those_of_others() -> None:
    flushed: list[list[str]] = []

    def notes(chunks: Sequence[Chunk]) -> None:
        flushed.append([chunk.owner for chunk in chunks])

    commits = Commits(notes)
    work = WriterActions(
        commits, commits.look, lambda _writer: False, is_suspect=lambda owner: owner == "ann"
    )
    writer = TableWriter(work, WriterLimits(lag=600, grace=1.0, idle=600), "t", POOL)
    channels = [opened(writer, f"c{number}") for number in range(5)]
    for channel, owner in zip(channels, ("bob", "cay", "ann", "ann", "bob"), strict=True):
        writer.enqueue(channel, Chunk(*channel.handle, 1, ROWS, None, owner=owner))
    writer.request_flush()
    for channel in channels:
        assert writer.wait(channel, 1, 20)
    assert flushed == [["bob", "cay"], ["ann", "ann"], ["bob"]]
    writer.end()
    assert writer.join() == []
