"""One table's rows that wait to be written, of all its channels, and the thread that writes them.

Rows are written together when the oldest has waited for the lag, or many wait, or somebody asks.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from icemelt.errors import CatalogError, IcemeltError, TransactionError
from icemelt.ingest.answers import ChannelStatus
from icemelt.ingest.counts import Counts
from icemelt.ingest.errors import ChannelInvalid
from icemelt.ingest.flush import Chunk
from icemelt.ingest.open_channel import OpenChannel

__all__ = ["Limits", "TableWriter"]

_LOGGER = logging.getLogger("icemelt.ingest")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
# what fails so often for a reason that is not known will not pass
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """When rows are written: after `lag` seconds, or as soon as `flush_bytes` wait for a table.

    Of all tables together no more than `waiting_bytes` may wait.
    """

    lag: float = 1.0
    flush_bytes: int = 64 << 20
    waiting_bytes: int = 512 << 20


class TableWriter:
    """Keeps chunks until they are committed; `flush` commits some and says which are void.

    Channels are known by their handles: one that was opened again is another.
    """

    def __init__(
        self,
        flush: Callable[[Sequence[Chunk]], dict[tuple[str, int], str]],
        limits: Limits,
        name: str,
        counts: Counts,
    ) -> None:
        self._flush = flush
        self._limits = limits
        self._counts = counts
        self._changed = threading.Condition()
        self._waiting: list[Chunk] = []
        self._under_way: list[Chunk] = []
        self._bytes = 0
        self._since = 0.0
        self._oldest = 0.0
        self._asked = False
        self._closing = False
        self._tries = 0
        self._channels: dict[tuple[str, int], OpenChannel] = {}
        self.error = ""
        self._thread = threading.Thread(target=self._run, name=f"ingest {name}", daemon=True)
        self._thread.start()

    @property
    def waiting_bytes(self) -> int:
        """Bytes of the rows that are not committed yet."""
        return self._bytes

    @property
    def waiting_seconds(self) -> float:
        """How long the oldest row has waited that is not committed yet."""
        with self._changed:
            is_waiting = self._waiting or self._under_way
            return time.monotonic() - self._oldest if is_waiting else 0.0

    def add(self, channel: OpenChannel) -> None:
        """Take a channel that was opened."""
        with self._changed:
            self._channels[channel.handle] = channel

    def remove(self, channel: OpenChannel, reason: str) -> None:
        """Forget a channel, and what waits of it."""
        with self._changed:
            self._void({channel.handle: reason})

    def status(self, channel: OpenChannel) -> ChannelStatus:
        """Return how far a channel is."""
        with self._changed:
            return channel.status()

    def put(self, channel: OpenChannel, chunk: Chunk) -> None:
        """Let the rows of an append wait.

        Raises:
            ChannelInvalid: the channel takes none any more.
        """
        with self._changed:
            channel.refuse_void()
            if self._closing:
                raise ChannelInvalid(
                    "The ingestion is being stopped.", hint="Open the channel again later."
                )
            if not self._waiting:
                self._since = time.monotonic()
                self._oldest = self._oldest if self._under_way else self._since
            self._waiting.append(chunk)
            channel.rows_waiting += chunk.rows.num_rows
            self._bytes += chunk.size
            self._changed.notify_all()

    def ask(self) -> None:
        """Have what waits written at once."""
        with self._changed:
            self._asked = bool(self._waiting)
            self._changed.notify_all()

    def wait(self, channel: OpenChannel, number: int, timeout: float | None) -> bool:
        """Wait until an append of a channel is committed; False where it takes too long.

        Raises:
            ChannelInvalid: it never will be.
        """
        with self._changed:
            done = self._changed.wait_for(
                lambda: channel.committed >= number or channel.void is not None, timeout
            )
            if channel.committed < number:
                channel.refuse_void()
            return done

    @property
    def is_idle(self) -> bool:
        """Whether it has no channel, and nothing to write."""
        with self._changed:
            return not (self._channels or self._waiting or self._under_way)

    def close(self) -> None:
        """Write what waits, and end; what cannot be written now is given up."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        while True:
            with self._changed:
                while not self._is_due(pause):
                    self._changed.wait(self._left(pause))
                if self._closing and not self._waiting:
                    return
                self._under_way, self._waiting = self._waiting, []
                self._asked = False
            failed = self._write()
            pause = min(max(2 * pause, _FIRST_PAUSE), _LONGEST_PAUSE) if failed else 0.0

    def _is_due(self, pause: float) -> bool:
        if self._closing:
            return True
        if not self._waiting:
            return False
        waited = time.monotonic() - self._since
        if pause:
            return waited >= pause
        many = self._bytes >= self._limits.flush_bytes
        return self._asked or many or waited >= self._limits.lag

    def _left(self, pause: float) -> float | None:
        if not self._waiting:
            return None
        return max(0.0, self._since + (pause or self._limits.lag) - time.monotonic())

    def _write(self) -> bool:
        """Commit what is under way; tell whether it has to be tried again."""
        begin = time.monotonic()
        try:
            void = self._flush(self._under_way)
        except Exception as error:  # noqa: BLE001 - the thread has nobody above it
            return self._failed(error)
        with self._changed:
            self._tries = 0
            self._void(void)
            for chunk in self._under_way:
                channel = self._channels.get(chunk.handle)
                if channel is not None:
                    channel.commit(chunk)
            self._bytes -= sum(chunk.size for chunk in self._under_way)
            rows = sum(chunk.rows.num_rows for chunk in self._under_way)
            self._under_way, self.error = [], ""
            self._oldest = self._since
            self._changed.notify_all()
        self._counts.committed(rows, time.monotonic() - begin)
        return False

    def _failed(self, error: Exception) -> bool:
        """Keep the rows where another try may write them; else give up, and their channels."""
        message = error.message if isinstance(error, IcemeltError) else str(error)
        self._counts.failed()
        with self._changed:
            self._tries += 1
            self.error = message
            again = _may_pass(error, self._tries) and not self._closing
            self._waiting, self._under_way = self._under_way + self._waiting, []
            self._since = time.monotonic()
            if not again:
                self._void(dict.fromkeys(self._channels, message.rstrip(".")))
                self._tries = 0
            self._changed.notify_all()
        _LOGGER.warning("Rows were not written: %s", message, exc_info=not again)
        return again

    def _void(self, reasons: dict[tuple[str, int], str]) -> None:
        for handle, reason in reasons.items():
            channel = self._channels.pop(handle, None)
            if channel is not None:
                channel.void = reason
        dropped = sum(each.size for each in self._waiting if each.handle in reasons)
        self._waiting = [each for each in self._waiting if each.handle not in reasons]
        self._bytes -= dropped
        self._changed.notify_all()


def _may_pass(error: Exception, tries: int) -> bool:
    """Tell whether the same rows may be written later: the catalog is away, the disk is full."""
    if isinstance(error, CatalogError | TransactionError | OSError):
        return True
    return not isinstance(error, IcemeltError) and tries < _TRIES
