"""ALTER TABLE changes the definition, and what old and new rows read through it."""

from __future__ import annotations

import pytest

from icemelt.errors import (
    ColumnNotFound,
    DefinitionRefused,
    IcemeltError,
    NameClash,
    ObjectExists,
    ObjectNotFound,
    ValueRefused,
)
from icemelt.session.session import Session


@pytest.fixture
def table(session: Session) -> Session:
    session.sql(
        "CREATE TABLE t (id INT NOT NULL, v VARCHAR(3), d NUMBER(5,2), n INT,"
        " PRIMARY KEY (id) RELY)"
    )
    session.sql("INSERT INTO t VALUES (1, 'a', 1.5, NULL), (2, 'b', NULL, 5)")
    return session


def rows(session: Session, columns: str, order: str = "id") -> list[tuple[object, ...]]:
    return session.sql(f"SELECT {columns} FROM t ORDER BY {order}").fetchall()


def types(session: Session) -> dict[str, str]:
    return {row[0]: row[1] for row in session.sql("DESCRIBE TABLE t").fetchall()}


def test_old_rows_read_the_default_of_an_added_column(table: Session) -> None:
    first = table.sql("SELECT LAST_QUERY_ID()").fetchall()[0][0]
    table.sql(
        "ALTER TABLE t ADD COLUMN long INT DEFAULT 40 + 2 NOT NULL,"
        " text VARCHAR(4) DEFAULT 'it''s',"
        " day DATE DEFAULT '2024-02-29'::DATE, price NUMBER(6,2) DEFAULT 1.5, plain INT"
    )
    table.sql("INSERT INTO t (id, plain) VALUES (3, 7)")
    assert [row[0] for row in rows(table, "long")] == [42, 42, 42]
    assert [row[1] for row in rows(table, "id, plain")] == [None, None, 7]
    assert rows(table, "text, CAST(day AS VARCHAR), CAST(price AS VARCHAR)")[0] == (
        "it's",
        "2024-02-29",
        "1.50",
    )
    before = table.sql(f"SELECT long FROM t AT (STATEMENT => '{first}')").fetchall()
    assert before == [(42,), (42,)]
    assert table.sql("SELECT id FROM t WHERE long <> 42").fetchall() == []


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("ADD COLUMN v INT", DefinitionRefused),
        ('ADD COLUMN "V" INT', NameClash),
        ("ADD COLUMN x INT NOT NULL", DefinitionRefused),
        ("ADD COLUMN x INT DEFAULT 'abc'", ValueRefused),
        ("ADD COLUMN x VARCHAR(2) DEFAULT 'abc'", ValueRefused),
        ("ADD COLUMN x VARCHAR DEFAULT UUID_STRING()", DefinitionRefused),
        ("ADD COLUMN x TIMESTAMP_LTZ DEFAULT CURRENT_TIMESTAMP()", DefinitionRefused),
        ("DROP COLUMN id", DefinitionRefused),
        ("DROP COLUMN nowhere", ColumnNotFound),
        ("RENAME COLUMN v TO n", DefinitionRefused),
        ('RENAME COLUMN v TO "N"', NameClash),
        ("ALTER COLUMN v TYPE VARCHAR(2)", DefinitionRefused),
        ("ALTER COLUMN d TYPE NUMBER(9,3)", DefinitionRefused),
        ("ALTER COLUMN n TYPE VARCHAR", DefinitionRefused),
        ("ALTER COLUMN n SET NOT NULL", ValueRefused),
        ("ALTER COLUMN n DROP DEFAULT", DefinitionRefused),
        ("ADD PRIMARY KEY (n)", DefinitionRefused),
        ("RENAME TO nowhere.t", ObjectNotFound),
        ("SET COLOUR = 'red'", DefinitionRefused),
    ],
)
def test_what_does_not_fit_is_refused(
    table: Session, action: str, error: type[IcemeltError]
) -> None:
    with pytest.raises(error) as refused:
        table.sql(f"ALTER TABLE t {action}")
    assert refused.value.hint
    assert types(table) == {"id": "BIGINT", "v": "VARCHAR(3)", "d": "NUMBER(5,2)", "n": "BIGINT"}


def test_columns_are_dropped_and_renamed_with_their_rows(table: Session) -> None:
    table.sql("ALTER TABLE t DROP COLUMN IF EXISTS n, nowhere")
    table.sql('ALTER TABLE t RENAME COLUMN v TO "Value"')
    table.sql('ALTER TABLE t RENAME COLUMN "Value" TO value')
    assert list(types(table)) == ["id", "value", "d"]
    assert rows(table, "value") == [("a",), ("b",)]


def test_the_last_column_and_a_partition_column_stay(session: Session) -> None:
    session.sql("CREATE TABLE one (id INT)")
    with pytest.raises(DefinitionRefused, match="no column left"):
        session.sql("ALTER TABLE one DROP COLUMN id")
    session.sql("CREATE TABLE parted (id INT, region VARCHAR) PARTITION BY (region)")
    with pytest.raises(DefinitionRefused, match="partitioned by column 'region'"):
        session.sql("ALTER TABLE parted DROP COLUMN region")


def test_types_are_widened(table: Session) -> None:
    table.sql("ALTER TABLE t ALTER COLUMN d TYPE NUMBER(9,2)")
    table.sql("ALTER TABLE t ALTER COLUMN v TYPE VARCHAR(4)")
    table.sql("INSERT INTO t VALUES (3, 'long', 1234567.25, 1)")
    assert str(rows(table, "d")[2][0]) == "1234567.25"
    with pytest.raises(ValueRefused):
        table.sql("INSERT INTO t (id, v) VALUES (4, 'longer')")
    table.sql("ALTER TABLE t ALTER COLUMN v TYPE VARCHAR")
    assert types(table)["v"] == "VARCHAR"


def test_nullability_default_and_comment_are_changed(table: Session) -> None:
    with pytest.raises(ValueRefused, match="NULL in 1 rows"):
        table.sql("ALTER TABLE t ALTER COLUMN n SET NOT NULL")
    table.sql("UPDATE t SET n = 0 WHERE n IS NULL")
    table.sql("ALTER TABLE t ALTER COLUMN n SET NOT NULL")
    with pytest.raises(ValueRefused):
        table.sql("INSERT INTO t (id) VALUES (3)")
    table.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 9")
    table.sql("ALTER TABLE t ALTER COLUMN n COMMENT 'count'")
    table.sql("INSERT INTO t (id) VALUES (3)")
    assert rows(table, "n") == [(0,), (5,), (9,)]
    described = {row[0]: row for row in table.sql("DESCRIBE TABLE t").fetchall()}
    assert described["n"] == ("n", "BIGINT", "COLUMN", "N", "9", "N", "N", "count")
    table.sql("ALTER TABLE t ALTER COLUMN n DROP NOT NULL")
    table.sql("ALTER TABLE t ALTER COLUMN n DROP DEFAULT")
    table.sql("INSERT INTO t (id) VALUES (4)")
    assert rows(table, "n")[3] == (None,)


def test_a_renamed_table_keeps_its_history_and_may_move(table: Session) -> None:
    table.sql("CREATE SCHEMA s")
    table.sql("ALTER TABLE main.public.t RENAME TO s.moved")
    with pytest.raises(ObjectNotFound):
        table.sql("SELECT * FROM main.public.t")
    assert table.sql("SELECT count(*) FROM s.moved").fetchall() == [(2,)]
    table.sql("INSERT INTO s.moved (id) VALUES (3)")
    shown = table.sql("DESC HISTORY s.moved").fetchall()
    assert [row[5] for row in shown] == ["INSERT", "INSERT", "CREATE"]
    table.sql("CREATE TABLE other (id INT)")
    with pytest.raises(ObjectExists):
        table.sql("ALTER TABLE s.moved RENAME TO s.other")


def test_a_key_is_declared_and_dropped(table: Session) -> None:
    table.sql("ALTER TABLE t DROP PRIMARY KEY")
    with pytest.raises(DefinitionRefused):
        table.sql("ALTER TABLE t DROP PRIMARY KEY")
    table.sql("ALTER TABLE t ADD PRIMARY KEY (n) RELY")
    described = {row[0]: row[5] for row in table.sql("DESCRIBE TABLE t").fetchall()}
    assert described == {"id": "N", "v": "N", "d": "N", "n": "Y"}


def test_change_tracking_is_switched(table: Session) -> None:
    def tracking() -> object:
        shown = table.sql("SHOW TABLES LIKE 't'")
        return shown.fetchall()[0][shown.columns.index("change_tracking")]

    table.sql("ALTER TABLE t SET CHANGE_TRACKING = FALSE")
    assert tracking() == "OFF"
    table.sql("ALTER TABLE t SET CHANGE_TRACKING = TRUE")
    assert tracking() == "ON"


def test_if_exists_says_that_there_is_nothing(session: Session) -> None:
    word = session.sql("ALTER TABLE IF EXISTS nowhere RENAME TO x").fetchall()[0][0]
    assert "nothing to do" in word
