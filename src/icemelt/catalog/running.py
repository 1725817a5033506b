"""The statements running on servers, for every user of the lake to see and to cancel."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.database import Connection, Database
from icemelt.catalog.leases import (
    Claim,
    LeaseKind,
    release_leases,
    remove_expired_leases,
    take_leases,
)
from icemelt.catalog.model import keys, leases, running

__all__ = [
    "Cancellations",
    "RunningStatement",
    "find_cancellations",
    "list_running",
    "report_running",
    "request_cancel",
]

# the list of a killed server counts for this long
_LEASE_SECONDS = 60
_SERVERS = sa.select(leases.c.holder).where(leases.c.kind == LeaseKind.SERVER)


@dataclass(frozen=True, slots=True)
class RunningStatement:
    """A statement running on a server, or waiting there (`started_at` None)."""

    statement_id: str
    key_id: str
    user: str
    text: str
    submitted_at: int
    started_at: int | None = None
    is_cancelled: bool = False

    @property
    def status(self) -> str:
        """The state of the statement: `waiting`, `running` or `cancelling`."""
        if self.is_cancelled:
            return "cancelling"
        return "waiting" if self.started_at is None else "running"


@dataclass(frozen=True, slots=True)
class Cancellations:
    """The cancellations requested of a server.

    Args:
        statement_ids: the statements to cancel.
        revoked: the revoked keys, all of whose statements are to be cancelled.
    """

    statement_ids: frozenset[str]
    revoked: frozenset[str]


def report_running(
    database: Database, server_id: str, statements: Sequence[RunningStatement]
) -> None:
    """Replace a server's list of running statements; the list is current for a minute.

    Requested cancellations stay. The lists of servers without a lease in force are removed.

    Args:
        database: the catalog's database.
        server_id: the server's id.
        statements: the statements running or waiting now.
    """
    with database.write_unordered() as connection:
        now = database.clock(connection)
        if statements:
            claim = Claim(LeaseKind.SERVER, [server_id], server_id, _LEASE_SECONDS)
            take_leases(connection, database, claim)
        else:
            release_leases(connection, server_id, LeaseKind.SERVER)
        remove_expired_leases(connection, now, LeaseKind.SERVER)
        connection.execute(running.delete().where(running.c.server_id.not_in(_SERVERS)))
        _write_list(connection, server_id, statements)


def _write_list(
    connection: Connection, server_id: str, statements: Sequence[RunningStatement]
) -> None:
    """Change the rows of a server's statements where they stand.

    A row removed and inserted again would lose a cancellation requested at the same time.
    """
    own = running.c.server_id == server_id
    listed = {row.statement_id: row for row in connection.execute(sa.select(running).where(own))}
    ended = listed.keys() - {statement.statement_id for statement in statements}
    for batch in split_values(list(ended)):
        connection.execute(running.delete().where(own, running.c.statement_id.in_(batch)))
    added = []
    for statement in statements:
        row = listed.get(statement.statement_id)
        if row is None:
            added.append({**asdict(statement), "server_id": server_id})
            continue
        changed: dict[str, Any] = {}
        if row.started_at != statement.started_at:
            changed["started_at"] = statement.started_at
        if statement.is_cancelled and not row.is_cancelled:
            changed["is_cancelled"] = True
        if changed:
            this = running.c.statement_id == statement.statement_id
            connection.execute(running.update().where(own, this).values(changed))
    if added:
        connection.execute(running.insert(), added)


def find_cancellations(
    connection: Connection, server_id: str, key_ids: Collection[str]
) -> Cancellations:
    """Return the cancellations requested of a server, by one query.

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
    """Return the statements that servers of the lake have listed, oldest first.

    A server lists what has waited or run for a second.
    """
    with database.read() as connection:
        listed = sa.select(running).where(_is_live(database.clock(connection)))
        rows = connection.execute(listed.order_by(running.c.submitted_at, running.c.statement_id))
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


def request_cancel(database: Database, statement_id: str) -> bool:
    """Request the server of a statement to cancel; return False if no server lists the statement.

    A statement is listed when it has waited or run for a second.
    """
    with database.write_unordered() as connection:
        is_listed = (
            running.c.statement_id == statement_id,
            _is_live(database.clock(connection)),
        )
        request = running.update().where(*is_listed).values(is_cancelled=True)
        return connection.execute(request).rowcount > 0


def _is_live(now: int) -> sa.ColumnElement[bool]:
    return running.c.server_id.in_(_SERVERS.where(leases.c.expires_at > now))
