"""Rows that Spark writes in slices are one commit, in order, and changes like others."""

from __future__ import annotations

import pytest
from ingest.reaching import embedded

from icemelt.session.session import Session
from icemelt.tables.writes import appending

WHERE = ("main", "public", "t")
COUNT = 40


@pytest.fixture(autouse=True)
def tiny_slices(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let Java hold a few rows at a time; return how many each slice has."""
    counts, append_frame = [], appending._append_frame

    def counted(*arguments: object) -> None:
        counts.append(arguments[-1].num_rows)  # type: ignore[attr-defined]
        append_frame(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(appending, "_most_bytes", lambda _iceberg: 500)
    monkeypatch.setattr(appending, "_append_frame", counted)
    return counts


def test_slices_are_one_commit(session: Session, tiny_slices: list[int]) -> None:
    session.sql("CREATE TABLE t (n INT, x VARIANT) ERROR_LOGGING = TRUE")
    session.sql("INSERT INTO t SELECT 99, NULL")
    session.sql("CREATE STREAM s ON TABLE t")
    with embedded(session, 600) as client:
        channel = client.open_channel("c", *WHERE, on_error="CONTINUE")[0]
        for number in range(COUNT):
            channel.append_rows([{"n": number, "x": {"k": "x" * number}}], None, str(number))
        bad = [{"n": "none", "x": "y" * 100}] * 6
        channel.append_rows(bad, end_offset_token="end")
        channel.wait_for_flush(60)
        assert channel.get_latest_committed_offset_token() == "end"
    assert len(tiny_slices) > 4
    assert sum(tiny_slices) == COUNT + len(bad)
    found = session.sql("SELECT n, x:k::VARCHAR FROM t WHERE n < 99 ORDER BY _row_id").fetchall()
    assert found == [(number, "x" * number) for number in range(COUNT)]
    changed = session.sql("SELECT n, METADATA$ACTION, METADATA$ISUPDATE FROM s").fetchall()
    assert sorted(changed) == [(number, "INSERT", False) for number in range(COUNT)]
    versions = session.sql("DESC HISTORY t").fetchall()
    assert sum("INGEST" in map(str, version) for version in versions) == 1
    assert session.sql("SELECT count(*) FROM ERROR_TABLE(t)").fetchall() == [(len(bad),)]
