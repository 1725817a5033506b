"""Reservations: leases on tables, on which other transactions wait before they publish."""

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

__all__ = ["LEASE_SECONDS", "is_reserved", "release_tables", "reserve_tables"]

LEASE_SECONDS = 30


def reserve_tables(database: Database, table_ids: Sequence[str], transaction_id: str) -> bool:
    """Take or extend a reservation of all the tables; return False where a table is taken.

    Args:
        database: the catalog's database.
        table_ids: the tables' object ids.
        transaction_id: the holder.
    """
    claim = Claim(LeaseKind.TABLE, table_ids, transaction_id, LEASE_SECONDS)
    with database.write() as connection:
        return take_leases(connection, database, claim) is not None


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
