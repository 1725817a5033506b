"""Directory tables against a model of their folder: random histories, races, guests, polling."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from rotation import this_turn

import icemelt
from conftest import Lake
from icemelt.errors import DefinitionRefused, FileRefused, LoadFailed
from icemelt.observe.events import ErrorTolerated, Event
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

Listing = dict[str, tuple[int, int]]
STATE = "SELECT RELATIVE_PATH, SIZE, LAST_MODIFIED FROM DIRECTORY(@s)"


@dataclass
class Folder:
    """A folder, and the listings of it that were registered."""

    root: Path
    random: Random
    listings: list[Listing] = field(default_factory=lambda: [{}])
    clock: int = 1_700_000_000_000

    def change(self) -> None:
        """Add, append to, overwrite, touch, rename or remove a file; the time may stay."""
        self.clock += self.random.choice([0, 0, 1, 1_000])
        path = self.root / self.random.choice(["a", "b", "d/a", "d/ü x%", "d/e/c"])
        word = self.random.choice(["write", "write", "append", "touch", "remove", "rename", "same"])
        if word == "write" or not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x" * self.random.randrange(4))
        elif word == "append":
            path.write_text(path.read_text() + "y")
        elif word == "remove":
            path.unlink()
            return
        elif word == "rename":
            path = path.rename(path.with_name("renamed"))
        elif word == "same":
            return
        os.utime(path, ns=(self.clock * 1_000_000,) * 2)

    def now(self) -> Listing:
        found = {}
        for file in self.root.rglob("*"):
            if file.is_file():
                status = file.stat()
                path = str(file.relative_to(self.root))
                found[path] = (status.st_size, status.st_mtime_ns // 1_000_000)
        return found

    def min_delta(self, since: int) -> Counter[tuple[str, int, int, str, bool]]:
        before, after = self.listings[since], self.listings[-1]
        rows: Counter[tuple[str, int, int, str, bool]] = Counter()
        for path in before.keys() | after.keys():
            if before.get(path) == after.get(path):
                continue
            is_update = path in before and path in after
            if path in before:
                rows[path, *before[path], "DELETE", is_update] += 1
            if path in after:
                rows[path, *after[path], "INSERT", is_update] += 1
        return rows

    def added(self, since: int) -> Counter[tuple[str, int, int, str, bool]]:
        pairs = zip(self.listings[since:], self.listings[since + 1 :], strict=False)
        return Counter(
            (path, *after[path], "INSERT", False)
            for before, after in pairs
            for path in after.keys() - before.keys()
        )


def rows_of(session: Session, stream: str) -> Counter[tuple[str, int, int, str, bool]]:
    query = f"SELECT * EXCLUDE (MD5, ETAG, FILE_URL, METADATA$ROW_ID) FROM {stream}"
    return Counter(
        (path, size, round(when.timestamp() * 1000), *rest)
        for path, size, when, *rest in session.sql(query).fetchall()
    )


def consume(session: Session, end: str) -> None:
    """Bring the table `copied` up to date by a stream, and consume the other with it."""
    session.sql("BEGIN")
    session.sql(
        "DELETE FROM copied USING every_change e "
        "WHERE path = e.RELATIVE_PATH AND e.METADATA$ACTION = 'DELETE'"
    )
    session.sql(
        "INSERT INTO copied SELECT RELATIVE_PATH, SIZE, LAST_MODIFIED FROM every_change "
        "WHERE METADATA$ACTION = 'INSERT'"
    )
    session.sql("INSERT INTO copied SELECT 'x', 0, NULL FROM new_files WHERE FALSE")
    session.sql(end)


@pytest.mark.parametrize("number", range(2))
def test_streams_give_what_a_model_of_the_folder_gives(
    any_lake: Lake, tmp_path: Path, number: int
) -> None:
    session = any_lake.open()
    folder = Folder(tmp_path / "in", Random(f"{this_turn()} {number}"))  # noqa: S311
    folder.root.mkdir()
    session.sql(f"CREATE STAGE s URL = '{folder.root}' DIRECTORY = (ENABLE = TRUE)")
    session.sql("CREATE STREAM every_change ON STAGE s")
    session.sql("CREATE STREAM new_files ON STAGE s APPEND_ONLY = TRUE")
    session.sql("CREATE TABLE copied (path VARCHAR, size INT, modified TIMESTAMP_LTZ)")
    read = {"every_change": 0, "new_files": 0}
    expected: dict[str, Callable[[int], object]] = {
        "every_change": folder.min_delta,
        "new_files": folder.added,
    }
    for _ in range(12):
        for _ in range(folder.random.randrange(5)):
            folder.change()
        changed = session.sql("ALTER STAGE s REFRESH").fetchall()
        now = folder.now()
        assert bool(changed) == (now != folder.listings[-1])
        if changed:
            folder.listings.append(now)
        for stream, since in read.items():
            assert rows_of(session, stream) == expected[stream](since)
        has_data = session.sql("SELECT SYSTEM$STREAM_HAS_DATA('every_change')").fetchall()
        assert has_data == [(bool(folder.min_delta(read["every_change"])),)]
        word = folder.random.choice(["wait", "ROLLBACK", "COMMIT", "COMMIT"])
        if word != "wait":
            consume(session, word)
        if word != "COMMIT":
            continue
        read = dict.fromkeys(read, len(folder.listings) - 1)
        copied = session.sql("SELECT * FROM copied ORDER BY path").fetchall()
        assert copied == session.sql(f"{STATE} ORDER BY 1").fetchall()


def test_sessions_that_list_at_the_same_time_register_each_file_once(
    lake: Lake, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    first = lake.open()
    first.sql(f"CREATE STAGE s URL = '{root}' DIRECTORY = (ENABLE = TRUE)")
    first.sql("CREATE STREAM new_files ON STAGE s APPEND_ONLY = TRUE")
    first.sql("CREATE STREAM log ON STAGE s REDO_LOG = TRUE")
    errors: list[BaseException] = []

    def refresh(session: Session) -> None:
        try:
            for _ in range(6):
                session.sql("ALTER STAGE s REFRESH").fetchall()
        except BaseException as error:  # noqa: BLE001 - told by the test
            errors.append(error)

    threads = [threading.Thread(target=refresh, args=(lake.open(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(60):
        (root / f"{number}").write_text("x")
        time.sleep(0.005)
    for thread in threads:
        thread.join()
    first.sql("ALTER STAGE s REFRESH").fetchall()
    assert errors == []
    names = sorted(f"{number}" for number in range(60))
    listed = first.sql("SELECT RELATIVE_PATH FROM DIRECTORY(@s) ORDER BY 1").fetchall()
    assert [path for (path,) in listed] == names
    assert sorted(path for (path, *_) in rows_of(first, "new_files").elements()) == names
    # no file was found new by two listings: it would be in the log twice, once as an update
    log = first.sql("SELECT RELATIVE_PATH FROM log WHERE NOT METADATA$ISUPDATE").fetchall()
    assert sorted(path for (path,) in log) == names


def test_stages_with_auto_refresh_are_listed_in_the_background(lake: Lake, tmp_path: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    watching = icemelt.connect(lake.folder / "lake", spark=lake.spark, maintain_every=0.2)
    with watching as session:
        session.sql(
            f"CREATE STAGE s URL = '{root}' DIRECTORY = (ENABLE = TRUE AUTO_REFRESH = TRUE)"
        )
        session.sql(f"CREATE STAGE still URL = '{root}' DIRECTORY = (ENABLE = TRUE)")
        statements = len(session.history(1_000))
        (root / "a").write_text("x")
        deadline = time.monotonic() + 60
        while not session.sql(STATE).fetchall():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert session.sql("SELECT * FROM DIRECTORY(@still)").fetchall() == []
        # nobody's statement: the history has this test's own queries alone
        texts = {each.text for each in session.history(1_000)[:-statements]}
        assert texts <= {STATE, "SELECT * FROM DIRECTORY(@still)"}


def test_a_listing_by_itself_goes_where_whoever_asked_for_it_may(
    session: Session, tmp_path: Path
) -> None:
    root, other = tmp_path / "in", tmp_path / "other"
    for folder in (root, other):
        folder.mkdir()
        (folder / "a").write_text("x")
    directory = "DIRECTORY = (ENABLE = TRUE AUTO_REFRESH = TRUE)"
    session.sql(f"CREATE STAGE mine URL = '{root}' {directory}")
    session.sql(f"CREATE STAGE hidden URL = '{other}'")
    with open_guest(session, "ann", [str(root)]) as guest:
        guest.sql(f"CREATE STAGE theirs URL = '{root}' {directory}")
        for said in ("ENABLE = TRUE", "ENABLE = TRUE AUTO_REFRESH = TRUE"):
            with pytest.raises(FileRefused):
                guest.sql(f"ALTER STAGE hidden SET DIRECTORY = ({said})")
    (root / "out").symlink_to(other)
    # the stage of the guest is left out, and the log tells why
    assert session.refresh_files() == {"main.public.mine": 1}
    # a link takes the place of a stage's folder
    (root / "sub").mkdir()
    with open_guest(session, "ann", [str(root)]) as guest:
        guest.sql(f"CREATE STAGE below URL = '{root}/sub' {directory}")
        (root / "sub").rmdir()
        (root / "sub").symlink_to(other)
        assert "main.public.below" not in session.refresh_files()
        assert guest.sql("SELECT * FROM DIRECTORY(@below)").fetchall() == []
    # a link takes the place of the guest's location
    root.rename(tmp_path / "gone")
    root.symlink_to(other)
    with open_guest(session, "ann", [str(tmp_path / "gone")]) as guest:
        with pytest.raises(FileRefused):
            guest.sql("ALTER STAGE theirs SET DIRECTORY = (AUTO_REFRESH = TRUE)")
        assert [row[5] for row in guest.sql("SELECT * FROM DIRECTORY(@theirs)").fetchall()] == [
            "@main.public.theirs/a"
        ]


def test_a_temporary_stage_beside_one_that_is_refreshed_by_itself(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    create = f"STAGE s URL = '{tmp_path}/in' DIRECTORY = (ENABLE = TRUE"
    session.sql(f"CREATE {create} AUTO_REFRESH = TRUE)")
    with pytest.raises(DefinitionRefused, match="temporary"):
        session.sql(f"CREATE TEMPORARY {create} AUTO_REFRESH = TRUE)")
    session.sql(f"CREATE TEMPORARY {create})")
    (tmp_path / "in" / "a").write_text("x")
    assert session.refresh_files() == {"main.public.s": 1}
    assert session.sql(STATE).fetchall() == []


def test_files_that_come_and_go_while_a_folder_is_listed_are_passed_over(
    session: Session, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    for number in range(2_000):
        (root / f"{number}").write_text("x")
    (root / "link to nothing").symlink_to(tmp_path / "nothing")
    session.sql(f"CREATE STAGE s URL = '{root}' DIRECTORY = (ENABLE = TRUE)")
    ended = threading.Event()

    def write_and_rename() -> None:
        for number in itertools.count():
            (root / f"part {number}").write_text("x")
            (root / f"part {number}").rename(root / f"whole {number}")
            (root / f"whole {number}").unlink()
            if ended.is_set():
                return

    thread = threading.Thread(target=write_and_rename)
    thread.start()
    try:
        for _ in range(20):
            session.sql("ALTER STAGE s REFRESH")
    finally:
        ended.set()
        thread.join()
    session.sql("ALTER STAGE s REFRESH")
    assert session.sql("SELECT COUNT(*) FROM DIRECTORY(@s)").fetchall() == [(2_000,)]


@pytest.mark.parametrize("number", range(2))
def test_listings_of_one_transaction_are_one(session: Session, tmp_path: Path, number: int) -> None:
    folder = Folder(tmp_path / "in", Random(f"{this_turn()} {number}"))  # noqa: S311
    folder.root.mkdir()
    folder.change()
    session.sql(f"CREATE STAGE s URL = '{folder.root}' DIRECTORY = (ENABLE = TRUE)")
    session.sql("CREATE STREAM log ON STAGE s REDO_LOG = TRUE")
    folder.listings.append(folder.now())
    session.sql("BEGIN")
    for _ in range(10):
        folder.change()
        session.sql("ALTER STAGE s REFRESH")
        within = session.sql(STATE).fetchall()
        found = {path: (size, round(at.timestamp() * 1000)) for path, size, at in within}
        assert found == folder.now()
    session.sql("COMMIT")
    folder.listings.append(folder.now())
    assert session.sql(STATE).fetchall() == within
    query = "SELECT * EXCLUDE (METADATA$COMMIT_VERSION, METADATA$COMMIT_TIMESTAMP) FROM log"
    assert rows_of(session, f"({query})") == folder.min_delta(1)


def test_a_guest_lists_below_its_places_alone(session: Session, tmp_path: Path) -> None:
    root, other = tmp_path / "in", tmp_path / "other"
    for folder in (root, other):
        folder.mkdir()
        (folder / "a").write_text("x")
    session.sql(f"CREATE STAGE theirs URL = '{other}' DIRECTORY = (ENABLE = TRUE)")
    with open_guest(session, "ann", [str(root)]) as guest:
        guest.sql(f"CREATE STAGE s URL = '{root}' DIRECTORY = (ENABLE = TRUE)")
        guest.sql("CREATE STAGE mine DIRECTORY = (ENABLE = TRUE)")
        assert guest.sql("SELECT RELATIVE_PATH FROM DIRECTORY(@s)").fetchall() == [("a",)]
        (root / "out").symlink_to(other)
        with pytest.raises(FileRefused):
            guest.sql("ALTER STAGE s REFRESH")
        with pytest.raises(FileRefused):
            guest.sql("ALTER STAGE theirs REFRESH")
        with pytest.raises(FileRefused):
            guest.sql(f"CREATE STAGE t URL = '{other}' DIRECTORY = (ENABLE = TRUE)")
        assert guest.sql("SELECT * FROM DIRECTORY(@mine)").fetchall() == []


def test_names_that_no_registry_keeps_are_left_out_and_told(
    session: Session, tmp_path: Path, taken: list[Event]
) -> None:
    root = tmp_path / "in"
    deep = root / "/".join(["n" * 200] * 11)
    deep.mkdir(parents=True)
    (deep / "a").write_text("x")
    (root / "good.csv").write_text("1\n")
    odd = os.fsencode(root) + b"/odd\xff.csv"
    Path(os.fsdecode(odd)).write_text("2\n")
    session.sql(f"CREATE STAGE t URL = '{root}' DIRECTORY = (ENABLE = TRUE)")
    told = [event for event in taken if isinstance(event, ErrorTolerated)]
    assert ["2 files are left out" in event.message for event in told] == [True]
    rows = session.sql("ALTER STAGE t REFRESH").fetchall()
    assert [row[1] for row in rows] == ["REGISTER_SKIPPED", "REGISTER_SKIPPED"]
    assert rows[1] == (
        "odd\ufffd.csv",
        "REGISTER_SKIPPED",
        "The name is no UTF-8: rename the file.",
    )
    assert "more than 2,048 characters" in rows[0][2]
    names = session.sql("SELECT relative_path FROM DIRECTORY(@t)").fetchall()
    assert names == [("good.csv",)]
    listed = session.sql("LIST @t").to_arrow().column("name").to_pylist()
    assert [name.rpartition("/")[2] for name in listed] == ["good.csv", "a", "odd\ufffd.csv"]
    # it is refused where it would be read, and all others are read without it
    for pattern, said in ((".*odd.*", "odd"), ("n.*", "more than 2,048 characters")):
        with pytest.raises(LoadFailed, match=said):
            session.sql(f"SELECT $1 FROM @t (PATTERN => '{pattern}')").fetchall()
    with pytest.raises(LoadFailed):
        session.sql("SELECT $1 FROM @t").fetchall()
    assert session.sql("SELECT $1 FROM @t (PATTERN => 'g.*')").fetchall() == [("1",)]
    assert session.sql("REMOVE @t PATTERN = 'odd.*'").fetchall()[0][1] == "removed"
