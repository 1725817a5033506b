"""Rows that Spark writes in slices are one commit, in order, and changes like others."""

from __future__ import annotations

import pytest
from ingest.reaching import embedded

from icemelt.ingest import ChannelInvalid
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


def test_one_partition_after_the_other_is_written(
    session: Session, tiny_slices: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java has one file open at a time, and the rows of a partition keep their order."""
    monkeypatch.setattr(appending, "_most_bytes", lambda _iceberg: 1 << 20)
    monkeypatch.setattr(appending, "_MOST_PARTITIONS", 15)
    session.sql(
        "CREATE TABLE p (position INT, g INT, at TIMESTAMP_NTZ, v VARCHAR) "
        "PARTITION BY (g, BUCKET(2, v), DAY(at), TRUNCATE(1, v))"
    )
    numbers = (3, 1, None, 2, -1)
    rows = [
        {"position": n, "g": numbers[n % 5], "at": f"2024-01-0{1 + n % 2} 10:00:00", "v": "a"}
        for n in range(COUNT)
    ]
    with embedded(session, 600) as client:
        channel = client.open_channel("c", "main", "public", "p")[0]
        channel.append_rows(rows, end_offset_token="end")
        channel.wait_for_flush(60)
        assert tiny_slices == [COUNT]
        monkeypatch.setattr(appending, "_MOST_PARTITIONS", 9)
        channel.append_rows(rows[:12], end_offset_token="slices")
        channel.wait_for_flush(60)
        assert tiny_slices == [COUNT, 11, 1]
        monkeypatch.setattr(appending, "_MOST_FILES", 9)
        channel.append_rows(rows[:12])
        with pytest.raises(ChannelInvalid, match="have 10 partitions of the table, 9 are as many"):
            channel.wait_for_flush(60)
    found = session.sql("SELECT g, at, position FROM p ORDER BY _row_id").fetchall()
    by_partition: dict[tuple[object, object], list[int]] = {}
    for number, at, position in found[:COUNT]:
        by_partition.setdefault((number, at), []).append(position)
    assert len(by_partition) == 10
    assert all(positions == sorted(positions) for positions in by_partition.values())
    assert sorted(row[2] for row in found[:COUNT]) == list(range(COUNT))
    assert len(found) == COUNT + 12


def test_zeros_of_both_signs_are_two_partitions(session: Session) -> None:
    session.sql("CREATE TABLE z (f DOUBLE, v VARIANT) PARTITION BY (f)")
    with embedded(session, 600) as client:
        channel = client.open_channel("c", "main", "public", "z")[0]
        channel.append_rows([{"f": f, "v": f} for f in (0.0, -0.0, 1.5) * 6], None, "end")
        channel.wait_for_flush(60)
    assert session.sql("SELECT count(*), sum(f) FROM z").fetchall() == [(18, 9.0)]
