"""What a compaction inside an interval costs: nothing of what it moved is read."""

from __future__ import annotations

from icemelt.session.session import Session


def explained(session: Session, start: str) -> list[str]:
    lines = planned(session, f"SELECT * FROM t CHANGES AT (STATEMENT => '{start}')")
    return [line for line in lines if line.startswith(("shape:", "added:", "removed:"))]


def planned(session: Session, query: str) -> list[str]:
    return [line.strip() for (line,) in session.sql(f"EXPLAIN {query}").fetchall()]


def filled(session: Session) -> str:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    for number in range(8):
        session.sql(f"INSERT INTO t VALUES ({number}, 'a'), ({number + 10}, 'a')")
    return session.sql("SELECT count(*) FROM t").statement_id


def test_only_rows_that_a_stretch_changed_are_read(session: Session) -> None:
    start = filled(session)
    session.sql("OPTIMIZE t")
    session.sql("UPDATE t SET v = 'b' WHERE id = 3")
    session.sql("OPTIMIZE t")
    assert explained(session, start) == [
        "shape: MINIMIZE",
        "added: 1 files, 1 rows",
        "removed: 1 files, 1 rows",
    ]


def test_several_stretches_are_matched_by_row(session: Session) -> None:
    start = filled(session)
    session.sql("UPDATE t SET v = 'b' WHERE id = 3")
    session.sql("OPTIMIZE t")
    session.sql("UPDATE t SET v = 'c' WHERE id IN (3, 4)")
    assert explained(session, start) == [
        "shape: MINIMIZE",
        "added: 2 files, 3 rows",
        "removed: 2 files, 3 rows",
    ]
    changes = session.sql(
        f"SELECT * EXCLUDE METADATA$ROW_ID FROM t CHANGES AT (STATEMENT => '{start}')"
    )
    assert sorted(changes.fetchall()) == [
        (3, "a", "DELETE", True),
        (3, "c", "INSERT", True),
        (4, "a", "DELETE", True),
        (4, "c", "INSERT", True),
    ]


def test_many_small_files_are_read_compacted(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    start = session.sql("INSERT INTO t VALUES (1, 'a')").statement_id
    for number in range(20, 26):
        session.sql(f"INSERT INTO t VALUES ({number}, 'n')")
    session.sql("OPTIMIZE t")
    session.sql("UPDATE t SET v = 'b' WHERE id = 21")
    assert explained(session, start) == [
        "shape: MINIMIZE",
        "added: 2 files, 7 rows",
        "removed: 1 files, 1 rows",
    ]


def test_a_redo_log_reads_what_a_compaction_made_of_small_files(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'old'), (2, 'old')")
    session.sql("CREATE VIEW w AS SELECT v, id FROM t")
    start = session.sql("DELETE FROM t WHERE id = 1").statement_id
    _inserted(session, range(10, 15))
    session.sql("OPTIMIZE t")
    session.sql("DELETE FROM t WHERE id = 11")
    _inserted(session, range(20, 25))
    session.sql("OPTIMIZE t")
    _inserted(session, range(30, 32))
    log = f"CHANGES (INFORMATION => REDO_LOG) AT (STATEMENT => '{start}')"
    for source in ("t", "w"):
        plan = planned(session, f"SELECT * FROM {source} {log}")
        assert "added: 4 files, 12 rows" in plan
    shown = "id, METADATA$ACTION, METADATA$COMMIT_VERSION - 3"
    inserted = [(10 + i, "INSERT", 1 + i) for i in range(5)]
    inserted += [(20 + i, "INSERT", 8 + i) for i in range(5)]
    inserted += [(30 + i, "INSERT", 14 + i) for i in range(2)]
    expected = sorted([*inserted, (11, "DELETE", 7)])
    assert sorted(session.sql(f"SELECT {shown} FROM t {log}").fetchall()) == expected
    of_view = session.sql(f"SELECT id, METADATA$ACTION FROM w {log}").fetchall()
    assert sorted(of_view) == [row[:2] for row in expected]


def _inserted(session: Session, ids: range) -> None:
    for number in ids:
        session.sql(f"INSERT INTO t VALUES ({number}, 'new')")


def test_appends_are_read_compacted_though_rows_of_others_went(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    start = session.sql("INSERT INTO t VALUES (1, 'old'), (2, 'old')").statement_id
    _inserted(session, range(10, 16))
    session.sql("DELETE FROM t WHERE id IN (2, 13)")
    session.sql("OPTIMIZE t")
    session.sql("MERGE INTO t USING (SELECT 11 AS id) q ON t.id = q.id WHEN MATCHED THEN DELETE")
    _inserted(session, range(20, 25))
    session.sql("OPTIMIZE t")
    _inserted(session, range(30, 32))
    place = f"CHANGES (INFORMATION => APPEND_ONLY) AT (STATEMENT => '{start}')"
    changes = f"SELECT id, v, METADATA$ACTION FROM t {place} ORDER BY id"
    plan = planned(session, changes)
    # two compactions; 13 as it was, as the first had it no more; 30 and 31
    assert "added: 5 files, 13 rows" in plan
    ids = [*range(10, 16), *range(20, 25), 30, 31]
    assert session.sql(changes).fetchall() == [(id_, "new", "INSERT") for id_ in ids]


def test_both_ends_are_read_where_they_are_less_than_what_was_appended(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    start = session.sql("INSERT INTO t VALUES (1, 'old'), (2, 'old')").statement_id
    _inserted(session, range(10, 16))
    session.sql("DELETE FROM t WHERE id IN (2, 13)")
    session.sql("OPTIMIZE t")
    changes = f"SELECT * EXCLUDE METADATA$ROW_ID FROM t CHANGES AT (STATEMENT => '{start}')"
    plan = planned(session, changes)
    assert any(line.startswith("planned by: ends, 2 snapshots") for line in plan)
    inserted = [(id_, "new", "INSERT", False) for id_ in (10, 11, 12, 14, 15)]
    rows = session.sql(f"{changes} ORDER BY id").fetchall()
    assert rows == [(2, "old", "DELETE", False), *inserted]


def test_what_maintenance_compacted_is_trusted(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    start = session.sql("INSERT INTO t VALUES (1, 'old')").statement_id
    _inserted(session, range(2, 11))
    assert session.maintain().tables_compacted == 1
    log = f"CHANGES (INFORMATION => REDO_LOG) AT (STATEMENT => '{start}')"
    plan = planned(session, f"SELECT * FROM t {log}")
    assert "added: 1 files, 9 rows" in plan
    rows = session.sql(f"SELECT id FROM t {log} ORDER BY METADATA$COMMIT_VERSION").fetchall()
    assert rows == [(number,) for number in range(2, 11)]


def test_appends_are_read_from_what_a_compaction_made_of_them(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql("CREATE VIEW w AS SELECT v, id FROM t")
    start = session.sql("INSERT INTO t VALUES (1, 'old'), (2, 'old')").statement_id
    _inserted(session, range(10, 15))
    session.sql("OPTIMIZE t")
    _inserted(session, range(20, 25))
    session.sql("OPTIMIZE t")
    _inserted(session, range(30, 32))
    for source in ("t", "w"):
        for information in ("DEFAULT", "APPEND_ONLY"):
            place = f"CHANGES (INFORMATION => {information}) AT (STATEMENT => '{start}')"
            changes = f"SELECT id, v, METADATA$ACTION FROM {source} {place} ORDER BY id"
            plan = planned(session, changes)
            assert "added: 3 files, 12 rows" in plan, (source, information)
            ids = [*range(10, 15), *range(20, 25), 30, 31]
            assert session.sql(changes).fetchall() == [(id_, "new", "INSERT") for id_ in ids]


def test_a_compaction_of_small_files_leaves_nothing_in_memory(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    _inserted(session, range(10))
    allocation = session._core.iceberg.java_class("arrow.ArrowAllocation")
    before = allocation.rootAllocator().getChildAllocators().size()
    assert session.sql("OPTIMIZE t").fetchall() == [(10, 1)]
    assert allocation.rootAllocator().getChildAllocators().size() == before
