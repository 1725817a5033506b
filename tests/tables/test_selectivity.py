"""In what part of a table's files the values of columns may be, and how wide they are."""

from __future__ import annotations

import pytest

from icemelt.names import ObjectName
from icemelt.session.session import Session
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.scans.selectivity import ColumnStatistics, find_column_statistics


def _metadata(session: Session, table: str) -> TableMetadata:
    core = session._core
    return core.metadata(core.pinned(core.table(ObjectName((table,)))))


def test_keys_in_the_order_of_files_are_together_and_others_anywhere(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, other INT, day DATE, missing INT, word VARCHAR)")
    for part in range(4):
        session.sql(
            f"INSERT INTO t SELECT seq4() + {part * 20_000}, hash(seq4()) % 1000000, "
            f"DATEADD(DAY, {part}, '2026-01-01'::DATE), NULL, uuid_string() "
            "FROM TABLE(GENERATOR(ROWCOUNT => 20000))"
        )
    metadata = _metadata(session, "t")
    known = find_column_statistics(session._core.iceberg, metadata, metadata.current_snapshot_id)
    found, widths = known.selectivities, known.widths
    files = metadata.snapshots[metadata.current_snapshot_id].count("total-data-files")
    assert found.keys() == {"id", "other", "day"}
    assert found["id"] == pytest.approx(1 / files)
    assert found["other"] > 0.9
    assert found["day"] == pytest.approx(0.25)
    assert widths.keys() == {"id", "other", "day", "missing", "word"}
    assert widths["day"] < 0.1 < widths["id"] < widths["other"] < widths["word"]
    # 16 random bytes as 36 characters
    assert 16 < widths["word"] < 36


def test_a_small_table_is_read_whole(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, word VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    metadata = _metadata(session, "t")
    found = find_column_statistics(session._core.iceberg, metadata, metadata.current_snapshot_id)
    assert found == ColumnStatistics({"id": 1.0})
