"""External tables and insert-only streams against a model of their folder; guests; races."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from random import Random

import pytest
from rotation import this_turn
from session.file_law import MAKE, Folder, LocalFiles, Rows, compare_streams

from conftest import Lake
from icemelt.errors import (
    DataError,
    FileChanged,
    FileRefused,
    LoadFailed,
    Never,
    NotYet,
    ValueRefused,
)
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session


@pytest.mark.parametrize("number", range(2))
def test_insert_only_streams_give_what_a_model_of_the_folder_gives(
    any_lake: Lake, tmp_path: Path, number: int
) -> None:
    session = any_lake.open()
    root = tmp_path / "in"
    root.mkdir()
    folder = Folder(LocalFiles(root), Random(f"{this_turn()} {number}"))  # noqa: S311

    def ask(statement: str) -> Rows:
        return session.sql(statement).fetchall()

    compare_streams(ask, folder, str(root), steps=10)


def test_a_stream_counts_the_files_that_it_skips(session: Session, tmp_path: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    folder = Folder(LocalFiles(root), Random(1))  # noqa: S311
    session.sql(f"CREATE STAGE s URL = '{root}'")
    session.sql(MAKE)
    session.sql("CREATE STREAM st ON EXTERNAL TABLE e INSERT_ONLY = TRUE ON_MISSING = SKIP")
    session.sql("CREATE TABLE copied (n INT)")
    for name in ("a", "b", "c"):
        folder.write(f"d/{name}", (1,))
    session.sql("ALTER EXTERNAL TABLE e REFRESH")
    (root / "d/a").unlink()
    folder.write("d/b", (1, 2))
    session.sql("ALTER EXTERNAL TABLE e REFRESH")
    (root / "d/c").unlink()
    # one was removed by a listing, one overwritten by it, one is gone since
    inserted = session.sql("INSERT INTO copied SELECT n FROM st")
    assert inserted.rowcount == 2
    assert "passes over files " in str(inserted.notice)
    skipped = "SELECT files_skipped FROM INFORMATION_SCHEMA.STREAMS"
    assert session.sql(skipped).fetchall() == [(3,)]
    [record] = [each for each in session.history() if each.statement_id == inserted.statement_id]
    assert record.files_skipped == 3


def test_the_history_counts_the_skipped_files_of_queries_whose_rows_are_fetched_later(
    session: Session, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    for name, text in (("a", "1\n"), ("b", "x\n"), ("c", "y\n")):
        (root / f"{name}.csv").write_text(text)
    session.sql(f"CREATE STAGE s URL = '{root}'")
    session.sql(
        "CREATE EXTERNAL TABLE e (n INT AS (VALUE:c1::INT)) LOCATION = @s "
        "FILE_FORMAT = (TYPE = CSV) ON_ERROR = SKIP_FILE"
    )

    def counted(statement_id: str) -> tuple[str, int | None]:
        [record] = [each for each in session.history() if each.statement_id == statement_id]
        return record.status, record.files_skipped

    planned = session.sql("SELECT n FROM e")
    assert counted(planned.statement_id) == ("succeeded", 2)
    (root / "a.csv").write_text("2\n3\n")
    with pytest.raises(FileChanged):
        planned.fetchall()
    assert counted(planned.statement_id) == ("failed", 2)
    session.sql("ALTER EXTERNAL TABLE e REFRESH")
    # the record of a guest's query waits for the rows
    with open_guest(session, "ann", [str(root)]) as guest:
        fetched = guest.sql("SELECT n FROM e")
        fetched.fetchall()
        assert counted(fetched.statement_id) == ("succeeded", 2)


def test_files_that_are_written_while_they_are_read_give_no_mixed_rows(
    session: Session, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    session.sql(f"CREATE STAGE s URL = '{root}'")
    session.sql(
        "CREATE EXTERNAL TABLE e (a INT AS (VALUE:c1::INT), b INT AS (VALUE:c2::INT)) "
        "LOCATION = @s FILE_FORMAT = (TYPE = CSV)"
    )
    ended = threading.Event()

    def overwrite() -> None:
        number = 0
        while not ended.is_set():
            number = (number + 1) % 10
            (root / "part").write_text(f"{number},{number}\n" * 20_000)
            (root / "part").replace(root / "a.csv")

    thread = threading.Thread(target=overwrite)
    thread.start()
    read_whole = 0
    try:
        for turn in range(12):
            try:
                session.sql("ALTER EXTERNAL TABLE e REFRESH")
                session.sql(f"CREATE TABLE t{turn} AS SELECT a FROM e").fetchall()
            except DataError:
                continue
            read_whole += 1
            kept = session.sql(f"SELECT a, COUNT(*) FROM t{turn} GROUP BY a").fetchall()
            assert len(kept) <= 1
    finally:
        ended.set()
        thread.join()


def test_guests_read_external_tables_below_their_places_alone(
    session: Session, tmp_path: Path
) -> None:
    root, other = tmp_path / "in", tmp_path / "other"
    for folder in (root, other):
        folder.mkdir()
        (folder / "a.json").write_text('{"n": 1}\n')
    session.sql(f"CREATE STAGE s URL = '{other}'")
    session.sql(MAKE)
    session.sql(f"CREATE STAGE theirs URL = '{root}'")
    rest = "LOCATION = @theirs FILE_FORMAT = (TYPE = JSON) AUTO_REFRESH = TRUE"
    with open_guest(session, "ann", [str(root)]) as guest:
        for statement in (
            "SELECT n FROM e",
            "ALTER EXTERNAL TABLE e REFRESH",
            "ALTER EXTERNAL TABLE e ADD FILES ('a.json')",
            "ALTER EXTERNAL TABLE e SET AUTO_REFRESH = TRUE",
            MAKE.replace("TABLE e", "TABLE mine"),
        ):
            with pytest.raises(FileRefused):
                guest.sql(statement).fetchall()
        guest.sql(f"CREATE EXTERNAL TABLE g (n INT AS (VALUE:n::INT)) {rest}")
        assert guest.sql("SELECT n FROM g").fetchall() == [(1,)]
        (root / "a.json").write_text('{"n": "x"}\n')
        with pytest.raises(FileChanged) as changed:
            guest.sql("SELECT n FROM g").fetchall()
        assert str(tmp_path) not in str(changed.value)
        (root / "a.json").unlink()
        (root / "a.json").symlink_to(other / "a.json")
        with pytest.raises((FileRefused, FileChanged)):
            guest.sql("SELECT n FROM g").fetchall()
        # the refresh in the background goes where the guest may
        assert session.refresh_files() == {}
        (root / "a.json").unlink()
        assert session.refresh_files() == {"main.public.g": 1}
        assert guest.sql("SELECT COUNT(*) FROM g").fetchall() == [(0,)]
        (root / "b.orc").write_bytes(b"ORC")
        session.sql("CREATE FILE FORMAT orc TYPE = ORC")
        with pytest.raises(Never, match="server"):
            guest.sql("SELECT $1 FROM @theirs (FILE_FORMAT => orc)").fetchall()


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("CSV", b"1\nx\n", "column n expects BIGINT, found 'x', in line 2"),
        ("JSON", b'{"c1": 1}\n{"c1": [', "no JSON value of its own, in line 2"),
        ("PARQUET", b"PARx", "no Parquet file"),
        ("ORC", b"none", "no ORC file"),
        ("AVRO", b"none", "no Avro file"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_or_skipped(
    session: Session, tmp_path: Path, kind: str, content: bytes, said: str
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    (root / "bad one%.dat").write_bytes(content)
    session.sql(f"CREATE STAGE s URL = '{root}'")
    session.sql(
        "CREATE EXTERNAL TABLE e (n INT AS (VALUE:c1::INT)) LOCATION = @s "
        f"FILE_FORMAT = (TYPE = {kind})"
    )
    with pytest.raises((ValueRefused, LoadFailed, NotYet), match=said) as refused:
        session.sql("SELECT n FROM e").fetchall()
    assert "bad one%.dat" in str(refused.value)
    session.sql("ALTER EXTERNAL TABLE e SET ON_ERROR = SKIP_FILE")
    result = session.sql("SELECT n FROM e")
    assert result.fetchall() == []
    assert "leaves out file 'bad one%.dat'" in str(result.notice)


def test_rows_are_not_given_of_files_that_are_written_before_they_are_fetched(
    session: Session, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    (root / "a.csv").write_text("1\n2\n", encoding="utf-8")
    session.sql(f"CREATE STAGE s URL = '{root}'")
    session.sql(
        "CREATE EXTERNAL TABLE e (n INT AS (VALUE:c1::INT)) LOCATION = @s "
        "FILE_FORMAT = (TYPE = CSV)"
    )
    planned = [session.sql("SELECT n FROM e") for _ in range(3)]
    (root / "a.csv").write_text("3\n4\n", encoding="utf-8")
    for fetch in (
        planned[0].fetchall,
        planned[1].fetchone,
        lambda: planned[2].to_reader().read_all(),
    ):
        with pytest.raises(FileChanged, match="REFRESH"):
            fetch()
    session.sql("ALTER EXTERNAL TABLE e REFRESH")
    assert session.sql("SELECT n FROM e").fetchall() == [(3,), (4,)]


def test_a_name_that_spark_cannot_open_is_left_out_of_an_external_table(
    session: Session, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    (root / "a.json").write_text('{"n": 1}\n')
    (root / "a:b.json").write_text('{"n": 2}\n')
    os.mkfifo(root / "fifo.json")
    session.sql(f"CREATE STAGE s URL = '{root}' DIRECTORY = (ENABLE = TRUE)")
    session.sql(MAKE)
    assert session.sql("SELECT n FROM e").fetchall() == [(1,)]
    told = session.sql("ALTER EXTERNAL TABLE e REFRESH").fetchall()
    assert [row[:2] for row in told] == [
        ("a:b.json", "REGISTER_SKIPPED"),
        ("fifo.json", "REGISTER_SKIPPED"),
    ]
    assert told[0][2].startswith("The file has a name that Spark does not open")
    with pytest.raises(LoadFailed, match=r"'a:b[.]json' is not registered"):
        session.sql("ALTER EXTERNAL TABLE e ADD FILES ('a:b.json')")
    # a directory table has the names of its files, whoever can open them
    listed = session.sql("SELECT relative_path FROM DIRECTORY(@s)").fetchall()
    assert sorted(listed) == [("a.json",), ("a:b.json",)]


def test_a_column_keeps_its_length(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text("ab\nabc\n")
    session.sql(f"CREATE STAGE texts URL = '{folder}'")
    session.sql(
        "CREATE EXTERNAL TABLE short (t VARCHAR(2) AS (VALUE:c1::VARCHAR), "
        "u VARCHAR(2) AS (UPPER(VALUE:c1::VARCHAR))) LOCATION = @texts FILE_FORMAT = (TYPE = CSV)"
    )
    described = session.sql("DESC EXTERNAL TABLE short").fetchall()
    assert [row[1] for row in described] == ["VARIANT", "VARCHAR(2)", "VARCHAR(2)"]
    for column in ("t", "u"):
        with pytest.raises(ValueRefused, match="line 2"):
            session.sql(f"SELECT {column} FROM short").fetchall()
