"""Change queries on executors that are processes of their own, as on a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cluster.standalone import link_spark

from icemelt.engine.start.jars import ensure_jars
from icemelt.engine.start.java import find_java
from icemelt.engine.start.submit import submit_environment

_PROGRAM = Path(__file__).parent / "program.py"


@pytest.mark.torture
def test_staged_scans_reach_executors_in_other_processes(tmp_path: Path) -> None:
    answers = _run(tmp_path)
    updated = [[i, "updated", "INSERT", True] for i in range(0, 200, 50)]
    updated += [[i, "old", "DELETE", True] for i in range(0, 200, 50)]
    deleted = [[i, "old", "DELETE", False] for i in range(1, 200, 50)]
    merged = [[2, "merged", "INSERT", True], [2, "old", "DELETE", True]]
    inserted = [[1000, "merged", "INSERT", False], [1001, "late", "INSERT", False]]
    assert answers["DEFAULT"] == sorted([*updated, *deleted, *merged, *inserted])
    assert answers["APPEND_ONLY"] == inserted
    assert answers["numbers"] == [[400, 400, 400]]
    assert answers["processes"] == 3  # the driver and two executors


def _run(folder: Path) -> dict[str, object]:
    link_spark(folder / "spark")
    environment = {
        **os.environ,
        **submit_environment(find_java(), ()),
        "SPARK_HOME": str(folder / "spark"),
    }
    command = [sys.executable, str(_PROGRAM), str(folder / "lake"), str(ensure_jars()[0])]
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    answers: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return answers
