"""Reservations of tables in the registry, with the time at which they lapse."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.model import reservations

__all__ = ["is_reserved", "release", "reserve"]


def reserve(
    database: Database, table_ids: Sequence[str], transaction_id: str, seconds: int
) -> bool:
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
                    lapses_at=now + seconds * 1000,
                )
            )
        return True


def is_reserved(
    connection: Connection, database: Database, table_ids: Sequence[str], transaction_id: str
) -> bool:
    """Tell whether another transaction has reserved one of the tables."""
    others = reservations.select().where(
        reservations.c.table_id.in_(table_ids),
        reservations.c.transaction_id != transaction_id,
        reservations.c.lapses_at > database.clock(connection),
    )
    return connection.execute(others).first() is not None


def release(database: Database, transaction_id: str) -> None:
    """Give a transaction's reservations back."""
    with database.write() as connection:
        connection.execute(
            reservations.delete().where(reservations.c.transaction_id == transaction_id)
        )
