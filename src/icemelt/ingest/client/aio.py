"""The client of row ingestion for asyncio: the calls of the blocking client, awaited."""

from __future__ import annotations

import abc
import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

from icemelt.ingest.answers import Answer, ChannelStatus, OnError
from icemelt.ingest.client.channel import COMMIT_PAUSE, Channel
from icemelt.ingest.client.client import StreamingIngestClient
from icemelt.ingest.client.transport import ChannelName

__all__ = ["AsyncChannel", "AsyncStreamingIngestClient"]

# threads for quick calls, and for calls that wait for the server: appends go on meanwhile
_THREADS, _WAITING_THREADS = 32, 32
_T = TypeVar("_T")


class _Threads:
    def __init__(self) -> None:
        self.quick = ThreadPoolExecutor(_THREADS, thread_name_prefix="icemelt-ingest")
        self.waiting = ThreadPoolExecutor(_WAITING_THREADS, thread_name_prefix="icemelt-wait")

    def close(self) -> None:
        """Let idle threads end."""
        self.quick.shutdown(wait=False)
        self.waiting.shutdown(wait=False)


class _Awaited(abc.ABC):
    """Runs blocking calls in threads, and closes at the end of an `async with` block."""

    def __init__(self, threads: _Threads) -> None:
        self._threads = threads

    @abc.abstractmethod
    async def close(self) -> None:
        """Release the threads and connections."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _call(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads.quick, work)

    async def _wait(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads.waiting, work)


class AsyncChannel(_Awaited):
    """A channel with awaited calls; the calls take effect in the order of their making.

    If an append is cancelled, by a timeout for example, nobody knows whether the server took the
    rows. The channel takes no more rows then, and has to be opened again.
    """

    def __init__(self, channel: Channel, threads: _Threads) -> None:
        super().__init__(threads)
        self._channel = channel
        self._turn = asyncio.Lock()

    @property
    def channel_name(self) -> str:
        """The channel's name."""
        return self._channel.channel_name

    @property
    def is_closed(self) -> bool:
        """Whether the channel was closed; a channel may be invalid without being closed."""
        return self._channel.is_closed

    async def append_row(self, row: Mapping[str, Any], offset_token: str | None = None) -> Answer:
        """Append one row, as `Channel.append_row`."""
        return await self.append_rows([row], end_offset_token=offset_token)

    async def append_rows(
        self,
        rows: Iterable[Mapping[str, Any]] | Any,
        start_offset_token: str | None = None,
        end_offset_token: str | None = None,
    ) -> Answer:
        """Append rows, as `Channel.append_rows`.

        Args:
            rows: mappings, an Arrow batch or table, or a pandas data frame.
            start_offset_token: the offset token of the first row, for error messages.
            end_offset_token: the offset token to commit with the last row.
        """
        async with self._turn:
            try:
                return await self._call(
                    lambda: self._channel.append_rows(rows, start_offset_token, end_offset_token)
                )
            except asyncio.CancelledError:
                # the append's thread goes on
                self._channel._abandon()
                raise

    async def get_latest_committed_offset_token(self) -> str | None:
        """Return the last committed offset token, the only truth; None if there is none."""
        return await self._call(self._channel.get_latest_committed_offset_token)

    async def get_channel_status(self) -> ChannelStatus:
        """Return how far the channel is."""
        return await self._call(self._channel.get_channel_status)

    async def initiate_flush(self) -> None:
        """Have the waiting rows written at once, without waiting for the write."""
        await self._wait(self._channel.initiate_flush)

    async def wait_for_flush(self, timeout_seconds: float | None = None) -> None:
        """Wait until the appended rows are committed, as `Channel.wait_for_flush`."""
        async with self._turn:
            await self._wait(lambda: self._channel.wait_for_flush(timeout_seconds))

    async def wait_for_commit(
        self,
        token_checker: Callable[[str | None], bool],
        timeout_seconds: float | None = None,
    ) -> None:
        """Wait until a committed offset token satisfies the checker."""
        began = time.monotonic()
        while not await self._call(  # noqa: ASYNC110 - the server tells of no event
            lambda: self._channel._has_committed(token_checker, timeout_seconds, began)
        ):
            await asyncio.sleep(COMMIT_PAUSE)

    async def close(self, drop: bool = False) -> None:  # noqa: FBT001, FBT002 - as the other's
        """Commit the waiting rows, and close the channel."""
        async with self._turn:
            await self._wait(lambda: self._channel.close(drop))


class AsyncStreamingIngestClient(_Awaited):
    """Opens channels for asyncio; the arguments are the same as for `StreamingIngestClient`.

    >>> async def ingest(url: str, key: str) -> None:
    ...     async with AsyncStreamingIngestClient(url, key) as client:
    ...         channel, status = await client.open_channel("a", "main", "public", "clicks")
    ...         await channel.append_rows([{"page": "/"}], end_offset_token="1")
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._client = StreamingIngestClient(*arguments, **named)
        super().__init__(_Threads())

    async def open_channel(
        self,
        name: str,
        database: str,
        schema: str,
        table: str,
        offset_token: str | None = None,
        on_error: OnError | str = OnError.ABORT,
    ) -> tuple[AsyncChannel, ChannelStatus]:
        """Open a channel of a table, as `StreamingIngestClient.open_channel`.

        Args:
            name: the channel's name; case counts.
            database: the database of the table.
            schema: the schema of the table.
            table: the table's name.
            offset_token: the offset token to start with, in place of the last committed token.
            on_error: the treatment of bad rows.
        """
        channel, status = await self._call(
            lambda: self._client.open_channel(name, database, schema, table, offset_token, on_error)
        )
        return AsyncChannel(channel, self._threads), status

    async def get_latest_committed_offset_tokens(
        self, channels: Sequence[AsyncChannel | ChannelName]
    ) -> list[str | None]:
        """Return the committed offset token of every channel, as the blocking client."""
        names = [
            channel._channel if isinstance(channel, AsyncChannel) else channel
            for channel in channels
        ]
        return await self._call(lambda: self._client.get_latest_committed_offset_tokens(names))

    async def initiate_flush(self) -> None:
        """Have the waiting rows of all channels written at once, without waiting for the write."""
        await self._wait(self._client.initiate_flush)

    async def wait_for_flush(self, timeout_seconds: float | None = None) -> None:
        """Wait until the rows appended to all channels are committed."""
        await self._wait(lambda: self._client.wait_for_flush(timeout_seconds))

    async def drop_channel(self, name: str, database: str, schema: str, table: str) -> bool:
        """Drop a channel and its offset token; return False if there is no channel of the name.

        Args:
            name: the channel's name; case counts.
            database: the database of the table.
            schema: the schema of the table.
            table: the table's name.
        """
        return await self._call(lambda: self._client.drop_channel(name, database, schema, table))

    async def close(self) -> None:
        """Close all channels: the waiting rows are committed."""
        try:
            await self._wait(self._client.close)
        finally:
            self._threads.close()
