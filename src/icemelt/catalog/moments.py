"""From times to commit numbers and back, and when a transaction was published."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.model import transactions, versions
from icemelt.catalog.records import Moment

__all__ = ["commit_at", "moment_of_transaction", "time_of_commit"]


def commit_at(connection: sa.Connection, time: int) -> int:
    """Return the last commit number published at or before a time; 0 before the first.

    Versions are kept longer than transactions.
    """
    found = [
        connection.scalar(
            sa.select(sa.func.max(table.c.commit_number)).where(table.c.committed_at <= time)
        )
        for table in (transactions, versions)
    ]
    return max(number or 0 for number in found)


def time_of_commit(connection: sa.Connection, commit_number: int) -> int:
    """Return when the last commit up to a number was published; 0 before the first."""
    found = [
        connection.scalar(
            sa.select(sa.func.max(table.c.committed_at)).where(
                table.c.commit_number <= commit_number
            )
        )
        for table in (transactions, versions)
    ]
    return max(time or 0 for time in found)


def moment_of_transaction(connection: sa.Connection, transaction_id: str) -> Moment | None:
    """Return when a transaction was published, None where it was not."""
    query = sa.select(transactions.c.commit_number, transactions.c.committed_at).where(
        transactions.c.transaction_id == transaction_id
    )
    row = connection.execute(query).first()
    return None if row is None else Moment(row[0], row[1])
