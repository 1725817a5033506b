"""`icemelt maintain` says what it did, once or again and again."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
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


def test_a_mistyped_lake_is_told_and_not_made(tmp_path: Path) -> None:
    for command in (["maintain"], ["keys", "list", "--lake"], ["ingest", "--table", "t", "--lake"]):
        ended = CliRunner().invoke(app, [*command, str(tmp_path / "mistyped")], input="{}\n")
        assert ended.exit_code == 1, ended.output
        assert "There is no lake at" in ended.output
    assert list(tmp_path.iterdir()) == []


class Output(io.StringIO):
    """Standard output that tells of each line how many there are now."""

    def __init__(self, act: Callable[[int], None]) -> None:
        super().__init__()
        self.act = act

    def flush(self) -> None:
        self.act(self.getvalue().count("\n"))


def test_every_repeats_it_until_control_c(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with icemelt.connect(tmp_path, spark=spark, maintain_every=None) as session:
        session.sql("CREATE TABLE t AS SELECT seq4() AS id FROM TABLE(GENERATOR(ROWCOUNT => 4))")

        def act(runs: int) -> None:
            if runs == 1:
                session.sql("DELETE FROM t WHERE id = 2")
            if runs == 3:
                _send_soon(signal.SIGINT)

        with contextlib.redirect_stdout(Output(act)) as output:
            code = run_maintenance(Lake(str(tmp_path)), 1, ReportFormat.TEXT)
    lines = ["Nothing to do.", "tables compacted: 1.", "Nothing to do."]
    assert output.getvalue().splitlines() == lines
    assert (code, capsys.readouterr().err) == (130, "Interrupted.\n")


def test_who_ends_services_ends_it_as_control_c_does(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], ended_at_once: None
) -> None:
    icemelt.connect(tmp_path, spark=spark, maintain_every=None).close()
    with contextlib.redirect_stdout(Output(lambda _runs: _send_soon(signal.SIGTERM))) as output:
        code = run_maintenance(Lake(str(tmp_path)), 60, ReportFormat.TEXT)
    assert output.getvalue() == "Nothing to do.\n"
    assert (code, capsys.readouterr().err) == (130, "Interrupted.\n")
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGTERM)


@pytest.fixture
def ended_at_once() -> Iterator[None]:
    """Have SIGTERM end the test, as it ends a process that does nothing about it."""
    before = signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    yield
    signal.signal(signal.SIGTERM, before)


def _send_soon(number: int) -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), number)).start()


@pytest.mark.parametrize("duration", ["soon", "0s", "1w", "-1h"])
def test_a_duration_that_is_none_is_wrong_usage(duration: str) -> None:
    ended = CliRunner().invoke(app, ["maintain", "--every", duration])
    assert ended.exit_code == 2
    assert "--every 1h" in ended.stderr
