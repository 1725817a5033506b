"""The channels open in this process, with a bound for each owner, and the channels that ended.

A channel of which nothing waits may be closed in favor of another channel of the same owner: a
client that went away without closing its channels must not keep its key out for ever.

Example: a key may have channels of two tables, and opens a channel of a third table.

    table    last append     nothing waits   outcome
    clicks   an hour ago     yes             its channels are closed
    orders   a second ago    yes             stays: used within the last five minutes
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from icemelt.ingest.errors import OPENED_AGAIN, TooManyChannels
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.ingest.writer.table_writer import OpenChannel

__all__ = ["OpenChannels"]

# the most ended channels kept, and their most bytes: a token may have 16 KiB
_ENDED, _ENDED_BYTES = 10_000, 32 << 20
_CLOSED_FOR_OTHERS = "it was idle, and its key has opened others, as many as it may have"


@dataclass(slots=True)
class OpenChannels:
    """The open channels by id and by owner; the caller holds a lock during every call."""

    _open: dict[str, OpenChannel] = field(default_factory=dict)
    _by_owner: dict[str, dict[str, OpenChannel]] = field(default_factory=dict)
    # the number of channels of an owner, by table id
    _tables: dict[str, Counter[str]] = field(default_factory=dict)
    _ended: OrderedDict[tuple[str, int], tuple[OpenChannel, int]] = field(
        default_factory=OrderedDict
    )
    _ended_bytes: int = 0

    def __len__(self) -> int:
        """The number of open channels."""
        return len(self._open)

    @property
    def owners(self) -> frozenset[str]:
        """The owners of open channels."""
        return frozenset(self._by_owner)

    def of_owner(self, owner: str) -> list[OpenChannel]:
        """Return the open channels of an owner, oldest first."""
        return list(self._by_owner.get(owner, {}).values())

    def all(self) -> list[OpenChannel]:
        """Return all open channels."""
        return list(self._open.values())

    def get(self, channel_id: str) -> OpenChannel | None:
        """Return the open channel with an id."""
        return self._open.get(channel_id)

    def find(self, handle: tuple[str, int]) -> OpenChannel | None:
        """Return the channel that is, or was, open under a handle."""
        channel = self._open.get(handle[0])
        if channel is not None and channel.handle == handle:
            return channel
        ended = self._ended.get(handle)
        return None if ended is None else ended[0]

    def add(self, channel: OpenChannel) -> None:
        """Add a channel just opened; of two openings of a channel the newer opening stays."""
        earlier = self._open.get(channel.record.channel_id)
        if earlier is not None and earlier.handle > channel.handle:
            self.set_aside(channel, OPENED_AGAIN)
            return
        if earlier is not None:
            self.set_aside(earlier, OPENED_AGAIN)
        channel_id, owner = channel.record.channel_id, channel.record.owner
        self._open[channel_id] = channel
        self._by_owner.setdefault(owner, {})[channel_id] = channel
        self._tables.setdefault(owner, Counter())[channel.target.table_id] += 1

    def set_aside(self, channel: OpenChannel, reason: str) -> None:
        """Let a channel take no more rows, and keep the last answer for a while."""
        channel.writer.remove(channel, reason)
        channel.keep_last_answer()
        if self._open.get(channel.record.channel_id) is channel:
            self._forget(channel)
        _, before = self._ended.pop(channel.handle, (channel, 0))
        size = channel.kept_bytes
        self._ended[channel.handle] = channel, size
        self._ended_bytes += size - before
        while len(self._ended) > _ENDED or self._ended_bytes > _ENDED_BYTES:
            _, (_, size) = self._ended.popitem(last=False)
            self._ended_bytes -= size

    def end_committed(self, owner: str, reason: str) -> list[OpenChannel]:
        """End the channels of an owner with nothing to commit; return the channels that stay."""
        left = []
        for channel in self.of_owner(owner):
            # an append under way goes on to its end
            if not channel.turn.acquire(blocking=False):
                left.append(channel)
                continue
            try:
                if channel.void_reason is None and channel.has_waiting:
                    left.append(channel)
                else:
                    self.set_aside(channel, channel.void_reason or reason)
            finally:
                channel.turn.release()
        return left

    def require_capacity(self, limits: WriterLimits, owner: str, table_id: str, name: str) -> None:
        """Have room for a channel that an owner is about to open, or raise an error.

        Args:
            limits: how many channels and tables an owner may have, and which channels are idle.
            owner: the owner.
            table_id: the table of the channel.
            name: the name of the channel; a channel that is open needs no more room.

        Raises:
            TooManyChannels: the owner has as many channels, or channels of as many tables, as may
                be, and none of them is idle.
        """
        if not limits.by_owner:
            return
        own, tables = self._by_owner.get(owner, {}), self._tables.get(owner, Counter())
        if len(own) >= limits.most_channels and not self._is_open(owner, table_id, name):
            self._close_idle([[channel] for channel in own.values()], limits, _too_many(len(own)))
        if len(tables) >= limits.most_tables and table_id not in tables:
            by_table: dict[str, list[OpenChannel]] = {}
            for channel in own.values():
                by_table.setdefault(channel.target.table_id, []).append(channel)
            self._close_idle(by_table.values(), limits, _too_many_tables(len(tables)))

    def _is_open(self, owner: str, table_id: str, name: str) -> bool:
        return any(
            (channel.record.table_id, channel.record.name) == (table_id, name)
            for channel in self.of_owner(owner)
        )

    def _close_idle(
        self, groups: Iterable[list[OpenChannel]], limits: WriterLimits, error: TooManyChannels
    ) -> None:
        """Close the idle group of channels that was used longest ago; raise an error for none."""
        since = time.monotonic() - limits.idle
        idle = [group for group in groups if all(channel.is_idle(since) for channel in group)]
        if not idle:
            raise error
        for channel in min(idle, key=lambda group: max(channel.used_at for channel in group)):
            self.set_aside(channel, channel.void_reason or _CLOSED_FOR_OTHERS)

    def _forget(self, channel: OpenChannel) -> None:
        """Remove an open channel from the indexes."""
        channel_id, owner = channel.record.channel_id, channel.record.owner
        del self._open[channel_id], self._by_owner[owner][channel_id]
        tables = self._tables[owner]
        tables[channel.target.table_id] -= 1
        if not tables[channel.target.table_id]:
            del tables[channel.target.table_id]
        if not self._by_owner[owner]:
            del self._by_owner[owner], self._tables[owner]


def _too_many(count: int) -> TooManyChannels:
    return TooManyChannels(
        f"This key has {count:,} open channels, as many as it may have.",
        hint="Close those that are not needed; or icemelt serve --max-channels with more.",
    )


def _too_many_tables(count: int) -> TooManyChannels:
    return TooManyChannels(
        f"This key has open channels of {count:,} tables, as many as it may have.",
        hint="Close those of tables that need none; or icemelt serve --max-tables with more.",
    )
