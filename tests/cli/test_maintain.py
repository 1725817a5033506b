"""`icemelt maintain` says what it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import icemelt
from icemelt.cli.formats import ReportFormat
from icemelt.cli.lake import Lake
from icemelt.cli.main import app
from icemelt.cli.maintain_command import run_maintenance


def test_it_tells_what_it_removed(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with icemelt.connect(tmp_path, spark=spark, maintain_every=None) as session:
        session.sql("CREATE TABLE t (id INT)")
        for number in range(9):
            session.sql(f"INSERT INTO t VALUES ({number})")
    assert run_maintenance(Lake(str(tmp_path)), None, ReportFormat.TEXT) == 0
    assert capsys.readouterr().out == "tables compacted: 1.\n"
    assert run_maintenance(Lake(str(tmp_path)), None, ReportFormat.JSON) == 0
    [document] = json.loads(capsys.readouterr().out)
    assert document["tables_compacted"] == 0
    assert document["skipped"] == []


@pytest.mark.parametrize("duration", ["soon", "0s", "1w", "-1h"])
def test_a_duration_that_is_none_is_wrong_usage(duration: str) -> None:
    ended = CliRunner().invoke(app, ["maintain", "--every", duration])
    assert ended.exit_code == 2
    assert "--every 1h" in ended.stderr
