"""Waiting for the commit of rows: of one channel, or of thousands of channels."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.ingest.errors import ChannelInvalid
from icemelt.ingest.writer.table_writer import OpenChannel
from icemelt.server.state import ServerState

__all__ = ["wait_for_flush", "wait_for_flushes"]


async def wait_for_flush(state: ServerState, channel: OpenChannel, seconds: float) -> bool:
    """Have the rows of a channel committed; return whether the commit came within `seconds`.

    Args:
        state: the state of the server.
        channel: the channel.
        seconds: the longest time to wait.

    Raises:
        ChannelInvalid: some of the rows never will be committed.
    """
    [outcome] = await wait_for_flushes(state, [channel], seconds)
    if isinstance(outcome, ChannelInvalid):
        raise outcome
    return outcome


async def wait_for_flushes(
    state: ServerState, channels: Sequence[OpenChannel | ChannelInvalid], seconds: float
) -> list[bool | ChannelInvalid]:
    """Have the rows of channels committed, and wait for all commits up to `seconds`.

    Args:
        state: the state of the server.
        channels: the channels; an error in place of a channel is returned as the outcome.
        seconds: the longest time to wait.

    Returns:
        for every channel, whether all rows are committed, or an error if some never will be.
    """
    pending = [
        (position, channel, channel.last_taken)
        for position, channel in enumerate(channels)
        if isinstance(channel, OpenChannel)
    ]
    outcomes = [channel if isinstance(channel, ChannelInvalid) else False for channel in channels]
    for writer in {id(channel.writer): channel.writer for _, channel, _ in pending}.values():
        writer.request_flush()

    def is_done(position: int, channel: OpenChannel, number: int) -> bool:
        try:
            outcomes[position] = state.ingestor.is_committed(channel, number)
        except ChannelInvalid as error:
            outcomes[position] = error
        return outcomes[position] is not False

    def are_done() -> bool:
        # an uncommitted append ends the check: later checks begin with the same append
        while pending and is_done(*pending[-1]):
            pending.pop()
        return not pending

    await state.waits.wait_until(are_done, seconds)
    for position, channel, number in pending:
        is_done(position, channel, number)
    return outcomes
