"""The keys of a server's clients: the secret is shown once, the registry keeps a hash.

A key's text is `ice_<id>_<secret>`. The secret has 256 random bits, so its SHA-256 can neither be
guessed nor looked up.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.database import Connection, Database
from icemelt.catalog.model import keys
from icemelt.errors import ObjectExists
from icemelt.names import validate_name

__all__ = [
    "create_key",
    "find_key",
    "find_key_of_client",
    "find_revoked_keys",
    "list_keys",
    "revoke_key",
    "verify_key",
]

_PREFIX = "ice"
_ID_BYTES, _SECRET_BYTES = 6, 32
_BY_ID = sa.select(keys).where(keys.c.key_id == sa.bindparam("key_id"))
_BY_NAME = (
    sa.select(keys)
    .where(keys.c.name == sa.bindparam("name"))
    .order_by(keys.c.revoked_at.is_not(None), keys.c.created_at.desc())
    .limit(1)
)


def create_key(
    database: Database, name: str, statement_timeout: float | None = None
) -> tuple[KeyRecord, str]:
    """Make a key for a client; return the record, and the text shown only this once.

    Args:
        database: the catalog's database.
        name: the client's name, shown in the history of statements.
        statement_timeout: the longest run of the key's statements in seconds; None for the server's
            own limit, 0 for no limit.

    Raises:
        ObjectExists: another key in force has the name; the history tells statements apart by name.
    """
    validate_name("key", name)
    key_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    with database.write() as connection:
        taken = sa.select(keys.c.key_id).where(keys.c.name == name, keys.c.revoked_at.is_(None))
        other = connection.execute(taken).first()
        if other is not None:
            raise ObjectExists(
                f"Key {other.key_id!r}, which is in force, is named {name!r}, too.",
                hint=f"Choose another name, or revoke that one: icemelt keys revoke {other.key_id}",
            )
        now = database.clock(connection)
        connection.execute(
            keys.insert().values(
                key_id=key_id,
                name=name,
                hash=_hash(secret),
                created_at=now,
                statement_timeout=statement_timeout,
            )
        )
    record = KeyRecord(key_id, name, now, statement_timeout=statement_timeout)
    return record, f"{_PREFIX}_{key_id}_{secret}"


def revoke_key(database: Database, key_id: str) -> bool:
    """Revoke a key from now on; return False where no key in force has the id."""
    with database.write_unordered() as connection:
        in_force = keys.c.key_id == key_id, keys.c.revoked_at.is_(None)
        revoked = keys.update().where(*in_force).values(revoked_at=database.clock(connection))
        return connection.execute(revoked).rowcount == 1


def list_keys(connection: Connection) -> list[KeyRecord]:
    """Return all keys, revoked keys included, oldest first."""
    rows = connection.execute(sa.select(keys).order_by(keys.c.created_at, keys.c.key_id))
    return [_record(row) for row in rows]


def find_key(connection: Connection, key_id: str) -> KeyRecord | None:
    """Return a key, in force or revoked, by id; None where no key has the id."""
    row = connection.execute(_BY_ID, {"key_id": key_id}).first()
    return None if row is None else _record(row)


def find_key_of_client(connection: Connection, name: str) -> KeyRecord | None:
    """Return the key in force with a client's name, else a revoked one; None without any."""
    row = connection.execute(_BY_NAME, {"name": name}).first()
    return None if row is None else _record(row)


def find_revoked_keys(connection: Connection, key_ids: Collection[str]) -> frozenset[str]:
    """Return the ids out of some that are of revoked keys; other ids are of no key, perhaps."""
    # few keys are revoked, whereas a database limits the parameters of a query
    revoked = connection.execute(sa.select(keys.c.key_id).where(keys.c.revoked_at.is_not(None)))
    return frozenset(revoked.scalars()).intersection(key_ids)


def verify_key(connection: Connection, text: str) -> KeyRecord | None:
    """Return the key in force with a text; None for an unknown, wrong or revoked key."""
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    row = connection.execute(_BY_ID, {"key_id": key_id}).first()
    # the same work for an unknown key: the time of an answer reveals nothing
    wanted = _hash("") if row is None else row.hash
    is_right = hmac.compare_digest(_hash(secret), wanted) and prefix == _PREFIX
    if row is None or not is_right or not secret or row.revoked_at is not None:
        return None
    return _record(row)


def _record(row: sa.Row[Any]) -> KeyRecord:
    return KeyRecord(row.key_id, row.name, row.created_at, row.revoked_at, row.statement_timeout)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
