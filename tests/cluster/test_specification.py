"""The specification on a cluster: its scripts, unchanged, on executors that are processes.

The slice's catalog is PostgreSQL.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from cluster.standalone import start_cluster
from rotation import this_turn

from conftest import MASTER_VARIABLE, PYTHON_VARIABLE

_TESTS = Path(__file__).parent.parent
_SPECIFICATION = _TESTS / "spec" / "test_spec.py"
# of what a cluster could do otherwise: a folder each, one script of it
_SLICE = ("changes", "files", "rows", "streams", "transactions", "views")


@pytest.mark.slow
def test_a_slice_of_the_specification_holds_on_a_cluster(tmp_path: Path) -> None:
    numbers = random.Random(this_turn())  # noqa: S311 - chance is wanted
    folder = _SPECIFICATION.parent
    cases = []
    for name in _SLICE:
        script = numbers.choice(sorted((folder / name).rglob("*.test")))
        catalog = "sqlite" if "only sqlite" in script.read_text().splitlines() else "postgres"
        cases.append(f"[{script.relative_to(folder).with_suffix('').as_posix()}-{catalog}]")
    _run(tmp_path, *cases)


@pytest.mark.torture
def test_the_specification_holds_on_a_cluster(tmp_path: Path) -> None:
    _run(tmp_path)


def _run(folder: Path, *cases: str) -> None:
    """Run scripts, all without `cases`, in a process of pytest whose Spark has a cluster."""
    tests = [f"{_SPECIFICATION}::test_script{case}" for case in cases] or [str(_SPECIFICATION)]
    with start_cluster(folder / "cluster", environment={}) as cluster:
        environment = {
            **os.environ,
            MASTER_VARIABLE: cluster.url,
            PYTHON_VARIABLE: cluster.python,
        }
        for name in [name for name in environment if name.startswith("PYTEST_")]:
            del environment[name]
        # whichever catalog is a script's in this turn
        options = ["-q", "-p", "no:cacheprovider", "-m", "torture or not torture"]
        command = [sys.executable, "-m", "pytest", *options, *tests]
        ended = subprocess.run(
            command, env=environment, cwd=_TESTS.parent, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout[-6000:]
