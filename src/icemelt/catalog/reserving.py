"""Reservations of tables: leases that have others wait before they publish to a table."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.leases import Claim, Kind, find_leases, give_back, take
from icemelt.catalog.model import leases

__all__ = ["LAPSE_SECONDS", "is_reserved", "release", "reserve"]

LAPSE_SECONDS = 30


def reserve(database: Database, table_ids: Sequence[str], transaction_id: str) -> bool:
    """Take or extend a reservation of all the tables; False where another holds one of them."""
    claim = Claim(Kind.TABLE, table_ids, transaction_id, LAPSE_SECONDS)
    with database.write() as connection:
        return take(connection, database, claim) is not None


def is_reserved(
    connection: Connection, database: Database, table_ids: Sequence[str], transaction_id: str
) -> bool:
    """Tell whether another transaction has reserved one of the tables.

    One that was reserved by a clock that was set back since is free: what is published is right
    without a reservation, too.
    """
    of_others = leases.c.resource_id.in_(table_ids), leases.c.holder != transaction_id
    held = find_leases(connection, Kind.TABLE, *of_others)
    now = database.clock(connection) if held else 0
    return any(lease.is_live(now) for lease in held)


def release(database: Database, transaction_id: str) -> None:
    """Give a transaction's reservations back."""
    with database.write() as connection:
        give_back(connection, transaction_id, Kind.TABLE)
