"""The history of statements as QUERY_HISTORY reads it: by time, session, user and key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.model import statements

__all__ = ["LONGEST_TEXT", "WantedStatements", "find_ended_statements"]

# the characters of a statement's text and of its error's message that are read, as in Snowflake
LONGEST_TEXT = 100_000
_CUT = frozenset({"text", "error_message"})


@dataclass(frozen=True, slots=True)
class WantedStatements:
    """Which statements of the history are read: the last to end, `limit` at most.

    Args:
        limit: how many statements are read at most.
        start: the earliest end, in milliseconds since 1970; None for no bound.
        end: the latest end, in milliseconds since 1970; None for no bound.
        session_id: the statements' session, None for all sessions.
        user: the statements' user, None for all users.
        key_id: the key of the statements, None for all.
    """

    limit: int
    start: int | None = None
    end: int | None = None
    session_id: str | None = None
    user: str | None = None
    key_id: str | None = None


def find_ended_statements(
    connection: sa.Connection, wanted: WantedStatements
) -> Iterator[StatementRecord]:
    """Give statements of the history, the last to end first.

    Texts are cut to `LONGEST_TEXT` characters.

    Args:
        connection: a connection to the catalog's database.
        wanted: which statements.
    """
    columns = [
        sa.func.substr(column, 1, LONGEST_TEXT).label(column.name)
        if column.name in _CUT
        else column
        for column in statements.c
    ]
    query = sa.select(*columns).where(*_conditions(wanted)).limit(wanted.limit)
    query = query.order_by(
        statements.c.ended_at.desc(), statements.c.started_at.desc(), statements.c.statement_id
    )
    for row in connection.execute(query):
        yield StatementRecord(**row._asdict())


def _conditions(wanted: WantedStatements) -> Iterator[sa.ColumnElement[bool]]:
    if wanted.start is not None:
        yield statements.c.ended_at >= wanted.start
    if wanted.end is not None:
        yield statements.c.ended_at <= wanted.end
    if wanted.session_id is not None:
        yield statements.c.session_id == wanted.session_id
    if wanted.user is not None:
        yield statements.c.user == wanted.user
    if wanted.key_id is not None:
        yield statements.c.key_id == wanted.key_id
