"""What icemelt makes is its user's, whatever the umask is, or a group's where the folder is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import icemelt
from icemelt.catalog.database import open_database
from icemelt.engine.scratch import open_scratch
from icemelt.engine.start.log import new_log
from icemelt.session.session import Session

OWN = {stat.S_IFREG | 0o600, stat.S_IFDIR | 0o700}
SHARED = {stat.S_IFREG | 0o660, stat.S_IFDIR | 0o770}


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Let everybody do everything, as far as the process has a say."""
    before = os.umask(0)
    yield
    os.umask(before)


def fill(session: Session) -> None:
    """Write files in all the ways there are."""
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql("INSERT INTO t SELECT seq4(), 'a' FROM TABLE(GENERATOR(ROWCOUNT => 50))")
    session.sql("DELETE FROM t WHERE id = 1")
    session.sql("UPDATE t SET v = 'b' WHERE id = 2")
    session.sql("CREATE VIEW w AS SELECT * FROM t")
    session.sql("CREATE TABLE p CLUSTER BY (day) AS SELECT 1 AS id, DATE '2024-01-01' AS day")
    with session.ingest_client() as client:
        channel, _ = client.open_channel("c", "main", "public", "t")
        channel.append_row({"ID": 3, "V": "x"})
        channel.close()
    session.sql("OPTIMIZE TABLE t")
    session.maintain()


def modes(folder: Path) -> set[int]:
    found = [folder, *folder.rglob("*")]
    # the bit that hands a folder's group on is no right
    return {path.stat().st_mode & ~stat.S_ISGID for path in found}


def test_a_lake_is_its_user_s(spark: SparkSession, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with icemelt.connect(lake, spark=spark, maintain_every=None) as session:
        fill(session)
        names = {path.name for path in lake.iterdir()}
        assert {"catalog.db", "catalog.db-wal", "catalog.db-shm"} <= names
        assert modes(lake) == OWN
        assert modes(Path(session._core.relations.scratch.location)) <= OWN


def test_a_group_s_lake_stays_the_group_s_under_a_narrower_umask(
    spark: SparkSession, tmp_path: Path
) -> None:
    os.umask(0o077)
    lake = tmp_path / "lake"
    lake.mkdir()
    lake.chmod(0o770)
    with icemelt.connect(lake, spark=spark, maintain_every=None) as session:
        session.sql("CREATE TABLE t AS SELECT 1 AS id")
        assert modes(lake) == SHARED


def test_a_folder_that_is_there_keeps_its_mode_and_what_is_in_it_is_not_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    lake.chmod(0o755)
    with icemelt.connect(lake, spark=spark, maintain_every=None) as session:
        session.sql("CREATE TABLE t AS SELECT 1 AS id")
    assert stat.S_IMODE(lake.stat().st_mode) == 0o755
    assert modes(lake) - {lake.stat().st_mode} == OWN


def test_a_lake_in_a_folder_of_a_group_is_the_group_s(spark: SparkSession, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    lake.chmod(0o2770)
    with icemelt.connect(lake, spark=spark, maintain_every=None) as session:
        fill(session)
        assert modes(lake) == SHARED


def test_temporary_files_and_logs_are_the_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert stat.S_IMODE(new_log().parent.stat().st_mode) == 0o700
    given = tmp_path / "given"
    given.mkdir()
    for mode, expected in ((0o755, 0o700), (0o777, 0o700), (0o1777, 0o700), (0o770, 0o770)):
        given.chmod(mode)
        scratch = open_scratch(str(given))
        assert stat.S_IMODE(Path(scratch.location).stat().st_mode) == expected
        scratch.close()


@pytest.mark.slow
def test_the_log_and_java_s_own_files_are_the_user_s(tmp_path: Path) -> None:
    program = (
        "import icemelt; session = icemelt.connect('lake', master='local[1]', memory='1g');"
        "java = session.spark._jvm.java.io;"
        "java.FileOutputStream('made').close(); java.File('folder').mkdir(); session.close()"
    )
    places = {"XDG_STATE_HOME": str(tmp_path / "state")}
    subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=os.environ | places, check=True
    )
    assert modes(tmp_path / "lake") <= OWN
    assert {(tmp_path / name).stat().st_mode for name in ("made", "folder")} == OWN
    assert {path.stat().st_mode for path in (tmp_path / "state").rglob("*.log")} == {
        stat.S_IFREG | 0o600
    }


def test_a_young_lake_is_in_its_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/catalog.db"
    database = open_database(url, str(tmp_path / "warehouse"))
    file, log = tmp_path / "catalog.db", tmp_path / "catalog.db-wal"
    assert file.stat().st_size > 100_000
    assert log.stat().st_size == 0
    # what a kill leaves, with the log lost
    copy = tmp_path / "copy.db"
    copy.write_bytes(file.read_bytes())
    database.close()
    again = open_database(f"sqlite:///{copy}", str(tmp_path / "warehouse"))
    with again.read() as connection:
        assert again.read_lake(connection).lake_id == database.lake_id
    again.close()
