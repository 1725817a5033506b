"""What was published after a commit: the objects whose rows may have changed."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.model import lake, listings, versions
from icemelt.catalog.records import REWRITES, Moment

__all__ = ["News", "read_news"]

_AFTER = sa.bindparam("after", type_=sa.BigInteger)
# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_NEWEST = sa.select(lake.c.commit_number, lake.c.commit_time)
_OF_TABLES = sa.select(versions.c.table_id, versions.c.commit_number, versions.c.operation).where(
    # the times of commits rise, and have an index
    versions.c.committed_at > sa.bindparam("after_time", type_=sa.BigInteger),
    versions.c.commit_number > _AFTER,
)
_OF_FILES = sa.select(listings.c.owner_id, listings.c.commit_number).where(
    listings.c.commit_number > _AFTER
)


@dataclass(frozen=True, slots=True)
class News:
    """What was published between two moments.

    Attributes:
        until: the newest commit.
        changed_ids: the object ids of the tables, stages and external tables with a new version or
            listing. A compaction changes no rows, and is left out.
        has_other: whether there are commits without a version or a listing, as of a statement that
            makes a stream.
    """

    until: Moment
    changed_ids: frozenset[str] = frozenset()
    has_other: bool = False


def read_news(connection: sa.Connection, after: Moment | None) -> News:
    """Return what was published after a moment; of a lake without news that is one row's look.

    Args:
        connection: a connection to the catalog's database.
        after: the newest commit that is known, None for a reader that knows nothing yet.
    """
    until = Moment(*connection.execute(_NEWEST).one())
    if after is None:
        return News(until, has_other=True)
    if until.commit_number == after.commit_number:
        return News(until)
    values = {"after": after.commit_number, "after_time": after.time}
    of_tables = connection.execute(_OF_TABLES, values).all()
    of_files = connection.execute(_OF_FILES, values).all()
    changed = {row.table_id for row in of_tables if row.operation not in REWRITES}
    changed |= {row.owner_id for row in of_files}
    explained = {row.commit_number for row in (*of_tables, *of_files)}
    has_other = len(explained) < until.commit_number - after.commit_number
    return News(until, frozenset(changed), has_other)
