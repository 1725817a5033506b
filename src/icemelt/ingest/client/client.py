"""The client of row ingestion, in the names of Snowflake's Snowpipe Streaming SDK for Python.

The client reaches an ingestor through a `Transport`: inside the process, or over HTTP.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from icemelt.errors import IcemeltError, ParameterError
from icemelt.ingest.answers import ChannelStatus, OnError
from icemelt.ingest.client.channel import Channel, ChannelOptions, require_same_process
from icemelt.ingest.client.tokens import validate_token
from icemelt.ingest.client.transport import ChannelName, Transport
from icemelt.names import QualifiedName

__all__ = ["StreamingIngestClient"]

# the default address of `icemelt serve`
_URL = "http://127.0.0.1:8787"


class StreamingIngestClient:
    """Opens channels, and knows how far channels are committed.

    The client reaches a server at a URL with a key (`icemelt serve`, `icemelt keys create`).
    `session.ingest_client()` returns a client for the lake open in this process. One thread sends
    the rows of all channels together. Up to `buffer_bytes` of rows wait in the client; further
    appends then wait. While the server is busy or does not answer, calls are repeated for up to
    `patience` seconds; rows are kept and sent for as long as the client is open. Threads may share
    a client; processes forked from the client's process may not.
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
            # a client in the ingestor's process needs no HTTP
            from icemelt.ingest.client.http import HttpTransport  # noqa: PLC0415

            transport = HttpTransport(url or _URL, token, patience, buffer_bytes)
        self._process_id = os.getpid()
        self._inner: Transport[Any] = transport
        self._patience = patience
        self._channels: dict[ChannelName, Channel] = {}

    @property
    def _transport(self) -> Transport[Any]:
        require_same_process(self._process_id)
        return self._inner

    def open_channel(
        self,
        name: str,
        database: str,
        schema: str,
        table: str,
        offset_token: str | None = None,
        on_error: OnError | str = OnError.ABORT,
    ) -> tuple[Channel, ChannelStatus]:
        """Open a channel of a table; go on after the offset token in the returned status.

        An older handle of the channel, in any process, is invalid from now on; uncommitted rows of
        the older handle are discarded.

        Args:
            name: the channel's name; case counts.
            database: the database of the table.
            schema: the schema of the table.
            table: the table's name.
            offset_token: the offset token to start with, in place of the last committed token.
            on_error: the treatment of bad rows: CONTINUE loads the good rows, SKIP_BATCH loads no
                row of the append, ABORT raises an error.

        Raises:
            ObjectNotFound: there is no table of the name.
            TableRefused: channels do not write tables of this kind.
            TooManyChannels: the table has as many channels as are allowed.
        """
        full = ChannelName(QualifiedName(database, schema, table), name)
        validate_token(offset_token)
        mode = _mode(on_error)
        link, status = self._transport.open(full, offset_token)
        handling = ChannelOptions(mode, self._patience, status.row_sequencer)
        channel = Channel(full, link, self._transport, handling)
        # the client forgets the channel's older handle: the new opening has ended it
        self._channels[full] = channel
        return channel, status

    def get_latest_committed_offset_tokens(
        self, channels: Sequence[Channel | ChannelName]
    ) -> list[str | None]:
        """Return the committed offset token of every channel; None for no token or no channel.

        A channel of another program is given by its name.

        >>> from icemelt.ingest import ChannelName
        >>> from icemelt.names import QualifiedName
        >>> name = ChannelName(QualifiedName("main", "public", "t"), "of another program")
        >>> def committed(client: StreamingIngestClient) -> list[str | None]:
        ...     return client.get_latest_committed_offset_tokens([name])
        """
        return self._transport.committed_tokens([_name_of(channel) for channel in channels])

    def drop_channel(self, name: str, database: str, schema: str, table: str) -> bool:
        """Commit the waiting rows of a channel, and drop the channel with its offset token.

        Args:
            name: the channel's name; case counts.
            database: the database of the table.
            schema: the schema of the table.
            table: the table's name.

        Returns:
            False if there is no channel of the name.
        """
        return self._transport.drop(ChannelName(QualifiedName(database, schema, table), name))

    def initiate_flush(self) -> None:
        """Have the waiting rows of all channels written at once, without waiting for the write."""
        self._transport.request_flush([channel._link for channel in self._open()])

    def wait_for_flush(self, timeout_seconds: float | None = None) -> None:
        """Wait until the rows appended to all channels are committed.

        Raises:
            IngestBusy: the commit takes longer than the timeout.
            ChannelInvalid: some of the rows never will be committed.
        """
        channels = self._open()
        outcomes = self._transport.flush([channel._link for channel in channels], timeout_seconds)
        for channel, flushed in zip(channels, outcomes, strict=True):
            channel._check(flushed, timeout_seconds)

    def _open(self) -> list[Channel]:
        return [channel for channel in self._channels.values() if not channel.is_closed]

    def close(self) -> None:
        """Close all channels, whatever happens to one channel: the waiting rows are committed.

        Raises:
            ChannelInvalid: uncommitted rows of a channel were discarded.
            IngestBusy: rows taken by the server are not committed yet.
            ServerAway: the server did not take all rows; the unsent rows were discarded.
        """
        last = self._transport.close
        failed: list[IcemeltError] = []
        for close in (*(channel._end for channel in self._channels.values()), last):
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
        hint='ChannelName(QualifiedName("main", "public", "t"), "name")',
    )


def _mode(on_error: OnError | str) -> OnError:
    try:
        return on_error if isinstance(on_error, OnError) else OnError(str(on_error).upper())
    except ValueError as error:
        modes = ", ".join(mode.value for mode in OnError)
        raise ParameterError(
            f"on_error is one of {modes}, found {on_error!r}.", hint="on_error='CONTINUE'"
        ) from error
