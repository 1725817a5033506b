"""Databases, schemas and tables are made, dropped, brought back and chosen."""

from __future__ import annotations

import pytest

from icemelt.errors import (
    DefinitionRefused,
    NameClash,
    NameRefused,
    ObjectExists,
    ObjectNotFound,
    ValueRefused,
    WrongObjectKind,
)
from icemelt.session.session import Session


def said(session: Session, text: str) -> str:
    word: str = session.sql(text).fetchall()[0][0]
    return word


def names(session: Session, text: str) -> list[str]:
    result = session.sql(text)
    place = result.columns.index("name")
    return [row[place] for row in result.fetchall()]


def test_a_new_schema_becomes_current(session: Session) -> None:
    session.sql("CREATE SCHEMA s")
    assert (session.database, session.schema) == ("main", "s")


def test_a_new_database_has_a_public_schema_and_becomes_current(session: Session) -> None:
    session.sql("CREATE DATABASE d")
    assert (session.database, session.schema) == ("d", "public")
    assert names(session, "SHOW SCHEMAS IN DATABASE d") == ["public"]


def test_a_taken_name_is_refused_kept_or_replaced(session: Session) -> None:
    session.sql("CREATE SCHEMA s")
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(ObjectExists, match="IF NOT EXISTS"):
        session.sql("CREATE SCHEMA s")
    with pytest.raises(NameClash):
        session.sql('CREATE SCHEMA "S"')
    assert "already exists" in said(session, "CREATE SCHEMA IF NOT EXISTS s")
    assert names(session, "SHOW TABLES IN SCHEMA s") == ["t"]
    session.sql("CREATE OR REPLACE SCHEMA s")
    assert names(session, "SHOW TABLES IN SCHEMA s") == []


def test_a_database_name_has_no_full_stop(session: Session) -> None:
    with pytest.raises(NameRefused):
        session.sql('CREATE DATABASE "a.b"')


def test_a_dropped_schema_comes_back_with_its_tables(session: Session) -> None:
    session.sql("CREATE SCHEMA s")
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    assert "main.public now" in said(session, "DROP SCHEMA s CASCADE")
    assert session.schema == "public"
    with pytest.raises(ObjectNotFound):
        session.sql("SELECT * FROM s.t")
    with pytest.raises(ObjectNotFound, match=r"UNDROP SCHEMA main\.s"):
        session.sql("UNDROP TABLE s.t")
    session.sql("UNDROP SCHEMA s")
    assert session.sql("SELECT * FROM s.t").fetchall() == [(1,)]


def test_restrict_refuses_a_schema_that_holds_tables(session: Session) -> None:
    session.sql("CREATE SCHEMA s")
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(DefinitionRefused, match=r"main\.s\.t"):
        session.sql("DROP SCHEMA s RESTRICT")


def test_undrop_brings_back_the_table_that_was_dropped_last(session: Session) -> None:
    for value in (1, 2):
        session.sql("CREATE TABLE t (id INT)")
        session.sql(f"INSERT INTO t VALUES ({value})")
        session.sql("DROP TABLE t")
    session.sql("UNDROP TABLE t")
    assert session.sql("SELECT * FROM t").fetchall() == [(2,)]
    with pytest.raises(ObjectExists, match="RENAME TO"):
        session.sql("UNDROP TABLE t")
    session.sql("ALTER TABLE t RENAME TO second")
    session.sql("UNDROP TABLE t")
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]


def test_undrop_ends_with_retention(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) DATA_RETENTION_TIME_IN_DAYS = 0")
    session.sql("DROP TABLE t")
    with pytest.raises(ObjectNotFound, match="retention of 0 days has ended"):
        session.sql("UNDROP TABLE t")
    with pytest.raises(ObjectNotFound, match="SHOW TABLES HISTORY"):
        session.sql("UNDROP TABLE never")


def test_drop_if_exists_says_that_there_was_nothing(session: Session) -> None:
    assert "nothing to do" in said(session, "DROP TABLE IF EXISTS t")
    assert "nothing to do" in said(session, "DROP SCHEMA IF EXISTS s")
    with pytest.raises(ObjectNotFound):
        session.sql("DROP DATABASE d")


def test_parameters_of_a_schema_are_inherited_by_its_tables(session: Session) -> None:
    session.sql("CREATE SCHEMA s DATA_RETENTION_TIME_IN_DAYS = 7")
    session.sql("CREATE TABLE t (id INT)")
    shown = session.sql("SHOW TABLES IN SCHEMA s")
    assert shown.fetchall()[0][shown.columns.index("retention_time")] == "7"
    session.sql("ALTER SCHEMA s SET DATA_RETENTION_TIME_IN_DAYS = 3")
    session.sql("ALTER TABLE t SET COMMENT = 'kept'")
    shown = session.sql("SHOW TABLES IN SCHEMA s")
    assert shown.fetchall()[0][shown.columns.index("retention_time")] == "3"
    with pytest.raises(WrongObjectKind):
        session.sql("ALTER SCHEMA s SET CHANGE_TRACKING = TRUE")
    with pytest.raises(DefinitionRefused, match="DATA_RETENTION_TIME_IN_DAYS"):
        session.sql("ALTER SCHEMA s SET DATA_RETENTION_TIME = 3")


def test_use_takes_a_bare_name_for_a_database(session: Session) -> None:
    session.sql("CREATE SCHEMA s")
    with pytest.raises(ObjectNotFound, match="USE SCHEMA s"):
        session.sql("USE s")
    session.sql("USE main")
    assert session.schema == "public"
    session.sql("USE main.s")
    assert session.schema == "s"
    with pytest.raises(ObjectNotFound, match="public"):
        session.sql("USE SCHEMA publik")


def test_session_parameters_are_checked(session: Session) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berlin'")
    moment = session.sql("SELECT CAST('2024-01-01 00:00:00' AS TIMESTAMP_LTZ)").fetchall()[0][0]
    assert moment.isoformat() == "2024-01-01T00:00:00+01:00"
    with pytest.raises(ValueRefused, match="Europe/Berlin"):
        session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berln', LOCK_TIMEOUT = 1")
    with pytest.raises(DefinitionRefused, match="AUTOCOMMIT"):
        session.sql("ALTER SESSION SET AUTOCOMMIT = perhaps")
    with pytest.raises(DefinitionRefused, match="LOCK_TIMEOUT"):
        session.sql("ALTER SESSION SET LOCK_TIMEOUTS = 1")
    session.sql("ALTER SESSION UNSET TIMEZONE")
    assert session.spark.conf.get("spark.sql.session.timeZone") == "UTC"
