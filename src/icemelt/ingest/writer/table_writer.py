"""The waiting rows of one table, from all channels of the table, and the job writing the rows.

Rows are written together when the oldest row has waited for the lag, when many bytes wait, or on
request. A passing failure (the catalog is away, the disk is full) is followed by another try. If
rows are the reason for a failing commit, only the channel of the rows is given up, and rows of
other owners are written meanwhile. Rows under which Spark died are tried again in smaller groups,
until the rows too large for Java are known.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from icemelt.catalog.activity_records import ChannelRecord
from icemelt.errors import Conflict, SparkDied
from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.errors import ChannelInvalid, IngestError
from icemelt.ingest.writer.failing_owners import FIRST_PAUSE, FailingOwners
from icemelt.ingest.writer.failures import is_permanent, may_pass_later, reason_of, shorten
from icemelt.ingest.writer.flush import Chunk
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.ingest.writer.suspects import (
    MOST_DEATHS,
    SuspectAppends,
    count_together,
    why_given_up,
)
from icemelt.ingest.writer.target import IngestTarget
from icemelt.jobs import JobPool
from icemelt.observe.emitting import emit
from icemelt.observe.events import FlushFailed, RowsFlushed
from icemelt.observe.statements import error_code_of

__all__ = ["OpenChannel", "TableWriter", "WriterActions"]

_LOGGER = logging.getLogger("icemelt.ingest")
_LONGEST_PAUSE = 30.0
# answers kept for a client that lost one, and asks again soon; of errors only the newest
_ANSWERS = 16
# the bytes of a channel, without its texts
_OWN_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class WriterActions:
    """The actions of a writer on its table; `flush` and `find_void` return void channels by handle.

    - `flush` commits chunks.
    - `find_void` finds channels ended elsewhere.
    - `retire` forgets a writer without channels; it returns False if the writer has channels again.
    - `spark` returns an object that identifies the current Spark.
    - `alone` is a context for flushing suspects; no two writers flush suspects at the same time.
    - `is_alone` tells whether nothing else ran in the Spark that died just now.
    - `blame` is called with the owner of an append that has ended Spark.
    - `is_suspect` tells whether rows of an owner are written without rows of other owners.
    - `why_given_up` returns why waiting rows of an owner are given up, empty if they are not.
    - `by_spark` tells whether the rows are ever in Spark.
    """

    flush: Callable[[Sequence[Chunk]], dict[tuple[str, int], str]]
    find_void: Callable[[Collection[tuple[str, int]]], dict[tuple[str, int], str]]
    retire: Callable[[TableWriter], bool]
    spark: Callable[[], object] = object
    alone: AbstractContextManager[object] = field(default_factory=contextlib.nullcontext)
    is_alone: Callable[[], bool] = lambda: True
    blame: Callable[[str], None] = lambda _owner: None
    is_suspect: Callable[[str], bool] = lambda _owner: False
    why_given_up: Callable[[str], str] = lambda _owner: ""
    by_spark: bool = True


@dataclass(slots=True)
class OpenChannel:
    """An open channel: the counts of its appends and rows, and its last answers.

    `last_taken` is the number of the last append taken, `last_committed` of the last append
    committed. The rows wait at the `writer` of the table. `void_reason` is the reason for taking no
    rows any more, None while the channel takes rows. Appends come one at a time: `turn` is held
    during an append. `used_at` is the monotonic time of the opening, or of the last append.
    """

    record: ChannelRecord
    target: IngestTarget
    writer: TableWriter
    last_taken: int = 0
    last_committed: int = 0
    offset_token: str | None = None
    void_reason: str | None = None
    rows_inserted: int = 0
    rows_error: int = 0
    rows_waiting: int = 0
    last_error: str = ""
    last_error_token: str | None = None
    used_at: float = field(default_factory=time.monotonic)
    turn: threading.Lock = field(default_factory=threading.Lock)
    _answers: OrderedDict[int, tuple[str, Answer]] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        self.last_taken = self.last_committed = self.record.row_sequencer
        self.offset_token = self.record.offset_token

    @property
    def handle(self) -> tuple[str, int]:
        """The channel's id, and the client sequencer of this opening."""
        return self.record.channel_id, self.record.client_sequencer

    def is_idle(self, since: float) -> bool:
        """Tell whether the channel is void, or has nothing to commit and was not used `since`."""
        is_quiet = self.used_at < since and not (self.has_waiting or self.turn.locked())
        return is_quiet or self.void_reason is not None

    @property
    def has_waiting(self) -> bool:
        """Whether appends taken are not committed yet."""
        return self.last_committed < self.last_taken

    @property
    def kept_bytes(self) -> int:
        """Bytes kept in memory for the channel after its end."""
        texts = (self.record.offset_token, self.offset_token, self.last_error_token)
        return _OWN_BYTES + sum(map(sys.getsizeof, (*texts, self.last_error)))

    def require_valid(self) -> None:
        """Raise an error if the channel is void.

        Raises:
            ChannelInvalid: the channel is void.
        """
        self.status().refuse_invalid()

    def find_answer(self, append: Append) -> Answer | None:
        """Return the answer to an append taken before; None for the next append.

        Raises:
            IngestError: appends before the append are missing, or another append has the same
                number.
        """
        number = append.number
        if number <= self.last_taken:
            digest, answer = self._answers.get(number, ("", Answer(0)))
            if append.digest and append.digest != digest:
                raise IngestError(
                    f"Another append than this one was taken as number {number} of channel "
                    f"{self.record.name!r}.",
                    hint="Open the channel again, and send what comes after its committed token.",
                )
            return answer
        if number > self.last_taken + 1:
            raise IngestError(
                f"Append {number} of channel {self.record.name!r} came, {self.last_taken + 1} was "
                "expected.",
                hint="Appends of one channel are sent in order, one after the other.",
            )
        return None

    def answer(self, append: Append, answer: Answer) -> Answer:
        """Note an append as taken, with its answer; return the answer."""
        self.last_taken = append.number
        self.rows_error += answer.bad_rows + append.bad_rows
        last_error = answer.errors[-1].reason if answer.errors else append.last_error
        if last_error:
            self.last_error = shorten(last_error)
            self.last_error_token = append.end_offset_token
        self.forget_errors()
        self._answers[append.number] = append.digest, answer
        while len(self._answers) > _ANSWERS:
            self._answers.popitem(last=False)
        return answer

    def keep_last_answer(self) -> None:
        """Forget all answers but the last, which a client may still ask for."""
        while len(self._answers) > 1:
            self._answers.popitem(last=False)
        self.forget_errors()

    def forget_errors(self) -> None:
        """Forget the errors of the last answer: there may be a thousand errors."""
        if self._answers:
            number, (digest, answer) = self._answers.popitem()
            self._answers[number] = digest, replace(answer, errors=())

    def commit(self, chunk: Chunk) -> None:
        """Note the commit of an append's rows."""
        self.last_committed = max(self.last_committed, chunk.number)
        self.rows_waiting -= chunk.rows.num_rows
        self.rows_inserted += chunk.rows.num_rows
        if chunk.offset_token is not None:
            self.offset_token = chunk.offset_token

    def status(self) -> ChannelStatus:
        """Return how far the channel is."""
        name = self.target.name
        return ChannelStatus(
            name.database,
            name.schema,
            name.name,
            self.record.name,
            self.record.client_sequencer,
            self.last_committed,
            self.offset_token,
            self.rows_inserted,
            self.rows_error,
            self.rows_waiting,
            self.last_error,
            self.last_error_token,
            self.void_reason or "",
        )


class TableWriter:
    """Keeps the chunks of one table until the chunks are committed.

    Channels are known by handle: a new opening of a channel is another channel.
    """

    def __init__(self, work: WriterActions, limits: WriterLimits, name: str, pool: JobPool) -> None:
        self._work = work
        self._limits = limits
        self._name = name
        self._changed = threading.Condition()
        self._waiting: list[Chunk] = []
        self._under_way: list[Chunk] = []
        self._sizes: Counter[str] = Counter()
        # asked by the pool without the lock
        self._owners: tuple[str, ...] = ()
        self._since = self._oldest = self._pause = 0.0
        self._asked = False
        self._closing: float | None = None
        self._max_pause = 0.0  # 0 if nothing is tried again
        self._tries = 0
        self._suspects = SuspectAppends()
        self._failing = FailingOwners()
        self._spark: object = None
        self._channels: dict[tuple[str, int], OpenChannel] = {}
        self._rests = False
        self.error = ""
        consequence = "rows wait in this process, and are tried again"
        # locked: `_run` asks the job how its wait ended
        with self._changed:
            self._job = pool.add(
                f"ingest {name}", self._run, owners=lambda: self._owners, consequence=consequence
            )

    @property
    def has_suspects(self) -> bool:
        """Whether Spark died under appends that still wait."""
        return bool(self._suspects and (self._waiting or self._under_way))

    @property
    def waiting_bytes(self) -> int:
        """Bytes of the rows not committed yet."""
        with self._changed:
            return self._sizes.total()

    def waiting_by_owner(self) -> Counter[str]:
        """Return the bytes of the rows not committed yet, by the owners of channels."""
        with self._changed:
            return self._sizes.copy()

    @property
    def waiting_seconds(self) -> float:
        """The seconds for which the oldest uncommitted row has waited."""
        with self._changed:
            is_waiting = self._waiting or self._under_way
            return time.monotonic() - self._oldest if is_waiting else 0.0

    def add(self, channel: OpenChannel) -> None:
        """Add a channel just opened."""
        with self._changed:
            self._channels[channel.handle] = channel

    def remove(self, channel: OpenChannel, reason: str) -> None:
        """Forget a channel, and its waiting rows."""
        with self._changed:
            self._void_channels({channel.handle: reason})
        self._job.wake()

    def status(self, channel: OpenChannel) -> ChannelStatus:
        """Return how far a channel is, and the error that keeps rows from being written."""
        with self._changed:
            status = channel.status()
            error = self.error or self._failing.error_of(channel.record.owner)
            return replace(status, last_error=error) if error else status

    def enqueue(self, channel: OpenChannel, chunk: Chunk) -> None:
        """Let the rows of an append wait.

        Raises:
            ChannelInvalid: the channel takes no rows any more.
        """
        with self._changed:
            channel.require_valid()
            if self._closing is not None:
                raise ChannelInvalid(
                    "The ingestion is being stopped.", hint="Open the channel again later."
                )
            if not self._waiting:
                self._since = time.monotonic()
                self._oldest = self._oldest if self._under_way else self._since
            self._waiting.append(chunk)
            channel.last_taken = chunk.number
            channel.rows_waiting += chunk.rows.num_rows
            self._count([chunk], 1)
            channel.used_at = time.monotonic()
            seconds = self._seconds_until_due()
        self._job.wake(seconds)

    def request_flush(self) -> None:
        """Have the waiting rows written at once."""
        with self._changed:
            self._asked = bool(self._waiting or self._under_way)
        self._job.wake()

    def wait(self, channel: OpenChannel, number: int, timeout: float | None) -> bool:
        """Wait until an append of a channel is committed; return False after `timeout` seconds.

        Args:
            channel: the channel.
            number: the append's number in the channel.
            timeout: the seconds to wait; None waits without end.

        Raises:
            ChannelInvalid: the append never will be committed.
        """
        with self._changed:
            is_committed = self._changed.wait_for(
                lambda: channel.last_committed >= number or channel.void_reason is not None, timeout
            )
            if channel.last_committed < number:
                channel.require_valid()
            return is_committed

    @property
    def is_idle(self) -> bool:
        """Whether the writer has no channel, and no rows to write."""
        with self._changed:
            return not (self._channels or self._waiting or self._under_way)

    def end(self) -> None:
        """Take no more rows, write the waiting rows, and end."""
        with self._changed:
            self._closing = time.monotonic() + self._limits.grace
        self._job.wake()

    def join(self) -> list[str]:
        """Wait for the writer's end; return the channels with rows that could not be written."""
        self._job.join()
        with self._changed:
            given_up = sorted({self._name_of(chunk) for chunk in self._waiting})
            self._void_channels(
                dict.fromkeys(tuple(self._channels), self.error or "the ingestion ended")
            )
            return given_up

    def _name_of(self, chunk: Chunk) -> str:
        return self._channels[chunk.handle].record.name

    def _run(self) -> float:
        """Write due rows, end, or check idle channels; return the seconds until the next turn."""
        self._give_up_owners()
        with self._changed:
            is_quiet = self._rests and not (self._job.is_woken or self._waiting)
            self._rests = False
            if not (self._is_due() or self._is_unused() or is_quiet):
                self._rests = not self._waiting
                return self._seconds_until_due()
            is_over = self._closing is not None and time.monotonic() >= self._closing
            if self._closing is not None and (not self._waiting or (self._max_pause and is_over)):
                self._job.end()
                return 0
            self._asked = self._take_due()
        if self._under_way:
            self._write()
            self._pause = min(max(2 * self._pause, FIRST_PAUSE), self._max_pause)
            return 0
        if is_quiet:
            self._check_channels()
        if self._work.retire(self):
            self._job.end()
        return 0

    def _give_up_owners(self) -> None:
        """Void the channels with waiting rows of owners whose rows Spark does not write any more.

        Otherwise each waiting append of a refused key could end Spark once more.
        """
        with self._changed:
            owners = {chunk.owner for chunk in self._waiting}
        reasons = {owner: reason for owner in owners if (reason := self._work.why_given_up(owner))}
        if not reasons:
            return
        with self._changed:
            given_up = {
                chunk.handle: reasons[chunk.owner]
                for chunk in self._waiting
                if chunk.owner in reasons
            }
            self._void_channels(given_up)
        told = "; ".join(sorted(set(reasons.values())))
        _LOGGER.error("%d channels of %s are invalid: %s.", len(given_up), self._name, told)

    def _take_due(self) -> bool:
        """Move the next chunks under way, up to `flush_bytes`; tell whether more chunks are due."""
        due, _ = self._suspects.take(self._waiting)
        is_apart = bool(self._failing)
        if is_apart and self._suspects:
            due = self._failing.select_with_first(due[0], due)
        elif is_apart:
            due = self._failing.take(due, time.monotonic())
        sizes = itertools.accumulate(chunk.size for chunk in due)
        count = max(1, sum(size <= self._limits.flush_bytes for size in sizes))
        owners = [chunk.owner for chunk in due[:count]]
        count = count_together(owners, self._work.is_suspect)
        self._under_way = due[:count]
        ids = {id(chunk) for chunk in self._under_way}
        self._waiting = [chunk for chunk in self._waiting if id(chunk) not in ids]
        return count < len(due) or (is_apart and bool(self._waiting))

    def _is_unused(self) -> bool:
        return self._closing is None and not self._channels and not self._waiting

    def _is_due(self) -> bool:
        pause = self._pause
        if self._waiting and self._failing.ready_at(self._owners) > time.monotonic():
            return False
        if self._closing is not None and not pause:
            return True
        if not self._waiting:
            return self._closing is not None
        waited = time.monotonic() - self._since
        if pause:
            # a request for a flush, or the end, shortens the pause
            return waited >= (FIRST_PAUSE if self._asked or self._closing else pause)
        many = self._sizes.total() >= self._limits.flush_bytes
        return self._asked or many or bool(self._suspects) or waited >= self._limits.lag

    def _seconds_until_due(self) -> float:
        if self._is_due():
            return 0.0
        pause = self._pause
        if not self._waiting:
            return self._limits.idle
        ready_at, now = self._failing.ready_at(self._owners), time.monotonic()
        if ready_at > now:
            return ready_at - now
        if pause and (self._asked or self._closing):
            pause = FIRST_PAUSE
        return max(0.0, self._since + (pause or self._limits.lag) - time.monotonic())

    def _check_channels(self) -> None:
        """Remove channels ended elsewhere, whose clients have gone."""
        with self._changed:
            handles = [*self._channels]
        try:
            void = self._work.find_void(handles)
        except Exception as error:  # noqa: BLE001 - as in `_write`; the next time may go better
            _LOGGER.debug("Channels were not looked at: %s", reason_of(error))
            return
        with self._changed:
            self._void_channels(void)

    def _write(self) -> None:
        """Commit the chunks under way, and note whether chunks have to be tried again."""
        self._max_pause = 0.0
        try:
            self._commit(self._under_way)
        except Exception as error:  # noqa: BLE001 - the thread has nobody above it
            self._not_committed(error)

    def _commit(self, chunks: Sequence[Chunk]) -> None:
        self._spark = self._work.spark()
        with self._work.alone if self._suspects else contextlib.nullcontext():
            begin = time.monotonic()
            void = self._work.flush(chunks)
        with self._changed:
            self._tries, self.error = 0, ""
            self._failing.note_success(chunks)
            if self._suspects:
                self._suspects.clear(chunks)
                # write the rows that have waited behind the suspects
                self._asked = bool(self._waiting)
            self._void_channels(void)
            for chunk in chunks:
                channel = self._channels.get(chunk.handle)
                if channel is not None:
                    channel.commit(chunk)
            self._forget_chunks(chunks)
        rows = sum(chunk.rows.num_rows for chunk in chunks)
        emit(RowsFlushed(self._name, rows, time.monotonic() - begin))

    def _forget_chunks(self, chunks: Sequence[Chunk]) -> None:
        """Remove chunks from the chunks under way."""
        self._count(chunks, -1)
        ids = {id(chunk) for chunk in chunks}
        self._under_way = [chunk for chunk in self._under_way if id(chunk) not in ids]
        if not (self._under_way or self._suspects):
            self._oldest = self._since
        self._changed.notify_all()

    def _count(self, chunks: Sequence[Chunk], sign: int) -> None:
        """Add chunks to the waiting bytes, or subtract chunks for a `sign` of -1."""
        for chunk in chunks:
            self._sizes[chunk.owner] += sign * chunk.size
        self._sizes = +self._sizes
        self._owners = tuple(self._sizes)

    def _not_committed(self, error: Exception) -> None:
        """Keep the rows if another try may write them; else give up the channels at fault."""
        reason, is_passing = reason_of(error), may_pass_later(error)
        is_dead = isinstance(error, SparkDied)
        with self._changed:
            self._tries += 1
            # a reason that concerns some rows is for their owner alone
            self.error = reason if is_passing or is_dead else ""
        emit(FlushFailed(self._name, error_code_of(error), self._tries))
        if is_dead:
            self._spark_died(self._under_way)
        elif is_passing:
            _LOGGER.warning("Rows were not written, and are tried again: %s", reason)
            # others that write the table are soon ready
            max_pause = FIRST_PAUSE if isinstance(error, Conflict) else _LONGEST_PAUSE
            self._put_back(self._under_way, max_pause)
        else:
            self._separate(error, reason)

    def _separate(self, error: Exception, reason: str) -> None:
        """Try rows again apart from others, or give up their channels."""
        will_stay = is_permanent(error)
        with self._changed:
            if isinstance(error, ChannelInvalid):
                # the error is about the table, so about all its channels
                given_up = [*self._channels]
            else:
                given_up = self._failing.note_failure(
                    self._under_way, reason, is_permanent=will_stay, now=time.monotonic()
                )
            self._void_channels(dict.fromkeys(given_up, reason.rstrip(".")))
            # before anybody hears of it: rows given up are no longer counted as waiting
            self._put_back(self._under_way, 0.0)
            self._asked = bool(self._waiting)
        told = f"{len(given_up):,} channels are invalid" if given_up else "they are tried again"
        traceback = error if given_up else None
        _LOGGER.warning("Rows were not written, %s: %s", told, reason, exc_info=traceback)

    def _spark_died(self, chunks: Sequence[Chunk]) -> None:
        """Try chunks again, in smaller groups if Spark wrote them; give up a fatal append."""
        count = 0
        if self._work.by_spark:
            count = self._suspects.note_death(chunks, self._spark, is_alone=self._work.is_alone())
        fatal = chunks[0]
        if count:
            # also if the channel was opened again meanwhile
            self._work.blame(fatal.owner)
        if count < MOST_DEATHS:
            _LOGGER.warning("Spark died while rows were written; they are tried again.")
            self._put_back(chunks)
            return
        reason = why_given_up(fatal)
        with self._changed:
            channel = self._channels.get(fatal.handle)
            name = "" if channel is None else channel.record.name
            _LOGGER.error("Channel %r is invalid: %s.", name, reason)
            self._void_channels({fatal.handle: reason})
            self._forget_chunks(chunks)

    def _put_back(self, chunks: Sequence[Chunk], max_pause: float = _LONGEST_PAUSE) -> None:
        """Let chunks under way wait again, if their channels are still there."""
        with self._changed:
            kept = [chunk for chunk in chunks if chunk.handle in self._channels]
            oldest = self._oldest
            self._forget_chunks(chunks)
            self._waiting = kept + self._waiting
            self._count(kept, 1)
            self._since, self._max_pause = time.monotonic(), max_pause
            self._oldest = oldest if kept else self._since

    def _void_channels(self, reasons: dict[tuple[str, int], str]) -> None:
        for handle, reason in reasons.items():
            channel = self._channels.pop(handle, None)
            if channel is not None:
                channel.void_reason = shorten(reason)
        self._count([chunk for chunk in self._waiting if chunk.handle in reasons], -1)
        self._waiting = [chunk for chunk in self._waiting if chunk.handle not in reasons]
        self._changed.notify_all()
