"""INFORMATION_SCHEMA: what SHOW tells, for guests too, and few questions to the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import Lake
from icemelt.catalog.publishing import record_statement
from icemelt.catalog.queries.information_schema import RELATIONS
from icemelt.errors import NotYet, ObjectNotFound
from icemelt.session.hosting import open_guest
from icemelt.session.runtime.information_columns import (
    INFORMATION_COLUMNS,
    QUERY_HISTORY,
    TASK_DEPENDENTS,
    columns_of_relation,
)
from icemelt.session.runtime.result import Result
from icemelt.session.session import Session
from icemelt.sql.analysis.information_functions import (
    COPY_HISTORY_COLUMNS,
    QUERY_HISTORY_COLUMNS,
    TASK_DEPENDENTS_COLUMNS,
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "place"
    folder.mkdir()
    (folder / "good.csv").write_text("7,seven\n")
    return folder


@pytest.fixture
def filled(session: Session, place: Path) -> Session:
    session.execute_script(
        "CREATE TABLE t (id INT NOT NULL, price NUMBER(10, 2), note VARCHAR(5) DEFAULT 'x' COMMENT"
        " 'c', PRIMARY KEY (id) RELY) COMMENT = 'c'; CREATE TABLE loaded (id INT, word VARCHAR);"
        "CREATE VIEW v COMMENT = 'c' AS SELECT id FROM t; CREATE STREAM s ON TABLE t COMMENT = 'c';"
        "INSERT INTO t VALUES (1, 1, 'a'); CREATE STREAM w ON VIEW v APPEND_ONLY = TRUE;"
        "CREATE STAGE here COMMENT = 'c'; CREATE FILE FORMAT f TYPE = CSV COMMENT = 'c';"
        "CREATE DATABASE d COMMENT = 'c'; CREATE SCHEMA main.far COMMENT = 'c';"
        f"USE SCHEMA main.public; CREATE STAGE there URL = '{place}';"
        "CREATE PIPE p AUTO_INGEST = TRUE COMMENT = 'c' AS"
        " COPY INTO loaded FROM @there PATTERN = 'x';"
        "CREATE SEQUENCE q COMMENT = 'c'; CREATE FUNCTION g() RETURNS INT COMMENT = 'c' AS '1';"
        "CREATE TASK k SCHEDULE = '1 HOUR' WAREHOUSE = w CONFIG = '{}' COMMENT = 'c'"
        " TARGET_COMPLETION_INTERVAL = '1 HOUR' ERROR_INTEGRATION = 'https://example.com/e'"
        " SUCCESS_INTEGRATION = 'https://example.com/s' WHEN 1 = 1 AS SELECT 1;"
        "ALTER TASK k RESUME; ALTER TASK k SUSPEND"
    )
    return session


def by_name(result: Result, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows by name of column; an empty text is None, as in INFORMATION_SCHEMA."""
    chosen = columns or result.columns
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]
    return [{name: row[name] if row[name] != "" else None for name in chosen} for row in rows]


@pytest.mark.parametrize("relation", RELATIONS)
def test_each_column_of_each_relation_has_a_value_of_some_object(
    filled: Session, place: Path, relation: str
) -> None:
    (place / "bad.csv").write_text("seven,seven\n")
    filled.sql(f"COPY INTO loaded FROM '{place}' FILE_FORMAT = (TYPE = CSV) ON_ERROR = SKIP_FILE")
    rows = by_name(filled.sql(f"SELECT * FROM information_schema.{relation}"))
    assert [*rows[0]] == [column.name for column in INFORMATION_COLUMNS[relation]]
    empty = {name for name in rows[0] if all(row[name] is None for row in rows)}
    assert empty == set()


def test_copy_history_has_the_columns_and_types_of_its_analysis() -> None:
    columns = columns_of_relation("copy_history")
    assert {column.name: column.type for column in columns} == COPY_HISTORY_COLUMNS


def test_streams_are_told_as_show_streams_tells_of_them(filled: Session) -> None:
    told = by_name(filled.sql("SELECT * FROM information_schema.streams ORDER BY name"))
    shown = filled.sql("SHOW STREAMS")
    assert [*told[0]][3:] == [*shown.columns]
    expected = by_name(shown)
    for row, of_show in zip(told, expected, strict=True):
        place = [row[f"stream_{part}"] for part in ("catalog", "schema", "name")]
        assert place == ["main", "public", of_show["name"]]
        clock = {"seconds_behind"}
        assert {name: row[name] for name in of_show.keys() - clock} == {
            name: of_show[name] for name in of_show.keys() - clock
        }


def test_task_dependents_has_the_columns_and_types_of_its_analysis() -> None:
    columns = columns_of_relation(TASK_DEPENDENTS)
    assert {column.name: column.type for column in columns} == TASK_DEPENDENTS_COLUMNS


def test_show_objects_has_snowflakes_columns(filled: Session) -> None:
    shown = filled.sql("SHOW OBJECTS LIKE 't' IN SCHEMA public")
    assert shown.columns == (
        *("created_on", "name", "database_name", "schema_name", "kind", "comment"),
        *("rows", "bytes", "owner", "retention_time", "owner_role_type"),
    )
    (row,) = shown.fetchall()
    assert row[1:7] == ("t", "main", "public", "TABLE", "c", 1)
    assert len(filled.sql("SHOW OBJECTS LIMIT 1 FROM 't'").fetchall()) == 1


def test_a_guest_sees_the_names_alone_of_files_that_it_may_not_read(
    filled: Session, place: Path, tmp_path: Path
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "secret.csv").write_text("8,eight\n")
    for folder in (place, hidden):
        filled.sql(f"COPY INTO loaded FROM '{folder}' FILE_FORMAT = (TYPE = CSV)")
    filled.sql(f"PUT 'file://{hidden}/secret.csv' @here AUTO_COMPRESS = FALSE")
    filled.sql("COPY INTO loaded FROM @here FILE_FORMAT = (TYPE = CSV)")
    asked = "SELECT file_name FROM information_schema.load_history"
    with open_guest(filled, "guest", [str(place)]) as guest:
        names = sorted(name for (name,) in guest.sql(asked).fetchall())
    assert names == sorted(["@main.public.here/secret.csv", f"{place}/good.csv", "secret.csv"])
    names = sorted(name for (name,) in filled.sql(asked).fetchall())
    assert f"{hidden}/secret.csv" in names


def test_a_guest_sees_no_temporary_objects_of_others(filled: Session) -> None:
    filled.sql("CREATE TEMPORARY TABLE mine (id INT)")
    filled.sql("CREATE TEMPORARY STAGE mine_too")
    with open_guest(filled, "guest", []) as guest:
        for relation in ("tables", "columns", "stages"):
            rows = guest.sql(f"SELECT * FROM information_schema.{relation}").fetchall()
            assert rows
            assert not [row for row in rows if "mine" in str(row)]
            own = filled.sql(f"SELECT * FROM information_schema.{relation}").fetchall()
            assert [row for row in own if "mine" in str(row)]


def test_tables_of_other_engines_are_there(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE ours (id INT)")
    foreign = lake.foreign()
    foreign.sql("CREATE TABLE icemelt.main.public.theirs (id BIGINT) USING iceberg")
    foreign.sql("INSERT INTO icemelt.main.public.ours VALUES (1), (2)")
    rows = session.sql("SELECT table_name, row_count FROM information_schema.tables").fetchall()
    assert sorted(rows) == [("ours", 2), ("theirs", 0)]


def test_a_namespace_of_another_engine_may_have_the_name(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE ours (id INT)")
    foreign = lake.foreign()
    foreign.sql("CREATE NAMESPACE icemelt.main.information_schema")
    foreign.sql("CREATE TABLE icemelt.main.information_schema.theirs (id BIGINT) USING iceberg")
    foreign.sql("CREATE TABLE icemelt.main.information_schema.tables (id BIGINT) USING iceberg")
    assert session.sql("SELECT id FROM information_schema.theirs").fetchall() == []
    # the relation is found first
    rows = session.sql("SELECT table_name FROM information_schema.tables").fetchall()
    assert sorted(rows) == [("ours",), ("tables",), ("theirs",)]
    session.sql("ALTER TABLE information_schema.theirs RENAME TO main.public.theirs")
    with pytest.raises(ObjectNotFound):
        session.sql("SELECT id FROM information_schema.theirs")


def test_query_history_has_the_columns_and_types_of_its_analysis() -> None:
    columns = columns_of_relation(QUERY_HISTORY)
    assert {column.name: column.type for column in columns} == QUERY_HISTORY_COLUMNS


def test_a_guest_without_a_key_sees_the_statements_of_its_session(filled: Session) -> None:
    asked = "SELECT query_text FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY())"
    with open_guest(filled, "guest", []) as guest:
        guest.sql("SELECT 1 AS one").fetchall()
        assert guest.sql(asked).fetchall() == [("SELECT 1 AS one",)]
    assert ("SELECT 1 AS one",) in filled.sql(asked).fetchall()


def test_texts_of_the_history_are_bounded(session: Session) -> None:
    session.sql(f"SELECT '{'x' * 150_000}' AS v").fetchall()
    asked = "SELECT LENGTH(query_text) FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY())"
    assert session.sql(asked).fetchall() == [(100_000,)]
    record = session.history(1)[0]
    many = [replace(record, statement_id=str(n), text="x" * 100_000) for n in range(340)]
    for each in many:
        record_statement(session._core.database, each)
    with pytest.raises(NotYet, match="32 million characters"):
        session.sql(asked)
    limited = asked.replace("QUERY_HISTORY()", "QUERY_HISTORY(RESULT_LIMIT => 100)")
    assert len(session.sql(limited).fetchall()) == 100
