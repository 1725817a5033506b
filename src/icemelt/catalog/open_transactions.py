"""Open transactions in the registry: they live as long as their session says so, and hold locks.

A transaction whose session does not extend it lapses. Its locks lapse with it, and it can no
longer be published: each lock has a token that rises with every holder, checked while publishing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.edits import Commit
from icemelt.catalog.model import locks, objects, open_transactions, streams
from icemelt.catalog.outcomes import Ended, EndedError
from icemelt.catalog.records import LockRecord, Moment, OpenRecord
from icemelt.observe.emitting import emit
from icemelt.observe.events import LapsedLeasesRemoved

__all__ = [
    "Acquired",
    "Held",
    "abort",
    "acquire",
    "close",
    "end_of",
    "extend",
    "holder",
    "lock_list",
    "open_list",
    "open_transaction",
    "opened",
    "refuse_ended",
    "release",
    "remove_lapsed",
    "repin",
    "stop_waiting",
]


_TOLD_SECONDS = 3600
_IS_LIVE = (
    open_transactions.c.aborted_by.is_(None),
    open_transactions.c.lapses_at > sa.bindparam("now"),
)
_OPENED = sa.select(open_transactions).where(
    open_transactions.c.transaction_id == sa.bindparam("transaction_id")
)
_HOLDER = (
    sa.select(open_transactions)
    .join(locks, locks.c.transaction_id == open_transactions.c.transaction_id)
    .where(locks.c.object_id == sa.bindparam("stream_id"), *_IS_LIVE)
)
_FIRST_WAITING = (
    sa.select(open_transactions)
    .where(open_transactions.c.waits_for == sa.bindparam("stream_id"), *_IS_LIVE)
    .order_by(open_transactions.c.started_at, open_transactions.c.transaction_id)
    .limit(1)
)
_LIVE_MOVE = (
    sa.select(streams.c.move)
    .where(objects.c.object_id == streams.c.stream_id, objects.c.dropped_at.is_(None))
    .correlate(streams)
    .scalar_subquery()
    .label("live_move")
)


@dataclass(frozen=True, slots=True)
class Acquired:
    """The lock is the transaction's; `token` proves it. `move` is the stream's, None if dropped."""

    token: int
    move: int | None


@dataclass(frozen=True, slots=True)
class Held:
    """Another transaction holds the lock, or is to have it; `is_cycle` where it waits for this."""

    by: OpenRecord
    is_cycle: bool


def open_transaction(
    database: Database, transaction: OpenRecord, seconds: int
) -> tuple[OpenRecord, Moment]:
    """Register a transaction that begins now: start, commit number and lapse are filled in.

    Return it, and the moment that it sees.
    """
    with database.write() as connection:
        last = database.lake(connection).last
        now = database.now(connection, last)
        clock = database.clock(connection)
        lapsed = remove_lapsed(connection, clock)
        _shorten(connection, clock + seconds * 1000)
        opened_now = replace(
            transaction,
            started_at=now,
            commit_number=last.commit_number,
            lapses_at=clock + seconds * 1000,
        )
        connection.execute(open_transactions.insert().values(asdict(opened_now)))
    if lapsed:
        emit(LapsedLeasesRemoved(lapsed))
    return opened_now, last


def repin(database: Database, transaction_id: str) -> Moment:
    """Let a transaction that has done nothing yet begin anew; return the moment it sees."""
    with database.write() as connection:
        last = database.lake(connection).last
        connection.execute(
            open_transactions.update()
            .where(open_transactions.c.transaction_id == transaction_id)
            .values(commit_number=last.commit_number)
        )
        return last


def extend(database: Database, transaction_id: str, seconds: int) -> bool:
    """Say that a transaction is alive; False where it was aborted or has lapsed."""
    with database.note() as connection:
        now = database.clock(connection)
        _shorten(connection, now + seconds * 1000)
        extended = connection.execute(
            open_transactions.update()
            .where(
                open_transactions.c.transaction_id == transaction_id,
                open_transactions.c.aborted_by.is_(None),
                open_transactions.c.lapses_at > now,
            )
            .values(lapses_at=now + seconds * 1000)
        )
        return extended.rowcount == 1


def opened(connection: sa.Connection, transaction_id: str) -> OpenRecord | None:
    """Return an open transaction, None where there is none of that id."""
    row = connection.execute(_OPENED, {"transaction_id": transaction_id}).first()
    return None if row is None else _record(row)


def open_list(connection: sa.Connection) -> list[OpenRecord]:
    """Return all open transactions, oldest first; those that were aborted or lapsed too."""
    query = sa.select(open_transactions).order_by(open_transactions.c.started_at)
    return [_record(row) for row in connection.execute(query)]


def lock_list(connection: sa.Connection) -> list[LockRecord]:
    """Return all locks, oldest first."""
    rows = connection.execute(sa.select(locks).order_by(locks.c.acquired_at))
    return [LockRecord(*row) for row in rows]


def holder(connection: sa.Connection, now: int, stream_id: str) -> OpenRecord | None:
    """Return the live transaction that holds a stream's lock; `now` is the database's clock."""
    row = connection.execute(_HOLDER, {"stream_id": stream_id, "now": now}).first()
    return None if row is None else _record(row)


def acquire(database: Database, stream_id: str, transaction_id: str) -> Acquired | Held | Ended:
    """Take a stream's lock for a transaction, or note that it waits for it.

    Of those that wait the one that began first has it next, so that none waits for ever.
    """
    with database.write() as connection:
        now = database.clock(connection)
        mine = opened(connection, transaction_id)
        ended = _end(mine, now)
        if mine is None or ended is not None:
            return ended or Ended(None)
        current = holder(connection, now, stream_id)
        if current is None:
            current = _elder(connection, now, stream_id, mine)
        if current is not None and current.transaction_id != transaction_id:
            _wait_for(connection, transaction_id, stream_id)
            return Held(current, _is_cycle(connection, now, current, transaction_id))
        if mine.waits_for is not None:
            _wait_for(connection, transaction_id, None)
        step = 0 if current is not None else 1
        token, move = connection.execute(
            streams.update()
            .where(streams.c.stream_id == stream_id)
            .values(token=streams.c.token + step)
            .returning(streams.c.token, _LIVE_MOVE)
        ).one()
        if current is not None:
            return Acquired(token, move)
        connection.execute(locks.delete().where(locks.c.object_id == stream_id))
        connection.execute(
            locks.insert().values(
                object_id=stream_id,
                transaction_id=transaction_id,
                token=token,
                acquired_at=now,
            )
        )
        return Acquired(token, move)


def release(database: Database, stream_id: str, transaction_id: str) -> None:
    """Give a stream's lock back before the transaction's end."""
    with database.write() as connection:
        connection.execute(
            locks.delete().where(
                locks.c.object_id == stream_id, locks.c.transaction_id == transaction_id
            )
        )


def stop_waiting(database: Database, transaction_id: str) -> None:
    """Note that a transaction no longer waits."""
    with database.write() as connection:
        _wait_for(connection, transaction_id, None)


def close(connection: sa.Connection, transaction_id: str) -> None:
    """Remove a transaction that has ended, and its locks."""
    connection.execute(locks.delete().where(locks.c.transaction_id == transaction_id))
    connection.execute(
        open_transactions.delete().where(open_transactions.c.transaction_id == transaction_id)
    )


def abort(
    database: Database, transaction_id: str, by: str, *, only_own: bool = False
) -> OpenRecord | None:
    """End a transaction of any session; return it, or None where there is none to end.

    `by` is the user who ends it; with `only_own` those of other users are not there. Its row stays,
    so that its session learns what happened; a dead session's is removed.
    """
    with database.write() as connection:
        found = opened(connection, transaction_id)
        if found is None or found.aborted_by is not None or (only_own and found.user != by):
            return None
        if found.lapses_at <= database.clock(connection):
            close(connection, transaction_id)
            return found
        connection.execute(locks.delete().where(locks.c.transaction_id == transaction_id))
        connection.execute(
            open_transactions.update()
            .where(open_transactions.c.transaction_id == transaction_id)
            .values(aborted_by=by, waits_for=None)
        )
        return found


def end_of(connection: sa.Connection, now: int, transaction_id: str) -> Ended | None:
    """Return how an open transaction was ended by others; None where it is alive."""
    return _end(opened(connection, transaction_id), now)


def _end(transaction: OpenRecord | None, now: int) -> Ended | None:
    if transaction is None or transaction.aborted_by is not None:
        return Ended(None if transaction is None else transaction.aborted_by)
    return Ended(None) if transaction.lapses_at <= now else None


def refuse_ended(connection: sa.Connection, database: Database, commit: Commit) -> None:
    """Let a transaction be published only while it is alive and its locks are its own.

    Raises:
        EndedError: it was aborted, or has lapsed.
    """
    ended = end_of(connection, database.clock(connection), commit.transaction_id)
    if ended is not None:
        raise EndedError(ended)
    held = {
        lock.object_id: lock.token
        for lock in lock_list(connection)
        if lock.transaction_id == commit.transaction_id
    }
    if any(held.get(stream_id) != token for stream_id, token in (commit.tokens or {}).items()):
        raise EndedError(Ended(None))


def _elder(
    connection: sa.Connection, now: int, stream_id: str, mine: OpenRecord
) -> OpenRecord | None:
    """Return the live transaction that waits for a stream's lock and began before this one."""
    row = connection.execute(_FIRST_WAITING, {"stream_id": stream_id, "now": now}).first()
    if row is None:
        return None
    first = _record(row)
    is_elder = (first.started_at, first.transaction_id) < (mine.started_at, mine.transaction_id)
    return first if is_elder else None


def _wait_for(connection: sa.Connection, transaction_id: str, object_id: str | None) -> None:
    connection.execute(
        open_transactions.update()
        .where(open_transactions.c.transaction_id == transaction_id)
        .values(waits_for=object_id)
    )


def remove_lapsed(connection: sa.Connection, clock: int) -> int:
    """Remove transactions that nobody extends any more, and their locks; return how many.

    Frontiers would be kept for them. One that was aborted stays for a while: nobody extends it, and
    its session has to learn who did.
    """
    told = clock - _TOLD_SECONDS * 1000
    lapsed = open_transactions.delete().where(
        open_transactions.c.lapses_at <= clock,
        sa.or_(open_transactions.c.aborted_by.is_(None), open_transactions.c.lapses_at <= told),
    )
    count = connection.execute(lapsed).rowcount
    alive = sa.select(open_transactions.c.transaction_id)
    connection.execute(locks.delete().where(locks.c.transaction_id.not_in(alive)))
    return count


def _shorten(connection: sa.Connection, latest: int) -> None:
    """Let none lapse later than that.

    One that would was extended before the clock was set back; it may be a dead session's.
    """
    connection.execute(
        open_transactions.update()
        .where(open_transactions.c.lapses_at > latest)
        .values(lapses_at=latest)
    )


def _is_cycle(
    connection: sa.Connection, now: int, current: OpenRecord, transaction_id: str
) -> bool:
    met: set[str] = set()
    next_one: OpenRecord | None = current
    while next_one is not None and next_one.waits_for is not None:
        if next_one.transaction_id in met:
            return False
        met.add(next_one.transaction_id)
        next_one = holder(connection, now, next_one.waits_for)
        if next_one is not None and next_one.transaction_id == transaction_id:
            return True
    return False


def _record(row: Any) -> OpenRecord:
    return OpenRecord(
        row.transaction_id,
        row.session_id,
        row.user,
        row.name,
        row.started_at,
        row.commit_number,
        row.lapses_at,
        row.waits_for,
        row.aborted_by,
    )
