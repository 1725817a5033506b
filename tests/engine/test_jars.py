"""Jars are fetched once by Spark's resolver, checked, and never half there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from icemelt.engine.start.jars import ICEBERG, LOCAL_FILES, RE2J, ensure_jars
from icemelt.errors import JarsUnavailable

_REPOSITORY = """\
<ivysettings>
  <settings defaultResolver="shelf"/>
  <resolvers>
    <filesystem name="shelf" m2compatible="true">
      <artifact pattern="{folder}/[artifact]-[revision].[ext]"/>
    </filesystem>
  </resolvers>
</ivysettings>
"""


@pytest.fixture(scope="module")
def jars() -> tuple[Path, ...]:
    """The true jars, from the user's own cache."""
    return ensure_jars()


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that is the only repository which Spark is set up for; the cache is empty."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(_REPOSITORY.format(folder=folder))
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(f"spark.jars.ivySettings {settings}\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(conf))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ICEMELT_JARS", raising=False)
    return folder


def test_jars_are_fetched_through_the_users_settings_once(
    jars: tuple[Path, ...], shelf: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache" / "icemelt" / "jars"
    cache.mkdir(parents=True)
    (cache / ICEBERG.file_name).write_bytes(b"the first bytes of a jar")
    for jar in jars:
        shutil.copy(jar, shelf)
    fetched = ensure_jars()
    assert [jar.read_bytes() for jar in fetched] == [jar.read_bytes() for jar in jars]
    shutil.rmtree(shelf)
    assert ensure_jars() == fetched
    assert set(cache.iterdir()) == set(fetched)
    assert capfd.readouterr() == ("", "")


def test_without_a_repository_the_error_says_what_to_do(shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(JarsUnavailable) as caught:
        ensure_jars()
    assert "iceberg-spark-runtime-4.1_2.13:1.12.0 and com.globalmentor" in caught.value.message
    assert "are not on this machine" in caught.value.message
    assert "not found" in caught.value.message
    assert str(tmp_path / "cache" / "icemelt" / "jars") in caught.value.hint
    assert "ICEMELT_JARS" in caught.value.hint


def test_a_jar_that_is_not_the_expected_one_is_refused(shelf: Path, tmp_path: Path) -> None:
    for jar in (ICEBERG, LOCAL_FILES, RE2J):
        (shelf / jar.file_name).write_bytes(b"something else")
    with pytest.raises(JarsUnavailable, match="what came is not that file"):
        ensure_jars()
    assert list((tmp_path / "cache" / "icemelt" / "jars").iterdir()) == []


def test_a_folder_of_the_users_is_taken_as_it_is(
    jars: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ICEMELT_JARS", str(tmp_path))
    with pytest.raises(JarsUnavailable, match="found none"):
        ensure_jars()
    placed = tmp_path / ICEBERG.file_name
    placed.write_bytes(b"half")
    with pytest.raises(JarsUnavailable, match="found a file of 4 bytes"):
        ensure_jars()
    shutil.copy(jars[0], placed)
    with pytest.raises(JarsUnavailable, match="hadoop-bare-naked-local-fs"):
        ensure_jars()
    for jar in jars[1:]:
        shutil.copy(jar, tmp_path)
    others = [tmp_path / jar.file_name for jar in (LOCAL_FILES, RE2J)]
    assert ensure_jars() == (placed, *others)
