"""Make streams and move frontiers, inside the SQL transaction of a commit."""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.dependency_writer import add_stream_sources
from icemelt.catalog.edits import (
    THIS_COMMIT,
    CommitRequest,
    MakeStream,
    MoveFrontier,
    SetOnMissing,
    StreamPosition,
)
from icemelt.catalog.leases import LeaseKind
from icemelt.catalog.model import frontiers, leases, objects, open_transactions, streams
from icemelt.catalog.outcomes import Ended, NotPublishedError, PositionConflict, StreamLocked
from icemelt.catalog.queries.positions import write_position
from icemelt.catalog.records import Moment

__all__ = ["make_stream", "move_frontier", "set_on_missing"]

# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_OF_STREAM = sa.bindparam("of_stream", type_=sa.Text)
_IS_LIVE = sa.exists().where(
    objects.c.object_id == streams.c.stream_id, objects.c.dropped_at.is_(None)
)
_MOVE = streams.update().where(
    streams.c.stream_id == _OF_STREAM, streams.c.move == sa.bindparam("old_move"), _IS_LIVE
)
_HOLDER = (
    sa.select(leases.c.holder, leases.c.token, leases.c.expires_at)
    .join(open_transactions, open_transactions.c.transaction_id == leases.c.holder)
    .where(
        leases.c.kind == LeaseKind.STREAM,
        leases.c.resource_id == _OF_STREAM,
        open_transactions.c.aborted_by.is_(None),
    )
)
_ADD_FRONTIERS = frontiers.insert()
_SEEN = frontiers.alias("seen")
_OLDEST = (
    sa.select(sa.func.min(open_transactions.c.commit_number))
    .where(open_transactions.c.aborted_by.is_(None))
    .scalar_subquery()
)
_FORGET_OLD = frontiers.delete().where(
    frontiers.c.stream_id == _OF_STREAM,
    frontiers.c.move
    < sa.select(sa.func.max(_SEEN.c.move))
    .where(
        _SEEN.c.stream_id == _OF_STREAM,
        _SEEN.c.moved_in <= sa.func.coalesce(_OLDEST, _SEEN.c.moved_in),
    )
    .scalar_subquery(),
)


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
            on_missing=edit.on_missing,
        )
    )
    position = edit.position
    if position.commit_number == THIS_COMMIT:
        position = _position_at(connection, position, moment)
    _add_frontier(connection, (edit.object_id, 0), position, moment)
    add_stream_sources(connection, edit.object_id, edit.source_id, edit.position.positions)


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
    values = {"of_stream": edit.stream_id, "old_move": edit.move_count, "move": edit.move_count + 1}
    moved = connection.execute(_MOVE, values)
    if moved.rowcount != 1:
        raise NotPublishedError(PositionConflict())
    # after the update: the update waits for a transaction that takes the lock right now
    _check_lock(connection, database, commit, edit.stream_id)
    _add_frontier(connection, (edit.stream_id, edit.move_count + 1), edit.position, moment)
    _forget_old(connection, edit.stream_id)
    if edit.files_skipped:
        count = streams.c.files_skipped + edit.files_skipped
        of_stream = streams.c.stream_id == edit.stream_id
        connection.execute(streams.update().where(of_stream).values(files_skipped=count))


def set_on_missing(connection: sa.Connection, edit: SetOnMissing) -> None:
    """Set what a stream does about files that are gone before they were read."""
    of_stream = streams.c.stream_id == edit.stream_id
    connection.execute(streams.update().where(of_stream).values(on_missing=edit.on_missing))


def _position_at(
    connection: sa.Connection, position: StreamPosition, moment: Moment
) -> StreamPosition:
    """Return the position at a commit's own moment: tables at their versions of then."""
    read = [source.source_id for source in position.positions if source.kind == "table"]
    found = connection.execute(
        sa.select(objects.c.object_id, objects.c.version).where(objects.c.object_id.in_(read))
    )
    versions = {row.object_id: row.version for row in found}
    positions = []
    for source in position.positions:
        version = versions.get(source.source_id, source.version)
        if source.kind not in {"table", "view"}:
            version = moment.commit_number
        positions.append(replace(source, version=version))
    return replace(position, positions=tuple(positions), commit_number=moment.commit_number)


def _check_lock(
    connection: sa.Connection, database: Database, commit: CommitRequest, stream_id: str
) -> None:
    """Require that the commit holds the stream's lock, or that the lock is free.

    Raises:
        NotPublishedError: another transaction has the lock, or the commit's own lock has expired.
    """
    held = connection.execute(_HOLDER, {"of_stream": stream_id}).first()
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
            "initial": position.shows_initial_rows,
            "moved_in": moment.commit_number,
            "moved_at": moment.time if position.time is None else position.time,
        }
        for source in position.positions
    ]
    connection.execute(_ADD_FRONTIERS, rows)


def _forget_old(connection: sa.Connection, stream_id: str) -> None:
    """Remove a stream's moves before the oldest move visible to any open transaction."""
    connection.execute(_FORGET_OLD, {"of_stream": stream_id})
