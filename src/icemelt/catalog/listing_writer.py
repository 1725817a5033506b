"""Register what listings of files found, inside the SQL transaction of a publication."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.edits import CommitRequest
from icemelt.catalog.listing_edits import RegisterFiles
from icemelt.catalog.model import listed_files, listings, objects
from icemelt.catalog.outcomes import ListingOvertaken, NotPublishedError
from icemelt.catalog.queries.listings import last_listing
from icemelt.catalog.records import Moment

__all__ = ["register_files"]


def register_files(
    connection: sa.Connection, commit: CommitRequest, moment: Moment, edit: RegisterFiles
) -> None:
    """Register a listing: end the files that it found changed or removed, and add what it found.

    Args:
        connection: a connection in a write transaction.
        commit: the transaction to publish.
        moment: the commit number and the time.
        edit: the listing.

    Raises:
        NotPublishedError: the stage was dropped, or another listing was registered meanwhile.
    """
    live = sa.select(objects.c.object_id).where(
        objects.c.object_id == edit.owner_id, objects.c.dropped_at.is_(None)
    )
    if connection.scalar(live) is None or last_listing(connection, edit.owner_id) != edit.base:
        raise NotPublishedError(ListingOvertaken())
    statement_id = commit.statements[-1].statement_id if commit.statements else None
    connection.execute(
        listings.insert().values(
            owner_id=edit.owner_id,
            commit_number=moment.commit_number,
            committed_at=moment.time,
            user=commit.user,
            statement_id=statement_id,
            transaction_id=commit.transaction_id,
            added=len(edit.added),
            changed=len(edit.changed),
            removed=len(edit.removed),
            bytes=sum(file.size for file in edit.found),
        )
    )
    ended = [change.path for change in edit.changed] + [file.path for file in edit.removed]
    _end(connection, moment, edit.owner_id, ended)
    rows = [
        {
            "owner_id": edit.owner_id,
            "path": file.path,
            "since_commit": moment.commit_number,
            "added_in": file.added_in or moment.commit_number,
            "size": file.size,
            "modified_at": file.modified_at,
            "etag": file.etag,
        }
        for file in edit.found
    ]
    if rows:
        connection.execute(listed_files.insert(), rows)


def _end(connection: sa.Connection, moment: Moment, owner_id: str, paths: Sequence[str]) -> None:
    """Note that files of the newest listing are no longer as they were."""
    for part in split_values(paths):
        connection.execute(
            listed_files.update()
            .where(
                listed_files.c.owner_id == owner_id,
                listed_files.c.path.in_(part),
                listed_files.c.until_commit.is_(None),
            )
            .values(until_commit=moment.commit_number)
        )
