"""Reservations: leases on tables, on which other transactions wait before they publish.

Who is *next* at a table keeps others from reserving the table, until published. Without it, some
statements that reserve a table one after the other would keep the rows of a channel waiting for as
long as they go on.

| time | statement A            | statement B               | rows of a channel              |
|------|------------------------|---------------------------|--------------------------------|
| 0    | reserves the table     |                           |                                |
| 1    |                        |                           | A has the table: they are next |
| 2    | publishes and releases | reserves: refused         |                                |
| 3    |                        |                           | published, and not next again  |
| 4    |                        | reserves the table        |                                |
"""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.leases import (
    Claim,
    LeaseKind,
    find_leases_on,
    release_leases,
    take_leases,
)

__all__ = [
    "LEASE_SECONDS",
    "become_next",
    "end_being_next",
    "is_reserved",
    "release_tables",
    "reserve_tables",
]

LEASE_SECONDS = 30


def reserve_tables(
    database: Database, table_ids: Sequence[str], transaction_id: str, next_id: str = ""
) -> bool:
    """Take or extend a reservation of all the tables; return False where a table is taken.

    A reservation is extended although another is next.

    Args:
        database: the catalog's database.
        table_ids: the tables' object ids.
        transaction_id: the holder.
        next_id: the id under which the holder is next; empty for a holder that is not.
    """
    claim = Claim(LeaseKind.TABLE, table_ids, transaction_id, LEASE_SECONDS)
    with database.write() as connection:
        now = database.clock(connection)
        others = [
            lease.resource_id
            for lease in find_leases_on(connection, LeaseKind.NEXT, table_ids)
            if lease.holder != next_id and lease.is_live(now)
        ]
        if others:
            held = find_leases_on(connection, LeaseKind.TABLE, others)
            own = [each for each in held if each.holder == transaction_id and each.is_live(now)]
            if len(own) < len(others):
                return False
        return take_leases(connection, database, claim) is not None


def become_next(database: Database, table_ids: Sequence[str], next_id: str) -> bool:
    """Be the next to reserve all the tables; return False where another is next at one.

    Args:
        database: the catalog's database.
        table_ids: the tables' object ids.
        next_id: the id of the one who is next, the same from try to try.
    """
    claim = Claim(LeaseKind.NEXT, table_ids, next_id, LEASE_SECONDS)
    with database.write() as connection:
        return take_leases(connection, database, claim) is not None


def end_being_next(database: Database, next_id: str) -> None:
    """Let others reserve the tables at which an id was next."""
    with database.write() as connection:
        release_leases(connection, next_id, LeaseKind.NEXT)


def is_reserved(
    connection: Connection, database: Database, table_ids: Sequence[str], transaction_id: str
) -> bool:
    """Return whether another transaction has reserved one of the tables.

    After the database's clock was set back, a reservation by the earlier clock counts as free. A
    publication is right without a reservation too.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        table_ids: the tables' object ids.
        transaction_id: the transaction whose own reservations do not count.
    """
    leases = find_leases_on(connection, LeaseKind.TABLE, table_ids)
    held = [lease for lease in leases if lease.holder != transaction_id]
    now = database.clock(connection) if held else 0
    return any(lease.is_live(now) for lease in held)


def release_tables(database: Database, transaction_id: str) -> None:
    """Release all reservations of a transaction."""
    with database.write() as connection:
        release_leases(connection, transaction_id, LeaseKind.TABLE)
