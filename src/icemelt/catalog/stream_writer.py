"""Make streams and move frontiers, inside the SQL transaction of a commit."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.dependency_writer import add_objects_read
from icemelt.catalog.edits import CommitRequest, MakeStream, MoveFrontier, StreamPosition
from icemelt.catalog.leases import LeaseKind
from icemelt.catalog.model import frontiers, leases, objects, open_transactions, streams
from icemelt.catalog.outcomes import Ended, NotPublishedError, PositionConflict, StreamLocked
from icemelt.catalog.queries.positions import write_position
from icemelt.catalog.records import Moment

__all__ = ["make_stream", "move_frontier"]


def make_stream(connection: sa.Connection, moment: Moment, edit: MakeStream) -> None:
    """Add a stream with its first frontier; the stream's object is in the registry already.

    Args:
        connection: a connection in a write transaction.
        moment: the commit number and the time.
        edit: the stream.
    """
    connection.execute(
        streams.insert().values(
            stream_id=edit.object_id,
            source_kind=edit.source_kind,
            source_id=edit.source_id,
            mode=edit.mode,
            dialect=edit.dialect,
            move=0,
            source_version=edit.source_version,
        )
    )
    _add_frontier(connection, (edit.object_id, 0), edit.position, moment)
    add_objects_read(connection, edit.object_id, edit.source_id, edit.position.positions)


def move_frontier(
    connection: sa.Connection,
    database: Database,
    commit: CommitRequest,
    moment: Moment,
    edit: MoveFrontier,
) -> None:
    """Move a frontier, or end the attempt.

    The attempt ends if another transaction has moved the frontier or holds the stream's lock.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        commit: the transaction to publish, with the fencing tokens of its locks.
        moment: the commit number and the time.
        edit: the move.
    """
    live = sa.exists().where(objects.c.object_id == edit.stream_id, objects.c.dropped_at.is_(None))
    moved = connection.execute(
        streams.update()
        .where(streams.c.stream_id == edit.stream_id, streams.c.move == edit.move, live)
        .values(move=edit.move + 1)
    )
    if moved.rowcount != 1:
        raise NotPublishedError(PositionConflict())
    # after the update: the update waits for a transaction that takes the lock right now
    _check_lock(connection, database, commit, edit.stream_id)
    _add_frontier(connection, (edit.stream_id, edit.move + 1), edit.position, moment)
    _forget_old(connection, edit.stream_id)


def _check_lock(
    connection: sa.Connection, database: Database, commit: CommitRequest, stream_id: str
) -> None:
    """Require that the commit holds the stream's lock, or that the lock is free.

    Raises:
        NotPublishedError: another transaction has the lock, or the commit's own lock has expired.
    """
    held = connection.execute(
        sa.select(leases.c.holder, leases.c.token, leases.c.expires_at)
        .join(open_transactions, open_transactions.c.transaction_id == leases.c.holder)
        .where(
            leases.c.kind == LeaseKind.STREAM,
            leases.c.resource_id == stream_id,
            open_transactions.c.aborted_by.is_(None),
        )
    ).first()
    token = None if commit.tokens is None else commit.tokens.get(stream_id)
    if token is not None:
        if held is None or held.token != token:
            raise NotPublishedError(Ended(None))
    elif held is not None and held.expires_at > database.clock(connection):
        raise NotPublishedError(StreamLocked(stream_id, held.holder))


def _add_frontier(
    connection: sa.Connection, key: tuple[str, int], position: StreamPosition, moment: Moment
) -> None:
    """Add a frontier, one row for every source.

    Args:
        connection: a connection in a write transaction.
        key: the stream's object id and the number of the move.
        position: how far all the sources are read.
        moment: the commit number and the time of the move.
    """
    rows = [
        {
            "stream_id": key[0],
            "move": key[1],
            "kind": source.kind,
            "source_id": source.source_id,
            "position": write_position(source.version, position.commit_number, source.name),
            "initial": position.initial,
            "moved_in": moment.commit_number,
            "moved_at": moment.time if position.time is None else position.time,
        }
        for source in position.positions
    ]
    connection.execute(frontiers.insert(), rows)


def _forget_old(connection: sa.Connection, stream_id: str) -> None:
    """Remove a stream's moves before the oldest move visible to any open transaction."""
    began = sa.select(sa.func.min(open_transactions.c.commit_number))
    oldest = connection.scalar(began.where(open_transactions.c.aborted_by.is_(None)))
    seen = sa.select(sa.func.max(frontiers.c.move)).where(frontiers.c.stream_id == stream_id)
    if oldest is not None:
        seen = seen.where(frontiers.c.moved_in <= oldest)
    connection.execute(
        frontiers.delete().where(
            frontiers.c.stream_id == stream_id, frontiers.c.move < seen.scalar_subquery()
        )
    )
