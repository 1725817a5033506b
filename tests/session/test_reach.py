"""COPY INTO of a guest reads and writes below the places it reaches: each way out is tried."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from icemelt.errors import FileRefused, IcemeltError, LoadFailed
from icemelt.session.copy.unload_files import open_folder
from icemelt.session.files.file_places import FilePlace
from icemelt.session.files.source_files import (
    SourceFile,
    find_files,
    remove_files,
    require_readable,
    validate_unchanged,
)
from icemelt.session.hosting import open_guest, validate_locations
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.session.session import Session

SECRET = "hunter2"
# the last of a text that nothing can keep
REFUSED = {"file-refused", "load-failed", "sql-syntax"}
# places that a guest reaches, in all the ways to write them
BASES = (
    "{root}/place",
    "file:{root}/place",
    "file://{root}/place",
    "file://localhost{root}/place",
    "FILE://{root}/place",
    "{root}//place/",
    "{root}/inner",
    "viewfs://{mount}/in",
    "VIEWFS://{mount}/in",
    "viewfs://{mount}//in/",
)
# what leads out of each of them, where somebody reads it otherwise than the check
TAILS = (
    "/../outside",
    "/..",
    "/../",
    "/sub/../../outside",
    "/./../outside",
    "//../outside",
    "/../place/../outside",
    "/../outside/secret.csv",
    "#/../outside",
    "?/../outside",
    "?#/../outside",
    "/#/../../outside",
    "/?a=b/../../outside",
    "%/../outside",
    "*/../outside",
    "/*/../../outside",
    "/[s]ub/../../outside",
    "/{sub,x}/../../outside",
    "/{../outside,sub}",
    "\\..\\outside",
    "/\\.\\./outside",
    "/..\\/outside",
    "\n/../outside",
    "/folder/../../outside",
)
LOCATIONS = (
    "/",
    "//",
    "/etc/passwd",
    "etc/passwd",
    ".",
    "..",
    "~",
    "./../outside",
    "file:/etc/passwd",
    "file://etc/passwd",
    "file:///etc/passwd",
    "file://host{root}/outside",
    "FILE:/etc/passwd",
    "File:{root}/outside",
    "file:etc/passwd",
    "file:../outside",
    "hdfs://host/key",
    "hdfs:/key",
    "webhdfs://host/key",
    "http://host/key",
    "https://host/key",
    "ftp://host/key",
    "jar:file:{root}/outside/a.jar!/b",
    "har:///outside/a.har",
    "har://file-host{root}/outside",
    "s3://bucket/key",
    "s3a://bucket/key",
    "s3a://key:secret@bucket/key",
    "abfss://container@account/key",
    "gs://bucket/key",
    "data:text/plain,a",
    "local:{root}/outside",
    "viewfs://{mount}",
    "viewfs://{mount}/",
    "viewfs://{mount}/out",
    "viewfs://{mount}/in/link",
    "viewfs://{mount}/in/link/secret.csv",
    "viewfs://{mount}/in/link/made",
    "viewfs://{mount}/in/nowhere",
    "viewfs://{mount}/in/nowhere/made",
    "viewfs://{mount}/inn",
    "viewfs://{mount}/In",
    "viewfs://{mount}/ in",
    "viewfs://{mount}/in ",
    "viewfs://{mount}/in./a",
    "viewfs://{mount}x/in",
    "viewfs://{mount}./in",
    "viewfs://{mount}:80/in",
    "viewfs://user@{mount}/in",
    "viewfs://user:word@{mount}/in",
    "viewfs://{mount}#/in",
    "viewfs:///in",
    "viewfs:/in",
    "viewfs://",
    "{root}",
    "{root}/placex",
    "{root}/placex/other.csv",
    "{root}/place./a",
    "{root}/Place",
    "{root}/place /a",
    "{root}/outside",
    "{root}/place/folder",
    "{root}/place/folder/secret.csv",
    "{root}/place/folder/made",
    "{root}/current/../outside",
    "{root}/current/../place/../outside",
    "{root}/place/sub/loop/../../../outside",
    "/\uff0e\uff0e/etc",
    "{root}/place/\u2025/\u2025/../outside",
)


@dataclass(frozen=True)
class Guest:
    """A session that reaches two places, and what is around them."""

    session: Session
    root: Path
    mount: str

    def named(self, text: str) -> str:
        """Write a location as a text of SQL."""
        text = text.replace("{root}", str(self.root)).replace("{mount}", self.mount)
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("'", "''")

    def remove_links(self) -> None:
        """Remove those that lead out."""
        for name in ("place/folder", "in/link", "in/nowhere"):
            (self.root / name).unlink()

    def refusal(self, statement: str) -> IcemeltError:
        with pytest.raises(IcemeltError) as refused:
            pytest.fail(f"{statement} gave {self.session.sql(statement).fetchall()}")
        assert SECRET not in str(refused.value), statement
        return refused.value

    def find(self, path: str) -> Sequence[SourceFile]:
        core = self.session._core
        return require_readable(find_files(core.iceberg, FilePlace(path, core.reach)))


@pytest.fixture
def guest(session: Session, tmp_path: Path) -> Iterator[Guest]:
    root, mount = tmp_path / "places", f"m{uuid.uuid4().hex}"
    for name in ("in/sub", "out", "place/sub", "placex", "outside"):
        (root / name).mkdir(parents=True)
    (root / "outside" / "secret.csv").write_text(f"1,{SECRET}\n")
    (root / "out" / "secret.csv").write_text(f"1,{SECRET}\n")
    (root / "placex" / "other.csv").write_text(f"1,{SECRET}\n")
    (root / "in" / "good.csv").write_text("1,in\n")
    (root / "place" / "good.csv").write_text("1,place\n")
    (root / "place" / "sub" / "more.csv").write_text("2,sub\n")
    (root / "place" / "folder").symlink_to(root / "outside")
    (root / "place" / "sub" / "loop").symlink_to(root / "place")
    (root / "in" / "link").symlink_to(root / "outside")
    (root / "in" / "nowhere").symlink_to(root / "outside" / "made")
    (root / "inner").symlink_to(root / "place")
    (root / "current").symlink_to(root / "place" / "sub")
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    places = (str(root / "place"), f"viewfs://{mount}/in")
    with open_guest(session, "ann", places) as opened:
        for name in ("in", "out"):
            key = f"fs.viewfs.mounttable.{mount}.link./{name}"
            opened.spark.conf.set(key, f"file://{root / name}")
        yield Guest(opened, root, mount)


def listing(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_no_location_leads_out_when_it_is_read_or_written(guest: Guest) -> None:
    before, attempts = listing(guest.root), 0
    given = [*LOCATIONS, *(base + tail for base in BASES for tail in TAILS)]
    for location in given:
        named = guest.named(location)
        for statement in (
            f"COPY INTO t FROM '{named}'",
            f"COPY INTO '{named}' FROM (SELECT 1 AS a)",
        ):
            attempts += 1
            refused = guest.refusal(statement)
            assert refused.code in REFUSED, (statement, refused)
            assert "secret.csv" in location or "secret.csv" not in str(refused), refused
    assert attempts > 500
    assert listing(guest.root) == before
    assert guest.session.sql("SELECT * FROM t").fetchall() == []


@pytest.mark.parametrize("base", ["{root}/place", "viewfs://{mount}/in"])
def test_no_name_of_files_leads_out(guest: Guest, base: str) -> None:
    before = listing(guest.root)
    names = (
        "../outside/secret.csv",
        "sub/../../outside/secret.csv",
        "#/../../outside/secret.csv",
        "?/../../outside/secret.csv",
        "/../outside/secret.csv",
        "..",
        "\\\\..\\\\outside",
        "folder/secret.csv",
        "{{root}}/outside/secret.csv",
        "viewfs://{{mount}}/out/secret.csv",
        "file:///etc/passwd",
        "%2e%2e/outside/secret.csv",
        "\ud800",
        "x\\0y",
        "a" * 5_000,
    )
    for name in names:
        filled = name.format(root=guest.root, mount=guest.mount)
        for rest in ("", " PURGE = TRUE", " FORCE = TRUE PATTERN = '.*'"):
            refused = guest.refusal(
                f"COPY INTO t FROM '{guest.named(base)}' FILES = ('{filled}'){rest}"
            )
            assert refused.code in REFUSED, (name, refused)
    assert listing(guest.root) == before


def test_what_no_file_system_names_is_refused(guest: Guest, session: Session) -> None:
    odd = ("\\0", "a\\0b", "\ud800", "a" * 100_000, "a/" * 50_000)
    places = [f"{guest.root}/place/{each}" for each in odd]
    statements = [f"COPY INTO t FROM '{place}'" for place in places]
    statements += [f"COPY INTO '{place}' FROM (SELECT 1 AS a)" for place in places]
    for opened in (guest.session, session):
        for statement in statements:
            with pytest.raises(IcemeltError) as refused:
                pytest.fail(f"{statement} gave {opened.sql(statement).fetchall()}")
            assert refused.value.code in REFUSED, refused.value.message


def test_a_refusal_tells_what_was_given_and_nothing_of_what_is_there(guest: Guest) -> None:
    for pattern in ("", " PATTERN = '.*secret.*'", " PATTERN = 'nothing'"):
        for place in (f"{guest.root}/place", f"viewfs://{guest.mount}/in"):
            refused = guest.refusal(f"COPY INTO t FROM '{place}'{pattern}")
            assert f"Path '{place}' is not among" in refused.message
            assert "outside" not in str(refused)
    guest.remove_links()
    (guest.root / "place" / "one.csv").symlink_to(guest.root / "outside" / "secret.csv")
    refused = guest.refusal(f"COPY INTO t FROM '{guest.root}/place/*.csv'")
    assert "outside" not in str(refused)
    missing = guest.refusal(f"COPY INTO t FROM '{guest.root}/place/missing.csv'")
    assert str(Path.cwd()) not in str(missing)


def test_files_are_told_by_the_words_of_the_statement(
    guest: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest.remove_links()
    monkeypatch.chdir(guest.root / "place" / "sub")
    for given, expected in (
        (".", ["./more.csv"]),
        ("./more.csv", ["./more.csv"]),
        ("more.csv", ["more.csv"]),
        ("*.csv", ["more.csv"]),
        ("{root}/current", ["{root}/current/more.csv"]),
        ("{root}/current/*.csv", ["{root}/current/more.csv"]),
        ("file://{root}/place/*.csv", ["file://{root}/place/good.csv"]),
        ("{root}/inner/", ["{root}/inner/good.csv", "{root}/inner/sub/more.csv"]),
        ("viewfs://{mount}/in", ["viewfs://{mount}/in/good.csv"]),
        ("viewfs://{mount}/in/g*", ["viewfs://{mount}/in/good.csv"]),
    ):
        files = guest.find(guest.named(given))
        assert [file.name for file in files] == [guest.named(each) for each in expected]
    told = guest.session.sql(f"COPY INTO t FROM '{guest.root}/current'").fetchall()
    assert [row[:2] for row in told] == [(f"{guest.root}/current/more.csv", "LOADED")]


def test_a_file_that_another_took_the_place_of_is_not_loaded(guest: Guest) -> None:
    good, secret = guest.root / "place" / "good.csv", guest.root / "outside" / "secret.csv"
    files = guest.find(str(good))
    validate_unchanged(files)
    good.rename(good.with_name("moved.csv"))
    good.symlink_to(secret)
    with pytest.raises(LoadFailed, match="changed while it was read"):
        validate_unchanged(files)
    good.unlink()
    # moved away and back: its number is the same, and its time is not
    good.with_name("moved.csv").rename(good)
    with pytest.raises(LoadFailed, match="changed while it was read"):
        validate_unchanged(files)
    os.mkfifo(guest.root / "place" / "sub" / "pipe.csv")
    with pytest.raises(LoadFailed, match="is no file of data"):
        guest.find(str(guest.root / "place" / "sub"))
    with pytest.raises(LoadFailed, match="There is no file"):
        guest.find(str(guest.root / "place" / "sub" / "pipe.csv"))


def test_a_file_that_changes_while_a_statement_reads_it_is_not_loaded(guest: Guest) -> None:
    good, ended = guest.root / "place" / "good.csv", threading.Event()

    def touch() -> None:
        while not ended.wait(0.001):
            os.utime(good)

    thread = threading.Thread(target=touch)
    thread.start()
    try:
        refused = guest.refusal(f"COPY INTO t FROM '{good}'")
    finally:
        ended.set()
        thread.join()
    assert "changed while it was read" in refused.message
    assert guest.session.sql("SELECT * FROM t").fetchall() == []
    assert guest.session.sql(f"COPY INTO t FROM '{good}'").fetchall()[0][1] == "LOADED"


def test_what_is_purged_is_never_behind_a_link(guest: Guest) -> None:
    sub, outside = guest.root / "place" / "sub", guest.root / "outside"
    (outside / "more.csv").write_text("others'\n")
    files = guest.find(f"{sub}/more.csv")
    sub.rename(guest.root / "place" / "moved")
    sub.symlink_to(outside)
    remove_files(guest.session._core.iceberg, files)
    assert (outside / "more.csv").exists()
    sub.unlink()
    (guest.root / "place" / "moved").rename(sub)
    remove_files(guest.session._core.iceberg, files)
    assert not (sub / "more.csv").exists()


def test_what_was_written_again_in_another_store_is_not_purged(guest: Guest) -> None:
    guest.remove_links()
    files, iceberg = guest.find(f"viewfs://{guest.mount}/in"), guest.session._core.iceberg
    good = guest.root / "in" / "good.csv"
    good.write_text("written again\n")
    assert remove_files(iceberg, files) == files
    assert good.exists()
    again = guest.find(f"viewfs://{guest.mount}/in")
    assert remove_files(iceberg, again) == []
    assert not good.exists()
    # nothing is there any more
    assert remove_files(iceberg, again) == []


def test_a_folder_that_a_link_took_the_place_of_is_not_kept(guest: Guest) -> None:
    sub, outside = guest.root / "place" / "sub", guest.root / "outside"
    folder = open_folder(guest.session._core, str(sub), f"data_{uuid.uuid4()}", overwrite=True)
    (sub / folder.name).mkdir()
    folder.validate_in_place()
    sub.rename(guest.root / "place" / "moved")
    sub.symlink_to(outside)
    with pytest.raises(FileRefused, match="changed while it was written"):
        folder.validate_in_place()


@pytest.mark.parametrize(
    "partition", ["../out", "folder", "folder/made", "sub/../../out", "/", "a//b", "..", "a\\b"]
)
def test_no_partition_leads_out(guest: Guest, partition: str) -> None:
    before = listing(guest.root)
    query = f"(SELECT 1 AS a) PARTITION BY '{guest.named(partition)}'"
    error = guest.refusal(f"COPY INTO '{guest.root}/place' FROM {query}")
    assert error.code in {"value-refused", "file-refused"}
    assert guest.named(partition) in error.message
    assert listing(guest.root) == before


def test_both_kinds_of_places_are_read_and_written(guest: Guest) -> None:
    guest.remove_links()
    outside = listing(guest.root / "out") | listing(guest.root / "outside")
    for place in (f"{guest.root}/place", f"viewfs://{guest.mount}/in"):
        assert guest.session.sql(f"COPY INTO t FROM '{place}' ON_ERROR = CONTINUE").fetchall()
        for _ in range(2):
            unload = f"COPY INTO '{place}/made' FROM (SELECT 7 AS a) OVERWRITE = TRUE"
            assert guest.session.sql(unload).fetchall()[0][0] == 1
        made = guest.root / ("place" if place.startswith("/") else "in") / "made"
        assert len(list(made.iterdir())) == 1
    assert listing(guest.root / "out") | listing(guest.root / "outside") == outside


def test_hadoop_s_form_of_a_location_is_read_as_itself(session: Session) -> None:
    form = hadoop_locations(session._core.iceberg).form
    assert form("s3a://b/in#/../out") == "s3a://b/out"
    assert form("s3a://b//in/./a?b#c%2e") == "s3a://b/in/a?b#c%2e"
    with pytest.raises(FileRefused, match="names no file"):
        form("s3a:b")


def test_a_guest_is_not_told_where_files_of_the_lake_are(
    session: Session, guest: Guest, tmp_path: Path
) -> None:
    session.sql("INSERT INTO t VALUES (1, 'a')")
    for listed in ("SHOW TABLES", "DESC HISTORY t", "DESCRIBE TABLE t", "SHOW CHANNELS"):
        assert str(tmp_path) not in str(guest.session.sql(listed).fetchall())
    data = next((tmp_path / "warehouse").rglob("*.parquet"))
    data.unlink()
    with pytest.raises(IcemeltError) as damaged:
        session.sql("SELECT * FROM t").fetchall()
    assert str(tmp_path) in damaged.value.message
    refused = guest.refusal("CREATE TABLE u AS SELECT * FROM t")
    assert refused.code == "file-damaged"
    assert str(tmp_path) not in str(refused)
    assert data.name in refused.message


def test_a_place_with_the_lake_s_own_files_is_refused(session: Session, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    for place in ("", "/warehouse", "/warehouse/t-1", "/link", "/link/warehouse"):
        for scheme in ("", "file://", "FILE:"):
            with pytest.raises(FileRefused, match="the lake's own files"):
                validate_locations(session, [f"{scheme}{tmp_path}{place}"])
    validate_locations(session, [f"{tmp_path}/exchange", "s3a://bucket/in", f"{tmp_path}x"])
