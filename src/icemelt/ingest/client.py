"""The client of row ingestion, in the names of Snowflake's Snowpipe Streaming SDK for Python.

It reaches an ingestor through a `Transport`: one in this process, or a server's.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import tenacity

from icemelt.errors import IcemeltError, ParameterError
from icemelt.ingest.answers import Answer, Append, ChannelStatus, OnError
from icemelt.ingest.errors import ChannelInvalid, IngestBusy, IngestError
from icemelt.ingest.rows import to_arrow
from icemelt.ingest.tokens import refuse_bad_token
from icemelt.ingest.transport import ChannelName, Flushed, Link, Transport
from icemelt.names import TableName

__all__ = ["Channel", "StreamingIngestClient"]

_PAUSE, _LONGEST_PAUSE = 0.02, 1.0
# rows wait a second by themselves: to ask ten times is enough
_COMMIT_PAUSE = 0.1
# where `icemelt serve` listens by itself
_URL = "http://127.0.0.1:8787"


@dataclass(frozen=True, slots=True)
class _Handling:
    on_error: OnError
    patience: float
    row_sequencer: int


class Channel:
    """A named, ordered writer of one table; `StreamingIngestClient.open_channel` opens it.

    Rows become visible together with their offset token, each append exactly once. Calls of one
    channel come one at a time: use a channel for each thread.
    """

    def __init__(
        self, name: ChannelName, link: Link, transport: Transport[Any], handling: _Handling
    ) -> None:
        self._name = name
        self._link = link
        self._transport = transport
        self._on_error = handling.on_error
        # where too many rows wait, appends wait too
        self._retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(IngestBusy),
            wait=tenacity.wait_exponential(multiplier=_PAUSE, max=_LONGEST_PAUSE),
            stop=tenacity.stop_before_delay(handling.patience),
            reraise=True,
        )
        self._number = handling.row_sequencer
        self._closed = False
        self._is_told = False
        self._is_in_doubt = False
        self._turn = threading.RLock()

    @property
    def channel_name(self) -> str:
        """The channel's name."""
        return self._name.name

    @property
    def is_closed(self) -> bool:
        """Whether it was closed; one that is merely invalid is not."""
        return self._closed

    def append_row(self, row: Mapping[str, Any], offset_token: str | None = None) -> Answer:
        """Append one row; many at once are far cheaper.

        `row` has values by column name; a column that it leaves out is NULL.

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

        `end_offset_token` is committed with the last of them; without rows it is committed alone,
        and None leaves the last one. `start_offset_token` is that of the first row, for the errors.
        The answer has the rows that were taken and the errors of the others.

        Raises:
            RowsRefused: a row is bad, and on_error is ABORT; none was taken.
            ChannelInvalid: the channel was opened elsewhere or dropped, or its table altered.
            IngestBusy: too many rows waited for too long.
        """
        with self._turn:
            self._refuse_closed()
            tokens = (start_offset_token, end_offset_token)
            for token in tokens:
                refuse_bad_token(token)
            append = Append(self._number + 1, to_arrow(rows), *tokens, self._on_error)
            with self._telling(), self._certain():
                answer: Answer = self._retrying(self._link.append, append)
                self._number += 1
            return answer

    def get_latest_committed_offset_token(self) -> str | None:
        """Return the offset token that was committed last, None for none: the only truth."""
        return self._transport.committed([self._name])[0]

    def get_channel_status(self) -> ChannelStatus:
        """Return how far the channel is."""
        return self._link.status()

    def initiate_flush(self) -> None:
        """Have what waits written at once, and do not wait for it."""
        self._refuse_closed()
        self._transport.ask([self._link])

    def wait_for_flush(self, timeout_seconds: float | None = None) -> None:
        """Wait until what was appended is written, and with it committed.

        Raises:
            IngestBusy: that takes longer than the timeout.
            ChannelInvalid: some of it never will be.
        """
        self._refuse_closed()
        [flushed] = self._transport.flush([self._link], timeout_seconds)
        self._check(flushed, timeout_seconds)

    def wait_for_commit(
        self,
        token_checker: Callable[[str | None], bool],
        timeout_seconds: float | None = None,
    ) -> None:
        """Wait until a committed offset token satisfies the checker.

        Raises:
            IngestBusy: that takes longer than the timeout.
            ChannelInvalid: the channel commits nothing any more.
        """
        ends = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        while not token_checker(self.get_latest_committed_offset_token()):
            with self._telling():
                self._link.status().refuse_invalid()
            if ends is not None and time.monotonic() > ends:
                raise IngestBusy(
                    f"Channel {self.channel_name!r} did not commit what was waited for within "
                    f"{timeout_seconds:g} seconds.",
                    hint="Wait again; get_channel_status() tells what keeps it.",
                )
            time.sleep(_COMMIT_PAUSE)

    def close(self, drop: bool = False) -> None:  # noqa: FBT001, FBT002 - the SDK's own
        """Commit what waits, and close the channel; `drop` forgets it and its offset token.

        Raises:
            ChannelInvalid: what it had not committed was discarded, and no call has said so yet.
        """
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

    def _check(self, flushed: Flushed, timeout_seconds: float | None) -> None:
        """Raise the error of what was not written."""
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
        """Remember that the caller is told of an invalid channel."""
        try:
            yield
        except ChannelInvalid:
            self._is_told = True
            raise

    @contextlib.contextmanager
    def _certain(self) -> Iterator[None]:
        """Let no append follow one of which it is not known whether it was taken.

        An error of ours says that it was not; what comes from elsewhere, as Ctrl-C, does not.
        """
        if self._is_in_doubt:
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

    def _refuse_closed(self) -> None:
        if self._closed:
            raise IngestError(
                f"Channel {self.channel_name!r} is closed.", hint="client.open_channel(…)"
            )


class StreamingIngestClient:
    """Opens channels, and knows how far they are committed.

    It reaches a server at a URL with a key (`icemelt serve`, `icemelt keys create`);
    `session.ingest_client()` gives one of the lake that is open in this process. Rows of all its
    channels are sent together by a thread; up to `buffer_bytes` of them wait here, then appends
    do. While the server is busy or does not answer, calls are repeated for up to `patience`
    seconds; rows are kept and sent for as long as the client is open.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        patience: float = 60.0,
        buffer_bytes: int = 64 << 20,
        transport: Transport[Any] | None = None,
    ) -> None:
        if transport is None:
            # who is in the ingestor's process needs no HTTP
            from icemelt.ingest.http import HttpTransport  # noqa: PLC0415

            transport = HttpTransport(url or _URL, token, patience, buffer_bytes)
        self._transport: Transport[Any] = transport
        self._patience = patience
        self._channels: dict[ChannelName, Channel] = {}

    def open_channel(
        self,
        name: str,
        database: str,
        schema: str,
        table: str,
        offset_token: str | None = None,
        on_error: OnError | str = OnError.ABORT,
    ) -> tuple[Channel, ChannelStatus]:
        """Open a channel of a table; go on after the offset token in its status.

        An older handle of it, wherever it is, is invalid from now on, and what that had not
        committed is discarded. `offset_token` replaces the one that was committed last.
        `on_error` is what bad rows do: CONTINUE loads the rest, SKIP_BATCH nothing, ABORT raises.

        Raises:
            ObjectNotFound: there is no such table.
            TableRefused: channels do not write it.
            TooManyChannels: it has as many as it may have.
        """
        full = ChannelName(TableName(database, schema, table), name)
        refuse_bad_token(offset_token)
        mode = _mode(on_error)
        link, status = self._transport.open(full, offset_token)
        handling = _Handling(mode, self._patience, status.row_sequencer)
        channel = Channel(full, link, self._transport, handling)
        # who opens a channel again knows what becomes of its older handle
        self._channels[full] = channel
        return channel, status

    def get_latest_committed_offset_tokens(
        self, channels: Sequence[Channel | ChannelName]
    ) -> list[str | None]:
        """Return the committed offset token of each channel; None for none, or no such channel.

        One that is not open here is given by its name.

        >>> from icemelt.ingest import ChannelName
        >>> from icemelt.names import TableName
        >>> name = ChannelName(TableName("main", "public", "t"), "of another program")
        >>> def committed(client: StreamingIngestClient) -> list[str | None]:
        ...     return client.get_latest_committed_offset_tokens([name])
        """
        return self._transport.committed([_name_of(each) for each in channels])

    def drop_channel(self, name: str, database: str, schema: str, table: str) -> bool:
        """Drop a channel and its offset token; what waits of it is discarded. False for none."""
        return self._transport.drop(ChannelName(TableName(database, schema, table), name))

    def initiate_flush(self) -> None:
        """Have what waits of all channels written at once, and do not wait for it."""
        self._transport.ask([channel._link for channel in self._open()])

    def wait_for_flush(self, timeout_seconds: float | None = None) -> None:
        """Wait until what was appended to all channels is committed.

        Raises:
            IngestBusy: that takes longer than the timeout.
            ChannelInvalid: some of it never will be.
        """
        channels = self._open()
        outcomes = self._transport.flush([each._link for each in channels], timeout_seconds)
        for channel, flushed in zip(channels, outcomes, strict=True):
            channel._check(flushed, timeout_seconds)

    def _open(self) -> list[Channel]:
        return [channel for channel in self._channels.values() if not channel.is_closed]

    def close(self) -> None:
        """Close all channels: what waits is committed.

        Raises:
            ChannelInvalid: what one had not committed was discarded; the others are closed.
        """
        failed: list[IcemeltError] = []
        for close in (
            *(channel.close for channel in self._channels.values()),
            self._transport.close,
        ):
            try:
                close()
            except IcemeltError as error:
                failed.append(error)
        self._channels.clear()
        if failed:
            raise failed[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _name_of(channel: Channel | ChannelName) -> ChannelName:
    if isinstance(channel, Channel):
        return channel._name
    if isinstance(channel, ChannelName):
        return channel
    raise ParameterError(
        f"A channel, or its name with its table, is asked for, found {channel!r}.",
        hint='ChannelName(TableName("main", "public", "t"), "name")',
    )


def _mode(given: OnError | str) -> OnError:
    try:
        return given if isinstance(given, OnError) else OnError(str(given).upper())
    except ValueError as error:
        modes = ", ".join(mode.value for mode in OnError)
        raise ParameterError(
            f"on_error is one of {modes}, found {given!r}.", hint="on_error='CONTINUE'"
        ) from error
