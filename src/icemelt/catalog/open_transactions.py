"""Open transactions in the registry, and their locks of streams.

An open transaction has a lease, renewed by the session. Every lock of a stream is a further lease,
and expires with the transaction's. An expired transaction can no longer be published, and other
transactions may take the locks. A publication compares the fencing tokens of the locks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.activity_records import LockRecord, OpenTransactionRecord
from icemelt.catalog.database import Database
from icemelt.catalog.edits import CommitRequest
from icemelt.catalog.leases import (
    Claim,
    LeaseKind,
    find_leases,
    find_leases_of,
    find_leases_on,
    release_leases,
    renew_leases,
    take_first_lease,
    take_further_lease,
)
from icemelt.catalog.model import leases, objects, open_transactions, streams
from icemelt.catalog.outcomes import Ended, NotPublishedError
from icemelt.catalog.records import Moment
from icemelt.observe.emitting import emit
from icemelt.observe.events import LapsedLeasesRemoved

__all__ = [
    "LockAcquired",
    "LockHeld",
    "abort_transaction",
    "acquire_lock",
    "close_transaction",
    "find_ending",
    "find_lock_holder",
    "find_open_transaction",
    "list_locks",
    "list_open_transactions",
    "open_transaction",
    "release_lock",
    "remove_expired_transactions",
    "renew_transaction",
    "repin_transaction",
    "require_live",
    "stop_waiting",
]


_ABORTED_SECONDS = 3600
_HELD = leases.alias("held")
_OPEN = sa.select(
    open_transactions, sa.func.coalesce(leases.c.expires_at, 0).label("expires_at")
).select_from(
    open_transactions.outerjoin(
        leases,
        sa.and_(
            leases.c.kind == LeaseKind.TRANSACTION,
            leases.c.resource_id == open_transactions.c.transaction_id,
        ),
    )
)
_IS_LIVE = (
    open_transactions.c.aborted_by.is_(None),
    leases.c.expires_at > sa.bindparam("now"),
)
_OPEN_BY_ID = _OPEN.where(open_transactions.c.transaction_id == sa.bindparam("transaction_id"))
_HOLDER = _OPEN.join(_HELD, _HELD.c.holder == open_transactions.c.transaction_id).where(
    _HELD.c.kind == LeaseKind.STREAM, _HELD.c.resource_id == sa.bindparam("stream_id"), *_IS_LIVE
)
_FIRST_WAITING = (
    _OPEN.where(open_transactions.c.waits_for == sa.bindparam("stream_id"), *_IS_LIVE)
    .order_by(open_transactions.c.started_at, open_transactions.c.transaction_id)
    .limit(1)
)
# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_CLOCK = sa.bindparam("clock", type_=sa.BigInteger)
_LONG_AGO = sa.bindparam("long_ago", type_=sa.BigInteger)
_LEASED = sa.select(leases.c.resource_id).where(leases.c.kind == LeaseKind.TRANSACTION)
_REMOVE_EXPIRED = open_transactions.delete().where(
    open_transactions.c.transaction_id.not_in(_LEASED.where(leases.c.expires_at > _CLOCK)),
    sa.or_(
        open_transactions.c.aborted_by.is_(None),
        open_transactions.c.transaction_id.not_in(_LEASED.where(leases.c.expires_at > _LONG_AGO)),
    ),
)
_REMOVE_ORPHANS = leases.delete().where(
    leases.c.kind.in_((LeaseKind.TRANSACTION, LeaseKind.STREAM)),
    leases.c.holder.not_in(sa.select(open_transactions.c.transaction_id)),
)
_ADD = open_transactions.insert()
_BY_ID = open_transactions.c.transaction_id == sa.bindparam("of_transaction")
_CLOSE = open_transactions.delete().where(_BY_ID)
_ALTER = open_transactions.update().where(_BY_ID)
_LIVE_MOVE = (
    sa.select(streams.c.move)
    .join(objects, objects.c.object_id == streams.c.stream_id)
    .where(streams.c.stream_id == sa.bindparam("stream_id"), objects.c.dropped_at.is_(None))
)


@dataclass(frozen=True, slots=True)
class LockAcquired:
    """The transaction has the lock.

    Args:
        token: the lock's fencing token.
        move_count: how often the stream's frontier has moved, None for a dropped stream.
    """

    token: int
    move_count: int | None


@dataclass(frozen=True, slots=True)
class LockHeld:
    """Another transaction has the lock, or is before this transaction in the queue.

    Args:
        by: the other transaction.
        is_cycle: whether the other transaction waits for this transaction: a deadlock.
    """

    by: OpenTransactionRecord
    is_cycle: bool


def open_transaction(
    database: Database, transaction: OpenTransactionRecord, seconds: float
) -> tuple[OpenTransactionRecord, Moment]:
    """Register a transaction that begins now; return the record and the moment of the reads.

    Args:
        database: the catalog's database.
        transaction: the ids, user and name; start, commit number and expiry are filled in here.
        seconds: the life of the transaction's lease.
    """
    with database.write() as connection:
        last = database.read_lake(connection).last
        clock = database.clock(connection)
        lapsed = remove_expired_transactions(connection, clock)
        new_id = transaction.transaction_id
        take_first_lease(connection, clock, Claim(LeaseKind.TRANSACTION, [new_id], new_id, seconds))
        opened_now = replace(
            transaction,
            started_at=max(clock, last.time),
            commit_number=last.commit_number,
            expires_at=clock + int(seconds * 1000),
        )
        values = {c.name: getattr(opened_now, c.name) for c in open_transactions.columns}
        connection.execute(_ADD, values)
    if lapsed:
        emit(LapsedLeasesRemoved(lapsed))
    return opened_now, last


def repin_transaction(database: Database, transaction_id: str) -> Moment:
    """Pin a transaction at the newest commit instead; return the new moment of its reads.

    Only right for a transaction without any read or write.
    """
    with database.write() as connection:
        last = database.read_lake(connection).last
        values = {"of_transaction": transaction_id, "commit_number": last.commit_number}
        connection.execute(_ALTER, values)
        return last


def renew_transaction(database: Database, transaction_id: str, seconds: float) -> bool:
    """Renew the lease of a transaction; return False for an aborted or expired transaction.

    Args:
        database: the catalog's database.
        transaction_id: the open transaction.
        seconds: the life of the lease, from now.
    """
    return renew_leases(database, LeaseKind.TRANSACTION, transaction_id, seconds)


def find_open_transaction(
    connection: sa.Connection, transaction_id: str
) -> OpenTransactionRecord | None:
    """Return an open transaction by id, None where no transaction has the id."""
    row = connection.execute(_OPEN_BY_ID, {"transaction_id": transaction_id}).first()
    return None if row is None else _record(row)


def list_open_transactions(connection: sa.Connection) -> list[OpenTransactionRecord]:
    """Return all open transactions, aborted and expired ones included, oldest first."""
    query = _OPEN.order_by(open_transactions.c.started_at)
    return [_record(row) for row in connection.execute(query)]


def list_locks(connection: sa.Connection) -> list[LockRecord]:
    """Return all locks, oldest first."""
    return [
        LockRecord(lease.resource_id, lease.holder, lease.token, lease.acquired_at)
        for lease in find_leases(connection, LeaseKind.STREAM)
    ]


def find_lock_holder(
    connection: sa.Connection, now: int, stream_id: str
) -> OpenTransactionRecord | None:
    """Return the live transaction with a stream's lock, None for a free lock.

    Args:
        connection: a connection to the catalog's database.
        now: the database's clock.
        stream_id: the stream's object id.
    """
    row = connection.execute(_HOLDER, {"stream_id": stream_id, "now": now}).first()
    return None if row is None else _record(row)


def acquire_lock(
    database: Database, stream_id: str, transaction_id: str
) -> LockAcquired | LockHeld | Ended:
    """Take a stream's lock for a transaction, or put the transaction into the queue for the lock.

    The oldest waiting transaction is the next holder, so no transaction waits for ever.

    Args:
        database: the catalog's database.
        stream_id: the stream's object id.
        transaction_id: the open transaction.
    """
    with database.write() as connection:
        now = database.clock(connection)
        mine = find_open_transaction(connection, transaction_id)
        ended = _end(mine, now)
        if mine is None or ended is not None:
            return ended or Ended(None)
        current = find_lock_holder(connection, now, stream_id)
        if current is None:
            current = _elder(connection, now, stream_id, mine)
        if current is not None and current.transaction_id != transaction_id:
            _wait_for(connection, transaction_id, stream_id)
            return LockHeld(current, _is_cycle(connection, now, current, transaction_id))
        if mine.waits_for is not None:
            _wait_for(connection, transaction_id, None)
        move_count = connection.scalar(_LIVE_MOVE, {"stream_id": stream_id})
        if current is None:
            own = LeaseKind.TRANSACTION, transaction_id
            return LockAcquired(
                take_further_lease(connection, now, own, LeaseKind.STREAM, stream_id), move_count
            )
        [held] = find_leases_on(connection, LeaseKind.STREAM, [stream_id])
        return LockAcquired(held.token, move_count)


def release_lock(database: Database, stream_id: str, transaction_id: str) -> None:
    """Release a stream's lock before the transaction's end.

    Args:
        database: the catalog's database.
        stream_id: the stream's object id.
        transaction_id: the holder of the lock.
    """
    with database.write() as connection:
        connection.execute(
            leases.delete().where(
                leases.c.kind == LeaseKind.STREAM,
                leases.c.resource_id == stream_id,
                leases.c.holder == transaction_id,
            )
        )


def stop_waiting(database: Database, transaction_id: str) -> None:
    """Note that a transaction no longer waits for a lock."""
    with database.write() as connection:
        _wait_for(connection, transaction_id, None)


def close_transaction(connection: sa.Connection, transaction_id: str) -> None:
    """Remove an ended transaction and all its leases."""
    release_leases(connection, transaction_id)
    connection.execute(_CLOSE, {"of_transaction": transaction_id})


def abort_transaction(
    database: Database, transaction_id: str, by: str, *, only_own: bool = False
) -> OpenTransactionRecord | None:
    """Abort a transaction of any session; return the record, None where nothing can be aborted.

    The transaction's row stays for a while, for the session to learn who aborted the transaction.
    The row of an expired transaction is removed at once.

    Args:
        database: the catalog's database.
        transaction_id: the open transaction.
        by: the user who aborts the transaction.
        only_own: whether transactions of other users are out of reach.
    """
    with database.write() as connection:
        transaction = find_open_transaction(connection, transaction_id)
        if (
            transaction is None
            or transaction.aborted_by is not None
            or (only_own and transaction.user != by)
        ):
            return None
        now = database.clock(connection)
        if transaction.expires_at <= now:
            close_transaction(connection, transaction_id)
            return transaction
        release_leases(connection, transaction_id, LeaseKind.STREAM, LeaseKind.TABLE)
        mine = leases.c.kind == LeaseKind.TRANSACTION, leases.c.resource_id == transaction_id
        # the session cannot renew an expired lease, and so learns of the abort
        connection.execute(leases.update().where(*mine).values(expires_at=now))
        values = {"of_transaction": transaction_id, "aborted_by": by, "waits_for": None}
        connection.execute(_ALTER, values)
        return transaction


def find_ending(connection: sa.Connection, now: int, transaction_id: str) -> Ended | None:
    """Return how another session ended an open transaction; None for a live transaction.

    Args:
        connection: a connection to the catalog's database.
        now: the database's clock.
        transaction_id: the open transaction.
    """
    return _end(find_open_transaction(connection, transaction_id), now)


def _end(transaction: OpenTransactionRecord | None, now: int) -> Ended | None:
    if transaction is None or transaction.aborted_by is not None:
        return Ended(None if transaction is None else transaction.aborted_by)
    return Ended(None) if transaction.expires_at <= now else None


def require_live(connection: sa.Connection, clock: int, commit: CommitRequest) -> None:
    """Require a live transaction whose locks are in force.

    Args:
        connection: a connection to the catalog's database.
        clock: the database's clock.
        commit: the transaction to publish.

    Raises:
        NotPublishedError: the transaction was aborted, or a lease has expired.
    """
    ended = find_ending(connection, clock, commit.transaction_id)
    if ended is not None:
        raise NotPublishedError(ended)
    if not commit.tokens:
        return
    locks = find_leases_of(connection, LeaseKind.STREAM, commit.transaction_id)
    held = {lock.resource_id: lock.token for lock in locks}
    if any(held.get(stream_id) != token for stream_id, token in commit.tokens.items()):
        raise NotPublishedError(Ended(None))


def _elder(
    connection: sa.Connection, now: int, stream_id: str, mine: OpenTransactionRecord
) -> OpenTransactionRecord | None:
    """Return the oldest live transaction in the queue for a stream's lock, if older than `mine`."""
    row = connection.execute(_FIRST_WAITING, {"stream_id": stream_id, "now": now}).first()
    if row is None:
        return None
    first = _record(row)
    is_elder = (first.started_at, first.transaction_id) < (mine.started_at, mine.transaction_id)
    return first if is_elder else None


def _wait_for(connection: sa.Connection, transaction_id: str, object_id: str | None) -> None:
    connection.execute(_ALTER, {"of_transaction": transaction_id, "waits_for": object_id})


def remove_expired_transactions(connection: sa.Connection, clock: int) -> int:
    """Remove expired transactions and their locks; return how many.

    Otherwise the registry would keep frontiers for dead transactions. An aborted transaction is
    never renewed, but stays for an hour, for its session to learn who aborted the transaction.

    Args:
        connection: a connection in a write transaction.
        clock: the database's clock.
    """
    long_ago = clock - _ABORTED_SECONDS * 1000
    count = connection.execute(_REMOVE_EXPIRED, {"clock": clock, "long_ago": long_ago}).rowcount
    connection.execute(_REMOVE_ORPHANS)
    return count


def _is_cycle(
    connection: sa.Connection, now: int, current: OpenTransactionRecord, transaction_id: str
) -> bool:
    """Return whether a lock's holder waits for `transaction_id`, over any number of steps."""
    met: set[str] = set()
    next_one: OpenTransactionRecord | None = current
    while next_one is not None and next_one.waits_for is not None:
        if next_one.transaction_id in met:
            return False
        met.add(next_one.transaction_id)
        next_one = find_lock_holder(connection, now, next_one.waits_for)
        if next_one is not None and next_one.transaction_id == transaction_id:
            return True
    return False


def _record(row: Any) -> OpenTransactionRecord:
    return OpenTransactionRecord(
        row.transaction_id,
        row.session_id,
        row.user,
        row.name,
        row.started_at,
        row.commit_number,
        row.expires_at,
        row.waits_for,
        row.aborted_by,
    )
