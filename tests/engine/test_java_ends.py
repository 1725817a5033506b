"""A process that ends while its Java is starting leaves no Java behind, whenever it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import pytest

import icemelt

# seconds after Java was begun: before there is one, while it starts, and when it may have answered
ENDS = (0.0, 0.2, 0.4, 0.7, 1.0, 1.5, 2.5)
SECONDS = 30.0
_PROGRAM = """
import sys, time
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.start.java_process import launch_java_soon
launch_java_soon(LaunchOptions())
time.sleep({seconds})
sys.exit(3)
"""


def marked(mark: str) -> list[int]:
    """Return the processes that have a mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            # it ended, or is another user's
            continue
    return found


def left(arguments: list[str], code: int) -> list[int]:
    """Run a program; return which processes of it are there for much longer than the program."""
    mark = uuid.uuid4().hex
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"ICEMELT_TEST_MARK": mark},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    ends = time.monotonic() + SECONDS
    while marked(mark) and time.monotonic() < ends:
        time.sleep(0.1)
    return marked(mark)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
@pytest.mark.parametrize("seconds", ENDS)
def test_a_process_that_ends_while_java_starts(seconds: float) -> None:
    before = set(Path(tempfile.gettempdir()).glob("icemelt-java-*"))
    assert left(["-c", _PROGRAM.format(seconds=seconds)], 3) == []
    assert set(Path(tempfile.gettempdir()).glob("icemelt-java-*")) == before


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
def test_a_lake_that_cannot_be_opened(tmp_path: Path) -> None:
    icemelt.connect(tmp_path / "lake", maintain_every=None).close()
    lake = [str(tmp_path / "lake"), "--warehouse", "/srv/elsewhere"]
    commands = (
        ["sql", *lake, "-c", "SELECT 1"],
        ["maintain", *lake],
        ["sql", str(tmp_path / "no" / "database"), "--database", "nope", "-c", "SELECT 1"],
    )
    for command in commands:
        assert left(["-m", "icemelt", *command], 1) == [], command
