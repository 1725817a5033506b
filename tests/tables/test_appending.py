"""Rows that are at hand are appended without Spark; the first append is made ready for."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from icemelt.session.session import Session
from icemelt.tables.writes.appending import warm_up


def test_making_ready_leaves_no_table_and_no_file(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    iceberg = session._core.iceberg
    before = dict(iceberg._names)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    warm_up(iceberg)
    assert iceberg._names == before
    assert list(temporary.iterdir()) == []
