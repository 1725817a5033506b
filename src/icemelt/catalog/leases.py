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

from icemelt.catalog.batches import split_values
from icemelt.catalog.database import Connection, Database
from icemelt.catalog.model import lake, leases

__all__ = [
    "Claim",
    "LeaseKind",
    "LeaseRecord",
    "find_leases",
    "find_leases_of",
    "find_leases_on",
    "release_leases",
    "remove_expired_leases",
    "renew_leases",
    "take_first_lease",
    "take_further_lease",
    "take_leases",
    "take_next_token",
]

_NEXT_TOKEN = lake.update().values(lease_token=lake.c.lease_token + 1).returning(lake.c.lease_token)
# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_NOW = sa.bindparam("now", type_=sa.BigInteger)
_SHORTEN_LEASES = (
    leases.update()
    .where(leases.c.expires_at > _NOW + leases.c.life)
    .values(expires_at=_NOW + leases.c.life)
)
_ADD_LEASES = leases.insert()
_REMOVE_LEASE = leases.delete().where(
    leases.c.kind == sa.bindparam("of_kind"),
    leases.c.resource_id == sa.bindparam("of_resource"),
)
_RELEASE_ALL = leases.delete().where(leases.c.holder == sa.bindparam("of_holder"))
_FURTHER_LEASE = sa.select(
    sa.bindparam("new_kind", type_=sa.Text),
    sa.bindparam("new_resource", type_=sa.Text),
    leases.c.holder,
    sa.bindparam("new_token", type_=sa.BigInteger),
    _NOW,
    leases.c.life,
    leases.c.expires_at,
).where(
    leases.c.kind == sa.bindparam("own_kind"), leases.c.resource_id == sa.bindparam("own_resource")
)
_ADD_FURTHER_LEASE = leases.insert().from_select(
    [column.name for column in leases.columns], _FURTHER_LEASE
)
_RENEW = (
    leases.update()
    .where(leases.c.holder == sa.bindparam("of_holder"), leases.c.expires_at > _NOW)
    .values(life=sa.bindparam("new_life"), expires_at=sa.bindparam("new_expiry"))
    .returning(leases.c.kind)
)
_OF_KIND = sa.select(leases).where(leases.c.kind == sa.bindparam("of_kind"))
_OF_KIND = _OF_KIND.order_by(leases.c.acquired_at)
_OF_HOLDER = _OF_KIND.where(leases.c.holder == sa.bindparam("of_holder"))
_OF_RESOURCES = _OF_KIND.where(
    leases.c.resource_id.in_(sa.bindparam("resource_ids", expanding=True))
)


class LeaseKind(StrEnum):
    """The kind of a lease's resource.

    TRANSACTION: an open transaction; the transaction is its own holder and may be published.
    STREAM: a stream; the holder, a transaction, may consume the stream. TABLE: a table; other
    transactions wait before they publish to the table. NEXT: a table; nobody but the holder may
    reserve the table next. SERVER: a server; the server's list of running statements is current.
    WORK: a kind of background work; the holder does the work.
    """

    TRANSACTION = "transaction"
    STREAM = "stream"
    TABLE = "table"
    NEXT = "next"
    SERVER = "server"
    WORK = "work"


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
    live = [lease for lease in find_leases_on(connection, kind, ids) if lease.expires_at > now]
    if any(lease.holder != claim.holder for lease in live):
        return None
    tokens = {lease.token for lease in live}
    if len(live) == len(set(ids)) and len(tokens) == 1:
        values = {"life": life, "expires_at": now + life}
        for part in split_values(ids):
            connection.execute(leases.update().where(_these(kind, part)).values(values))
        return tokens.pop()
    for part in split_values(ids):
        connection.execute(leases.delete().where(_these(kind, part)))
    return _add_leases(connection, now, claim)


def take_first_lease(connection: Connection, now: int, claim: Claim) -> int:
    """Take the leases of resources that are new: no holder had a lease of them ever before.

    Return the fencing token.

    Args:
        connection: a connection in a write transaction.
        now: the database's clock.
        claim: the resources, the holder and the leases' life.
    """
    _shorten(connection, now)
    return _add_leases(connection, now, claim)


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
    connection.execute(_REMOVE_LEASE, {"of_kind": kind, "of_resource": resource_id})
    token = take_next_token(connection)
    values = {
        "new_kind": kind,
        "new_resource": resource_id,
        "new_token": token,
        "now": now,
        "own_kind": own[0],
        "own_resource": own[1],
    }
    connection.execute(_ADD_FURTHER_LEASE, values)
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
    with database.write_unordered() as connection:
        now, life = database.clock(connection), int(seconds * 1000)
        _shorten(connection, now)
        values = {"of_holder": holder, "now": now, "new_life": life, "new_expiry": now + life}
        return kind in set(connection.execute(_RENEW, values).scalars())


def release_leases(connection: Connection, holder: str, *kinds: LeaseKind) -> None:
    """Remove a holder's leases of some kinds; without kinds, all leases."""
    query = _RELEASE_ALL.where(leases.c.kind.in_(kinds)) if kinds else _RELEASE_ALL
    connection.execute(query, {"of_holder": holder})


def remove_expired_leases(connection: Connection, now: int, kind: LeaseKind) -> int:
    """Remove the expired leases of a kind; return how many.

    Args:
        connection: a connection in a write transaction.
        now: the database's clock.
        kind: the kind of the leases' resources.
    """
    expired = leases.delete().where(leases.c.kind == kind, leases.c.expires_at <= now)
    return connection.execute(expired).rowcount


def find_leases(connection: Connection, kind: LeaseKind) -> list[LeaseRecord]:
    """Return the leases of resources of a kind, expired leases included, oldest first."""
    return [_record(row) for row in connection.execute(_OF_KIND, {"of_kind": kind})]


def find_leases_of(connection: Connection, kind: LeaseKind, holder: str) -> list[LeaseRecord]:
    """Return the leases of a kind that a holder has, expired leases included, oldest first.

    Args:
        connection: a connection to the catalog's database.
        kind: the kind of the leases' resources.
        holder: the holder's id.
    """
    found = connection.execute(_OF_HOLDER, {"of_kind": kind, "of_holder": holder})
    return [_record(row) for row in found]


def find_leases_on(
    connection: Connection, kind: LeaseKind, resource_ids: Sequence[str]
) -> list[LeaseRecord]:
    """Return the leases of some resources, expired leases included, oldest first.

    Args:
        connection: a connection to the catalog's database.
        kind: the kind of the resources.
        resource_ids: the resources' ids.
    """
    found = []
    for part in split_values(resource_ids):
        values = {"of_kind": kind, "resource_ids": [*part]}
        found += [_record(row) for row in connection.execute(_OF_RESOURCES, values)]
    return sorted(found, key=lambda lease: lease.acquired_at)


def _these(kind: LeaseKind, resource_ids: Sequence[str]) -> sa.ColumnElement[bool]:
    return sa.and_(leases.c.kind == kind, leases.c.resource_id.in_(resource_ids))


def _add_leases(connection: Connection, now: int, claim: Claim) -> int:
    """Add the leases of resources without leases; return the fencing token."""
    token, life = take_next_token(connection), int(claim.seconds * 1000)
    rows = [
        {
            "kind": claim.kind,
            "resource_id": resource_id,
            "holder": claim.holder,
            "token": token,
            "acquired_at": now,
            "life": life,
            "expires_at": now + life,
        }
        for resource_id in sorted(set(claim.resource_ids))
    ]
    connection.execute(_ADD_LEASES, rows)
    return token


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
