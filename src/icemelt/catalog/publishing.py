"""Publication: all writes of a transaction become visible in one SQL transaction.

The SQL transaction first takes the lake's row. The row gives the commit number and the time, and
lets in one publisher at a time. Every table's pointer is moved by compare-and-swap. The attempt
ends with nothing changed if a pointer has moved meanwhile, or if another transaction has reserved a
table.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.edits import CommitRequest
from icemelt.catalog.model import lake, statements, transactions
from icemelt.catalog.open_transactions import close_transaction, require_live
from icemelt.catalog.outcomes import (
    Ended,
    NotPublishedError,
    PositionConflict,
    StreamLocked,
    TableChanged,
    TableReserved,
    YieldedToTransaction,
)
from icemelt.catalog.queries.moments import moment_of_transaction
from icemelt.catalog.records import Moment, StatementRecord
from icemelt.catalog.writer import Writer
from icemelt.errors import CatalogReadOnly, ObjectExists
from icemelt.observe.emitting import tolerate

__all__ = [
    "Ended",
    "Outcome",
    "PositionConflict",
    "Published",
    "StreamLocked",
    "TableChanged",
    "TableReserved",
    "YieldedToTransaction",
    "add_transaction",
    "amend_statement",
    "find_publication",
    "next_commit",
    "publish",
    "record_statement",
]


_COMMIT_SECONDS = 10
_NEXT = (
    lake.update()
    .values(commit_number=lake.c.commit_number + 1)
    .returning(lake.c.commit_number, lake.c.commit_time)
)


@dataclass(frozen=True, slots=True)
class Published:
    """The transaction is visible."""

    moment: Moment


Outcome = (
    Published
    | TableChanged
    | TableReserved
    | StreamLocked
    | PositionConflict
    | YieldedToTransaction
    | Ended
)


def publish(database: Database, commit: CommitRequest) -> Outcome:
    """Publish a transaction, or return the reason why the transaction was not published.

    Raises:
        ObjectExists: another object has got the name meanwhile.
    """
    try:
        with database.write() as connection:
            moment = next_commit(connection, database)
            add_transaction(connection, commit, moment)
            if commit.tokens is not None:
                require_live(connection, database, commit)
            writer = Writer(connection, database, commit, moment)
            for edit in commit.edits:
                writer.apply(edit)
            for statement in commit.statements:
                _add_statement(connection, statement, moment.commit_number)
            if commit.tokens is not None:
                close_transaction(connection, commit.transaction_id)
            return Published(moment)
    except NotPublishedError as ended:
        return ended.outcome
    except sa.exc.IntegrityError as error:
        raise ObjectExists(
            "An object of that name was made meanwhile.",
            hint="Run the statement again, or use another name.",
        ) from error


def find_publication(database: Database, transaction_id: str) -> Moment | None:
    """Return the moment of a publication; None where the transaction never will be published.

    A database server may still be at a COMMIT whose reply was lost. The server holds the lake's row
    until the end of the COMMIT. On PostgreSQL the function waits for the lake's row before the
    look-up.

    Raises:
        CatalogUnavailable: the database is away, or still at the COMMIT.
    """
    if database.engine.dialect.name == "postgresql":
        to = "wait for a server that is at a COMMIT"
        with tolerate(CatalogReadOnly, to=to), database.note() as connection:
            connection.execute(sa.text(f"SET LOCAL lock_timeout = '{_COMMIT_SECONDS}s'"))
            connection.execute(sa.select(lake.c.id).with_for_update())
            return moment_of_transaction(connection, transaction_id)
    with database.read() as connection:
        return moment_of_transaction(connection, transaction_id)


def record_statement(database: Database, statement: StatementRecord) -> None:
    """Add a statement without a publication to the history.

    A succeeded statement without a commit number has read the newest state.
    """
    number: int | sa.ScalarSelect[int] | None = statement.commit_number
    if number is None and statement.status == "succeeded":
        number = sa.select(lake.c.commit_number).scalar_subquery()
    with database.note() as connection:
        _add_statement(connection, statement, number)


def amend_statement(database: Database, statement: StatementRecord) -> None:
    """Note in the history how a query ended; add the query if the history has no record.

    The record of a statement with a publication stays as published.
    """
    with database.note() as connection:
        this = statements.c.statement_id == statement.statement_id
        record = connection.execute(sa.select(statements.c.wrote).where(this)).first()
        if record is None:
            _add_statement(connection, statement, statement.commit_number)
        elif not record.wrote:
            values = {
                "ended_at": statement.ended_at,
                "status": statement.status,
                "error_code": statement.error_code,
                "error_message": statement.error_message,
            }
            connection.execute(statements.update().where(this).values(values))


def next_commit(connection: sa.Connection, database: Database) -> Moment:
    """Take the lake's row and return the next moment, later than every commit before."""
    number, last = connection.execute(_NEXT).one()
    time = max(database.clock(connection), last + 1)
    connection.execute(lake.update().values(commit_time=time))
    return Moment(number, time)


def add_transaction(connection: sa.Connection, commit: CommitRequest, moment: Moment) -> None:
    """Add a transaction, published at a moment, to the history.

    Args:
        connection: a connection in a write transaction.
        commit: the transaction.
        moment: the commit number and the time of the publication.
    """
    connection.execute(
        transactions.insert().values(
            transaction_id=commit.transaction_id,
            session_id=commit.session_id,
            user=commit.user,
            commit_number=moment.commit_number,
            committed_at=moment.time,
        )
    )


def _add_statement(
    connection: sa.Connection,
    statement: StatementRecord,
    commit_number: int | sa.ScalarSelect[int] | None,
) -> None:
    connection.execute(
        statements.insert().values(
            statement_id=statement.statement_id,
            session_id=statement.session_id,
            transaction_id=statement.transaction_id,
            user=statement.user,
            text=statement.text,
            kind=statement.kind,
            started_at=statement.started_at,
            ended_at=statement.ended_at,
            status=statement.status,
            commit_number=commit_number,
            wrote=statement.wrote,
            rowcount=statement.rowcount,
            error_code=statement.error_code,
            error_message=statement.error_message,
            key_id=statement.key_id,
        )
    )
