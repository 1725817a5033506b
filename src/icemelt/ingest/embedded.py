"""The transport of a client in the ingestor's own process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.client.transport import ChannelName, FlushOutcome
from icemelt.ingest.errors import ChannelInvalid
from icemelt.ingest.left_out import find_defaulted
from icemelt.ingest.writer.failures import require_all_committed
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.ingest.writer.table_writer import OpenChannel

__all__ = ["EmbeddedTransport"]


@dataclass(frozen=True, slots=True)
class _EmbeddedLink:
    ingestor: Ingestor
    channel: OpenChannel
    defaulted: frozenset[str]

    def append(self, append: Append) -> Answer:
        return self.ingestor.append(self.channel, append)

    def status(self) -> ChannelStatus:
        return self.ingestor.status(self.channel)

    def close(self, *, drop: bool) -> None:
        self.ingestor.close_channel(self.channel, drop=drop, timeout=self.ingestor.limits.grace)


@dataclass(frozen=True, slots=True)
class EmbeddedTransport:
    """Calls an ingestor in the same process; closing the transport ends the ingestor."""

    ingestor: Ingestor
    owner: str

    def open(
        self, channel: ChannelName, offset_token: str | None
    ) -> tuple[_EmbeddedLink, ChannelStatus]:
        """Open a channel; return the link and how far the channel is."""
        opened = self.ingestor.open(channel.table, channel.name, self.owner, offset_token)
        link = _EmbeddedLink(self.ingestor, opened, find_defaulted(opened.target.columns))
        return link, link.status()

    def flush(self, links: Sequence[_EmbeddedLink], timeout: float | None) -> list[FlushOutcome]:
        """Commit the waiting rows of channels at once, and wait for up to `timeout` seconds."""
        self.request_flush(links)
        ends = None if timeout is None else time.monotonic() + timeout
        outcomes: list[FlushOutcome] = []
        for link in links:
            left = None if ends is None else max(0.0, ends - time.monotonic())
            try:
                last = link.channel.last_taken
                outcomes.append(self.ingestor.is_committed(link.channel, last, left))
            except ChannelInvalid as error:
                outcomes.append(error)
        return outcomes

    def request_flush(self, links: Sequence[_EmbeddedLink]) -> None:
        """Have the waiting rows of channels written at once."""
        for link in links:
            link.channel.writer.request_flush()

    def committed_tokens(self, channels: Sequence[ChannelName]) -> list[str | None]:
        """Return the committed offset token of every channel."""
        records_by_name = self.ingestor.find_records(
            [(channel.table, channel.name) for channel in channels]
        )
        records = [records_by_name.get((channel.table, channel.name)) for channel in channels]
        return [None if record is None else record.offset_token for record in records]

    def drop(self, channel: ChannelName) -> bool:
        """Drop a channel, whoever opened it; rows waiting in this process are committed."""
        found_channel = self.ingestor.find(channel.table, channel.name)
        return found_channel is not None and self.ingestor.drop(
            *found_channel, self.ingestor.limits.grace
        )

    def close(self) -> None:
        """Commit the waiting rows, and end the ingestor.

        Raises:
            ChannelInvalid: some rows cannot be committed.
        """
        require_all_committed(self.ingestor.close())
