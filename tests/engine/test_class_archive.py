"""Java's archive of classes: made once, used afterwards, and never in the way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from icemelt.engine.class_archive import archive_options
from icemelt.engine.jars import ensure_jars
from icemelt.engine.java import Java, find_java

_DAY_SECONDS = 86_400
# starts Spark, tells whether a class came from an archive, and ends as a script does
_PROGRAM = """
import sys
from icemelt.engine.launch import LaunchOptions, launch, stop
spark = launch(LaunchOptions(memory=sys.argv[1]))
assert spark.sql("SELECT 40 + 2 AS a").collect()[0].a == 42
bean = spark._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()
print([a for a in bean.getInputArguments() if ".jsa" in a])
stop(spark)
"""


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Java:
    """The Java that came with icemelt, and an empty cache."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return find_java()


@pytest.fixture
def jars(tmp_path: Path) -> list[Path]:
    """Two files in the place of Java's class path."""
    jars = [tmp_path / "a.jar", tmp_path / "b.jar"]
    for jar in jars:
        jar.write_text(jar.name)
    return jars


def _run(java: Java, options: tuple[str, ...], *more: str) -> subprocess.CompletedProcess[str]:
    """Run Java on a program that it brings."""
    command = [str(java.home / "bin" / "java"), *options, *more, "-version"]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def _archives(folder: Path) -> list[Path]:
    return sorted(folder.rglob("classes-*.jsa"))


def _record(java: Java, jars: list[Path]) -> Path:
    """Have Java write an archive and return it."""
    options = archive_options(java, jars)
    _run(java, options)
    written = next(o for o in options if "AtExit" in o).partition("=")[2]
    assert Path(written).stat().st_size > 10_000
    return Path(written)


def test_java_uses_what_the_one_before_it_wrote(java: Java, jars: list[Path]) -> None:
    archive = _record(java, jars)
    options = archive_options(java, jars)
    assert str(archive) in options[0]
    told = _run(java, options, "-Xlog:cds*=info").stdout
    assert f"Opened archive {archive}" in told
    assert "Mapped dynamic region" in told
    assert "mismatch" not in told


def test_another_jar_or_another_version_of_one_makes_another_archive(
    java: Java, jars: list[Path], tmp_path: Path
) -> None:
    archive = _record(java, jars)
    assert str(archive) not in str(archive_options(java, jars[:1]))
    jars[1].write_text("another")
    assert str(archive) not in str(archive_options(java, jars))
    jars[1].unlink()
    assert archive_options(java, jars) == ()


def test_an_archive_is_not_used_before_it_is_written_to_its_end(
    java: Java, jars: list[Path]
) -> None:
    options = archive_options(java, jars)
    half = Path(next(o for o in options if "AtExit" in o).partition("=")[2])
    half.write_bytes(bytes(100_000))
    assert str(half) not in str(archive_options(java, jars))


def test_processes_that_never_leave_one_stop_trying_until_the_next_day(
    java: Java, jars: list[Path], tmp_path: Path
) -> None:
    tries = [archive_options(java, jars) for _ in range(11)]
    assert len(set(tries[:10])) == 10
    assert tries[10] == ()
    yesterday = time.time() - 1.1 * _DAY_SECONDS
    for archive in _archives(tmp_path):
        os.utime(archive, (yesterday, yesterday))
    assert archive_options(java, jars) != ()
    assert len(_archives(tmp_path)) == 1


def test_of_two_archives_one_is_kept(java: Java, jars: list[Path], tmp_path: Path) -> None:
    first, second = archive_options(java, jars), archive_options(java, jars)
    _run(java, first)
    _run(java, second)
    assert len(_archives(tmp_path)) == 2
    used = archive_options(java, jars)
    assert [str(path) for path in _archives(tmp_path)] == used[0].split(":")[-1:]


def test_what_nobody_uses_for_a_month_is_deleted(
    java: Java, jars: list[Path], tmp_path: Path
) -> None:
    archive, another = _record(java, jars), _record(java, jars[:1])
    for days, path in ((20, archive), (40, another)):
        os.utime(path, (time.time() - days * _DAY_SECONDS,) * 2)
    _record(java, jars[1:])
    assert archive in _archives(tmp_path)
    assert another not in _archives(tmp_path)


def test_a_cache_that_cannot_be_written_is_done_without(
    java: Java, jars: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "a:b"
    monkeypatch.setenv("XDG_CACHE_HOME", str(odd))
    assert archive_options(java, jars) == ()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    assert archive_options(Java(tmp_path / "no java", 21, "PATH"), jars) == ()


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_java_passes_over_a_damaged_archive(java: Java, jars: list[Path], place: float) -> None:
    archive = _record(java, jars)
    archive.chmod(0o644)
    size = archive.stat().st_size
    with archive.open("r+b") as file:
        file.seek(int(size * place))
        file.write(os.urandom(size // 50))
    told = _run(java, archive_options(java, jars), "-Xlog:cds*=info").stdout
    assert f"Opened archive {archive}" in told
    assert "Unable to use shared archive. The top archive failed to load" in told


@pytest.fixture
def fetched() -> Path:
    """The folder of the jars that every start of icemelt needs, found before the cache is empty."""
    return ensure_jars()[0].parent


@pytest.mark.slow
def test_spark_starts_with_the_classes_of_the_start_before_it(
    fetched: Path, java: Java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ICEMELT_JARS", str(fetched))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("JAVA_HOME", str(java.home))
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", f"-Xlog:class+load:file={tmp_path}/loaded-%p.log")
    first, second, smaller = (
        subprocess.check_output([sys.executable, "-c", _PROGRAM, memory], text=True)
        for memory in ("2g", "2g", "900m")
    )
    assert re.search(r"-XX:ArchiveClassesAtExit=\S+\.jsa", first)
    assert re.search(r"-XX:SharedArchiveFile=\S+/base-\w+\.jsa:\S+/classes-\S+\.jsa", second)
    assert second == smaller
    shares = []
    for log in sorted(tmp_path.glob("loaded-*.log"), key=lambda path: path.stat().st_mtime):
        classes = log.read_text(errors="replace").splitlines()
        shares.append(sum("shared objects file (top)" in line for line in classes) / len(classes))
    assert shares[0] == 0
    # the others are of the archive of Java's own, or made as Spark runs
    assert min(shares[1:]) > 0.6
