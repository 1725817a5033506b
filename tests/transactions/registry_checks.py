"""What holds in every registry, whatever was killed; for tests of kills."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

__all__ = ["clones_are_whole", "nothing_is_half_written", "rows_of"]


def nothing_is_half_written(connection: sa.Connection) -> None:
    """Check what holds in every registry, whatever was done to it."""
    assert not rows_of(
        connection,
        "SELECT 1 FROM icemelt_open_transactions JOIN icemelt_transactions USING (transaction_id)",
    ), "a transaction is open and published"
    assert not rows_of(
        connection,
        "SELECT 1 FROM icemelt_versions WHERE transaction_id NOT IN "
        "(SELECT transaction_id FROM icemelt_transactions)",
    ), "a version of a transaction that was not published"
    assert not rows_of(
        connection,
        "SELECT 1 FROM icemelt_leases WHERE kind IN ('transaction', 'stream') "
        "AND holder NOT IN (SELECT transaction_id FROM icemelt_open_transactions)",
    ), "a lock of a transaction that is not open"
    numbers = [
        row[0] for row in rows_of(connection, "SELECT commit_number FROM icemelt_transactions")
    ]
    last = rows_of(connection, "SELECT commit_number FROM icemelt_lake")[0][0]
    assert sorted(numbers) == list(range(1, last + 1)), "a commit number was given twice or lost"


def clones_are_whole(connection: sa.Connection) -> None:
    """Check that a table shares files exactly if it was cloned; for a registry without purges."""
    assert not rows_of(
        connection,
        "SELECT 1 FROM icemelt_sharing "
        "WHERE table_id NOT IN (SELECT object_id FROM icemelt_objects)",
    ), "a table shares files, and was not published"
    clones = "SELECT table_id FROM icemelt_versions WHERE operation = 'CLONE'"
    assert not rows_of(
        connection, f"{clones} AND table_id NOT IN (SELECT table_id FROM icemelt_sharing)"
    ), "a clone shares no files"


def rows_of(connection: sa.Connection, query: str) -> list[Any]:
    """Return the rows of a query of the registry."""
    return list(connection.execute(sa.text(query)))
