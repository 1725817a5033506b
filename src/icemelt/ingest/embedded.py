"""The transport of a client that is in the ingestor's own process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.ingestor import Ingestor, refuse_given_up
from icemelt.ingest.open_channel import OpenChannel
from icemelt.ingest.transport import ChannelName, Link

__all__ = ["EmbeddedTransport"]


@dataclass(frozen=True, slots=True)
class _EmbeddedLink:
    ingestor: Ingestor
    channel: OpenChannel

    def append(self, append: Append) -> Answer:
        return self.ingestor.append(self.channel, append)

    def status(self) -> ChannelStatus:
        return self.ingestor.status(self.channel)

    def flush(self, timeout: float | None) -> bool:
        return self.ingestor.flush(self.channel, timeout)

    def ask(self) -> None:
        self.ingestor.ask(self.channel)

    def close(self, *, drop: bool) -> None:
        self.ingestor.close_channel(self.channel, drop=drop, timeout=self.ingestor.limits.grace)


@dataclass(frozen=True, slots=True)
class EmbeddedTransport:
    """Calls an ingestor, which ends with it."""

    ingestor: Ingestor
    owner: str

    def open(self, channel: ChannelName, offset_token: str | None) -> Link:
        """Open a channel."""
        opened = self.ingestor.open(channel.table, channel.name, self.owner, offset_token)
        return _EmbeddedLink(self.ingestor, opened)

    def committed(self, channels: Sequence[ChannelName]) -> list[str | None]:
        """Return the committed offset token of each channel."""
        found = self.ingestor.committed([(each.table, each.name) for each in channels])
        records = [found.get((each.table, each.name)) for each in channels]
        return [None if record is None else record.offset_token for record in records]

    def drop(self, channel: ChannelName) -> bool:
        """Drop a channel blindly."""
        return self.ingestor.drop(channel.table, channel.name)

    def close(self) -> None:
        """Commit what waits, and end the ingestor.

        Raises:
            ChannelInvalid: some of it cannot be committed.
        """
        refuse_given_up(self.ingestor.close())
