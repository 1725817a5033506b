"""Leases in the registry: rights to resources, limited in time by the database's clock.

A lease is one holder's right to one resource. The holder renews the lease for as long as the holder
lives. A lease without renewals expires, as when the holder is dead or was stopped for too long.
Another holder may take the resource then.

Every lease has a *fencing token*: a number above the tokens of all earlier leases in the lake. The
SQL transaction of a publication compares the token. A holder that wakes up too late changes
nothing.

All times are by the database's clock. After that clock was set back, no lease lasts longer than the
lease's own life from then on.

Example: a lease of 30 seconds on the stream `s`.

| time | event                                     | holder of the lease | token |
|------|-------------------------------------------|---------------------|-------|
| 0    | transaction A takes the lease, then hangs | A, until 30         | 7     |
| 31   | transaction B takes the lease             | B, until 61         | 8     |
| 40   | A wakes up and publishes under token 7    | B                   | 8     |

The publication of A ends with `Ended`: the token in force is 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.model import lake, leases

__all__ = [
    "Claim",
    "LeaseKind",
    "LeaseRecord",
    "find_leases",
    "release_leases",
    "remove_expired_leases",
    "renew_leases",
    "take_further_lease",
    "take_leases",
    "take_next_token",
]

_NEXT_TOKEN = lake.update().values(lease_token=lake.c.lease_token + 1).returning(lake.c.lease_token)
_SHORTEN_LEASES = (
    leases.update()
    .where(leases.c.expires_at > sa.bindparam("now") + leases.c.life)
    .values(expires_at=sa.bindparam("now") + leases.c.life)
)


class LeaseKind(StrEnum):
    """The kind of a lease's resource.

    TRANSACTION: an open transaction; the transaction is its own holder and may be published.
    STREAM: a stream; the holder, a transaction, may consume the stream. TABLE: a table; other
    transactions wait before they publish to the table. SERVER: a server; the server's list of
    running statements is current.
    """

    TRANSACTION = "transaction"
    STREAM = "stream"
    TABLE = "table"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """A lease, with all times in milliseconds.

    Args:
        kind: the kind of the resource.
        resource_id: the id of the resource.
        holder: the id of a transaction or server.
        token: the fencing token.
        acquired_at: when the holder took the lease.
        life: the time from a renewal to the expiry.
        expires_at: when the lease expires without another renewal.
    """

    kind: LeaseKind
    resource_id: str
    holder: str
    token: int
    acquired_at: int
    life: int
    expires_at: int

    def is_live(self, now: int) -> bool:
        """Return whether the lease is in force at a time.

        A lease that would last longer than its life was given by a later clock, and is not in
        force.

        >>> lease = LeaseRecord(LeaseKind.TABLE, "t", "me", 1, 0, 30_000, 31_000)
        >>> lease.is_live(1_000), lease.is_live(31_000), lease.is_live(-3_600_000)
        (True, False, False)
        """
        return now < self.expires_at <= now + self.life


@dataclass(frozen=True, slots=True)
class Claim:
    """A request for leases.

    Args:
        kind: the kind of the resources.
        resource_ids: the resources' ids.
        holder: the id of the future holder.
        seconds: the life of the leases, from every renewal.
    """

    kind: LeaseKind
    resource_ids: Sequence[str]
    holder: str
    seconds: float


def take_leases(connection: Connection, database: Database, claim: Claim) -> int | None:
    """Take or renew the leases of some resources: all, or None where another holder has a lease.

    Return the fencing token. The token stays the same where the holder has all the leases already.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        claim: the resources, the holder and the leases' life.
    """
    kind, ids = claim.kind, claim.resource_ids
    now, life = database.clock(connection), int(claim.seconds * 1000)
    _shorten(connection, now)
    live = [
        lease
        for lease in find_leases(connection, kind, leases.c.resource_id.in_(ids))
        if lease.expires_at > now
    ]
    if any(lease.holder != claim.holder for lease in live):
        return None
    these = sa.and_(leases.c.kind == kind, leases.c.resource_id.in_(ids))
    tokens = {lease.token for lease in live}
    if len(live) == len(set(ids)) and len(tokens) == 1:
        values = {"life": life, "expires_at": now + life}
        connection.execute(leases.update().where(these).values(values))
        return tokens.pop()
    connection.execute(leases.delete().where(these))
    token = take_next_token(connection)
    rows = [
        {
            "kind": kind,
            "resource_id": resource_id,
            "holder": claim.holder,
            "token": token,
            "acquired_at": now,
            "life": life,
            "expires_at": now + life,
        }
        for resource_id in sorted(set(ids))
    ]
    connection.execute(leases.insert(), rows)
    return token


def take_further_lease(
    connection: Connection, now: int, own: tuple[LeaseKind, str], kind: LeaseKind, resource_id: str
) -> int:
    """Take a lease for a holder, whoever had the lease before; return the fencing token.

    Args:
        connection: a connection in a write transaction.
        now: the database's clock.
        own: the kind and the resource of a lease of the holder; the new lease expires with this
            lease.
        kind: the kind of the new lease's resource.
        resource_id: the new lease's resource.
    """
    this = sa.and_(leases.c.kind == kind, leases.c.resource_id == resource_id)
    connection.execute(leases.delete().where(this))
    token = take_next_token(connection)
    values = sa.select(
        sa.literal(kind.value),
        sa.literal(resource_id),
        leases.c.holder,
        sa.literal(token, sa.BigInteger),
        sa.literal(now, sa.BigInteger),
        leases.c.life,
        leases.c.expires_at,
    ).where(leases.c.kind == own[0], leases.c.resource_id == own[1])
    connection.execute(leases.insert().from_select([c.name for c in leases.columns], values))
    return token


def take_next_token(connection: Connection) -> int:
    """Return a fencing token above all earlier tokens; the lake's row is held until the commit."""
    return int(connection.execute(_NEXT_TOKEN).scalar_one())


def renew_leases(database: Database, kind: LeaseKind, holder: str, seconds: float) -> bool:
    """Renew all live leases of a holder.

    Return False where the holder's lease of `kind` has expired or was taken away. Such a lease is
    lost for good.

    Args:
        database: the catalog's database.
        kind: the kind of the lease whose state is returned.
        holder: the holder's id.
        seconds: the new life of the leases, from now.
    """
    with database.note() as connection:
        now, life = database.clock(connection), int(seconds * 1000)
        _shorten(connection, now)
        renewed = connection.execute(
            leases.update()
            .where(leases.c.holder == holder, leases.c.expires_at > now)
            .values(life=life, expires_at=now + life)
            .returning(leases.c.kind)
        )
        return kind in set(renewed.scalars())


def release_leases(connection: Connection, holder: str, *kinds: LeaseKind) -> None:
    """Remove a holder's leases of some kinds; without kinds, all leases."""
    query = leases.delete().where(leases.c.holder == holder)
    connection.execute(query.where(leases.c.kind.in_(kinds)) if kinds else query)


def remove_expired_leases(connection: Connection, now: int, kind: LeaseKind) -> int:
    """Remove the expired leases of a kind; return how many.

    Args:
        connection: a connection in a write transaction.
        now: the database's clock.
        kind: the kind of the leases' resources.
    """
    expired = leases.delete().where(leases.c.kind == kind, leases.c.expires_at <= now)
    return connection.execute(expired).rowcount


def find_leases(
    connection: Connection, kind: LeaseKind, *wanted: sa.ColumnElement[bool]
) -> list[LeaseRecord]:
    """Return the leases of a kind, expired leases included, oldest first.

    Args:
        connection: a connection to the catalog's database.
        kind: the kind of the leases' resources.
        wanted: conditions on the columns of `icemelt_leases`.
    """
    query = sa.select(leases).where(leases.c.kind == kind, *wanted).order_by(leases.c.acquired_at)
    return [_record(row) for row in connection.execute(query)]


def _shorten(connection: Connection, now: int) -> None:
    """Limit every lease to its life from now: a lease with more was given by a later clock."""
    connection.execute(_SHORTEN_LEASES, {"now": now})


def _record(row: Any) -> LeaseRecord:
    return LeaseRecord(
        LeaseKind(row.kind),
        row.resource_id,
        row.holder,
        row.token,
        row.acquired_at,
        row.life,
        row.expires_at,
    )
