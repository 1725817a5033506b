"""Channels in the registry: named writers of tables, with the last committed offset token.

Opening a channel raises the channel's client sequencer. `move_tokens` makes tokens durable, in the
SQL transaction that publishes the rows. A token moves only under the client sequencer and after the
row sequencer that the flush has read; otherwise the attempt ends, and the flush runs again without
the rows of channels opened again elsewhere.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.activity_records import ChannelRecord
from icemelt.catalog.batches import split_values
from icemelt.catalog.database import Connection, Database
from icemelt.catalog.edits import MoveTokens
from icemelt.catalog.model import channels, objects
from icemelt.catalog.outcomes import NotPublishedError, PositionConflict
from icemelt.catalog.queries.retention import DAY
from icemelt.catalog.records import Moment
from icemelt.errors import ObjectNotFound

__all__ = [
    "MOST_CHANNELS",
    "channels_by_id",
    "drop_channel",
    "find_channels",
    "forget_idle_channels",
    "list_channels",
    "move_tokens",
    "open_channel",
]

# Snowpipe Streaming, "Limitations" and "Offset tokens"
MOST_CHANNELS = 10_000
_IDLE_DAYS = 30
_MOVE_TOKEN = (
    channels.update()
    .where(
        channels.c.channel_id == sa.bindparam("id"),
        channels.c.client_sequencer == sa.bindparam("under"),
        channels.c.row_sequencer == sa.bindparam("before"),
    )
    .values(
        row_sequencer=sa.bindparam("row"),
        offset_token=sa.func.coalesce(sa.bindparam("token"), channels.c.offset_token),
        active_at=sa.bindparam("now"),
    )
)


def open_channel(
    database: Database, table_id: str, name: str, owner: str, offset_token: str | None = None
) -> ChannelRecord | None:
    """Open a channel of a table, new or existing; older handles of the channel are void now.

    Return None where the table has reached the limit of channels.

    Args:
        database: the catalog's database.
        table_id: the table's object id.
        name: the channel's name.
        owner: the user who opens the channel.
        offset_token: replaces the last committed token; None keeps the token.

    Raises:
        ObjectNotFound: the table was dropped meanwhile.
    """
    with database.write() as connection:
        now = database.now(connection, database.read_lake(connection).last)
        channel = next(iter(find_channels(connection, [(table_id, name)])), None)
        if channel is None:
            _require_live_table(connection, table_id)
            count = sa.select(sa.func.count()).where(channels.c.table_id == table_id)
            if (connection.scalar(count) or 0) >= MOST_CHANNELS:
                return None
            channel_id = str(uuid.uuid4())
            new_channel = ChannelRecord(
                channel_id, table_id, name, owner, now, now, 1, 0, offset_token
            )
            connection.execute(channels.insert().values(asdict(new_channel)))
            return new_channel
        changed: dict[str, Any] = {
            "client_sequencer": channel.client_sequencer + 1,
            "owner": owner,
            "active_at": now,
        }
        if offset_token is not None:
            changed["offset_token"] = offset_token
        mine = channels.c.channel_id == channel.channel_id
        connection.execute(channels.update().where(mine).values(changed))
        return _records(connection, mine)[0]


def find_channels(connection: Connection, names: Sequence[tuple[str, str]]) -> list[ChannelRecord]:
    """Return the existing channels out of some (table id, channel name) pairs.

    Names are compared with their case.
    """
    records = []
    for part in split_values(names):
        key = sa.tuple_(channels.c.table_id, channels.c.name)
        records += _records(connection, key.in_(part))
    return records


def list_channels(connection: Connection, table_ids: Collection[str]) -> list[ChannelRecord]:
    """Return the channels of some tables, ordered by name."""
    records: list[ChannelRecord] = []
    for part in split_values(list(table_ids)):
        records += _records(connection, channels.c.table_id.in_(part))
    return sorted(records, key=lambda channel: (channel.name, channel.table_id))


def drop_channel(database: Database, channel_id: str, client_sequencer: int | None = None) -> bool:
    """Remove a channel and its token; return False for a missing or reopened channel.

    Args:
        database: the catalog's database.
        channel_id: the channel's id.
        client_sequencer: the expected client sequencer; None drops the channel in any case.
    """
    with database.write_unordered() as connection:
        query = channels.delete().where(channels.c.channel_id == channel_id)
        if client_sequencer is not None:
            query = query.where(channels.c.client_sequencer == client_sequencer)
        return connection.execute(query).rowcount == 1


def forget_idle_channels(database: Database) -> int:
    """Remove the channels neither opened nor written for 30 days; return how many."""
    with database.write_unordered() as connection:
        long_ago = database.clock(connection) - _IDLE_DAYS * DAY
        idle = channels.delete().where(channels.c.active_at < long_ago)
        return connection.execute(idle).rowcount


def move_tokens(connection: Connection, moment: Moment, edit: MoveTokens) -> None:
    """Move the tokens of all channels with rows in a commit, or end the attempt.

    Args:
        connection: a connection in a write transaction.
        moment: the commit number and the time.
        edit: the moves.
    """
    moves = [
        {
            "id": move.channel_id,
            "under": move.client_sequencer,
            "before": move.before,
            "row": move.row_sequencer,
            "token": move.offset_token,
            "now": moment.time,
        }
        for move in edit.moves
    ]
    if connection.execute(_MOVE_TOKEN, moves).rowcount == len(moves):
        return
    raise NotPublishedError(PositionConflict())


def channels_by_id(connection: Connection, ids: Collection[str]) -> dict[str, ChannelRecord]:
    """Return the existing channels out of some ids, by id."""
    by_id: dict[str, ChannelRecord] = {}
    for part in split_values(list(ids)):
        records = _records(connection, channels.c.channel_id.in_(part))
        by_id |= {record.channel_id: record for record in records}
    return by_id


def _records(connection: Connection, wanted: sa.ColumnElement[bool]) -> list[ChannelRecord]:
    rows = connection.execute(sa.select(channels).where(wanted)).mappings()
    return [ChannelRecord(**row) for row in rows]


def _require_live_table(connection: Connection, table_id: str) -> None:
    live = objects.c.object_id == table_id, objects.c.dropped_at.is_(None)
    if connection.execute(sa.select(objects.c.object_id).where(*live)).first() is None:
        raise ObjectNotFound(
            "The table was dropped while its channel was opened.", hint="UNDROP TABLE, or make it."
        )
