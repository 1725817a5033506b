"""The moment of a look-up, and the conditions for an object to exist then and to be visible."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.queries.dependencies import exists_at
from icemelt.catalog.queries.reading import database_row, schema_row, table_row
from icemelt.catalog.records import Moment

__all__ = ["IS_MINE", "IS_PERMANENT", "TIME", "LookUp", "alive"]

TIME = sa.bindparam("time", type_=sa.BigInteger)
IS_MINE = table_row.c.session_id == sa.bindparam("session_id")
IS_PERMANENT = table_row.c.session_id.is_(None)


@dataclass(frozen=True, slots=True)
class LookUp:
    """The context of a look-up.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        session_id: the session whose temporary tables are visible.
        moment: the moment of the look-up.
        as_of: the moment again, None for a look-up as of now.
    """

    connection: sa.Connection
    database: Database
    session_id: str
    moment: Moment
    as_of: Moment | None


def alive(*, pinned: bool) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for an object, its schema and its database to exist.

    `pinned` asks for the moment of the parameter `time`, and not for now.
    """
    path = (database_row, schema_row, table_row)
    return [exists_at(row, TIME if pinned else None) for row in path]
