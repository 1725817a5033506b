"""How a client reaches an ingestor: in its own process, or over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.names import TableName

__all__ = ["ChannelName", "Link", "Transport"]


@dataclass(frozen=True, slots=True)
class ChannelName:
    """A channel by its name, whose case counts, and its table."""

    table: TableName
    name: str


class Link(Protocol):
    """An open channel as a transport reaches it."""

    def append(self, append: Append) -> Answer:
        """Hand over the rows of an append."""

    def status(self) -> ChannelStatus:
        """Return how far the channel is."""

    def flush(self, timeout: float | None) -> bool:
        """Have what waits committed; False where that takes too many seconds."""

    def ask(self) -> None:
        """Have what waits written at once, and do not wait for it."""

    def close(self, *, drop: bool) -> None:
        """Commit what waits, and close the channel."""


class Transport(Protocol):
    """How a client reaches an ingestor."""

    def open(self, channel: ChannelName, offset_token: str | None) -> Link:
        """Open a channel."""

    def committed(self, channels: Sequence[ChannelName]) -> list[str | None]:
        """Return the committed offset token of each; None for none, and for no such channel."""

    def drop(self, channel: ChannelName) -> bool:
        """Drop a channel blindly; False where there is none."""

    def close(self) -> None:
        """Give back what it holds."""
