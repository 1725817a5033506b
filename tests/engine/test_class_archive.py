"""Java's archive of classes: kept when it is asked for, used afterwards, and never in the way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from engine.no_java import hide_java
from processes import limit_files, set_writable

from icemelt.engine.start.class_archive import archive_options, record_archive
from icemelt.engine.start.jars import ensure_jars
from icemelt.engine.start.java import JavaInstallation, find_java
from icemelt.errors import SetupError

pytestmark = pytest.mark.turns(4)

_DAY_SECONDS = 86_400
# starts Spark and tells with which archives
_PROGRAM = """
import sys
from icemelt.engine.start.launch import LaunchOptions, launch_spark, stop
spark = launch_spark(LaunchOptions(memory=sys.argv[1]))
assert spark.sql("SELECT 40 + 2 AS a").collect()[0].a == 42
bean = spark._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()
print([a for a in bean.getInputArguments() if ".jsa" in a])
stop(spark)
"""


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> JavaInstallation:
    """The Java that came with icemelt, and an empty cache."""
    hide_java(monkeypatch, tmp_path)
    return find_java()


@pytest.fixture
def jars(tmp_path: Path) -> list[Path]:
    """Two files in the place of Java's class path."""
    jars = [tmp_path / "a.jar", tmp_path / "b.jar"]
    for jar in jars:
        jar.write_text(jar.name)
    return jars


def _run(
    java: JavaInstallation, options: tuple[str, ...], *more: str
) -> subprocess.CompletedProcess[str]:
    """Run Java on a program that it brings."""
    command = [str(java.home / "bin" / "java"), *options, *more, "-version"]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def _archives(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.jsa"))


def _record(java: JavaInstallation, jars: list[Path]) -> Path:
    """Have Java write an archive and return it."""
    with record_archive(java, jars) as options:
        _run(java, options)
    return Path(archive_options(java, jars)[0].rpartition(":")[2])


def test_java_uses_what_one_before_it_wrote(
    java: JavaInstallation, jars: list[Path], tmp_path: Path
) -> None:
    assert archive_options(java, jars) == ()
    archive = _record(java, jars)
    told = _run(java, archive_options(java, jars), "-Xlog:cds*=info").stdout
    assert f"Opened archive {archive}" in told
    assert "Mapped dynamic region" in told
    assert "Unable to use" not in told
    names = [path.name.partition("-")[0] for path in archive.parent.iterdir()]
    assert sorted(names) == ["base", "classes"]


def test_a_new_archive_takes_the_old_ones_place(java: JavaInstallation, jars: list[Path]) -> None:
    archive = _record(java, jars)
    before = archive.stat().st_ino
    assert _record(java, jars) == archive
    assert archive.stat().st_ino != before


def test_an_archive_is_for_its_jars(java: JavaInstallation, jars: list[Path]) -> None:
    archive = _record(java, jars)
    seconds = jars[1].stat().st_mtime
    # an image of a container keeps seconds
    os.utime(jars[1], (int(seconds), int(seconds)))
    assert str(archive) in str(archive_options(java, jars))
    assert archive_options(java, jars[:1]) == ()
    jars[1].write_text("another")
    assert archive_options(java, jars) == ()
    jars[1].unlink()
    assert archive_options(java, jars) == ()


def test_an_archive_without_its_base_is_not_used(java: JavaInstallation, jars: list[Path]) -> None:
    _record(java, jars)
    base = archive_options(java, jars)[0].partition("=")[2].partition(":")[0]
    Path(base).unlink()
    assert archive_options(java, jars) == ()
    assert _record(java, jars).exists()


def _write_half(java: JavaInstallation, jars: list[Path]) -> None:
    with record_archive(java, jars) as options:
        half = next(option for option in options if "AtExit" in option).partition("=")[2]
        Path(half).write_bytes(bytes(100_000))


def test_a_java_that_does_not_end_leaves_what_was_there(
    java: JavaInstallation, jars: list[Path]
) -> None:
    archive = _record(java, jars)
    before = archive.read_bytes()
    with (
        pytest.raises(SetupError, match="left no archive of its classes"),
        record_archive(java, jars),
    ):
        pass
    with pytest.raises(SetupError, match="left no archive of its classes"):
        _write_half(java, jars)
    assert archive.read_bytes() == before
    assert len(list(archive.parent.iterdir())) == 2


def test_an_archive_that_java_refuses_to_write_is_told(
    java: JavaInstallation, jars: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xshare:off -XX:NoSuchOption")
    with (
        pytest.raises(SetupError, match="NoSuchOption") as caught,
        record_archive(java, jars),
    ):
        pass
    assert "env | grep JAVA" in caught.value.hint


def test_what_nobody_uses_for_a_month_is_deleted(java: JavaInstallation, jars: list[Path]) -> None:
    archive, another = _record(java, jars), _record(java, jars[:1])
    for days, path in ((20, archive), (40, another)):
        os.utime(path, (time.time() - days * _DAY_SECONDS,) * 2)
    _record(java, jars[1:])
    assert archive.exists()
    assert not another.exists()
    # each use counts
    os.utime(archive, (0, 0))
    assert archive_options(java, jars)
    _record(java, jars[1:])
    assert archive.exists()


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_java_passes_over_a_damaged_archive(
    java: JavaInstallation, jars: list[Path], place: float
) -> None:
    archive = _record(java, jars)
    archive.chmod(0o644)
    size = archive.stat().st_size
    with archive.open("r+b") as file:
        file.seek(int(size * place))
        file.write(os.urandom(size // 50))
    told = _run(java, archive_options(java, jars), "-Xlog:cds*=info").stdout
    assert f"Opened archive {archive}" in told
    assert "Unable to use shared archive. The top archive failed to load" in told


def test_an_archive_is_for_its_java(java: JavaInstallation, jars: list[Path]) -> None:
    _record(java, jars)
    modules = java.home / "lib" / "modules"
    before = modules.stat()
    os.utime(modules, (before.st_atime, before.st_mtime + 60))
    try:
        assert archive_options(java, jars) == ()
    finally:
        os.utime(modules, (before.st_atime, before.st_mtime))
    assert archive_options(java, jars)


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_others_can_write_is_not_used(
    java: JavaInstallation, jars: list[Path], what: str
) -> None:
    archive = _record(java, jars)
    open_to_all = archive.parent if what == "folder" else archive
    mode = open_to_all.stat().st_mode
    open_to_all.chmod(mode | 0o020)
    assert archive_options(java, jars) == ()
    open_to_all.chmod(mode)
    assert archive_options(java, jars)


def test_an_archive_that_can_only_be_read_is_used(java: JavaInstallation, jars: list[Path]) -> None:
    archive = _record(java, jars)
    set_writable(archive.parent, writable=False)
    try:
        assert str(archive) in archive_options(java, jars)[0]
        assert _run(java, archive_options(java, jars)).returncode == 0
    finally:
        set_writable(archive.parent, writable=True)


def test_processes_that_record_at_once_leave_one_archive(
    java: JavaInstallation, jars: list[Path]
) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: _record(java, jars), range(2))
    assert first == second
    told = _run(java, archive_options(java, jars), "-Xlog:cds*=info").stdout
    assert "Mapped dynamic region" in told
    assert len(_archives(first.parent)) == len(list(first.parent.iterdir())) == 2


def test_a_full_disk_leaves_what_was_there(java: JavaInstallation, jars: list[Path]) -> None:
    archive = _record(java, jars)
    before = archive.read_bytes()
    with (
        pytest.raises(SetupError, match="left no archive of its classes"),
        record_archive(java, jars) as options,
    ):
        subprocess.run(
            [str(java.home / "bin" / "java"), *options, "-version"],
            check=False,
            capture_output=True,
            # as a full disk does, this lets no file have more bytes
            preexec_fn=lambda: limit_files(0, 100_000),
        )
    assert archive.read_bytes() == before
    assert len(list(archive.parent.iterdir())) == 2


@pytest.fixture
def fetched() -> Path:
    """The folder of the jars that every start of icemelt needs, found before the cache is empty."""
    return ensure_jars()[0].parent


@pytest.mark.slow
def test_spark_starts_with_the_classes_that_the_doctor_kept(
    fetched: Path, java: JavaInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ICEMELT_JARS", str(fetched))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("JAVA_HOME", str(java.home))
    doctor = [sys.executable, "-m", "icemelt", "doctor", "--start", str(tmp_path / "lake")]
    assert "Java's classes are kept" in subprocess.check_output(doctor, text=True)
    options = f"{os.environ['JDK_JAVA_OPTIONS']} -Xlog:class+load:file={tmp_path}/loaded-%p.log"
    monkeypatch.setenv("JDK_JAVA_OPTIONS", options)
    monkeypatch.delenv("SPARK_SUBMIT_OPTS", raising=False)
    told, smaller = (
        subprocess.check_output([sys.executable, "-c", _PROGRAM, memory], text=True)
        for memory in ("2g", "900m")
    )
    cache = re.escape(str(tmp_path / "user's cache" / "icemelt" / "java"))
    archives = rf"{cache}/base-\w+\.jsa:{cache}/classes-\w+-\w+\.jsa"
    assert re.search(f"-XX:SharedArchiveFile={archives}", told)
    assert told == smaller
    for log in tmp_path.glob("loaded-*.log"):
        classes = log.read_text(errors="replace").splitlines()
        kept = sum("shared objects file (top)" in line for line in classes)
        # the others are Java's own, or made as Spark runs
        assert kept / len(classes) > 0.6
    assert len(_archives(tmp_path)) == 2
