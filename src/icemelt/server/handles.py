"""Looking up channels by the handles in requests."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.activity_records import ChannelRecord, KeyRecord
from icemelt.catalog.channels import channels_by_id
from icemelt.catalog.keys import find_key
from icemelt.ingest.errors import OPENED_AGAIN, ChannelInvalid, ChannelOwned, invalid
from icemelt.ingest.writer.table_writer import OpenChannel
from icemelt.server.state import EVERYBODY, ServerState

__all__ = ["find_open_channel", "find_open_channels", "require_owner"]


def find_open_channel(
    state: ServerState, channel_id: str, sequencer: int, key: KeyRecord
) -> OpenChannel:
    """Return the channel of a key that is, or was, open under a handle.

    Args:
        state: the server's state.
        channel_id: the channel's id.
        sequencer: the client sequencer of the opening.
        key: the key of the request.

    Raises:
        ChannelInvalid: there is no such channel.
    """
    [channel] = find_open_channels(state, [(channel_id, sequencer)], key)
    if isinstance(channel, ChannelInvalid):
        raise channel
    return channel


def find_open_channels(
    state: ServerState, handles: Sequence[tuple[str, int]], key: KeyRecord
) -> list[OpenChannel | ChannelInvalid]:
    """Return the channels of a key that are, or were, open under handles.

    Args:
        state: the server's state.
        handles: channel ids with client sequencers.
        key: the key of the request.

    Returns:
        for every handle a channel, or an error if there is no such channel.
    """
    channels = [state.ingestor.channel(*handle) for handle in handles]
    own_channels = [
        channel if channel and channel.record.owner == key.key_id else None for channel in channels
    ]
    missing = {handle[0] for handle, own in zip(handles, own_channels, strict=True) if own is None}
    records: dict[str, ChannelRecord] = {}
    if missing:
        with state.database.read() as connection:
            records = channels_by_id(connection, missing)
    return [
        own or _not_here(records.get(channel_id), sequencer)
        for (channel_id, sequencer), own in zip(handles, own_channels, strict=True)
    ]


def require_owner(state: ServerState, record: ChannelRecord, key: KeyRecord) -> None:
    """Raise an error unless a key may drop a channel.

    The key of the last opening may drop the channel; any key may after that key is revoked. A
    session drops its own channels. If the server needs no key, everybody may drop every channel.

    Args:
        state: the server's state.
        record: the channel in the registry.
        key: the key of the request.

    Raises:
        ChannelOwned: the channel belongs to another key, or to a session.
    """
    if state.access.is_open or record.owner in {key.key_id, EVERYBODY.key_id}:
        return
    with state.database.read() as connection:
        owner = find_key(connection, record.owner)
    if owner is not None and owner.revoked_at is not None:
        return
    whose = f"key {owner.name!r}" if owner is not None else "a session on the lake's own machine"
    raise ChannelOwned(
        f"Channel {record.name!r} was opened by {whose}: that alone drops it.",
        hint="Drop it there, or revoke the key: icemelt keys revoke ID. Opening it takes it over.",
    )


def _not_here(record: ChannelRecord | None, sequencer: int) -> ChannelInvalid:
    if record is not None and record.client_sequencer > sequencer:
        return invalid(record.name, OPENED_AGAIN)
    return ChannelInvalid(
        "The channel is not open on this server for this key; the server may have been started "
        "anew. What the channel had not committed was discarded.",
        hint="Open it again, and send what comes after its committed offset token.",
    )
