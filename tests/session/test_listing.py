"""SHOW, DESCRIBE and the history list what is there."""

from __future__ import annotations

import datetime

import pytest

from icemelt.errors import ObjectNotFound
from icemelt.session.runtime.result import Result
from icemelt.session.session import Session


def column(result: Result, name: str) -> list[object]:
    place = result.columns.index(name)
    return [row[place] for row in result.fetchall()]


@pytest.fixture
def filled(session: Session) -> Session:
    session.sql("CREATE SCHEMA s")
    session.sql("CREATE TABLE orders (id INT NOT NULL, note VARCHAR(5) DEFAULT 'x' COMMENT 'c')")
    session.sql("INSERT INTO orders VALUES (1, 'a'), (2, NULL)")
    session.sql("USE SCHEMA main.public")
    session.sql("CREATE TABLE order_lines (id INT, PRIMARY KEY (id) RELY) COMMENT = 'lines'")
    session.sql("CREATE TEMPORARY TABLE temp (id INT)")
    return session


def test_show_tables_lists_those_of_the_current_database(filled: Session) -> None:
    shown = filled.sql("SHOW TABLES")
    assert column(shown, "name") == ["order_lines", "temp", "orders"]
    assert column(shown, "kind") == ["TABLE", "TEMPORARY", "TABLE"]
    assert column(shown, "rows") == [0, 0, 2]
    assert column(shown, "comment") == ["lines", "", ""]
    assert column(shown, "change_tracking")[2] == "ON"
    created = column(shown, "created_on")[0]
    assert isinstance(created, datetime.datetime)
    assert created.tzinfo is datetime.UTC


def test_show_chooses_by_pattern_start_and_limit(filled: Session) -> None:
    assert column(filled.sql("SHOW TABLES LIKE 'ORDER%'"), "name") == ["order_lines", "orders"]
    assert column(filled.sql("SHOW TABLES LIKE 'order_'"), "name") == ["orders"]
    assert column(filled.sql("SHOW TABLES STARTS WITH 'O'"), "name") == []
    assert column(filled.sql("SHOW TABLES STARTS WITH 'order_'"), "name") == ["order_lines"]
    assert column(filled.sql("SHOW TABLES LIMIT 1"), "name") == ["order_lines"]
    assert column(filled.sql("SHOW TABLES LIMIT 5 FROM 'temp'"), "name") == ["orders"]
    assert column(filled.sql("SHOW TABLES IN SCHEMA s"), "name") == ["orders"]
    assert column(filled.sql("SHOW TABLES IN s"), "name") == ["orders"]
    with pytest.raises(ObjectNotFound):
        filled.sql("SHOW TABLES IN SCHEMA nowhere")


@pytest.mark.parametrize("shown", ["CHANNELS", "COLUMNS"])
def test_a_misspelt_table_in_show_is_told_of_those_that_are_near(
    filled: Session, shown: str
) -> None:
    with pytest.raises(ObjectNotFound) as refused:
        filled.sql(f"SHOW {shown} IN order_line")
    assert refused.value.hint == "Did you mean 'order_lines'?"


def test_show_streams_chooses_by_place_pattern_start_and_limit(filled: Session) -> None:
    for name in ("to_a", "to_b", "Other"):
        filled.sql(f'CREATE STREAM "{name}" ON TABLE order_lines')
    filled.sql("CREATE STREAM s.far ON TABLE s.orders")
    filled.sql("CREATE DATABASE second")
    filled.sql("CREATE DATABASE s")
    filled.sql("CREATE TABLE second.public.t (id INT)")
    filled.sql("CREATE STREAM second.public.to_second ON TABLE second.public.t")
    filled.sql("USE SCHEMA main.public")
    for written, expected in {
        "": ["Other", "to_a", "to_b", "far"],
        "IN ACCOUNT": ["Other", "to_a", "to_b", "far", "to_second"],
        "IN DATABASE": ["Other", "to_a", "to_b", "far"],
        "IN DATABASE second": ["to_second"],
        "IN second": ["to_second"],
        "IN SCHEMA": ["Other", "to_a", "to_b"],
        "IN SCHEMA s": ["far"],
        "IN s": ["far"],
        "IN main.s": ["far"],
        "LIKE 'TO%'": ["to_a", "to_b"],
        "LIKE 'to_' IN ACCOUNT": [],
        r"LIKE 'to\\__' IN ACCOUNT": ["to_a", "to_b"],
        "STARTS WITH 'to'": ["to_a", "to_b"],
        "STARTS WITH 'TO'": [],
        "LIMIT 2": ["Other", "to_a"],
        "LIMIT 1 FROM 'Oth'": ["to_a"],
        "LIMIT 9 FROM 'to_b'": ["far"],
        "LIKE '%o%' IN ACCOUNT STARTS WITH 'to' LIMIT 2 FROM 'to_a'": ["to_b", "to_second"],
    }.items():
        assert column(filled.sql(f"SHOW STREAMS {written}"), "name") == expected, written
    with pytest.raises(ObjectNotFound):
        filled.sql("SHOW STREAMS IN nowhere")


def test_history_shows_what_was_dropped(filled: Session) -> None:
    filled.sql("DROP TABLE s.orders")
    assert column(filled.sql("SHOW TABLES IN SCHEMA s"), "name") == []
    shown = filled.sql("SHOW TABLES HISTORY IN SCHEMA s")
    assert column(shown, "name") == ["orders"]
    assert column(shown, "dropped_on")[0] is not None


def test_terse_has_five_columns(filled: Session) -> None:
    shown = filled.sql("SHOW TERSE TABLES")
    assert shown.columns == ("created_on", "name", "kind", "database_name", "schema_name")


def test_databases_and_schemas_say_which_is_current(filled: Session) -> None:
    schemas = filled.sql("SHOW SCHEMAS")
    assert column(schemas, "name") == ["public", "s"]
    assert column(schemas, "is_current") == ["Y", "N"]
    assert column(filled.sql("SHOW DATABASES"), "name") == ["main"]


def test_columns_are_shown_and_described(filled: Session) -> None:
    shown = filled.sql("SHOW COLUMNS IN TABLE s.orders")
    assert column(shown, "column_name") == ["id", "note"]
    assert column(shown, "data_type") == ["BIGINT", "VARCHAR(5)"]
    assert column(filled.sql("SHOW COLUMNS IN s.orders"), "column_name") == ["id", "note"]
    described = filled.sql("DESCRIBE TABLE s.orders").fetchall()
    assert described == [
        ("id", "BIGINT", "COLUMN", "N", None, "N", "N", None),
        ("note", "VARCHAR(5)", "COLUMN", "Y", "'x'", "N", "N", "c"),
    ]
    assert column(filled.sql("DESC TABLE order_lines"), "primary key") == ["Y"]
    assert column(filled.sql("DESCRIBE SCHEMA s"), "name") == ["orders"]
    assert column(filled.sql("DESCRIBE DATABASE main"), "name") == ["public", "s"]


def test_the_history_of_a_table_starts_with_the_newest_version(filled: Session) -> None:
    shown = filled.sql("DESC HISTORY s.orders")
    assert column(shown, "version") == [2, 1]
    assert column(shown, "operation") == ["INSERT", "CREATE"]
    assert column(shown, "rows_inserted") == [2, None]
    assert column(shown, "total_rows") == [2, 0]
    assert column(filled.sql("DESC HISTORY s.orders LIMIT 1"), "version") == [2]


def test_the_history_of_statements_has_failed_ones_too(filled: Session) -> None:
    with pytest.raises(ObjectNotFound):
        filled.sql("SELECT * FROM nowhere")
    latest = filled.history(1)[0]
    assert (latest.status, latest.error_code) == ("failed", "object-not-found")
