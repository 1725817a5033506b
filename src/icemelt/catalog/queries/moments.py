"""Convert between times and commit numbers, and find the moment of a transaction."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.model import listings, transactions, versions
from icemelt.catalog.records import Moment

__all__ = ["commit_at", "moment_of_transaction", "time_of_commit"]


def commit_at(connection: sa.Connection, time: int) -> int:
    """Return the last commit number published at or before a time; 0 before the first commit."""
    return _latest(connection, "commit_number", ("committed_at", time))


def time_of_commit(connection: sa.Connection, commit_number: int) -> int:
    """Return the time of the last commit up to a commit number; 0 before the first commit."""
    return _latest(connection, "committed_at", ("commit_number", commit_number))


def moment_of_transaction(connection: sa.Connection, transaction_id: str) -> Moment | None:
    """Return the moment of a transaction's publication, None for an unpublished transaction."""
    query = sa.select(transactions.c.commit_number, transactions.c.committed_at).where(
        transactions.c.transaction_id == transaction_id
    )
    row = connection.execute(query).first()
    return None if row is None else Moment(row[0], row[1])


def _latest(connection: sa.Connection, column: str, until: tuple[str, int]) -> int:
    """Return the greatest value of a column where another column is at most a limit.

    Versions and listings are searched beside transactions, since they outlive transactions.
    """
    name, limit = until
    found = [
        connection.scalar(sa.select(sa.func.max(table.c[column])).where(table.c[name] <= limit))
        for table in (transactions, versions, listings)
    ]
    return max(value or 0 for value in found)
