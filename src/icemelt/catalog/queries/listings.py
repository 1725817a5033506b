"""Questions to the registry about the files of directory tables, now and between commits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.listing_records import FileChange, ListedFile, UnreadFiles
from icemelt.catalog.model import listed_files, listings
from icemelt.catalog.records import Moment, VersionRecord

__all__ = [
    "REFRESH",
    "added_files",
    "file_changes",
    "last_listing",
    "listed_files_at",
    "listings_between",
    "touched_files",
    "unread_files",
    "unread_listings",
]

# the operation of a listing among the versions of other sources
REFRESH = "REFRESH"
_LAST_COMMIT = (1 << 63) - 1
# Building a query takes longer than its answer from SQLite: every query is built once.
_AFTER = sa.bindparam("after", type_=sa.BigInteger)
_UNTIL = sa.bindparam("until", type_=sa.BigInteger)
_OF_OWNER = listed_files.c.owner_id == sa.bindparam("owner_id")
_COLUMNS = (
    listed_files.c.path,
    listed_files.c.size,
    listed_files.c.modified_at,
    listed_files.c.etag,
    listed_files.c.added_in,
    listed_files.c.since_commit,
    listed_files.c.until_commit,
)
_SINCE, _ENDED = listed_files.c.since_commit, listed_files.c.until_commit
_FILES_AT = (
    sa.select(*_COLUMNS)
    .where(_OF_OWNER, _SINCE <= _UNTIL, sa.or_(_ENDED.is_(None), _ENDED > _UNTIL))
    .order_by(listed_files.c.path)
)
_BEGUN = sa.select(*_COLUMNS).where(_OF_OWNER, _SINCE > _AFTER, _SINCE <= _UNTIL)
# those that an insert-only stream has not given: found after a commit, or there at it, too
_FOUND_LATER = _BEGUN.order_by(listed_files.c.path, _SINCE)
_THERE_OR_LATER = (
    sa.select(*_COLUMNS)
    .where(_OF_OWNER, _SINCE <= _UNTIL, sa.or_(_ENDED.is_(None), _ENDED > _AFTER))
    .order_by(listed_files.c.path, _SINCE)
)
# the two parts share no file, so that each uses its index
_ENDED_LATER = sa.select(*_COLUMNS).where(
    _OF_OWNER, _ENDED > _AFTER, _ENDED <= _UNTIL, _SINCE <= _AFTER
)
_TOUCHED = sa.union_all(_BEGUN, _ENDED_LATER)
_ADDED = _BEGUN.where(listed_files.c.added_in == _SINCE).order_by(_SINCE, listed_files.c.path)
_LISTINGS = (
    sa.select(listings)
    .where(
        listings.c.owner_id == sa.bindparam("owner_id"),
        listings.c.commit_number > _AFTER,
        listings.c.commit_number <= _UNTIL,
    )
    .order_by(listings.c.commit_number)
)
_LISTINGS_OF = (
    sa.select(listings)
    .where(
        listings.c.owner_id.in_(sa.bindparam("owners", expanding=True)),
        listings.c.commit_number > _AFTER,
        listings.c.commit_number <= _UNTIL,
    )
    .order_by(listings.c.commit_number)
)
_LAST = sa.select(sa.func.max(listings.c.commit_number)).where(
    listings.c.owner_id == sa.bindparam("owner_id"), listings.c.commit_number <= _UNTIL
)


def last_listing(connection: sa.Connection, owner_id: str, until: int = _LAST_COMMIT) -> int:
    """Return the commit number of the last listing up to a commit, 0 for none."""
    return connection.scalar(_LAST, {"owner_id": owner_id, "until": until}) or 0


def listings_between(
    connection: sa.Connection, owner_id: str, after: int, until: int
) -> list[VersionRecord]:
    """Return the listings in (`after`, `until`] that found changes, oldest first.

    Of the version of a listing the number is its commit number, and the rows are files.

    Args:
        connection: a connection to the catalog's database.
        owner_id: the object id of the stage.
        after: a commit number, not included.
        until: a commit number, included.
    """
    values = {"owner_id": owner_id, "after": after, "until": until}
    return [_version(row) for row in connection.execute(_LISTINGS, values)]


def unread_listings(
    connection: sa.Connection, after: Mapping[str, int], until: int
) -> dict[str, list[VersionRecord]]:
    """Return the listings of stages behind a commit number of each, in few queries.

    Args:
        connection: a connection to the catalog's database.
        after: by the stages' ids, a commit number, not included.
        until: the last commit number.

    Returns:
        The listings of every stage with listings, oldest first, by the stage's id.
    """
    found: dict[str, list[VersionRecord]] = {}
    for part in split_values(list(after)):
        values = {"owners": [*part], "after": min(after[each] for each in part), "until": until}
        for row in connection.execute(_LISTINGS_OF, values):
            if row.commit_number > after[row.owner_id]:
                found.setdefault(row.owner_id, []).append(_version(row))
    return found


def listed_files_at(connection: sa.Connection, owner_id: str, commit: int) -> list[ListedFile]:
    """Return the files of the last listing up to a commit, ordered by path."""
    values = {"owner_id": owner_id, "until": commit}
    return [ListedFile(*row) for row in connection.execute(_FILES_AT, values).all()]


def touched_files(
    connection: sa.Connection, owner_id: str, after: int, until: int
) -> list[ListedFile]:
    """Return the files that listings in (`after`, `until`] found, or found changed or removed."""
    values = {"owner_id": owner_id, "after": after, "until": until}
    return [ListedFile(*row) for row in connection.execute(_TOUCHED, values)]


def added_files(
    connection: sa.Connection, owner_id: str, after: int, until: int
) -> list[ListedFile]:
    """Return the files that listings in (`after`, `until`] found first, or again, as found then."""
    values = {"owner_id": owner_id, "after": after, "until": until}
    return [ListedFile(*row) for row in connection.execute(_ADDED, values)]


def unread_files(
    connection: sa.Connection, owner_id: str, after: int, until: int, *, initial: bool = False
) -> UnreadFiles:
    """Return the files of an external table that an insert-only stream has not given yet.

    A file that was there at `after` and was overwritten several times since has lost nothing: its
    newest records are given. A file that was first found after `after`, or again after its removal,
    is lost where a later listing found it overwritten or gone.

    Args:
        connection: a connection to the catalog's database.
        owner_id: the object id of the external table.
        after: the commit number up to which the stream was read.
        until: the later commit number.
        initial: whether the files that were there at `after` are unread, too.
    """
    values = {"owner_id": owner_id, "after": after, "until": until}
    query = _THERE_OR_LATER if initial else _FOUND_LATER
    found = [ListedFile(*row) for row in connection.execute(query, values)]
    continued = {(file.path, file.since) for file in found if file.since != file.added_in}
    given, lost = [], []
    for file in found:
        if file.until is None or file.until > until:
            given.append(file)
        elif initial or file.added_in > after or (file.path, file.until) not in continued:
            lost.append(file)
    return UnreadFiles(tuple(given), tuple(lost))


def file_changes(
    connection: sa.Connection, owner_id: str, after: int, until: int
) -> list[FileChange]:
    """Return the paths whose files differ between two commits, ordered by path.

    The cost grows with the files that listings in between found changed.

    Args:
        connection: a connection to the catalog's database.
        owner_id: the object id of the stage.
        after: the earlier commit number.
        until: the later commit number.
    """
    ends: dict[str, tuple[ListedFile | None, ListedFile | None]] = {}
    for file in touched_files(connection, owner_id, after, until):
        before, later = ends.get(file.path, (None, None))
        if file.since <= after:
            before = file
        if file.until is None or file.until > until:
            later = file
        ends[file.path] = before, later
    changes = (FileChange(before, later) for _, (before, later) in sorted(ends.items()))
    return [change for change in changes if change.is_change]


def _version(row: Any) -> VersionRecord:
    return VersionRecord(
        table_id=row.owner_id,
        version=row.commit_number,
        moment=Moment(row.commit_number, row.committed_at),
        snapshot_id=None,
        operation=REFRESH,
        user=row.user,
        statement_id=row.statement_id,
        transaction_id=row.transaction_id,
        total_bytes=row.bytes,
        inserted=row.added,
        updated=row.changed,
        deleted=row.removed,
    )
