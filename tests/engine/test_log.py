"""Logs of Spark's processes: the oldest go, but none that a process still writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from icemelt.engine.start.log import new_log

# above what Linux gives
NO_PROCESS = 1 << 22


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("icemelt.engine.start.log.log_folder", lambda: tmp_path)
    return tmp_path


def test_a_log_stays_as_long_as_its_process(folder: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as server:
        try:
            ended = [_log(folder, NO_PROCESS + age, age) for age in range(1, 31)]
            oldest = _log(folder, server.pid, age=1_000)
            odd = _log(folder, "of-nobody", age=2_000)
            assert new_log() == folder / f"spark-{os.getpid()}.log"
            assert oldest.exists()
            assert not odd.exists()
            # the twenty youngest of those that ended
            assert [log.exists() for log in ended] == [True] * 20 + [False] * 10
        finally:
            server.kill()
    new_log()
    assert not oldest.exists()


def _log(folder: Path, process: int | str, age: int) -> Path:
    log = folder / f"spark-{process}.log"
    log.touch()
    written = log.stat().st_mtime - age
    os.utime(log, (written, written))
    return log
