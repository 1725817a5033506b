"""Spark's scripts take the launcher for Java, and it drops the module."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from engine.no_java import hide_java

from icemelt.engine.start.java import JavaInstallation, find_java
from icemelt.engine.start.launcher import launcher_home


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> JavaInstallation:
    """The Java of a machine without any other, and with an empty cache."""
    hide_java(monkeypatch, tmp_path)
    return find_java()


def _run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(home / "bin" / "java"), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"}
    )


def test_java_without_the_module_is_launched_with_all_other_arguments(
    bundled: JavaInstallation,
) -> None:
    home = launcher_home(bundled)
    arguments = ("--add-modules=jdk.incubator.vector", "-Dname=a  'b' \"$c\" \\", "--version")
    assert _run(bundled.home, *arguments).returncode == 1
    assert _run(home, *arguments).returncode == 0
    told = _run(home, *arguments[:2], "-XshowSettings:properties", "-version").stderr
    assert "    name = a  'b' \"$c\" \\" in told


def test_a_launcher_is_a_java_home_as_any_other(
    bundled: JavaInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = launcher_home(bundled)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java() == JavaInstallation(home, 21, "JAVA_HOME")


def test_processes_that_make_the_launcher_together_all_get_it(bundled: JavaInstallation) -> None:
    program = (
        "from icemelt.engine.start.java import find_java;"
        "from icemelt.engine.start.launcher import launcher_home;"
        "print(launcher_home(find_java()))"
    )
    command = [sys.executable, "-c", program]
    with ThreadPoolExecutor(4) as pool:
        homes = set(pool.map(lambda _: subprocess.check_output(command), range(4)))
    assert len(homes) == 1
    launcher = Path(homes.pop().decode().strip()) / "bin"
    assert [file.name for file in launcher.iterdir()] == ["java"]


def test_a_damaged_launcher_is_made_again(bundled: JavaInstallation) -> None:
    launcher = launcher_home(bundled) / "bin" / "java"
    launcher.write_text("")
    assert _run(launcher_home(bundled), "--version").returncode == 0
