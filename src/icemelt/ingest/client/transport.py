"""How a client reaches an ingestor: in its own process, or over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.errors import ChannelInvalid
from icemelt.names import QualifiedName

__all__ = ["ChannelName", "FlushOutcome", "Link", "Transport"]

# whether all appended rows are committed, or why some never will be
FlushOutcome = bool | ChannelInvalid


@dataclass(frozen=True, slots=True)
class ChannelName:
    """A channel's name, with case, and the name of the channel's table."""

    table: QualifiedName
    name: str


class Link(Protocol):
    """An open channel as a transport reaches the channel."""

    @property
    def defaulted(self) -> frozenset[str]:
        """The folded names of the table's columns with a default."""

    def append(self, append: Append) -> Answer:
        """Hand over the rows of an append."""

    def status(self) -> ChannelStatus:
        """Return how far the channel is."""

    def close(self, *, drop: bool) -> None:
        """Commit the waiting rows, and close the channel."""


_Link = TypeVar("_Link", bound=Link)


class Transport(Protocol[_Link]):
    """The way from a client to an ingestor."""

    def open(self, channel: ChannelName, offset_token: str | None) -> tuple[_Link, ChannelStatus]:
        """Open a channel; return the link and how far the channel is."""

    def flush(self, links: Sequence[_Link], timeout: float | None) -> list[FlushOutcome]:
        """Have the waiting rows of channels committed; False after `timeout` seconds."""

    def request_flush(self, links: Sequence[_Link]) -> None:
        """Have the waiting rows of channels written at once, without waiting for the write."""

    def committed_tokens(self, channels: Sequence[ChannelName]) -> list[str | None]:
        """Return the committed offset token of every channel; None for no token or no channel."""

    def drop(self, channel: ChannelName) -> bool:
        """Commit the waiting rows of a channel, and drop the channel; False for no channel."""

    def close(self) -> None:
        """Release the connections."""
