"""The demonstration runs whole, on all the flights, and its proofs hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from icemelt.cli.demo import run_demo


@pytest.mark.slow
def test_each_act_of_the_demonstration_proves_what_it_says(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark.version
    run_demo(tmp_path)
    words = capsys.readouterr().out.split()
    assert _below(words, "rows_now", "rows_that_differ") == ["335751", "0"]
    assert "MINIMIZE" in words
    assert "ADDED_ONLY" in words
    assert _below(words, "kept", "rows_that_differ", count=4) == ["mirror", "0", "totals", "0"]
    _check_history(words)
    third = _below(words, "landed", "doubled", "lost", "rows_that_differ")
    assert third == ["776", "0", "0", "0"]
    december = [_count(tmp_path / "staged" / f"2013-12-{day:02d}.csv") for day in range(1, 10)]
    heads = ("rows_read", "doubled", "lost", "of_removed_files", "doubled_by_pipe")
    fourth = _below(words, *heads)
    assert fourth == [str(sum(december)), "0", "0", str(december[0]), "0"]


def _check_history(words: list[str]) -> None:
    """Check that one run was lost with its scheduler, and that each task succeeded once a run."""
    heads = ["name", "run", "attempt", "state", "error_code", "seconds"]
    (start,) = (at for at in range(len(words)) if words[at : at + len(heads)] == heads)
    end = words.index("The", start)
    rows = [words[at : at + len(heads)] for at in range(start + len(heads), end, len(heads))]
    lost = [(name, run, attempt) for name, run, attempt, state, *_ in rows if state == "FAILED"]
    [(victim, lost_in, lost_attempt)] = lost
    assert (victim in ("keep_mirror", "total_up"), lost_in, lost_attempt) == (True, "1", "1")
    assert [row[4] for row in rows if row[3] == "FAILED"] == ["scheduler-lost"]
    succeeded = [(name, run) for name, run, _, state, *_ in rows if state == "SUCCEEDED"]
    once = [each for each in succeeded if each[0] != "report"]
    assert len(once) == len(set(once))
    assert {("keep_mirror", "1"), ("total_up", "1"), ("find_worst", "1")} <= set(once)
    assert {("keep_mirror", "2"), ("total_up", "2"), ("find_worst", "2")} <= set(once)


def _below(words: list[str], *columns: str, count: int | None = None) -> list[str]:
    """Return the words that follow the heads of a table's columns: as many, or a count."""
    starts = range(len(words) - len(columns))
    (start,) = (at for at in starts if words[at : at + len(columns)] == [*columns])
    first = start + len(columns)
    return words[first : first + (count or len(columns))]


def _count(file: Path) -> int:
    """Return the number of flights in a file, without its header."""
    return len(file.read_text().splitlines()) - 1
