"""Reservations of tables in the registry, with the time at which they lapse."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.model import reservations

__all__ = ["LAPSE_SECONDS", "is_live", "is_reserved", "release", "reserve"]

LAPSE_SECONDS = 30


def is_live(lapses_at: int, now: int) -> bool:
    """Tell whether a reservation holds; one of a clock that was set back since holds no longer.

    >>> is_live(31_000, 1_000), is_live(1_000, 1_000), is_live(3_600_000, 1_000)
    (True, False, False)
    """
    return now < lapses_at <= now + LAPSE_SECONDS * 1000


def reserve(database: Database, table_ids: Sequence[str], transaction_id: str) -> bool:
    """Take or extend a reservation of all the tables; False where another holds one of them."""
    with database.write() as connection:
        if is_reserved(connection, database, table_ids, transaction_id):
            return False
        now = database.clock(connection)
        connection.execute(reservations.delete().where(reservations.c.table_id.in_(table_ids)))
        for table_id in sorted(table_ids):
            connection.execute(
                reservations.insert().values(
                    table_id=table_id,
                    transaction_id=transaction_id,
                    lapses_at=now + LAPSE_SECONDS * 1000,
                )
            )
        return True


def is_reserved(
    connection: Connection, database: Database, table_ids: Sequence[str], transaction_id: str
) -> bool:
    """Tell whether another transaction has reserved one of the tables."""
    others = sa.select(reservations.c.lapses_at).where(
        reservations.c.table_id.in_(table_ids),
        reservations.c.transaction_id != transaction_id,
    )
    held = connection.scalars(others).all()
    now = database.clock(connection) if held else 0
    return any(is_live(lapses_at, now) for lapses_at in held)


def release(database: Database, transaction_id: str) -> None:
    """Give a transaction's reservations back."""
    with database.write() as connection:
        connection.execute(
            reservations.delete().where(reservations.c.transaction_id == transaction_id)
        )
