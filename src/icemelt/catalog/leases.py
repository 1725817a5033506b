"""Leases in the registry: who has something, until when by the database's clock, and in which turn.

A lease is one holder's right to one resource. Its holder renews it while it lives; a holder that is
dead, or was stopped for longer than the lease's life, has lost it, and the next one may take it.
Each lease that is given out has a *fencing token*, a number above all that were given out before in
the lake. Who publishes under a lease has its token compared in the SQL transaction of the
publication: so a holder that wakes up too late changes nothing, whatever it believes.

No clock but the database's is read. Where that is set back, no lease lasts longer than its own life
from then on.
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
    "Kind",
    "LeaseRecord",
    "find_leases",
    "give_back",
    "remove_expired",
    "renew",
    "take",
    "take_beside",
    "take_next_token",
]

_NEXT_TOKEN = lake.update().values(lease_token=lake.c.lease_token + 1).returning(lake.c.lease_token)
_SHORTENED = (
    leases.update()
    .where(leases.c.expires_at > sa.bindparam("now") + leases.c.life)
    .values(expires_at=sa.bindparam("now") + leases.c.life)
)


class Kind(StrEnum):
    """What a lease is of; the id of its resource is of such a thing.

    TRANSACTION: an open transaction, which is its own holder: it may be published. STREAM: the
    stream may be consumed by its holder, a transaction. TABLE: others publish to the table after
    its holder, a transaction. SERVER: what the server says that it runs is believed.
    """

    TRANSACTION = "transaction"
    STREAM = "stream"
    TABLE = "table"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """A lease; times and its life, from a renewal to the expiry, are in milliseconds."""

    kind: Kind
    resource_id: str
    holder: str
    token: int
    acquired_at: int
    life: int
    expires_at: int

    def is_live(self, now: int) -> bool:
        """Tell whether it has not expired; one of a clock that was set back since has.

        >>> lease = LeaseRecord(Kind.TABLE, "t", "me", 1, 0, 30_000, 31_000)
        >>> lease.is_live(1_000), lease.is_live(31_000), lease.is_live(-3_600_000)
        (True, False, False)
        """
        return now < self.expires_at <= now + self.life


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody wants to have: resources of a kind, for so many seconds from each renewal."""

    kind: Kind
    resource_ids: Sequence[str]
    holder: str
    seconds: float


def take(connection: Connection, database: Database, claim: Claim) -> int | None:
    """Take or renew the leases of some resources together; None where another has one of them.

    The connection is in a write transaction. Return the fencing token, that of before where the
    holder has all of them already.
    """
    kind, ids = claim.kind, claim.resource_ids
    now, life = database.clock(connection), int(claim.seconds * 1000)
    _shorten(connection, now)
    found = [
        each
        for each in find_leases(connection, kind, leases.c.resource_id.in_(ids))
        if each.expires_at > now
    ]
    if any(each.holder != claim.holder for each in found):
        return None
    these = sa.and_(leases.c.kind == kind, leases.c.resource_id.in_(ids))
    tokens = {each.token for each in found}
    if len(found) == len(set(ids)) and len(tokens) == 1:
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


def take_beside(
    connection: Connection, now: int, own: tuple[Kind, str], kind: Kind, resource_id: str
) -> int:
    """Take one more lease for a holder, from whoever has it; return its fencing token.

    Args:
        connection: one in a write transaction.
        now: the database's clock.
        own: the kind and the resource of a lease of the holder: the new one expires with it.
        kind: what the new lease is of.
        resource_id: what the holder takes.
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
    """Return a fencing token above all before; the lake's row is held until the commit."""
    return int(connection.execute(_NEXT_TOKEN).scalar_one())


def renew(database: Database, kind: Kind, holder: str, seconds: float) -> bool:
    """Have all leases of a holder that have not expired last for so many seconds from now.

    False where the holder's lease of `kind` has expired, or was taken away: it is lost, and will
    not come back.
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


def give_back(connection: Connection, holder: str, *kinds: Kind) -> None:
    """Remove a holder's leases, of some kinds or of all."""
    query = leases.delete().where(leases.c.holder == holder)
    connection.execute(query.where(leases.c.kind.in_(kinds)) if kinds else query)


def remove_expired(connection: Connection, now: int, kind: Kind) -> int:
    """Remove the leases of a kind that have expired; return how many."""
    expired = leases.delete().where(leases.c.kind == kind, leases.c.expires_at <= now)
    return connection.execute(expired).rowcount


def find_leases(
    connection: Connection, kind: Kind, *wanted: sa.ColumnElement[bool]
) -> list[LeaseRecord]:
    """Return the leases of a kind, oldest first, expired ones included."""
    query = sa.select(leases).where(leases.c.kind == kind, *wanted).order_by(leases.c.acquired_at)
    return [_record(row) for row in connection.execute(query)]


def _shorten(connection: Connection, now: int) -> None:
    """Let no lease last for longer than its life: one that would was given by a later clock."""
    connection.execute(_SHORTENED, {"now": now})


def _record(row: Any) -> LeaseRecord:
    return LeaseRecord(
        Kind(row.kind),
        row.resource_id,
        row.holder,
        row.token,
        row.acquired_at,
        row.life,
        row.expires_at,
    )
