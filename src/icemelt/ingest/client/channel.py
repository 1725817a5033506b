"""A channel in the hands of its writer: a named, ordered writer of one table."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import tenacity

from icemelt.errors import IcemeltError
from icemelt.ingest.answers import Answer, Append, ChannelStatus, OnError
from icemelt.ingest.client.tokens import validate_token
from icemelt.ingest.client.transport import ChannelName, FlushOutcome, Link, Transport
from icemelt.ingest.errors import ChannelInvalid, IngestBusy, IngestError
from icemelt.ingest.rows.rows import to_arrow

__all__ = ["COMMIT_PAUSE", "Channel", "ChannelOptions", "require_same_process"]

_PAUSE, _LONGEST_PAUSE = 0.02, 1.0
# rows wait for a second by default: ten checks are enough
COMMIT_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """A channel's options for bad rows and a busy server, and the number of the last append."""

    on_error: OnError
    patience: float
    row_sequencer: int


class Channel:
    """A named, ordered writer of one table; `StreamingIngestClient.open_channel` opens a channel.

    Rows become visible together with their offset token. Every append is committed exactly once.
    The calls of one channel come one at a time: use one channel for each thread.
    """

    def __init__(
        self, name: ChannelName, link: Link, transport: Transport[Any], handling: ChannelOptions
    ) -> None:
        self._name = name
        self._link = link
        self._transport = transport
        self._on_error = handling.on_error
        # while too many rows wait, appends wait, too
        self._retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(IngestBusy),
            wait=tenacity.wait_exponential(multiplier=_PAUSE, max=_LONGEST_PAUSE),
            stop=tenacity.stop_before_delay(handling.patience),
            reraise=True,
        )
        self._number = handling.row_sequencer
        self._closed = False
        self._is_told = False
        self._is_in_doubt = self._is_abandoned = False
        self._process_id = os.getpid()
        self._turn = threading.RLock()

    @property
    def channel_name(self) -> str:
        """The channel's name."""
        return self._name.name

    @property
    def columns_with_default(self) -> frozenset[str]:
        """The names of the table's columns with a default, folded: rows may leave these out."""
        return self._link.defaulted

    @property
    def is_closed(self) -> bool:
        """Whether the channel was closed; a channel may be invalid without being closed."""
        return self._closed

    def append_row(self, row: Mapping[str, Any], offset_token: str | None = None) -> Answer:
        """Append one row; appending many rows at once is far cheaper.

        `row` has values by column name; a column missing from `row` has its default, or NULL.

        Raises:
            RowsRefused: the row is bad, and on_error is ABORT.
            ChannelInvalid: the channel was opened elsewhere or dropped, or its table altered.
            IngestBusy: too many rows waited for too long.
        """
        return self.append_rows([row], end_offset_token=offset_token)

    def append_rows(
        self,
        rows: Iterable[Mapping[str, Any]] | Any,
        start_offset_token: str | None = None,
        end_offset_token: str | None = None,
    ) -> Answer:
        """Append rows, in order: mappings, an Arrow batch or table, or a pandas data frame.

        The answer has the number of rows taken and the errors of the refused rows.

        Args:
            rows: the rows; a column missing from a mapping has its default, or NULL.
            start_offset_token: the offset token of the first row, for error messages.
            end_offset_token: the offset token to commit with the last row. Without rows the token
                is committed alone. None leaves the last committed token.

        Raises:
            RowsRefused: a row is bad, and on_error is ABORT; no row was taken.
            ChannelInvalid: the channel was opened elsewhere or dropped, or its table altered.
            IngestBusy: too many rows waited for too long.
        """
        with self._turn:
            self._require_open()
            tokens = (start_offset_token, end_offset_token)
            for token in tokens:
                validate_token(token)
            given = to_arrow(rows, self.columns_with_default)
            append = Append(self._number + 1, given, *tokens, self._on_error)
            with self._telling(), self._certain():
                answer: Answer = self._retrying(self._link.append, append)
                self._number += 1
            return answer

    def get_latest_committed_offset_token(self) -> str | None:
        """Return the last committed offset token, the only truth; None if there is none."""
        require_same_process(self._process_id)
        return self._transport.committed_tokens([self._name])[0]

    def get_channel_status(self) -> ChannelStatus:
        """Return how far the channel is."""
        require_same_process(self._process_id)
        return self._link.status()

    def initiate_flush(self) -> None:
        """Have the waiting rows written at once, without waiting for the write."""
        self._require_open()
        self._transport.request_flush([self._link])

    def wait_for_flush(self, timeout_seconds: float | None = None) -> None:
        """Wait until the appended rows are written and committed.

        Raises:
            IngestBusy: the commit takes longer than the timeout.
            ChannelInvalid: some of the rows never will be committed.
        """
        self._require_open()
        [flushed] = self._transport.flush([self._link], timeout_seconds)
        self._check(flushed, timeout_seconds)

    def wait_for_commit(
        self,
        token_checker: Callable[[str | None], bool],
        timeout_seconds: float | None = None,
    ) -> None:
        """Wait until a committed offset token satisfies the checker.

        Raises:
            IngestBusy: the commit takes longer than the timeout.
            ChannelInvalid: the channel commits nothing any more.
        """
        began = time.monotonic()
        while not self._has_committed(token_checker, timeout_seconds, began):
            # the token is in the registry, which sends no events
            time.sleep(COMMIT_PAUSE)

    def _has_committed(
        self,
        token_checker: Callable[[str | None], bool],
        timeout_seconds: float | None,
        began: float,
    ) -> bool:
        """Check once whether a committed offset token satisfies the checker.

        Raises:
            IngestBusy: the timeout is over.
            ChannelInvalid: the channel commits nothing any more.
        """
        if token_checker(self.get_latest_committed_offset_token()):
            return True
        with self._telling():
            self._link.status().refuse_invalid()
        if timeout_seconds is not None and time.monotonic() - began > timeout_seconds:
            raise IngestBusy(
                f"Channel {self.channel_name!r} did not commit what was waited for within "
                f"{timeout_seconds:g} seconds.",
                hint="Wait again; get_channel_status() tells what keeps it.",
            )
        return False

    def close(self, drop: bool = False) -> None:  # noqa: FBT001, FBT002 - the SDK's own
        """Commit the waiting rows, and close the channel; `drop` forgets channel and offset token.

        Raises:
            ChannelInvalid: uncommitted rows were discarded, and no call has said so yet.
        """
        require_same_process(self._process_id)
        with self._turn:
            if self._closed:
                return
            try:
                self._link.close(drop=drop)
            except ChannelInvalid:
                self._closed = True
                if not self._is_told:
                    raise
            self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _check(self, flushed: FlushOutcome, timeout_seconds: float | None) -> None:
        """Raise the error of a flush that has not written all rows."""
        with self._telling():
            if isinstance(flushed, ChannelInvalid):
                raise flushed
        if not flushed:
            raise IngestBusy(
                f"What channel {self.channel_name!r} was given was not written within "
                f"{timeout_seconds:g} seconds.",
                hint="Wait again; get_channel_status() tells what keeps it.",
            )

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Remember that the caller has seen the error of an invalid channel."""
        try:
            yield
        except ChannelInvalid:
            self._is_told = True
            raise

    @contextlib.contextmanager
    def _certain(self) -> Iterator[None]:
        """Refuse an append after an append with an unknown outcome.

        An error of icemelt says that the rows were not taken. Any other exception, as Ctrl-C,
        leaves the outcome unknown.
        """
        if self._is_in_doubt or self._is_abandoned:
            raise ChannelInvalid(
                f"An append to channel {self.channel_name!r} was interrupted; whether it was "
                "taken is not known.",
                hint="Open the channel again, and send what comes after its committed token.",
            )
        self._is_in_doubt = True
        try:
            yield
        except IcemeltError:
            self._is_in_doubt = False
            raise
        self._is_in_doubt = False

    def _end(self) -> None:
        """Close the channel with its client: nobody will try to close the channel again."""
        try:
            self.close()
        finally:
            self._closed = True

    def _abandon(self) -> None:
        """Take no more appends: nobody will hear the outcome of the append under way."""
        self._is_abandoned = True

    def _require_open(self) -> None:
        require_same_process(self._process_id)
        if self._closed:
            raise IngestError(
                f"Channel {self.channel_name!r} is closed.", hint="client.open_channel(…)"
            )


def require_same_process(process_id: int) -> None:
    """Refuse to run in a forked process, which has none of the client's threads.

    Rows of two processes under one handle would be taken for rows of one writer.

    Raises:
        IngestError: this process was forked from the process with the id `process_id`.
    """
    if os.getpid() != process_id:
        raise IngestError(
            "The client was made before this process was forked from another one.",
            hint="Make the client, and open channels of its own, in the process that uses them.",
        )
