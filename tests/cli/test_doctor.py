"""`icemelt doctor` finds what is wrong, says how to mend it, and changes nothing."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import postgres_url
from icemelt.catalog.database import Database, open_database
from icemelt.cli.doctor import examine
from icemelt.cli.formats import ReportFormat
from icemelt.cli.lake import Lake
from icemelt.engine.start.class_archive import record_archive
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.start.jars import ensure_jars, spark_jars
from icemelt.engine.start.java import find_java
from icemelt.engine.start.java_process import find_class_path
from icemelt.session.opening import sqlite_url

Report = dict[str, dict[str, str]]


def made(folder: Path) -> Database:
    (folder / "warehouse").mkdir(parents=True)
    return open_database(sqlite_url(folder / "catalog.db"), str(folder / "warehouse"))


def report(lake: Lake, capsys: pytest.CaptureFixture[str], *, code: int = 0) -> Report:
    assert examine(lake, ReportFormat.JSON, start=False) == code
    return {each["check"]: each for each in json.loads(capsys.readouterr().out)}


def test_a_lake_that_is_not_there_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report(Lake(str(tmp_path / "a lake")), capsys)

    assert found["Catalog"]["level"] == "ok"
    assert found["Catalog"]["mend"] == f"icemelt sql '{tmp_path}/a lake'"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["lake", "a?b#c%d é"])
def test_a_healthy_lake(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    made(tmp_path / name).close()
    found = report(Lake(str(tmp_path / name)), capsys)

    assert {check: each["level"] for check, each in found.items() if each["level"] == "fail"} == {}
    assert "0 commits" in found["Catalog"]["words"]
    assert "as the catalog's" in found["Clock"]["words"]


def test_a_catalog_of_another_engine_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "catalog.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE iceberg_tables (table_name TEXT)")
    connection.close()
    before = file.read_bytes()
    found = report(Lake(str(tmp_path)), capsys)

    assert found["Catalog"]["level"] == "warn"
    assert "no registry" in found["Catalog"]["words"]
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["catalog.db"]


def test_a_file_that_is_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "catalog.db").write_text("this is not a database, is it?")

    assert report(Lake(str(tmp_path)), capsys, code=1)["Catalog"]["level"] == "fail"


def test_a_lake_that_was_moved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "before").close()
    (tmp_path / "before").rename(tmp_path / "after")
    found = report(Lake(str(tmp_path / "after")), capsys, code=1)

    assert str(tmp_path / "before") in found["Catalog"]["words"]
    assert "ln -s" in found["Catalog"]["mend"]


def test_a_clock_that_was_set_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "lake").close()
    with sqlite3.connect(tmp_path / "lake" / "catalog.db") as connection:
        connection.execute("UPDATE icemelt_lake SET commit_time = commit_time + 3600000")
    connection.close()
    found = report(Lake(str(tmp_path / "lake")), capsys)

    assert found["Clock"]["level"] == "warn"
    assert "3600 s in the future" in found["Clock"]["words"]


def test_an_empty_database_of_a_server_stays_empty(postgres_server: str, tmp_path: Path) -> None:
    url = postgres_url(postgres_server)
    code = "from icemelt.cli.main import main; main()"
    options = ["--catalog", url, "--warehouse", str(tmp_path), "--format", "json"]

    def words() -> str:
        command = [sys.executable, "-c", code, "doctor", *options]
        output = subprocess.run(command, capture_output=True, check=True).stdout
        return next(each["words"] for each in json.loads(output) if each["check"] == "Catalog")

    for _ in range(2):
        assert "no registry" in words()

    open_database(url, str(tmp_path)).close()
    assert "0 commits" in words()


def test_a_server_that_does_not_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = "postgresql://ann:secret@127.0.0.1:1/lake"
    found = report(Lake(None, url, str(tmp_path)), capsys, code=1)

    assert found["Catalog"]["level"] == "fail"
    assert "secret" not in json.dumps(found)


def test_a_place_elsewhere_is_said_not_to_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report(Lake(str(tmp_path), None, "s3a://bucket/lake"), capsys)

    assert found["Warehouse"]["level"] == "warn"
    assert found["Warehouse"]["mend"].startswith(f"icemelt sql {tmp_path} --warehouse s3a://")


def test_the_report_for_people_has_a_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examine(Lake(str(tmp_path / "lake")), ReportFormat.TEXT, start=False)
    lines = capsys.readouterr().out.splitlines()

    assert lines[0].startswith("ok    Python      3.")
    assert any(line.startswith("                  → icemelt sql") for line in lines)
    assert lines[-1] in {"All is well.", "It works; 1 to look at.", "It works; 2 to look at."}


def test_a_check_leaves_the_locks_of_open_sessions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = made(tmp_path)
    with database.read() as connection:
        database.read_lake(connection)
    report(Lake(str(tmp_path)), capsys)
    # the last connection of all takes the log away when it closes
    program = (
        "import contextlib, sqlite3, sys\n"
        "with contextlib.closing(sqlite3.connect(sys.argv[1])) as other:\n"
        "    other.execute('UPDATE icemelt_lake SET commit_number = 1')\n"
        "    other.commit()"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "catalog.db")], check=True)
    assert (tmp_path / "catalog.db-wal").exists()
    with database.read() as connection:
        assert database.read_lake(connection).last.commit_number == 1
    database.close()


def test_the_report_tells_whether_javas_classes_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(str(tmp_path / "a lake"))
    jars = ensure_jars()
    monkeypatch.setenv("ICEMELT_JARS", str(jars[0].parent))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SPARK_SUBMIT_OPTS", raising=False)
    missing = report(lake, capsys)["Starts"]
    assert (missing["level"], missing["mend"]) == ("warn", "icemelt doctor --start")
    path = find_class_path(LaunchOptions(), spark_jars())
    assert path is not None
    java = find_java()
    with record_archive(java, path) as options:
        program = str(java.home / "bin" / "java")
        subprocess.run([program, *options, "-version"], check=True, capture_output=True)
    assert report(lake, capsys)["Starts"]["level"] == "ok"
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Da=b")
    scripts = report(lake, capsys)["Starts"]
    assert (scripts["level"], scripts["mend"].startswith("unset ")) == ("warn", True)
