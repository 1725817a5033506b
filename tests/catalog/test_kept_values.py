"""Values that one kind of catalog cannot keep are refused by both, and the history keeps all."""

from __future__ import annotations

import traceback

import pytest
import sqlalchemy as sa

from conftest import Lake, postgres_url
from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.database import Database
from icemelt.catalog.edits import CommitRequest
from icemelt.catalog.keys import create_key
from icemelt.catalog.publishing import amend_statement, publish, record_statement
from icemelt.catalog.queries.reading import statement
from icemelt.errors import IcemeltError, NameRefused, ObjectExists, ParameterError
from icemelt.session.session import Session

LONG, LONGER = "x" * 255, "x" * 256
NAMED = (
    "CREATE TABLE {name} (a INT)",
    "CREATE TABLE t_{number} ({name} INT)",
    "CREATE VIEW {name} AS SELECT 1 AS a",
    "CREATE VIEW v_{number} AS SELECT a AS {name} FROM t",
    "CREATE STREAM {name} ON TABLE t",
    "CREATE SCHEMA {name}",
    "CREATE DATABASE {name}",
    "CREATE SCHEMA main.{name}",
    "ALTER TABLE t RENAME TO {name}",
    "ALTER TABLE t RENAME COLUMN a TO {name}",
    "ALTER TABLE t ADD COLUMN {name} INT",
    "ALTER VIEW v RENAME TO {name}",
    "BEGIN NAME {name}",
    "CREATE TABLE t_{number} AS SELECT 1 AS {name}",
)


@pytest.mark.parametrize("value", ["a\0b", 2**63, -(2**63) - 1])
def test_a_nul_or_a_number_of_more_than_64_bits_is_refused(
    registry: Database, value: object
) -> None:
    query = sa.select(sa.bindparam("value", value))
    with (
        registry.read() as connection,
        pytest.raises(ParameterError, match=r"NUL characters|numbers up to"),
    ):
        connection.execute(query)


def test_the_history_keeps_statements_with_any_characters(registry: Database) -> None:
    record = StatementRecord(
        "an id", "a session", "ann", "SELECT '\0'", "SELECT", 1, 2, "failed", error_message="\0"
    )
    record_statement(registry, record)
    amend_statement(registry, record)
    with registry.read() as connection:
        kept = statement(connection, "an id")
    assert kept is not None
    assert (kept.text, kept.error_message) == ("SELECT '\ufffd'", "\ufffd")


@pytest.mark.parametrize("status", ["succeeded", "failed", "published"])
def test_a_taken_id_is_told_and_its_statement_is_in_no_log(registry: Database, status: str) -> None:
    record = StatementRecord("an id", "a session", "ann", "SELECT 'secret'", "SELECT", 1, 2, status)
    record_statement(registry, record)
    commit = CommitRequest("a transaction", "a session", "ann", (), (record,))
    with pytest.raises(ObjectExists, match="'an id' is taken") as raised:
        publish(registry, commit) if status == "published" else record_statement(registry, record)
    # what a log shows of an error
    assert "secret" not in "".join(traceback.format_exception(raised.value, chain=True))


def test_a_key_has_a_name_that_can_be_kept(registry: Database) -> None:
    assert create_key(registry, LONG)[0].name == LONG
    for name in (LONGER, "a\0b", ""):
        with pytest.raises(NameRefused):
            create_key(registry, name)


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest, lake: Lake) -> Session:
    if request.param == "postgresql":
        lake.url = postgres_url(request.getfixturevalue("postgres_server"))
    session = lake.open()
    session.sql("CREATE TABLE t (a INT)")
    session.sql("CREATE VIEW v AS SELECT a FROM t")
    return session


def outcome(session: Session, statement: str, *values: str) -> str:
    try:
        session.sql(statement, values or None).close()
    except IcemeltError as error:
        return error.code
    return "done"


def test_names_and_texts_that_cannot_be_kept_are_refused(either: Session) -> None:
    for number, each in enumerate(NAMED):
        sql = each.format(name=f'"{LONGER}"', number=number)
        assert outcome(either, sql) == "name-refused", each
    assert outcome(either, f'CREATE SCHEMA "{"x" * 251}"') == "name-refused"
    assert outcome(either, f'CREATE TABLE "{LONG}" (a INT)') == "done"
    assert outcome(either, f'SELECT * FROM "{LONGER}"') == "object-not-found"
    for sql, code in (
        ("COMMENT ON TABLE t IS ?", "parameter"),
        ("CREATE TABLE u (a INT) COMMENT = ?", "parameter"),
        ("SELECT * FROM t AT (STATEMENT => ?)", "statement-unresolved"),
        ("SELECT ?", "done"),
    ):
        assert outcome(either, sql, "a\0b") == code, sql
