"""The demonstration runs whole, on all the flights, and its proof holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from icemelt.cli.demo import run_demo


@pytest.mark.slow
def test_the_demonstration_proves_that_old_plus_changes_is_new(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark.version
    run_demo(tmp_path)
    words = capsys.readouterr().out.split()
    place = words.index("rows_now")
    assert words[place + 1 : place + 4] == ["rows_that_differ", "335751", "0"]
    assert "MINIMIZE" in words
    assert "ADDED_ONLY" in words
    place = len(words) - 1 - words[::-1].index("kept")
    assert words[place + 1 : place + 6] == ["rows_that_differ", "mirror", "0", "totals", "0"]
    assert words[words.index("half_done") + 1] == "running"
    assert words[words.index("landed", words.index("doubled") - 1) + 4 :][:4] == [
        "776",
        "0",
        "0",
        "0",
    ]
