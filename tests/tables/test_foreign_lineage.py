"""Foreign writes that keep no row ids: what is the same cancels, and EXPLAIN says why."""

from __future__ import annotations

import pytest
from foreign_writer import ForeignWriter

from conftest import Lake
from icemelt.session.session import Session

TABLE = "icemelt.main.public.t"
ROWS = [{"id": number, "v": text} for number, text in enumerate("abcd", start=1)]


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
    return session


@pytest.fixture
def writer(lake: Lake) -> ForeignWriter:
    return ForeignWriter(lake.foreign())


def mark(session: Session) -> str:
    """Return a statement that stands for the table as it is now."""
    return session.sql("SELECT count(*) FROM t").statement_id


def changes(session: Session, start: str, information: str = "DEFAULT") -> list[tuple[object, ...]]:
    result = session.sql(
        "SELECT id, v, METADATA$ACTION, METADATA$ISUPDATE, METADATA$ROW_ID FROM t"
        f" CHANGES (INFORMATION => {information}) AT (STATEMENT => '{start}')"
    )
    rows = result.fetchall()
    ids = [(row[2], row[4]) for row in rows]
    assert None not in {row[4] for row in rows}
    assert len(set(ids)) == len(ids)
    return sorted(row[:4] for row in rows)


def identity(session: Session, start: str) -> str:
    plan = session.sql(f"EXPLAIN SELECT * FROM t CHANGES AT (STATEMENT => '{start}')").fetchall()
    return next(line for (line,) in plan if "identity:" in line)


def test_an_equality_delete_is_a_delete(table: Session, writer: ForeignWriter) -> None:
    start = mark(table)
    writer.delete_equal([{"id": 1}, {"id": 9}])
    assert changes(table, start) == [(1, "a", "DELETE", False)]
    assert changes(table, start, "APPEND_ONLY") == []
    assert "deleted rows by equality" in identity(table, start)


def test_rows_that_an_upsert_wrote_again_cancel(table: Session, writer: ForeignWriter) -> None:
    start = mark(table)
    writer.upsert([{"id": 2, "v": "B"}, {"id": 3, "v": "c"}, {"id": 9, "v": "n"}], "id")
    assert changes(table, start) == [
        (2, "B", "INSERT", False),
        (2, "b", "DELETE", False),
        (9, "n", "INSERT", False),
    ]
    appended = [(2, "B", "INSERT", False), (3, "c", "INSERT", False), (9, "n", "INSERT", False)]
    assert changes(table, start, "APPEND_ONLY") == appended


def test_a_declared_key_makes_an_upsert_an_update(table: Session, writer: ForeignWriter) -> None:
    table.sql("ALTER TABLE t ADD PRIMARY KEY (id) RELY")
    start = mark(table)
    writer.upsert([{"id": 2, "v": "B"}, {"id": 3, "v": "c"}], "id")
    assert changes(table, start) == [(2, "B", "INSERT", True), (2, "b", "DELETE", True)]


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_earlier_equality_deletes_stay_deleted(
    table: Session, lake: Lake, writer: ForeignWriter, mode: str
) -> None:
    writer.delete_equal([{"id": 1}])
    writer.spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('write.update.mode' = '{mode}')")
    start = mark(table)
    table.sql("UPDATE t SET v = 'D' WHERE id = 4")
    updated = [(4, "D", "INSERT", True), (4, "d", "DELETE", True)]
    assert changes(table, start) == updated
    table.sql("OPTIMIZE t")
    assert changes(table, start) == updated
    assert "ROW_ID" in identity(table, start)


def test_a_rollback_over_an_upsert_brings_back_what_differs(
    table: Session, writer: ForeignWriter
) -> None:
    first = writer.table().currentSnapshot().snapshotId()
    start = mark(table)
    writer.upsert([{"id": 2, "v": "B"}, {"id": 3, "v": "c"}], "id")
    upserted = mark(table)
    writer.spark.sql(f"CALL icemelt.system.rollback_to_snapshot('main.public.t', {first})")
    assert changes(table, upserted) == [(2, "B", "DELETE", False), (2, "b", "INSERT", False)]
    assert changes(table, upserted, "APPEND_ONLY") == []
    assert changes(table, start) == []


def test_a_rewrite_that_loses_ids_changes_nothing(table: Session, writer: ForeignWriter) -> None:
    start = mark(table)
    writer.rewrite_without_ids(ROWS)
    assert changes(table, start) == []
    table.sql("UPDATE t SET v = 'A' WHERE id = 1")
    assert changes(table, start) == [(1, "A", "INSERT", False), (1, "a", "DELETE", False)]
    assert "without keeping row ids" in identity(table, start)
    assert changes(table, start, "APPEND_ONLY") == []


def test_a_lost_rewrite_is_seen_through_a_rollback(table: Session, writer: ForeignWriter) -> None:
    table.sql("INSERT INTO t VALUES (4, 'd'), (5, NULL)")
    start = mark(table)
    base = writer.table().currentSnapshot().snapshotId()
    table.sql("INSERT INTO t VALUES (6, 'f')")
    writer.spark.sql(f"CALL icemelt.system.rollback_to_snapshot('main.public.t', {base})")
    assert changes(table, start) == []
    writer.rewrite_without_ids([*ROWS, {"id": 4, "v": "d"}, {"id": 5, "v": None}])
    forked = mark(table)
    table.sql("DELETE FROM t WHERE id = 4")
    twins = [(4, "d", "DELETE", False), (4, "d", "DELETE", False)]
    assert changes(table, start) == twins
    assert changes(table, forked) == twins


def test_an_overwrite_that_keeps_no_ids_cancels_what_is_equal(
    table: Session, writer: ForeignWriter
) -> None:
    start = mark(table)
    writer.overwrite_without_ids([*ROWS[:3], {"id": 4, "v": "D"}])
    assert changes(table, start) == [(4, "D", "INSERT", False), (4, "d", "DELETE", False)]
    assert "under new row ids" in identity(table, start)


def test_a_rollback_over_an_overwrite_that_kept_no_ids_cancels_what_is_equal(
    table: Session, writer: ForeignWriter
) -> None:
    first = writer.table().currentSnapshot().snapshotId()
    writer.overwrite_without_ids([*ROWS[:3], {"id": 4, "v": "D"}])
    start = mark(table)
    writer.spark.sql(f"CALL icemelt.system.rollback_to_snapshot('main.public.t', {first})")
    assert changes(table, start) == [(4, "D", "DELETE", False), (4, "d", "INSERT", False)]


def test_a_rewrite_of_manifests_changes_nothing(table: Session, writer: ForeignWriter) -> None:
    table.sql("INSERT INTO t VALUES (5, 'e')")
    start = mark(table)
    table.sql("DELETE FROM t WHERE id = 5")
    writer.spark.sql("CALL icemelt.system.rewrite_manifests('main.public.t')")
    table.sql("UPDATE t SET v = 'A' WHERE id = 1")
    assert changes(table, start) == [
        (1, "A", "INSERT", True),
        (1, "a", "DELETE", True),
        (5, "e", "DELETE", False),
    ]
    assert "ROW_ID" in identity(table, start)


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_a_table_upgraded_before_it_was_seen_is_matched_by_values(
    session: Session, writer: ForeignWriter, mode: str
) -> None:
    modes = ", ".join(f"'write.{what}.mode' = '{mode}'" for what in ("delete", "update"))
    foreign = writer.spark.sql
    foreign(
        f"CREATE TABLE {TABLE} (id BIGINT, v STRING) USING iceberg"
        f" TBLPROPERTIES ('format-version' = '2', {modes})"
    )
    foreign(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b')")
    foreign(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES (3, 'c'), (3, 'c')")
    foreign(f"DELETE FROM {TABLE} WHERE id = 1")
    foreign(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('format-version' = '3')")
    start = mark(session)
    session.sql("UPDATE t SET v = 'B' WHERE id = 2")
    updated = [(2, "B", "INSERT", False), (2, "b", "DELETE", False)]
    assert changes(session, start) == updated
    assert changes(session, start, "APPEND_ONLY") == []
    assert "before format version 3" in identity(session, start)
    later = mark(session)
    session.sql("DELETE FROM t WHERE id = 3")
    twins = [(3, "c", "DELETE", False), (3, "c", "DELETE", False)]
    assert changes(session, start) == [*updated, *twins]
    assert changes(session, later) == twins
    assert "ROW_ID" in identity(session, later)


def test_row_ids_of_values_tell_microseconds_apart(session: Session, writer: ForeignWriter) -> None:
    session.sql("CREATE TABLE t (id INT, at TIMESTAMP, x DOUBLE)")
    session.sql("INSERT INTO t VALUES (1, '2024-01-01 00:00:00', '-0.0'::double)")
    start = mark(session)
    writer.delete_equal([{"id": 1}])
    session.sql(
        "INSERT INTO t VALUES (1, '2024-01-01 00:00:00', 0.0::double),"
        " (2, '2024-01-01 00:00:00.000001', NULL), (2, '2024-01-01 00:00:00.000002', NULL)"
    )
    query = f"SELECT METADATA$ROW_ID, id FROM t CHANGES AT (STATEMENT => '{start}')"
    rows = session.sql(query).fetchall()
    assert [row[1] for row in rows] == [2, 2]
    assert rows[0][0] != rows[1][0]
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berlin'")
    assert sorted(session.sql(query).fetchall()) == sorted(rows)


def test_a_rollback_to_before_the_upgrade_is_matched_by_values(
    session: Session, writer: ForeignWriter
) -> None:
    foreign = writer.spark.sql
    foreign(
        f"CREATE TABLE {TABLE} (id BIGINT, v STRING) USING iceberg"
        " TBLPROPERTIES ('format-version' = '2')"
    )
    foreign(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b')")
    old = writer.table().currentSnapshot().snapshotId()
    foreign(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('format-version' = '3')")
    session.sql("INSERT INTO t VALUES (3, 'c')")
    start = mark(session)
    foreign(f"CALL icemelt.system.rollback_to_snapshot('main.public.t', {old})")
    assert changes(session, start) == [(3, "c", "DELETE", False)]
    session.sql("INSERT INTO t VALUES (3, 'c'), (4, 'd')")
    session.sql("OPTIMIZE t")
    assert changes(session, start) == [(4, "d", "INSERT", False)]
    assert changes(session, start, "APPEND_ONLY") == [
        (3, "c", "INSERT", False),
        (4, "d", "INSERT", False),
    ]


def test_the_plan_of_a_view_names_the_table_whose_rows_lost_their_ids(
    table: Session, writer: ForeignWriter
) -> None:
    table.sql("CREATE TABLE other (id INT)")
    table.sql("CREATE VIEW both_of AS SELECT t.id, t.v FROM t JOIN other o ON t.id = o.id")
    table.sql("INSERT INTO other VALUES (1), (2)")
    start = mark(table)
    writer.upsert([{"id": 2, "v": "B"}], "id")
    asked = f"SELECT * FROM both_of CHANGES AT (STATEMENT => '{start}')"
    plan = [line for (line,) in table.sql(f"EXPLAIN {asked}").fetchall()]
    assert plan[:2] == [
        "Changes of main.public.both_of",
        "  plan: the original query at both ends, subtracted",
    ]
    assert plan[2].startswith("    rows without ids: main.public.t (")
    assert "other" not in plan[2]
    rows = [row[:3] for row in table.sql(asked).fetchall()]
    assert sorted(rows) == [(2, "B", "INSERT"), (2, "b", "DELETE")]


def test_a_transaction_that_restores_and_inserts_leaves_the_way(
    table: Session, writer: ForeignWriter
) -> None:
    writer.rewrite_without_ids(ROWS)
    table.sql("INSERT INTO t VALUES (9, 'x')")
    start = mark(table)
    with table.transaction():
        table.sql("RESTORE TABLE t TO VERSION AS OF 2")
        table.sql("INSERT INTO t VALUES (10, 'y')")
    assert changes(table, start) == [(9, "x", "DELETE", False), (10, "y", "INSERT", False)]
