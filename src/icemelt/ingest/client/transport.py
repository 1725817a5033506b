"""How a client reaches an ingestor: in its own process, or over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.errors import ChannelInvalid
from icemelt.names import TableName

__all__ = ["ChannelName", "Flushed", "Link", "Transport"]

# whether all that was appended is committed, or why some of it never will be
Flushed = bool | ChannelInvalid


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

    def close(self, *, drop: bool) -> None:
        """Commit what waits, and close the channel."""


_Link = TypeVar("_Link", bound=Link)


class Transport(Protocol[_Link]):
    """How a client reaches an ingestor."""

    def open(self, channel: ChannelName, offset_token: str | None) -> tuple[_Link, ChannelStatus]:
        """Open a channel; tell how far it is."""

    def flush(self, links: Sequence[_Link], timeout: float | None) -> list[Flushed]:
        """Have what waits of channels committed; False where that takes too many seconds."""

    def ask(self, links: Sequence[_Link]) -> None:
        """Have what waits of channels written at once, and do not wait for it."""

    def committed(self, channels: Sequence[ChannelName]) -> list[str | None]:
        """Return the committed offset token of each; None for none, and for no such channel."""

    def drop(self, channel: ChannelName) -> bool:
        """Drop a channel, and commit what waits of it; False where there is none."""

    def close(self) -> None:
        """Give back what it holds."""
