"""A Java that is killed while the server starts is told as that, and not as a bug in icemelt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from server.program import SECONDS

PROGRAM = Path(__file__).with_name("start_without_java.py")
# the steps of a start that ask Java, in order
STEPS = (
    (
        "icemelt.engine.start.launch",
        "_delete_at_exit",
        "Spark did not start: its Java ended with code -9.",
    ),
    (
        "icemelt.session.runtime.cores",
        "add_java_functions",
        "Java process of Spark ended while icemelt",
    ),
    ("icemelt.server.run", "validate_locations", "Java process of Spark ended while icemelt"),
    ("icemelt.session.hosting", "warm_up", "Java process of Spark ended while icemelt"),
    ("icemelt.server.run", "find_byte_limit", "Java process of Spark ended while icemelt"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name", "said"), STEPS)
def test_a_java_killed_at_the_start_is_told_with_a_hint(
    tmp_path: Path, module: str, name: str, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), module, name, "serve", str(tmp_path), "--port", "0"],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert "Hint: " in done.stderr
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "Serving" not in done.stdout
