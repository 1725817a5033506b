"""Spark takes the launcher for Java: it drops the module, and puts the jars in one order."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from engine.no_java import hide_java

from icemelt.engine.start.java import JavaInstallation, find_java
from icemelt.engine.start.launcher import launcher_home

_JARS = Path("/opt/my spark/jars")


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
    home = launcher_home(bundled, _JARS)
    arguments = ("--add-modules=jdk.incubator.vector", "-Dname=a  'b' \"$c\" \\", "--version")
    assert _run(bundled.home, *arguments).returncode == 1
    assert _run(home, *arguments).returncode == 0
    told = _run(home, *arguments[:2], "-XshowSettings:properties", "-version").stderr
    assert "    name = a  'b' \"$c\" \\" in told


def test_java_with_the_module_gets_it(bundled: JavaInstallation) -> None:
    home = launcher_home(JavaInstallation(bundled.home, 21, "PATH"), _JARS)
    ended = _run(home, "--add-modules=jdk.incubator.vector", "--version")
    assert (ended.returncode, "jdk.incubator.vector not found" in ended.stdout) == (1, True)


@pytest.mark.parametrize("twice", ["", "{jars}/slf4j-api-2.0.1.jar:"])
def test_sparks_jars_are_named_once_and_in_one_order(
    bundled: JavaInstallation, tmp_path: Path, twice: str
) -> None:
    jars = tmp_path / "spark's jars"
    jars.mkdir()
    for name in ("slf4j-api-2.0.1.jar", "b c.jar", "a.jar", "README"):
        (jars / name).touch()
    home = launcher_home(bundled, jars)
    given = f"/x y.jar:/c/:{twice.format(jars=jars)}{jars}/*"
    named = [f"{jars}/{name}" for name in ("a.jar", "b c.jar", "slf4j-api-2.0.1.jar")]
    assert _class_path(home, given) == ["/x y.jar", "/c/", *named]
    assert _class_path(home, "/x.jar:/y/slf4j-api-2.0.1.jar") == [
        "/x.jar",
        "/y/slf4j-api-2.0.1.jar",
    ]


def _class_path(home: Path, given: str) -> list[str]:
    told = _run(home, "-cp", given, "-XshowSettings:properties", "-version").stderr
    path = told.partition("java.class.path = ")[2].partition(" java.class.version")[0]
    return [line.strip() for line in path.splitlines() if line.strip()]


def test_a_launcher_is_a_java_home_as_any_other(
    bundled: JavaInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = launcher_home(bundled, _JARS)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java() == JavaInstallation(home, 21, "JAVA_HOME")


def test_processes_that_make_the_launcher_together_all_get_it(bundled: JavaInstallation) -> None:
    program = (
        "from pathlib import Path; from icemelt.engine.start.java import find_java;"
        "from icemelt.engine.start.launcher import launcher_home;"
        "print(launcher_home(find_java(), Path('/opt/jars')))"
    )
    command = [sys.executable, "-c", program]
    with ThreadPoolExecutor(4) as pool:
        homes = set(pool.map(lambda _: subprocess.check_output(command), range(4)))
    assert len(homes) == 1
    launcher = Path(homes.pop().decode().strip()) / "bin"
    assert [file.name for file in launcher.iterdir()] == ["java"]


def test_a_damaged_launcher_is_made_again(bundled: JavaInstallation) -> None:
    launcher = launcher_home(bundled, _JARS) / "bin" / "java"
    launcher.write_text("")
    assert _run(launcher_home(bundled, _JARS), "--version").returncode == 0
