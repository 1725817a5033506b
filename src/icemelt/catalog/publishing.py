"""Publication: all of a transaction becomes visible in one SQL transaction.

The lake's row is taken first; it gives the commit number and the time, and lets one publisher in
at a time. A table's pointer moves by compare-and-swap; a pointer that moved meanwhile, or a table
another transaction has reserved, ends the attempt with nothing changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.edits import Commit
from icemelt.catalog.model import lake, statements, transactions
from icemelt.catalog.open_transactions import close, refuse_ended
from icemelt.catalog.outcomes import Ended, EndedError, GivesWay, Locked, Moved, Overtaken, Reserved
from icemelt.catalog.queries.moments import moment_of_transaction
from icemelt.catalog.records import Moment, StatementRecord
from icemelt.catalog.writer import Writer
from icemelt.errors import CatalogReadOnly, ObjectExists
from icemelt.observe.emitting import tolerate

__all__ = [
    "Ended",
    "GivesWay",
    "Locked",
    "Moved",
    "Outcome",
    "Overtaken",
    "Published",
    "Reserved",
    "add_transaction",
    "amend_statement",
    "publish",
    "record_statement",
    "settled",
    "tick",
]


_SETTLED_SECONDS = 10
_NEXT = (
    lake.update()
    .values(commit_number=lake.c.commit_number + 1)
    .returning(lake.c.commit_number, lake.c.commit_time)
)


@dataclass(frozen=True, slots=True)
class Published:
    """The transaction is visible."""

    moment: Moment


Outcome = Published | Moved | Reserved | Locked | Overtaken | GivesWay | Ended


def publish(database: Database, commit: Commit) -> Outcome:
    """Publish a transaction, or say why it was not.

    Raises:
        ObjectExists: a name was taken meanwhile.
    """
    try:
        with database.write() as connection:
            moment = tick(connection, database)
            add_transaction(connection, commit, moment)
            if commit.tokens is not None:
                refuse_ended(connection, database, commit)
            writer = Writer(connection, database, commit, moment)
            for edit in commit.edits:
                writer.apply(edit)
            for statement in commit.statements:
                _add_statement(connection, statement, moment.commit_number)
            if commit.tokens is not None:
                close(connection, commit.transaction_id)
            return Published(moment)
    except EndedError as ended:
        return ended.outcome
    except sa.exc.IntegrityError as error:
        raise ObjectExists(
            "An object of that name was made meanwhile.",
            hint="Run the statement again, or use another name.",
        ) from error


def settled(database: Database, transaction_id: str) -> Moment | None:
    """Return when a transaction was published, None where it was not and never will be.

    A server may be at a COMMIT whose reply was lost. It holds the lake's row until it is done with
    it, so that is waited for before the question.

    Raises:
        CatalogUnavailable: the database is away, or still at the COMMIT.
    """
    if database.engine.dialect.name == "postgresql":
        to = "wait for a server that is at a COMMIT"
        with tolerate(CatalogReadOnly, to=to), database.note() as connection:
            connection.execute(sa.text(f"SET LOCAL lock_timeout = '{_SETTLED_SECONDS}s'"))
            connection.execute(sa.select(lake.c.id).with_for_update())
            return moment_of_transaction(connection, transaction_id)
    with database.read() as connection:
        return moment_of_transaction(connection, transaction_id)


def record_statement(database: Database, statement: StatementRecord) -> None:
    """Add a statement that published nothing to the history.

    One that succeeded and says nothing of a commit has read the newest state.
    """
    number: int | sa.ScalarSelect[int] | None = statement.commit_number
    if number is None and statement.status == "succeeded":
        number = sa.select(lake.c.commit_number).scalar_subquery()
    with database.note() as connection:
        _add_statement(connection, statement, number)


def amend_statement(database: Database, statement: StatementRecord) -> None:
    """Tell the history how a query ended, which it may know already, or not.

    What has written something is left as it was published.
    """
    with database.note() as connection:
        this = statements.c.statement_id == statement.statement_id
        found = connection.execute(sa.select(statements.c.wrote).where(this)).first()
        if found is None:
            _add_statement(connection, statement, statement.commit_number)
        elif not found.wrote:
            values = {
                "ended_at": statement.ended_at,
                "status": statement.status,
                "error_code": statement.error_code,
                "error_message": statement.error_message,
            }
            connection.execute(statements.update().where(this).values(values))


def tick(connection: sa.Connection, database: Database) -> Moment:
    """Take the lake's row and move it on by one commit: later than every commit before."""
    number, last = connection.execute(_NEXT).one()
    time = max(database.clock(connection), last + 1)
    connection.execute(lake.update().values(commit_time=time))
    return Moment(number, time)


def add_transaction(connection: sa.Connection, commit: Commit, moment: Moment) -> None:
    """Note that a transaction was published at a moment."""
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
