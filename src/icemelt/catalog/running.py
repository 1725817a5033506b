"""The statements running on servers, for every user of the lake to see and to cancel."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.leases import (
    Claim,
    LeaseKind,
    release_leases,
    remove_expired_leases,
    take_leases,
)
from icemelt.catalog.model import keys, leases, running
from icemelt.catalog.records import RunningStatement

__all__ = ["Cancellations", "ask_to_cancel", "find_cancellations", "list_running", "report_running"]

# the list of a killed server counts for this long
_LEASE_SECONDS = 60
_SERVERS = sa.select(leases.c.holder).where(leases.c.kind == LeaseKind.SERVER)


@dataclass(frozen=True, slots=True)
class Cancellations:
    """The cancellations asked of a server.

    Args:
        statement_ids: the statements to cancel.
        revoked: the revoked keys, all of whose statements are to be cancelled.
    """

    statement_ids: frozenset[str]
    revoked: frozenset[str]


def report_running(database: Database, server_id: str, listed: Sequence[RunningStatement]) -> None:
    """Replace a server's list of running statements; the list is current for a minute.

    Args:
        database: the catalog's database.
        server_id: the server's id.
        listed: the statements running or waiting now.
    """
    with database.note() as connection:
        now = database.clock(connection)
        asked = sa.select(running.c.statement_id).where(
            running.c.server_id == server_id, running.c.is_cancelled
        )
        cancelled = set(connection.execute(asked).scalars())
        if listed:
            take_leases(
                connection,
                database,
                Claim(LeaseKind.SERVER, [server_id], server_id, _LEASE_SECONDS),
            )
        else:
            release_leases(connection, server_id, LeaseKind.SERVER)
        remove_expired_leases(connection, now, LeaseKind.SERVER)
        is_old = (running.c.server_id == server_id) | running.c.server_id.not_in(_SERVERS)
        connection.execute(running.delete().where(is_old))
        if listed:
            rows = [
                {
                    "statement_id": statement.statement_id,
                    "server_id": server_id,
                    "key_id": statement.key_id,
                    "user": statement.user,
                    "text": statement.text,
                    "submitted_at": statement.submitted_at,
                    "started_at": statement.started_at,
                    "is_cancelled": statement.is_cancelled or statement.statement_id in cancelled,
                }
                for statement in listed
            ]
            connection.execute(running.insert(), rows)


def find_cancellations(
    connection: Connection, server_id: str, key_ids: Collection[str]
) -> Cancellations:
    """Return the cancellations asked of a server, by one query.

    Args:
        connection: a connection to the catalog's database.
        server_id: the server's id.
        key_ids: the keys of the server's running statements.
    """
    of_statements = sa.select(sa.literal(value=True), running.c.statement_id).where(
        running.c.server_id == server_id, running.c.is_cancelled
    )
    of_keys = sa.select(sa.literal(value=False), keys.c.key_id).where(
        keys.c.key_id.in_(key_ids), keys.c.revoked_at.is_not(None)
    )
    rows = connection.execute(of_statements.union_all(of_keys)).all()
    return Cancellations(
        frozenset(identity for is_statement, identity in rows if is_statement),
        frozenset(identity for is_statement, identity in rows if not is_statement),
    )


def list_running(database: Database) -> list[RunningStatement]:
    """Return the statements running or waiting on the lake's servers, oldest first."""
    with database.read() as connection:
        there = sa.select(running).where(_is_live(database.clock(connection)))
        rows = connection.execute(there.order_by(running.c.submitted_at, running.c.statement_id))
        return [
            RunningStatement(
                row.statement_id,
                row.key_id,
                row.user,
                row.text,
                row.submitted_at,
                row.started_at,
                row.is_cancelled,
            )
            for row in rows
        ]


def ask_to_cancel(database: Database, statement_id: str) -> bool:
    """Ask the server of a statement to cancel; return False where no server runs the statement."""
    with database.note() as connection:
        there = (
            running.c.statement_id == statement_id,
            _is_live(database.clock(connection)),
        )
        asked = running.update().where(*there).values(is_cancelled=True)
        return connection.execute(asked).rowcount > 0


def _is_live(now: int) -> sa.ColumnElement[bool]:
    return running.c.server_id.in_(_SERVERS.where(leases.c.expires_at > now))
