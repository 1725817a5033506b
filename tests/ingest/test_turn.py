"""The turn of a channel: appends come one at a time, and who finds it taken is told so at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import cast

import pyarrow as pa
import pytest
from ingest.test_writer import TARGET, Commits, opened, writer_of

from icemelt.ingest.answers import Answer, Append
from icemelt.ingest.errors import IngestBusy, RowsRefused
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.ingest.writer.table_writer import OpenChannel
from icemelt.transactions.pending import Author
from icemelt.transactions.resolver import Resolver

ROWS = pa.table({"n": [1, 2]})


@pytest.fixture
def commits() -> Commits:
    return Commits(lambda _chunks: None)


@pytest.fixture
def ingestion(commits: Commits) -> Iterator[tuple[Ingestor, list[OpenChannel]]]:
    """Give an ingestor and two channels of a table."""
    writer = writer_of(commits)
    channels = [opened(writer, name) for name in ("a", "b")]
    catalog = cast("Resolver", None)
    yield Ingestor(catalog, Author("s", "ann"), WriterLimits(), _writers={TARGET: writer}), channels
    writer.end()
    writer.join()


Ingestion = tuple[Ingestor, list[OpenChannel]]


def test_what_finds_the_turn_taken_is_not_even_read(ingestion: Ingestion) -> None:
    ingestor, (channel, other) = ingestion
    read = []

    def reading() -> Append:
        read.append(1)
        return Append(channel.last_taken + 1, ROWS)

    with channel.turn:
        began = time.monotonic()
        for _ in range(100):
            with pytest.raises(IngestBusy, match="'a' is busy"):
                ingestor.append_read(channel, reading)
        assert time.monotonic() - began < 1
        assert ingestor.append_read(other, lambda: Append(1, ROWS)) == Answer(2)
    assert read == []
    assert ingestor.append_read(channel, reading) == Answer(2)
    assert read == [1]


def test_of_many_appends_those_whose_turn_is_taken_are_sent_again(
    ingestion: Ingestion, commits: Commits
) -> None:
    ingestor, (channel, other) = ingestion
    appends = [(channel, Append(1, ROWS)), (other, Append(1, ROWS)), (channel, Append(2, ROWS))]
    rows = pa.concat_tables([ROWS] * 3)
    with channel.turn:
        outcomes = ingestor.append_all(rows, appends)
    assert [None if each is None else each.code for each in outcomes] == [
        "ingest-busy",
        None,
        "ingest-busy",
    ]
    assert ingestor.append_all(rows, appends) == [None, None, None]
    assert ingestor.flush(channel, 20)
    assert ingestor.flush(other, 20)
    assert sorted(commits.done) == [("a", 1), ("a", 2), ("b", 1)]


def test_an_append_that_came_twice_at_once_is_taken_once(
    ingestion: Ingestion, commits: Commits
) -> None:
    """The client gave up the first one while it was still being read, and sends it again."""
    ingestor, (channel, _) = ingestion
    begun, goes_on = threading.Event(), threading.Event()
    append = Append(1, ROWS, digest="x")

    def slowly() -> Append:
        begun.set()
        assert goes_on.wait(20)
        return append

    first = threading.Thread(target=ingestor.append_read, args=(channel, slowly))
    first.start()
    assert begun.wait(20)
    with pytest.raises(IngestBusy):
        ingestor.append_read(channel, lambda: append)
    goes_on.set()
    first.join()
    assert ingestor.append_read(channel, lambda: append) == Answer(2)
    assert ingestor.flush(channel, 20)
    assert commits.done == [("a", 1)]
    assert channel.rows_inserted == 2


def test_a_channel_that_is_appended_to_is_not_closed(ingestion: Ingestion) -> None:
    ingestor, (channel, _) = ingestion
    with channel.turn, pytest.raises(IngestBusy):
        ingestor.close_channel(channel, timeout=0.1)
    assert channel.void_reason is None
    ingestor.close_channel(channel, timeout=20)
    assert channel.void_reason is not None


def test_who_is_in_the_same_process_waits_for_the_turn(ingestion: Ingestion) -> None:
    ingestor, (channel, _) = ingestion
    answers: list[Answer] = []

    def append() -> None:
        answers.append(ingestor.append(channel, Append(1, ROWS)))

    with channel.turn:
        waits = threading.Thread(target=append)
        waits.start()
        time.sleep(0.2)
        assert answers == []
    waits.join(20)
    assert answers == [Answer(2)]


def test_bad_rows_of_many_appends_are_told_as_those_of_one(ingestion: Ingestion) -> None:
    ingestor, (channel, _) = ingestion
    bad = pa.table({"n": ["no number"] * 400})
    appends = [(channel, Append(1, bad)) for _ in range(5)]

    outcomes = ingestor.append_all(pa.concat_tables([bad] * 5), appends)

    refused = [each for each in outcomes if isinstance(each, RowsRefused)]
    assert [len(each.errors) for each in refused] == [400, 400, 200, 1, 1]
