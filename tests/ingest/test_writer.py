"""A table's writer: rows that cannot be written cost their channel alone, and nothing hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pyarrow as pa
import pytest

from icemelt.catalog.activity_records import ChannelRecord
from icemelt.errors import CatalogUnavailable, Conflict, NoThreads, SparkDied
from icemelt.ingest.answers import Answer, Append, OnError
from icemelt.ingest.errors import ChannelInvalid, IngestBusy, RowError
from icemelt.ingest.writer.concurrent_statements import ConcurrentStatements
from icemelt.ingest.writer.flush import Chunk
from icemelt.ingest.writer.flush_pool import open_flush_pools
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.ingest.writer.spark_flushes import SparkFlushes
from icemelt.ingest.writer.table_writer import OpenChannel, TableWriter, WriterActions
from icemelt.ingest.writer.target import IngestTarget
from icemelt.names import QualifiedName
from icemelt.schema import Column, Primitive
from icemelt.transactions.pending import Author
from icemelt.transactions.resolver import Resolver

ROWS = pa.table({"n": [1]})
COLUMNS = (Column("n", Primitive("long")),)
POOL = open_flush_pools().by_spark
TARGET = IngestTarget("t", "u", QualifiedName("main", "public", "t"), 0, COLUMNS)


@dataclass
class Commits:
    """Stands for the catalog: notes what is committed, and fails as a test says."""

    fails: Callable[[Sequence[Chunk]], Exception | None]
    done: list[tuple[str, int]] = field(default_factory=list)
    calls: int = 0
    began: threading.Event = field(default_factory=threading.Event)
    ended: dict[tuple[str, int], str] = field(default_factory=dict)

    def __call__(self, chunks: Sequence[Chunk]) -> dict[tuple[str, int], str]:
        self.calls += 1
        error = self.fails(chunks)
        if error is not None:
            raise error
        self.done += [(chunk.channel_id, chunk.number) for chunk in chunks]
        return {}

    def look(self, handles: Collection[tuple[str, int]]) -> dict[tuple[str, int], str]:
        return {handle: reason for handle, reason in self.ended.items() if handle in handles}


def writer_of(commits: Commits, lag: float = 0.02, grace: float = 1.0) -> TableWriter:
    """Return a writer that does not end before it has had a channel."""

    def retire(writer: TableWriter) -> bool:
        return commits.began.wait(20) and writer.is_idle

    return TableWriter(
        WriterActions(commits, commits.look, retire),
        WriterLimits(lag=lag, grace=grace, idle=0.1),
        "t",
        POOL,
    )


def opened(writer: TableWriter, name: str, sequencer: int = 1) -> OpenChannel:
    record = ChannelRecord(name, "t", name, "ann", 0, 0, sequencer, 0, None)
    channel = OpenChannel(record, TARGET, writer)
    writer.add(channel)
    commits = writer._work.flush
    assert isinstance(commits, Commits)
    commits.began.set()
    return channel


def put(writer: TableWriter, channel: OpenChannel, number: int, token: str = "") -> None:
    chunk = Chunk(*channel.handle, number, ROWS, token, owner=channel.record.owner)
    writer.enqueue(channel, chunk)


def bad(name: str, error: Exception) -> Callable[[Sequence[Chunk]], Exception | None]:
    return lambda chunks: error if any(chunk.channel_id == name for chunk in chunks) else None


def test_rows_that_cannot_be_committed_cost_their_channel_alone() -> None:
    commits = Commits(bad("c3", ValueError("its values")))
    writer = writer_of(commits)
    channels = [opened(writer, f"c{number}") for number in range(8)]
    for number in range(1, 4):
        for channel in channels:
            put(writer, channel, number)
    for channel in channels:
        if channel.record.name == "c3":
            with pytest.raises(ChannelInvalid, match="its values"):
                writer.wait(channel, 3, 20)
        else:
            assert writer.wait(channel, 3, 20)
    good = [f"c{number}" for number in range(8) if number != 3]
    assert sorted(commits.done) == [(name, number) for name in good for number in range(1, 4)]
    writer.end()
    assert writer.join() == []
    assert writer.waiting_bytes == 0


def test_what_fails_for_everybody_is_given_up_soon() -> None:
    commits = Commits(lambda _chunks: ValueError("no reason"))
    writer = writer_of(commits, lag=0.2)
    channels = [opened(writer, f"c{number}") for number in range(1_000)]
    for channel in channels:
        put(writer, channel, 1)
    for channel in channels:
        with pytest.raises(ChannelInvalid, match="no reason"):
            writer.wait(channel, 1, 30)
    assert commits.calls < 100
    assert writer.waiting_bytes == 0
    writer.end()
    writer.join()


def test_a_channel_that_ends_while_its_rows_are_under_way_leaves_nothing_behind() -> None:
    entered, goes_on = threading.Event(), threading.Event()

    def fails(_chunks: Sequence[Chunk]) -> Exception | None:
        entered.set()
        assert goes_on.wait(20)
        return ChannelInvalid("Table 't' was altered.", hint="")

    writer = writer_of(Commits(fails))
    older = opened(writer, "c")
    put(writer, older, 1)
    assert entered.wait(20)
    writer.remove(older, "it was opened again")
    newer = opened(writer, "c", 2)
    goes_on.set()
    with pytest.raises(ChannelInvalid, match="altered"):
        put_until_invalid(writer, newer)
    writer.end()
    assert writer.join() == []
    assert writer.waiting_bytes == 0


def put_until_invalid(writer: TableWriter, channel: OpenChannel) -> None:
    for number in range(1, 1_000):
        put(writer, channel, number)
        time.sleep(0.01)


def test_who_ends_waits_for_what_may_pass_and_tells_what_did_not() -> None:
    away = CatalogUnavailable("The catalog is away.", hint="")
    commits = Commits(lambda _chunks: away if commits.calls < 2 else None)
    writer = writer_of(commits, lag=600, grace=20)
    channel = opened(writer, "c")
    put(writer, channel, 1)
    writer.end()
    assert writer.join() == []
    assert commits.done == [("c", 1)]

    writer = writer_of(Commits(lambda _chunks: away), lag=600, grace=0.1)
    put(writer, opened(writer, "d"), 1)
    began = time.monotonic()
    writer.end()
    assert writer.join() == ["d"]
    assert time.monotonic() - began < 10


def test_rows_wait_while_the_machine_has_no_thread_for_their_flush() -> None:
    none = NoThreads("The machine gives this process no more threads.", hint="")
    commits = Commits(lambda _chunks: none if commits.calls < 3 else None)
    writer = writer_of(commits)
    channel = opened(writer, "c")
    put(writer, channel, 1)
    assert writer.wait(channel, 1, 20)
    assert (commits.calls, commits.done) == (3, [("c", 1)])
    writer.end()
    assert writer.join() == []


def test_rows_kept_out_by_other_writers_are_tried_again_without_longer_and_longer_pauses() -> None:
    moments: list[float] = []

    def fails(_chunks: Sequence[Chunk]) -> Exception | None:
        moments.append(time.monotonic())
        return Conflict("It is reserved.", hint="Later.") if len(moments) < 5 else None

    writer = writer_of(Commits(fails))
    channel = opened(writer, "c")
    put(writer, channel, 1)
    assert writer.wait(channel, 1, 30)
    # four pauses of half a second; with longer and longer pauses, more than seven seconds
    assert 2 <= moments[-1] - moments[0] < 6
    writer.end()
    assert writer.join() == []


def test_the_status_tells_what_keeps_rows_and_who_asks_is_not_kept_waiting() -> None:
    is_away = threading.Event()
    is_away.set()
    away = CatalogUnavailable("The catalog is away.", hint="")
    writer = writer_of(Commits(lambda _chunks: away if is_away.is_set() else None))
    channel = opened(writer, "c")
    put(writer, channel, 1)
    assert not writer.wait(channel, 1, 3)
    assert writer.status(channel).last_error == "The catalog is away."
    is_away.clear()
    began = time.monotonic()
    writer.request_flush()
    assert writer.wait(channel, 1, 20)
    assert time.monotonic() - began < 5
    assert writer.status(channel).last_error == ""
    writer.end()
    writer.join()


def test_a_writer_without_channels_ends() -> None:
    writer = writer_of(Commits(lambda _chunks: None))
    channel = opened(writer, "c")
    put(writer, channel, 1)
    assert writer.wait(channel, 1, 20)
    assert writer._job.is_alive()
    writer.remove(channel, "it was closed")
    writer._job.join(20)
    assert not writer._job.is_alive()


def test_what_passes_while_a_culprit_is_looked_for_is_kept() -> None:
    commits = Commits(lambda _chunks: None)

    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        if any(chunk.channel_id == "c1" for chunk in chunks):
            return ValueError("its values")
        # the catalog goes away just then, once
        is_first = commits.calls == 5
        return CatalogUnavailable("It is away.", hint="") if is_first else None

    commits.fails = fails
    writer = writer_of(commits)
    channels = [opened(writer, f"c{number}") for number in range(4)]
    for channel in channels:
        put(writer, channel, 1)
    for channel in channels:
        if channel.record.name != "c1":
            assert writer.wait(channel, 1, 20)
    assert sorted(commits.done) == [("c0", 1), ("c2", 1), ("c3", 1)]
    writer.end()
    assert writer.join() == []
    assert writer.waiting_bytes == 0


def test_a_writer_ends_once_its_channels_have_ended_elsewhere() -> None:
    commits = Commits(lambda _chunks: None)
    writer = writer_of(commits)
    gone, stays = opened(writer, "gone"), opened(writer, "stays")
    put(writer, gone, 1)
    assert writer.wait(gone, 1, 20)
    commits.ended[gone.handle] = "it was dropped"
    while gone.void_reason is None:
        time.sleep(0.01)
    assert stays.void_reason is None
    put(writer, stays, 1)
    assert writer.wait(stays, 1, 20)
    commits.ended[stays.handle] = "it was dropped"
    writer._job.join(20)
    assert not writer._job.is_alive()
    assert commits.done == [("gone", 1), ("stays", 1)]


def test_the_errors_of_the_newest_answer_alone_are_kept() -> None:
    commits = Commits(lambda _chunks: None)
    writer = writer_of(commits)
    channel = opened(writer, "c")
    errors = (RowError(0, "n", "No number."),)
    appends = [Append(number, ROWS) for number in (1, 2)]
    for append in appends:
        channel.answer(append, Answer(1, errors, 1))
    found = [channel.find_answer(append) for append in appends]
    assert found == [Answer(1, (), 1), Answer(1, errors, 1)]
    writer.end()
    writer.join()


DIED = SparkDied("The Java process of Spark is gone.", hint="")


def test_an_append_under_which_spark_dies_alone_costs_its_channel_alone() -> None:
    commits = Commits(bad("c77", DIED))
    writer = writer_of(commits)
    channels = [opened(writer, f"c{number}") for number in range(100)]
    for number in range(1, 4):
        for channel in channels:
            put(writer, channel, number, str(number))
    for channel in channels:
        if channel.record.name == "c77":
            with pytest.raises(ChannelInvalid, match="Spark died 3 times while append 1 of it"):
                writer.wait(channel, 3, 20)
            assert channel.offset_token is None
        else:
            assert writer.wait(channel, 3, 20)
            assert channel.offset_token == "3"
    good = [f"c{number}" for number in range(100) if number != 77]
    assert sorted(commits.done) == sorted((name, number) for name in good for number in range(1, 4))
    for name in good:
        assert [number for channel, number in commits.done if channel == name] == [1, 2, 3]
    # who is not the one is written in groups
    assert commits.calls < 40
    put(writer, channels[0], 4)
    assert writer.wait(channels[0], 4, 20)
    writer.end()
    assert writer.join() == []
    assert writer.waiting_bytes == 0


def append_and_wait(writer: TableWriter, channels: list[OpenChannel]) -> None:
    """Append once to each channel, and wait until all is committed."""
    for channel in channels:
        put(writer, channel, 1)
    writer.request_flush()
    for channel in channels:
        assert writer.wait(channel, 1, 30)


def test_a_spark_that_dies_for_another_reason_costs_no_channel() -> None:
    commits = Commits(lambda _chunks: DIED if commits.calls in {1, 2, 4, 6} else None)
    writer = writer_of(commits, lag=600)
    channels = [opened(writer, f"c{number}") for number in range(20)]
    append_and_wait(writer, channels)
    assert [name for name, _ in commits.done] == [f"c{number}" for number in range(20)]
    writer.end()
    assert writer.join() == []


def test_one_spark_dies_once_however_often_it_is_asked() -> None:
    commits = Commits(lambda _chunks: DIED if commits.calls <= 4 else None)
    the_only = object()
    work = WriterActions(commits, commits.look, lambda _writer: False, lambda: the_only)
    writer = TableWriter(work, WriterLimits(lag=0.02, grace=1.0, idle=0.1), "t", POOL)
    channel = opened(writer, "c")
    append_and_wait(writer, [channel])
    assert commits.calls == 5
    writer.end()
    assert writer.join() == []


def test_deaths_under_rows_that_spark_does_not_write_cost_no_channel() -> None:
    blamed: list[str] = []
    commits = Commits(lambda _chunks: DIED if commits.calls <= 3 else None)
    work = WriterActions(
        commits, commits.look, lambda _writer: False, by_spark=False, blame=blamed.append
    )
    writer = TableWriter(work, WriterLimits(lag=0.02, grace=1.0, idle=0.1), "t", POOL)
    channels = [opened(writer, f"c{number}") for number in range(20)]
    append_and_wait(writer, channels)
    # all are tried again together
    assert (commits.calls, blamed) == (4, [])
    writer.end()
    assert writer.join() == []


@pytest.mark.turns(8)
def test_deaths_beside_a_statement_cost_no_channel_and_blame_nobody() -> None:
    blamed: list[str] = []
    commits = Commits(lambda _chunks: DIED if commits.calls <= 5 else None)
    work = WriterActions(
        commits,
        commits.look,
        lambda _writer: False,
        is_alone=lambda: False,
        blame=blamed.append,
    )
    writer = TableWriter(work, WriterLimits(lag=0.02, grace=1.0, idle=0.1), "t", POOL)
    channel = opened(writer, "c")
    append_and_wait(writer, [channel])
    assert (commits.calls, blamed) == (6, [])
    writer.end()
    assert writer.join() == []


def test_an_append_that_was_the_cause_once_is_the_cause_whatever_runs_beside_it() -> None:
    blamed: list[str] = []
    commits = Commits(bad("c", DIED))
    work = WriterActions(
        commits,
        commits.look,
        lambda _writer: False,
        # in turn with a statement, alone, and twice with one again
        is_alone=lambda: commits.calls == 2,
        blame=blamed.append,
    )
    writer = TableWriter(work, WriterLimits(lag=0.02, grace=1.0, idle=0.1), "t", POOL)
    channel = opened(writer, "c")
    put(writer, channel, 1)
    writer.request_flush()
    with pytest.raises(ChannelInvalid, match="Spark died 3 times while append 1 of it"):
        writer.wait(channel, 1, 30)
    assert (commits.calls, blamed) == (4, ["ann"] * 3)
    writer.end()
    assert writer.join() == []


def test_who_may_send_no_rows_to_spark_appends_to_other_tables() -> None:
    def refuse(owner: str) -> None:
        raise IngestBusy(owner, hint="Later.")

    writer = writer_of(Commits(lambda _chunks: None), lag=600)
    channel, catalog = opened(writer, "c"), cast("Resolver", None)
    concurrent = ConcurrentStatements(require_allowed=refuse)
    ingestor = Ingestor(
        catalog, Author("s", "ann"), flushes=SparkFlushes(concurrent), _writers={TARGET: writer}
    )
    assert ingestor.append(channel, Append(1, ROWS)) == Answer(1)
    channel.target = replace(TARGET, by_spark=True)
    with pytest.raises(IngestBusy, match="ann"):
        ingestor.append(channel, Append(2, ROWS))
    writer.end()
    writer.join()


def test_suspects_of_two_tables_are_not_written_at_the_same_time() -> None:
    at_once, most = 0, 0
    lock, alone = threading.Lock(), threading.Lock()
    deaths: set[str] = set()

    def fails(chunks: Sequence[Chunk]) -> Exception | None:
        nonlocal at_once, most
        # the tables have channels of different names
        table = chunks[0].channel_id[0]
        if len(deaths) < 2:
            is_first = table not in deaths
            deaths.add(table)
            return DIED if is_first else None
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.2)
        with lock:
            at_once -= 1
        return None

    writers = []
    for _ in range(2):
        commits = Commits(fails)
        work = WriterActions(commits, commits.look, lambda _writer: False, object, alone)
        writers.append(TableWriter(work, WriterLimits(lag=0.02, grace=1.0), "t", POOL))
    channels = [
        opened(writer, f"{table}{number}")
        for table, writer in zip("ab", writers, strict=True)
        for number in range(16)
    ]
    for channel in channels:
        put(channel.writer, channel, 1)
    for channel in channels:
        assert channel.writer.wait(channel, 1, 30)
    assert (most, len(deaths)) == (1, 2)
    for writer in writers:
        writer.end()
        assert writer.join() == []


def test_tokens_count_among_what_waits() -> None:
    writer = writer_of(Commits(lambda _chunks: None), lag=600)
    channel = opened(writer, "c")
    put(writer, channel, 1, "x" * 4_096)
    assert writer.waiting_bytes > 6_000
    writer.end()
    writer.join()


def test_the_errors_of_many_channels_are_not_kept_for_ever() -> None:
    writer = writer_of(Commits(lambda _chunks: None), lag=600)
    ingestor = Ingestor(cast("Resolver", None), Author("s", "ann"), _writers={TARGET: writer})
    channels = [opened(writer, f"c{number}") for number in range(300)]
    append = Append(1, pa.table({"n": ["1", "x"]}), on_error=OnError.CONTINUE)
    for channel in channels:
        assert len(ingestor.append(channel, append).errors) == 1
    again = [ingestor.append(channel, append) for channel in channels]
    assert {(answer.rows, answer.bad_rows) for answer in again} == {(1, 1)}
    kept = [len(answer.errors) for answer in again]
    assert kept == [0] * 100 + [1] * 200
    writer.end()
    writer.join()


def test_channels_that_have_ended_have_a_bound_in_bytes() -> None:
    writer = writer_of(Commits(lambda _chunks: None), lag=600)
    ingestor = Ingestor(cast("Resolver", None), Author("s", "ann"), _writers={TARGET: writer})
    channels = []
    for number in range(2_000):
        channel = opened(writer, f"c{number}")
        channel.offset_token = channel.last_error_token = "\U00010000" * 4_095 + str(number % 10)
        ingestor._end(channel, "it was closed")
        channels.append(channel)
    kept = [ingestor.channel(*channel.handle) for channel in channels]
    assert kept[-1] is channels[-1]
    assert 500 < sum(channel is not None for channel in kept) < 1_500
    writer.end()
    writer.join()


@pytest.fixture
def appending() -> Iterator[Callable[[int], int]]:
    """Append so many rows where 100 KB may wait and nothing is written; return what waits then."""
    writer = writer_of(Commits(lambda _chunks: None), lag=600)
    channel, catalog = opened(writer, "c"), cast("Resolver", None)
    limits, writers = WriterLimits(waiting_bytes=100_000), {TARGET: writer}
    ingestor = Ingestor(catalog, Author("s", "ann"), limits, _writers=writers)

    def append(count: int) -> int:
        rows = pa.table({"n": pa.array(range(count), pa.int64())})
        ingestor.append(channel, Append(channel.last_taken + 1, rows))
        return writer.waiting_bytes

    yield append
    writer.end()
    writer.join()


def test_what_waits_of_one_owner_keeps_no_other_out() -> None:
    writer = writer_of(Commits(lambda _chunks: None), lag=600)
    limits = WriterLimits(waiting_bytes=100_000, by_owner=True)
    ingestor = Ingestor(
        cast("Resolver", None), Author("s", "ann"), limits, _writers={TARGET: writer}
    )

    def channel_of(owner: str) -> OpenChannel:
        channel = opened(writer, owner)
        channel.record = replace(channel.record, owner=owner)
        return channel

    def append(channel: OpenChannel, count: int) -> None:
        rows = pa.table({"n": pa.array(range(count), pa.int64())})
        ingestor.append(channel, Append(channel.last_taken + 1, rows))

    first, second, third = map(channel_of, ("ann", "bob", "cay"))
    append(first, 5_000)
    with pytest.raises(IngestBusy, match="of this key wait"):
        append(first, 5_000)
    append(second, 6_000)
    with pytest.raises(IngestBusy):
        append(second, 500)
    # all is taken, but for shares
    append(third, 3_000)
    with pytest.raises(IngestBusy, match=r"MiB of rows wait"):
        append(third, 3_000)
    assert set(writer.waiting_by_owner()) == {"ann", "bob", "cay"}
    ingestor.flush(first, 20)
    assert not writer.waiting_by_owner()
    append(first, 5_000)
    writer.end()
    writer.join()


def test_no_more_is_written_at_once_than_may_wait_for_a_flush() -> None:
    counts: list[int] = []
    commits = Commits(lambda chunks: counts.append(len(chunks)))
    limits = WriterLimits(lag=600, flush_bytes=20_000)
    writer = TableWriter(WriterActions(commits, commits.look, lambda _: False), limits, "t", POOL)
    channel = opened(writer, "c")
    rows = pa.table({"n": pa.array(range(400), pa.int64())})
    large = pa.table({"n": pa.array(range(4_000), pa.int64())})
    with writer._changed:
        for number, part in enumerate((rows, large, rows, rows, rows), 1):
            writer.enqueue(channel, Chunk(*channel.handle, number, part, None))
    assert writer.wait(channel, 5, 20)
    assert [number for _, number in commits.done] == [1, 2, 3, 4, 5]
    assert counts == [1, 1, 3]
    writer.end()
    assert writer.join() == []


def test_an_append_itself_counts_among_what_may_wait(appending: Callable[[int], int]) -> None:
    assert 60_000 < appending(7_500) < 65_000
    with pytest.raises(IngestBusy):
        appending(7_500)
    assert appending(1_000) < 100_000


def test_an_append_larger_than_all_that_may_wait_is_taken_where_little_waits(
    appending: Callable[[int], int],
) -> None:
    appending(1)
    assert appending(20_000) > 160_000
    with pytest.raises(IngestBusy):
        appending(1)
