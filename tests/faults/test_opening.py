"""Catalogs that cannot be opened: each is refused in words, and nothing is left open."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from conftest import postgres_url, sqlite_url
from icemelt.catalog.database import open_database
from icemelt.cli.lake import Lake, choose_lake
from icemelt.errors import CatalogReadOnly, CatalogUnavailable, IcemeltError, LakeMoved, LakeTooNew
from icemelt.session.opening import find_places

OPEN = (
    "import sys; from icemelt.catalog.database import open_database; open_database(*sys.argv[1:])"
)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "catalog.db"
    file.write_bytes(b"these are my notes, not a database\n" * 100)
    before = file.read_bytes()
    with pytest.raises(CatalogUnavailable, match="no SQLite database") as refused:
        open_database(sqlite_url(tmp_path), "w")
    assert "backup" in refused.value.hint
    assert file.read_bytes() == before
    assert _open_files(tmp_path) == []


@pytest.mark.parametrize(
    ("lake", "hint"),
    [
        ("s3://bucket/x", 'warehouse="s3://bucket/x"'),
        ("S3A://bucket/x", 'warehouse="S3A://bucket/x"'),
        (Path("s3://bucket/x"), 'warehouse="s3:/bucket/x"'),
        ("hdfs:/x", 'warehouse="hdfs:/x"'),
        ("abfss://c@account/x", 'warehouse="abfss://c@account/x"'),
        ("file:///lakes/x", "Give its path"),
        ("postgresql://ann:word@host/lake", 'catalog="…"'),
        ("sqlite:///lakes/x.db", 'catalog="…"'),
    ],
)
def test_a_location_is_no_lake_and_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lake: str | Path, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CatalogUnavailable, match="A lake is a folder") as refused:
        find_places(lake, None, None)
    assert hint in refused.value.hint
    assert "word" not in str(refused.value)
    with pytest.raises(CatalogUnavailable, match="A lake is a folder"):
        choose_lake(str(lake), None, None)
    assert list(tmp_path.iterdir()) == []
    assert find_places("a:b", None, None)[1] == str(tmp_path / "a:b" / "warehouse")


def test_a_command_for_what_is_there_makes_no_lake(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "mistyped"))
    with pytest.raises(IcemeltError, match="There is no lake at") as refused:
        lake.require_existing()
    assert "icemelt sql" in refused.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    open_database(sqlite_url(tmp_path), "w").close()
    file = tmp_path / "catalog.db"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(CatalogUnavailable, match="damaged"):
        open_database(sqlite_url(tmp_path), "w")
    assert _open_files(tmp_path) == []


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").mkdir()
    with pytest.raises(CatalogUnavailable, match="unable to open"):
        open_database(sqlite_url(tmp_path), "w")


@pytest.mark.parametrize("url", ["nonsense", "mysql://ann:secret@host/lakes", "sqlite://host:x/y"])
def test_a_url_of_no_catalog_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(CatalogUnavailable) as refused:
        open_database(url, "w")
    assert "secret" not in str(refused.value)
    assert "postgresql://" in refused.value.hint


def test_an_empty_catalog_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "catalog.db").execute(
        "CREATE TABLE other (id INT)"
    ).connection.close()
    url = f"sqlite:///file:{tmp_path}/catalog.db?mode=ro&uri=true"
    with pytest.raises(CatalogReadOnly):
        open_database(url, "w")
    assert _open_files(tmp_path) == []


def test_a_refused_lake_leaves_no_connection(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    open_database(url, "here").close()
    with pytest.raises(LakeMoved):
        open_database(url, "there")
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE icemelt_migrations SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(LakeTooNew, match="9999") as refused:
        open_database(url, "here")
    assert "pip install --upgrade icemelt" in refused.value.hint
    assert _open_files(tmp_path) == []


def test_a_lake_of_a_newer_icemelt_is_refused_on_postgresql(postgres_server: str) -> None:
    url = postgres_url(postgres_server)
    open_database(url, "w").close()
    engine = _engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE icemelt_migrations SET version_num = '9999'"))
    with pytest.raises(LakeTooNew, match="9999"):
        open_database(url, "w")
    engine.dispose()


def test_a_role_that_may_only_read_reads(postgres_server: str) -> None:
    url = postgres_url(postgres_server)
    open_database(url, "w").close()
    engine = _engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE ROLE reader LOGIN"))
        connection.execute(sa.text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"))
    engine.dispose()
    reader = sa.make_url(url).set(username="reader", password=None)
    database = open_database(reader.render_as_string(hide_password=False), "w")
    with database.read() as connection:
        assert database.read_lake(connection).last.commit_number == 0
    with pytest.raises(CatalogReadOnly, match="permission denied"), database.write() as connection:
        connection.execute(sa.text("UPDATE icemelt_lake SET commit_number = 1"))
    database.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_many_processes_may_open_an_empty_lake_at_once(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "sqlite":
        url = sqlite_url(tmp_path)
    else:
        url = postgres_url(request.getfixturevalue("postgres_server"))
    running = [subprocess.Popen([sys.executable, "-c", OPEN, url, "w"]) for _ in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    database = open_database(url, "w")
    with database.read() as connection:
        lakes = connection.scalar(sa.text("SELECT count(*) FROM icemelt_lake"))
        objects = connection.scalar(sa.text("SELECT count(*) FROM icemelt_objects"))
    assert (lakes, objects) == (1, 2)
    database.close()


def _engine(url: str) -> sa.Engine:
    return sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))


def _open_files(folder: Path) -> list[str]:
    """Return the files under a folder that this process has open, where the system tells."""
    links = Path("/proc/self/fd")
    if not links.is_dir():
        return []
    targets = []
    for link in links.iterdir():
        with contextlib.suppress(OSError):
            targets.append(str(link.readlink()))
    return [target for target in targets if target.startswith(f"{folder}/")]
