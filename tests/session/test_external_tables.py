"""External tables and insert-only streams against a model of their folder; guests; races."""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from rotation import this_turn

from icemelt.errors import (
    DataError,
    FileChanged,
    FileGone,
    FileRefused,
    LoadFailed,
    NotYet,
    ValueRefused,
)
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

# of a file: a number of what was written, and the rows
Written = tuple[int, tuple[int, ...]]
MAKE = (
    "CREATE EXTERNAL TABLE e (n INT AS (VALUE:n::INT), day VARCHAR AS "
    "(SPLIT_PART(METADATA$FILENAME, '/', 1))) PARTITION BY (day) LOCATION = @s "
    "FILE_FORMAT = (TYPE = JSON)"
)


@dataclass
class Folder:
    """A folder of JSON files whose rows nobody else has, and the listings that were registered."""

    root: Path
    random: Random
    files: dict[str, Written] = field(default_factory=dict)
    listings: list[dict[str, Written]] = field(default_factory=list)
    clock: int = 1_700_000_000_000
    last: int = 0

    def change(self) -> None:
        """Add, append to, overwrite, touch, rename or remove a file; the time may stay."""
        self.clock += self.random.choice([0, 0, 1, 1_000])
        path = self.random.choice(["d1/a", "d1/b", "d2/a", "d2/ü x%", "d2/f/c"])
        word = self.random.choice(["write", "write", "append", "touch", "remove", "rename"])
        _, rows = self.files.get(path, (0, ()))
        if word == "remove" and path in self.files:
            (self.root / path).unlink()
            del self.files[path]
            return
        if word == "rename" and path in self.files:
            (self.root / path).unlink()
            del self.files[path]
            path = f"{path}.renamed"
        elif word == "write" or path not in self.files:
            rows = tuple(range(self.last + 1, self.last + 1 + self.random.randrange(4)))
        elif word == "append":
            rows = (*rows, self.last + 1)
        self.last = max([self.last, *rows])
        self.write(path, rows)

    def write(self, path: str, rows: tuple[int, ...]) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps({"n": n}) + "\n" for n in rows)
        before = target.stat() if target.exists() else None
        target.write_text(text)
        # nothing tells that a file was written where size and time stay the same
        moment = self.clock * 1_000_000
        if before is not None and (before.st_size, before.st_mtime_ns) == (len(text), moment):
            moment += 1
        os.utime(target, ns=(moment, moment))
        stamp, _ = self.files.get(path, (0, ()))
        self.files[path] = (stamp + 1 + self.last * 1_000, rows)

    def unread(self, since: int) -> tuple[dict[str, Written], set[str]]:
        """Return the files that a stream gives, and those that were lost before it read them."""
        given: dict[str, Written] = {}
        lost: set[str] = set()
        paths = {path for listing in self.listings[since:] for path in listing}
        for path in paths:
            found = [listing.get(path) for listing in self.listings[since:]]
            if found[-1] is not None and found[-1] != found[0]:
                given[path] = found[-1]
            was_there = found[0] is not None
            for before, after in itertools.pairwise(found[1:]):
                was_there = was_there and before is not None
                is_unread = before is not None and before != found[0]
                if is_unread and after != before and not (was_there and after is not None):
                    lost.add(path)
        return given, lost


def rows_of(files: dict[str, Written]) -> Counter[tuple[int, str]]:
    return Counter((n, path.split("/")[0]) for path, (_, rows) in files.items() for n in rows)


def read(session: Session, query: str) -> Counter[tuple[object, ...]]:
    return Counter(session.sql(query).fetchall())


def expect_stream(session: Session, folder: Folder, since: int, *, skips: bool) -> bool:
    """Compare a stream with the model; return whether it can be read."""
    given, lost = folder.unread(since)
    has_data = session.sql("SELECT SYSTEM$STREAM_HAS_DATA('st')").fetchall()
    assert has_data == [(bool(given or lost),)]
    gone = given.keys() - folder.files.keys()
    if (lost or gone) and not skips:
        with pytest.raises(FileGone, match="ON_MISSING"):
            session.sql("SELECT n FROM st")
        return False
    there = {path: each for path, each in given.items() if path not in gone}
    if any(folder.files[path] != each for path, each in there.items()):
        with pytest.raises(FileChanged):
            session.sql("SELECT n FROM st")
        return False
    found = session.sql("SELECT n, day, METADATA$ACTION, METADATA$ROW_ID FROM st").fetchall()
    assert Counter(row[:2] for row in found) == rows_of(there)
    assert {row[2] for row in found} <= {"INSERT"}
    assert len({row[3] for row in found}) == len(found)
    return True


@pytest.mark.parametrize("number", range(2))
def test_insert_only_streams_give_what_a_model_of_the_folder_gives(
    session: Session, tmp_path: Path, number: int
) -> None:
    folder = Folder(tmp_path / "in", Random(f"{this_turn()} {number}"))  # noqa: S311
    folder.root.mkdir()
    folder.change()
    session.sql(f"CREATE STAGE s URL = '{folder.root}'")
    session.sql(MAKE)
    folder.listings.append(dict(folder.files))
    session.sql("CREATE STREAM st ON EXTERNAL TABLE e INSERT_ONLY = TRUE")
    session.sql("CREATE TABLE copied (n INT, day VARCHAR)")
    since, skips, expected = 0, False, Counter[tuple[int, str]]()
    for _ in range(12):
        for _ in range(folder.random.randrange(4)):
            folder.change()
        if folder.random.random() < 0.8:
            changed = session.sql("ALTER EXTERNAL TABLE e REFRESH").fetchall()
            assert bool(changed) == (folder.files != folder.listings[-1])
            if changed:
                folder.listings.append(dict(folder.files))
            assert read(session, "SELECT n, day FROM e") == rows_of(folder.files)
        word = folder.random.choice(["wait", "ROLLBACK", "COMMIT", "COMMIT"])
        if not expect_stream(session, folder, since, skips=skips):
            if folder.random.random() < 0.5:
                skips = not skips
                session.sql(f"ALTER STREAM st SET ON_MISSING = {'SKIP' if skips else 'ERROR'}")
            else:
                session.sql("ALTER STREAM st ADVANCE")
                since = len(folder.listings) - 1
        elif word != "wait":
            session.sql("BEGIN")
            session.sql("INSERT INTO copied SELECT n, day FROM st")
            session.sql(word)
            if word == "COMMIT":
                given, _ = folder.unread(since)
                expected += rows_of({p: each for p, each in given.items() if p in folder.files})
                since = len(folder.listings) - 1
        assert read(session, "SELECT * FROM copied") == expected


def test_a_stream_counts_the_files_that_it_skips(session: Session, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "in", Random(1))  # noqa: S311
    folder.root.mkdir()
    session.sql(f"CREATE STAGE s URL = '{folder.root}'")
    session.sql(MAKE)
    session.sql("CREATE STREAM st ON EXTERNAL TABLE e INSERT_ONLY = TRUE ON_MISSING = SKIP")
    session.sql("CREATE TABLE copied (n INT)")
    for name in ("a", "b", "c"):
        folder.write(f"d/{name}", (1,))
    session.sql("ALTER EXTERNAL TABLE e REFRESH")
    (folder.root / "d/a").unlink()
    folder.write("d/b", (1, 2))
    session.sql("ALTER EXTERNAL TABLE e REFRESH")
    (folder.root / "d/c").unlink()
    # one was removed by a listing, one overwritten by it, one is gone since
    inserted = session.sql("INSERT INTO copied SELECT n FROM st")
    assert inserted.rowcount == 2
    assert "passes over files " in str(inserted.notice)
    skipped = "SELECT files_skipped FROM INFORMATION_SCHEMA.STREAMS"
    assert session.sql(skipped).fetchall() == [(3,)]


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
        with pytest.raises(NotYet, match="server"):
            guest.sql("SELECT $1 FROM @theirs (FILE_FORMAT => orc)").fetchall()


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("CSV", b"1\nx\n", "column n expects BIGINT, found 'x', in line 2"),
        ("JSON", b'{"c1": 1}\n{"c1": [', "no JSON value of its own, in line 2"),
        ("PARQUET", b"PARx", "no Parquet file"),
        ("ORC", b"none", "no ORC file"),
        ("AVRO", b"none", "packages"),
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
    if kind == "AVRO":
        return
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
