"""Dagster and Airflow carry the changes of a stream on, by what `examples/orchestrators` has."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from examples.running import EXAMPLES
from ingest.served_lake import ServedLake
from pyspark.sql import SparkSession

FOLDER = EXAMPLES / "orchestrators"
PYTHON = Path(__file__).parents[2] / ".venv-orchestrators" / "bin" / "python"
NEEDS_THEM = pytest.mark.skipif(
    not PYTHON.exists(), reason="make .venv-orchestrators/.installed installs them"
)
SECONDS = 240


@pytest.fixture
def served(spark: SparkSession, tmp_path: Path) -> Iterator[ServedLake]:
    """A lake with a stream that has rows, and its server."""
    lake = ServedLake(spark, tmp_path / "lake")
    with lake.server(), pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        patch.setenv("ICEMELT_URL", lake.url)
        patch.setenv("ICEMELT_KEY", lake.key)
        import icemelt_sql  # noqa: PLC0415 - it is beside the examples
        import keep_copy  # noqa: PLC0415

        icemelt_sql.run(keep_copy.SETUP)
        icemelt_sql.run("INSERT INTO orders VALUES (1, 10), (2, NULL), (2, NULL)")
        yield lake


def run_program(name: str, environment: dict[str, str]) -> dict[str, Any]:
    """Run a program of this folder in the orchestrators' environment; return what it tells."""
    program = Path(__file__).with_name(name)
    ended = subprocess.run(
        [PYTHON, program, FOLDER],
        env={**os.environ, "PYTHONPATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return told


def copied() -> list[list[Any]]:
    """Return the rows of the copy, and whether the stream has more."""
    import icemelt_sql  # noqa: PLC0415 - it is beside the examples

    return icemelt_sql.run(
        "SELECT id, amount, SYSTEM$STREAM_HAS_DATA('new_orders') FROM copied ORDER BY id"
    )


ROWS = [[1, "10.00", False], [2, None, False], [2, None, False]]


def test_the_page_shows_what_the_examples_say() -> None:
    page = (FOLDER.parents[1] / "docs" / "orchestrators.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    examples = [example.read_text(encoding="utf-8") for example in FOLDER.glob("*.py")]
    assert len(blocks) == 4
    assert [block for block in blocks if not any(block in text for text in examples)] == []


@NEEDS_THEM
@pytest.mark.slow
def test_dagster_launches_one_run_for_what_is_unread(served: ServedLake, tmp_path: Path) -> None:
    told = run_program("run_dagster.py", {"DAGSTER_HOME": str(tmp_path)})
    first, second = told["run_keys"]
    assert first == second
    # the second one, which Dagster's daemon would not launch, finds nothing left to do
    assert told["succeeded"] == [True, True]
    assert told["skipped"] == "The stream new_orders has no rows."
    assert copied() == ROWS


@NEEDS_THEM
@pytest.mark.slow
def test_a_dag_of_airflow_waits_for_the_stream_and_consumes_it(
    served: ServedLake, tmp_path: Path
) -> None:
    told = run_program(
        "run_airflow.py",
        {
            "AIRFLOW_HOME": str(tmp_path / "airflow"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__DAGS_FOLDER": str(FOLDER),
        },
    )
    assert told == {"state": "success", "tasks": {"new_orders": "success", "merge": "success"}}
    assert copied() == ROWS


@pytest.mark.slow
def test_a_statement_whose_answer_was_lost_runs_once_under_its_id(served: ServedLake) -> None:
    import icemelt_sql  # noqa: PLC0415 - it is beside the examples

    name = icemelt_sql.attempt_id("run", 1)
    assert name == icemelt_sql.attempt_id("run", 1) != icemelt_sql.attempt_id("run", 2)
    senders = [
        threading.Thread(target=icemelt_sql.run, args=("INSERT INTO copied VALUES (7, 7)", name))
        for _ in range(2)
    ]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    icemelt_sql.run("INSERT INTO copied VALUES (7, 7)", name)
    assert icemelt_sql.run("SELECT COUNT(*) FROM copied") == [[1]]
    with pytest.raises(icemelt_sql.StatementFailedError, match="nowhere' does not exist"):
        icemelt_sql.run("SELECT * FROM nowhere")
    del served
