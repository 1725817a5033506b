"""The ingestor: the open channels of this process, and the rows of the channels.

The server serves an ingestor over HTTP; an embedded client calls an ingestor directly.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import pyarrow as pa

from icemelt.catalog.activity_records import ChannelRecord
from icemelt.catalog.channels import (
    MOST_CHANNELS,
    channels_by_id,
    drop_channel,
    find_channels,
    list_channels,
    open_channel,
)
from icemelt.catalog.records import TableRecord
from icemelt.errors import IcemeltError, ObjectNotFound, SparkDied, WrongObjectKind
from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.client.tokens import validate_token
from icemelt.ingest.conversion.conversion import LISTED_ERRORS, ConvertedRows, apply_on_error
from icemelt.ingest.conversion.rejects import error_rows, rejects_of
from icemelt.ingest.errors import (
    CLOSED,
    ChannelInvalid,
    ChannelTaken,
    IngestBusy,
    IngestError,
    RowsRefused,
    TooManyChannels,
)
from icemelt.ingest.writer.capacity import require_capacity
from icemelt.ingest.writer.defaults import EvaluateDefaults, no_defaults
from icemelt.ingest.writer.flush import Chunk, Flush, find_ended_channels, make_flush_author
from icemelt.ingest.writer.flush_pool import FlushPools, open_flush_pools
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.ingest.writer.open_channels import OpenChannels
from icemelt.ingest.writer.spark_flushes import SparkFlushes
from icemelt.ingest.writer.table_writer import OpenChannel, TableWriter, WriterActions
from icemelt.ingest.writer.target import IngestTarget, error_log, target_of
from icemelt.ingest.writer.waiting import WaitingRows
from icemelt.names import QualifiedName, validate_name
from icemelt.observe.emitting import emit
from icemelt.observe.events import RowsAppended
from icemelt.transactions.pending import Author
from icemelt.transactions.resolver import Resolver

__all__ = ["Ingestor"]

# the most open channels with kept errors, up to a thousand errors each
_WITH_ERRORS = 200


@dataclass(slots=True)
class Ingestor:
    """Takes the rows of channels and has the rows committed; threads may share an ingestor.

    Spark may die and be replaced: `pause` and `resume`. `telling_death` is a context that raises
    errors caused by a dead Spark as SparkDied. `when_away` is the error for appends while Spark is
    away; None if no other Spark will come: appends get SparkDied then. `flushes` are the flushes
    under way, with the statements in the same Spark. `pools` have the threads of flushes. `slot` is
    a context for a flush by Spark, whose tasks need not wait for those of statements.
    `evaluate_defaults` gives the defaults of a table's columns when the first channel is opened.
    """

    resolver: Resolver
    author: Author
    limits: WriterLimits = field(default_factory=WriterLimits)
    telling_death: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    when_away: IcemeltError | None = None
    flushes: SparkFlushes = field(default_factory=SparkFlushes)
    pools: FlushPools = field(default_factory=open_flush_pools)
    slot: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    evaluate_defaults: EvaluateDefaults = no_defaults
    _writers: dict[IngestTarget, TableWriter] = field(default_factory=dict)
    _channels: OpenChannels = field(default_factory=OpenChannels)
    _with_errors: OrderedDict[tuple[str, int], OpenChannel] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_over: bool = False
    _away: IcemeltError | None = None

    def pause(self, error: SparkDied) -> None:
        """Take and commit no rows from now on, since Spark is gone; waiting rows are kept."""
        self._away = self.when_away or error

    def resume(
        self,
        resolver: Resolver,
        telling_death: Callable[[], AbstractContextManager[None]],
        evaluate_defaults: EvaluateDefaults,
    ) -> None:
        """Take rows again, and commit the waiting rows, with a Spark started anew."""
        with self._lock:
            self.resolver, self.telling_death, self._away = resolver, telling_death, None
            self.evaluate_defaults = evaluate_defaults
            writers = list(self._writers.values())
        for writer in writers:
            writer.request_flush()

    def open(
        self, table: QualifiedName, name: str, owner: str, offset_token: str | None = None
    ) -> OpenChannel:
        """Open a channel of a table; older handles of the channel, in any process, become void.

        `owner` is the id of the key that opens the channel, or a session's user. `offset_token`
        replaces the last committed token; None keeps the last token. `name` is the channel's,
        `table` its table's.

        Raises:
            ObjectNotFound: there is no table of the name.
            TableRefused: channels do not write tables of this kind, or with these defaults.
            TooManyChannels: the table, or the owner, has as many channels as are allowed.
            NoThreads: the process gets no thread for flushes.
        """
        validate_name("channel", name)
        validate_token(offset_token)
        with self._with_spark():
            record_of_table = self._table(table)
            target = target_of(
                record_of_table, self.resolver.iceberg.metadata(record_of_table.known_location)
            )
            with self._lock:
                open_targets = list(self._writers)
            target = target.with_defaults(self.evaluate_defaults, open_targets)
            if target.logs_errors:
                error_log(self.resolver, target)
        database, table_id = self.resolver.database, record_of_table.object_id
        with self._lock:
            self._channels.require_capacity(self.limits, owner, table_id, name)
        record = open_channel(database, table_id, name, owner, offset_token)
        if record is None:
            raise TooManyChannels(
                f"Table {str(table)!r} has {MOST_CHANNELS:,} channels, as many as it may have.",
                hint="Use one of them again, or drop those that nobody uses: SHOW CHANNELS.",
            )
        with self._lock:
            if self._is_over:
                raise IngestError("The ingestion has ended.", hint="Open another client.")
            if target not in self._writers:
                self._writers[target] = self._writer(target)
            channel = OpenChannel(record, target, self._writers[target])
            channel.writer.add(channel)
            self._channels.add(channel)
        return channel

    def append(self, channel: OpenChannel, append: Append) -> Answer:
        """Check the rows of an append, and let the good rows wait to be written.

        An append sent again gets the same answer as before, and is not taken twice.

        Raises:
            RowsRefused: a row is bad, and the append's mode is ABORT; no row is taken.
            ChannelInvalid: the channel takes no rows any more.
            IngestBusy: too many rows wait; send the append again a little later.
            IngestError: appends before this append are missing.
        """
        with channel.turn:
            answer = self._take(channel, append, None)
        return self._remember_answer(channel, answer)

    def append_read(self, channel: OpenChannel, read: Callable[[], Append]) -> Answer:
        """Append the result of `read`, as `append` does; read only while no append is under way.

        Raises:
            IngestBusy: another append, or the end of the channel, is under way.
        """
        with _turn(channel, 0):
            answer = self._take(channel, read(), None)
        return self._remember_answer(channel, answer)

    def append_all(
        self, rows: pa.Table, appends: Sequence[tuple[OpenChannel | ChannelInvalid, Append]]
    ) -> list[IcemeltError | None]:
        """Append to many channels, as `append` does; return an error or None for every append.

        A channel with another append under way is busy. `rows` are the rows of all `appends`, in
        order. An error in place of a channel is returned as the outcome of the append.
        """
        channels = [channel for channel, _ in appends if isinstance(channel, OpenChannel)]
        writers = {id(channel.writer): channel for channel in channels}
        whole = None
        if len(writers) == 1:
            (channel,) = writers.values()
            whole = channel.target.convert(rows)
        outcomes: list[IcemeltError | None] = []
        start, error_count = 0, 0
        for channel_or_error, append in appends:
            size = append.rows.num_rows
            checked = None
            if whole is not None and not whole.errors:
                checked = ConvertedRows(whole.rows.slice(start, size), (), 0)
            outcome = self._outcome(channel_or_error, append, checked)
            if isinstance(outcome, RowsRefused):
                # all appends together list as many bad rows as one append would
                outcome = RowsRefused(outcome.errors[: max(1, LISTED_ERRORS - error_count)])
                error_count += len(outcome.errors)
            outcomes.append(outcome)
            start += size
        return outcomes

    def _outcome(
        self, channel: OpenChannel | ChannelInvalid, append: Append, checked: ConvertedRows | None
    ) -> IcemeltError | None:
        if isinstance(channel, ChannelInvalid):
            return channel
        try:
            with _turn(channel, 0):
                self._take(channel, append, checked)
        except IcemeltError as error:
            return error
        return None

    def _take(self, channel: OpenChannel, append: Append, checked: ConvertedRows | None) -> Answer:
        """Take an append of a channel; the channel's turn is held."""
        earlier_answer = channel.find_answer(append)
        if earlier_answer is not None:
            return earlier_answer
        channel.require_valid()
        self._require_spark()
        self.flushes.beside(channel.target).require_allowed(channel.record.owner)
        with self._lock:
            self._require_capacity(channel.record.owner, 0)
        for token in (append.start_offset_token, append.end_offset_token):
            validate_token(token)
        converted = checked or channel.target.convert(append.rows)
        bad = converted.bad_rows
        try:
            rows, token = apply_on_error(append, converted)
        except RowsRefused:
            emit(RowsAppended(str(channel.target.name), 0, bad))
            raise
        rejected = None
        if channel.target.logs_errors:
            rejects = append.rejects or rejects_of(append, converted)
            rejected = error_rows(channel.record.name, append, rejects) if rejects else None
        owner = channel.record.owner
        chunk = Chunk(*channel.handle, append.number, rows, token, rejected, owner)
        self._enqueue(channel, chunk)
        answer = Answer(rows.num_rows, converted.errors, bad)
        emit(RowsAppended(str(channel.target.name), rows.num_rows, bad))
        return channel.answer(append, answer)

    def _remember_answer(self, channel: OpenChannel, answer: Answer) -> Answer:
        """Return an answer; an answer with errors may displace the errors of another channel."""
        if answer.errors:
            self._remember_errors(channel)
        return answer

    def _remember_errors(self, channel: OpenChannel) -> None:
        """Keep the errors of at most `_WITH_ERRORS` channels, and forget the oldest errors."""
        with self._lock:
            self._with_errors[channel.handle] = channel
            self._with_errors.move_to_end(channel.handle)
            if len(self._with_errors) <= _WITH_ERRORS:
                return
            _, oldest = self._with_errors.popitem(last=False)
        # a channel with an append under way forgets its errors by itself
        if oldest.turn.acquire(blocking=False):
            try:
                oldest.forget_errors()
            finally:
                oldest.turn.release()

    def channel(self, channel_id: str, client_sequencer: int) -> OpenChannel | None:
        """Return an open, void or recently closed channel by the handle from its opening."""
        with self._lock:
            return self._channels.find((channel_id, client_sequencer))

    def find_records(
        self, channels: Sequence[tuple[QualifiedName, str]]
    ) -> dict[tuple[QualifiedName, str], ChannelRecord]:
        """Return the registry's records of channels, by table and name: the only truth."""
        names = list(dict.fromkeys(table for table, _ in channels))
        with self.telling_death():
            tables = self.resolver.resolve(names).tables
        keys_by_name = {
            (table, name): (tables[table].object_id, name)
            for table, name in channels
            if table in tables
        }
        with self.resolver.database.read() as connection:
            records = find_channels(connection, list(set(keys_by_name.values())))
        records_by_key = {(record.table_id, record.name): record for record in records}
        return {
            name_of_channel: records_by_key[key]
            for name_of_channel, key in keys_by_name.items()
            if key in records_by_key
        }

    def channels_of(self, table: QualifiedName) -> list[ChannelRecord]:
        """Return all channels of a table, open or not, in order of their names."""
        with self.telling_death():
            record = self._table(table)
        with self.resolver.database.read() as connection:
            return list_channels(connection, [record.object_id])

    def close_channel(
        self, channel: OpenChannel, *, drop: bool = False, timeout: float | None = None
    ) -> None:
        """Commit the waiting rows of a channel and close the channel, within `timeout` seconds.

        With `drop` the channel and its offset token are dropped, too. Without a timeout the wait is
        endless.

        Raises:
            ChannelInvalid: uncommitted rows were discarded.
            IngestBusy: the commit takes longer than the timeout; the channel stays open.
        """
        self._finish(channel, CLOSED, timeout)
        if drop:
            record = channel.record
            drop_channel(self.resolver.database, record.channel_id, record.client_sequencer)

    def find(
        self, table: QualifiedName, name: str
    ) -> tuple[ChannelRecord, OpenChannel | None] | None:
        """Return a channel's record in the registry and its opening here; None for no channel."""
        with self.telling_death():
            table_record = self._table(table)
        with self.resolver.database.read() as connection:
            records = find_channels(connection, [(table_record.object_id, name)])
        if not records:
            return None
        [record] = records
        with self._lock:
            channel = self._channels.get(record.channel_id)
        is_newer = channel is not None and channel.record.client_sequencer > record.client_sequencer
        return record, None if is_newer else channel

    def drop(
        self, record: ChannelRecord, channel: OpenChannel | None, timeout: float | None = None
    ) -> bool:
        """Commit the waiting rows of a channel, and drop channel and token; False for no channel.

        `record` is the channel's record, from `find`: a later opening belongs to another client.
        `channel` is the same channel if open here. The wait is endless without a `timeout` in
        seconds.

        Raises:
            IngestBusy: the commit takes longer than the timeout; the channel is still there.
            ChannelTaken: the channel was opened again since `find`, and is still there.
        """
        if channel is not None:
            # rows of an invalid channel never will be committed: nothing to wait for
            with contextlib.suppress(ChannelInvalid):
                self._finish(channel, "it was dropped", timeout)
        database = self.resolver.database
        if drop_channel(database, record.channel_id, record.client_sequencer):
            return True
        with database.read() as connection:
            is_there = channels_by_id(connection, [record.channel_id])
        if is_there:
            raise ChannelTaken(
                f"Channel {record.name!r} was opened again before it was dropped: it is still "
                "there.",
                hint="Who opened it writes it now. Drop it again where nobody does.",
            )
        return False

    def close(self) -> list[str]:
        """Commit the waiting rows of all channels, and end; return the channels that failed."""
        with self._lock:
            self._is_over = True
            writers = list(self._writers.values())
        for writer in writers:
            writer.end()
        given_up = [name for writer in writers for name in writer.join()]
        self.pools.stop()
        return given_up

    def owners(self) -> frozenset[str]:
        """Return the owners of open channels."""
        with self._lock:
            return self._channels.owners

    def end_owner(self, owner: str, reason: str) -> int:
        """End the channels of an owner of which nothing waits; have the rows of the others written.

        Args:
            owner: the owner.
            reason: why the channels take no rows any more.

        Returns:
            the number of channels that still have rows to commit, or an append under way.
        """
        with self._lock:
            left = self._channels.end_committed(owner, reason)
        for writer in {id(channel.writer): channel.writer for channel in left}.values():
            writer.request_flush()
        return len(left)

    def had_flush_at_death(self) -> bool:
        """Tell whether rows were being written in the Spark that died just now."""
        return self.flushes.had_flush_at_death(self.resolver)

    def waiting(self) -> WaitingRows:
        """Return how much waits to be committed."""
        with self._lock:
            writers, channels = list(self._writers.values()), len(self._channels)
        size = sum(writer.waiting_bytes for writer in writers)
        seconds = max((writer.waiting_seconds for writer in writers), default=0.0)
        return WaitingRows(channels, len(writers), size, seconds)

    def status(self, channel: OpenChannel) -> ChannelStatus:
        """Return how far an open channel is."""
        return channel.writer.status(channel)

    def flush(self, channel: OpenChannel, timeout: float | None = None) -> bool:
        """Commit the waiting rows of a channel at once; return False after `timeout` seconds.

        Raises:
            ChannelInvalid: uncommitted rows were discarded.
        """
        channel.writer.request_flush()
        return channel.writer.wait(channel, channel.last_taken, timeout)

    def is_committed(self, channel: OpenChannel, number: int, timeout: float | None = 0) -> bool:
        """Tell whether a channel's append of a `number` is committed within `timeout` seconds.

        Raises:
            ChannelInvalid: the append never will be committed.
        """
        return channel.writer.wait(channel, number, timeout)

    def _finish(self, channel: OpenChannel, reason: str, timeout: float | None) -> None:
        """Commit the waiting rows of a channel, and end the channel, unless the commit is slow."""
        with _turn(channel, timeout):
            try:
                if not self.flush(channel, timeout):
                    raise self._busy(channel)
            except ChannelInvalid:
                self._end(channel, reason)
                raise
            self._end(channel, reason)

    def _busy(self, channel: OpenChannel) -> IngestBusy:
        """Return the error of a channel with rows not committed yet."""
        keeps = self.status(channel).last_error
        return IngestBusy(
            f"What channel {channel.record.name!r} was given is not committed yet"
            f"{': ' + keeps if keeps else '.'}",
            hint="Wait, or close it, again; nothing of it is lost meanwhile.",
        )

    def _end(self, channel: OpenChannel, reason: str) -> None:
        """Let a channel take no more rows, and discard the waiting rows."""
        with self._lock:
            self._channels.set_aside(channel, reason)

    def _retire(self, writer: TableWriter) -> bool:
        """Forget the writer of a table without open channels."""
        with self._lock:
            if not writer.is_idle:
                return False
            self._writers = {k: other for k, other in self._writers.items() if other is not writer}
            for channel in self._channels.all():
                if channel.writer is writer:
                    self._channels.set_aside(channel, channel.void_reason or "")
            return True

    def _writer(self, target: IngestTarget) -> TableWriter:
        author = make_flush_author(self.author, self.resolver.database)

        def flush(chunks: Sequence[Chunk]) -> dict[tuple[str, int], str]:
            owners = {chunk.owner for chunk in chunks}
            slot = self.slot() if target.by_spark else contextlib.nullcontext()
            with self.flushes.note(target, owners, self.resolver), self._with_spark(), slot:
                flushed = Flush(self.resolver, author, target, chunks)
                flushed.alone = lambda: self.flushes.run_alone(
                    target, owners, has_suspects=self._has_suspects()
                )
                flushed.run()
            return flushed.void_reasons

        def find_void(handles: Collection[tuple[str, int]]) -> dict[tuple[str, int], str]:
            with self._with_spark():
                return find_ended_channels(self.resolver, target, handles)

        def blame(owner: str) -> None:
            self.flushes.beside(target).blame(owner)

        def is_suspect(owner: str) -> bool:
            return self.flushes.beside(target).is_suspect(owner)

        def why_given_up(owner: str) -> str:
            return self.flushes.beside(target).why_given_up(owner)

        work = WriterActions(
            flush,
            find_void,
            self._retire,
            by_spark=target.by_spark,
            spark=lambda: self.resolver,
            alone=self.flushes.alone,
            is_alone=self.flushes.was_alone,
            blame=blame,
            is_suspect=is_suspect,
            why_given_up=why_given_up,
        )
        pool = self.pools.choose(by_spark=target.by_spark)
        return TableWriter(work, self.limits, str(target.name), pool)

    def _enqueue(self, channel: OpenChannel, chunk: Chunk) -> None:
        size = chunk.size
        with self._lock:
            self._require_capacity(chunk.owner, size)
            channel.writer.enqueue(channel, chunk)

    def _require_capacity(self, owner: str, size: int) -> None:
        """Refuse `size` more bytes of an owner if there is no room; the lock is held."""
        waiting = sum(writer.waiting_bytes for writer in self._writers.values())
        if waiting + size < self.limits.waiting_bytes // 2:
            # no owner can have half of the room
            return
        sizes: Counter[str] = Counter()
        for writer in self._writers.values():
            sizes.update(writer.waiting_by_owner())
        require_capacity(self.limits, sizes, owner, size)

    def _has_suspects(self) -> bool:
        with self._lock:
            writers = list(self._writers.values())
        return any(writer.has_suspects for writer in writers)

    @contextlib.contextmanager
    def _with_spark(self) -> Iterator[None]:
        """Run a block that needs Spark; pause if Spark is gone for good (`when_away` is None)."""
        self._require_spark()
        try:
            with self.telling_death():
                yield
        except SparkDied as error:
            if self.when_away is None:
                self.pause(error)
            raise

    def _require_spark(self) -> None:
        away = self._away
        if away is not None:
            raise type(away)(away.message, hint=away.hint)

    def _table(self, name: QualifiedName) -> TableRecord:
        state = self.resolver.resolve([name])
        if name in state.tables:
            return state.tables[name]
        if name in state.streams or name in state.views:
            kind = "stream" if name in state.streams else "view"
            raise WrongObjectKind(
                f"{str(name)!r} is a {kind}: it has no rows of its own.", hint="Name a table."
            )
        raise ObjectNotFound(
            f"Table {str(name)!r} does not exist.",
            hint="SHOW TABLES lists what is there; temporary tables take no channels.",
        )


@contextlib.contextmanager
def _turn(channel: OpenChannel, timeout: float | None) -> Iterator[None]:
    """Hold the turn of a channel within a block; wait up to `timeout` seconds, None without end.

    Raises:
        IngestBusy: an append, or the end of the channel, takes longer than the timeout.
    """
    if not channel.turn.acquire(timeout=-1 if timeout is None else timeout):
        raise IngestBusy(
            f"Channel {channel.record.name!r} is busy with another append, or with its end.",
            hint="Send it again a little later; appends of one channel come one after the other.",
        )
    try:
        yield
    finally:
        channel.turn.release()
