"""Publication: all writes of a transaction become visible in one SQL transaction.

The SQL transaction first takes the lake's row. The row gives the commit number and the time, and
lets in one publisher at a time. Every table's pointer is moved by compare-and-swap. The attempt
ends with nothing changed if a pointer has moved meanwhile, or if another transaction has reserved a
table.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.database import Database
from icemelt.catalog.edits import CommitRequest
from icemelt.catalog.model import PUBLICATIONS, lake, statements, transactions
from icemelt.catalog.open_transactions import close_transaction, require_live
from icemelt.catalog.outcomes import (
    Ended,
    ListingOvertaken,
    NotPublishedError,
    PositionConflict,
    QueueOvertaken,
    StreamLocked,
    TableChanged,
    TableReserved,
    YieldedToTransaction,
)
from icemelt.catalog.queries.moments import moment_of_transaction
from icemelt.catalog.records import Moment
from icemelt.catalog.task_telling import tell_of_runs
from icemelt.catalog.writer import Writer
from icemelt.errors import CatalogReadOnly, ObjectExists
from icemelt.observe.emitting import tolerate

__all__ = [
    "Ended",
    "ListingOvertaken",
    "Outcome",
    "PositionConflict",
    "Published",
    "QueueOvertaken",
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
    "taken_id_error",
]


_COMMIT_SECONDS = 10
# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_CLOCK = sa.bindparam("clock", type_=sa.BigInteger)
_NEXT = (
    lake.update()
    .values(
        commit_number=lake.c.commit_number + 1,
        commit_time=sa.case((lake.c.commit_time < _CLOCK, _CLOCK), else_=lake.c.commit_time + 1),
    )
    .returning(lake.c.commit_number, lake.c.commit_time)
)
# PostgreSQL passes a notification on at the commit, in the same look at the row
_NEXTS: Mapping[str, Any] = {
    "sqlite": _NEXT,
    "postgresql": _NEXT.returning(sa.func.pg_notify(PUBLICATIONS, "")),
}
_ADD_TRANSACTION = transactions.insert()
_ADD_STATEMENT = statements.insert()
_NEWEST = sa.select(lake.c.commit_number).scalar_subquery()
_ADD_READ_OF_THE_NEWEST = statements.insert().values(commit_number=_NEWEST)


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
    | ListingOvertaken
    | QueueOvertaken
    | YieldedToTransaction
    | Ended
)


def publish(database: Database, commit: CommitRequest) -> Outcome:
    """Publish a transaction, or return the reason why the transaction was not published.

    Raises:
        ObjectExists: another object has got the name meanwhile, or the id of a statement is taken.
    """
    try:
        with database.write() as connection:
            clock = database.clock(connection)
            moment = next_commit(connection, clock)
            add_transaction(connection, commit, moment)
            if commit.tokens is not None:
                require_live(connection, clock, commit)
            writer = Writer(connection, database, commit, moment)
            for edit in commit.edits:
                writer.apply(edit)
            ends = writer.finish()
            for statement in commit.statements:
                record = replace(statement, commit_number=moment.commit_number)
                _add_statement(connection, record)
            if commit.tokens is not None:
                close_transaction(connection, commit.transaction_id)
    except NotPublishedError as ended:
        return ended.outcome
    except sa.exc.IntegrityError as error:
        raise ObjectExists(
            "An object of that name was made meanwhile.",
            hint="Run the statement again, or use another name.",
        ) from error
    tell_of_runs(database, ends)
    return Published(moment)


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
        with tolerate(CatalogReadOnly, to=to), database.write_unordered() as connection:
            connection.execute(sa.text(f"SET LOCAL lock_timeout = '{_COMMIT_SECONDS}s'"))
            connection.execute(sa.select(lake.c.id).with_for_update())
            return moment_of_transaction(connection, transaction_id)
    with database.read() as connection:
        return moment_of_transaction(connection, transaction_id)


def record_statement(database: Database, statement: StatementRecord) -> None:
    """Add a statement without a publication to the history.

    A succeeded statement without a commit number has read the newest state.

    Raises:
        ObjectExists: the id is taken.
    """
    with database.write_unordered() as connection:
        if statement.commit_number is None and statement.status == "succeeded":
            values = _statement_values(statement)
            del values["commit_number"]
            with _tell_taken_id(statement):
                connection.execute(_ADD_READ_OF_THE_NEWEST, values)
        else:
            _add_statement(connection, statement)


def amend_statement(database: Database, statement: StatementRecord) -> None:
    """Note in the history how a query ended; add the query if the history has no record.

    The record of a statement with a publication stays as published.

    Raises:
        ObjectExists: another session has taken the id just now.
    """
    with database.write_unordered() as connection:
        this = statements.c.statement_id == statement.statement_id
        record = connection.execute(sa.select(statements.c.wrote).where(this)).first()
        if record is None:
            _add_statement(connection, statement)
        elif not record.wrote:
            values = {
                "ended_at": statement.ended_at,
                "status": statement.status,
                "error_code": statement.error_code,
                "error_message": _without_nul(statement.error_message),
                "files_skipped": statement.files_skipped,
            }
            connection.execute(statements.update().where(this).values(values))


def taken_id_error(statement_id: str) -> ObjectExists:
    """Return the error of an id that another statement has in the history.

    >>> print(taken_id_error("2d4b716b").message)
    Statement id '2d4b716b' is taken.
    """
    return ObjectExists(
        f"Statement id {statement_id!r} is taken.", hint="Choose another one: uuid.uuid4()."
    )


def next_commit(connection: sa.Connection, clock: int) -> Moment:
    """Take the lake's row and return the next moment, later than every commit before.

    Who listens for publications hears of the commit.

    Args:
        connection: a connection in a write transaction.
        clock: the database's clock.
    """
    row = connection.execute(_NEXTS[connection.dialect.name], {"clock": clock}).one()
    return Moment(row.commit_number, row.commit_time)


def add_transaction(connection: sa.Connection, commit: CommitRequest, moment: Moment) -> None:
    """Add a transaction, published at a moment, to the history.

    Args:
        connection: a connection in a write transaction.
        commit: the transaction.
        moment: the commit number and the time of the publication.
    """
    values = {
        "transaction_id": commit.transaction_id,
        "session_id": commit.session_id,
        "user": commit.user,
        "commit_number": moment.commit_number,
        "committed_at": moment.time,
    }
    connection.execute(_ADD_TRANSACTION, values)


def _add_statement(connection: sa.Connection, statement: StatementRecord) -> None:
    with _tell_taken_id(statement):
        connection.execute(_ADD_STATEMENT, _statement_values(statement))


@contextlib.contextmanager
def _tell_taken_id(statement: StatementRecord) -> Iterator[None]:
    """Raise the broken constraint of a block that adds a statement as `ObjectExists`."""
    try:
        yield
    except sa.exc.IntegrityError as error:
        raise taken_id_error(statement.statement_id) from error


def _statement_values(statement: StatementRecord) -> dict[str, Any]:
    """Return the values of a statement by column of `icemelt_statements`."""
    return {
        column.name: _without_nul(getattr(statement, column.name)) for column in statements.columns
    }


def _without_nul(value: Any) -> Any:
    """Return a value as the history keeps it: a statement and its error may have any characters."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
