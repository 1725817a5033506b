"""What somebody leaves in a landing folder costs its own statement, and nobody else's."""

from __future__ import annotations

import gzip
import itertools
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from icemelt.engine.start.jars import FUNCTIONS
from icemelt.engine.start.places import cache_folder, log_folder
from icemelt.engine.start.submit import spark_home
from icemelt.errors import DefinitionRefused, FileRefused, LoadFailed, Never, StatementCancelled
from icemelt.session.files.byte_streams import open_source
from icemelt.session.files.file_places import FilePlace
from icemelt.session.files.read_obstacles import find_obstacles
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.source_files import SourceFile, find_files, require_readable
from icemelt.session.hosting import open_guest, validate_locations
from icemelt.session.session import Session, core_of
from icemelt.sql.statements import FileFormat
from icemelt.storage.folder_walk import FolderWalk

QUOTED = "TYPE = CSV SKIP_HEADER = 1 FIELD_OPTIONALLY_ENCLOSED_BY = '\"'"
LOCKS = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    database.execute("BEGIN IMMEDIATE")
    print("free")
except sqlite3.OperationalError:
    print("locked")
"""


@pytest.fixture
def land(tmp_path: Path) -> Path:
    folder = tmp_path / "land"
    folder.mkdir()
    return folder


@pytest.fixture
def guest(session: Session, land: Path) -> Iterator[Session]:
    session.sql("CREATE TABLE t (a VARCHAR, b VARCHAR)")
    with open_guest(session, "ann", [str(land)]) as opened:
        yield opened


def copy(guest: Session, path: Path | str, options: str = "TYPE = CSV") -> list[tuple[object, ...]]:
    return guest.sql(f"COPY INTO t FROM '{path}' FILE_FORMAT = ({options})").fetchall()


class Asked:
    """Counts how often work asks whether it was cancelled, and is after so many times."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise StatementCancelled("It was.", hint="Run it again.")


@pytest.mark.parametrize("pattern", ["**/nothing*.csv", "**", "/".join("*" * 12), "*/**/no.csv"])
def test_links_do_not_multiply_the_folders_of_a_pattern(land: Path, pattern: str) -> None:
    for name in "abcdef":
        (land / name).symlink_to(land)
    (land / "sub").mkdir()
    (land / "sub" / "one.csv").write_text("1,a\n")
    found = FolderWalk(lambda path: path, Asked(400)).matching(f"{land}/{pattern}")
    wanted = {"**": {"land"}, "*/" * 11 + "*": {"land", "sub", "one.csv"}}.get(pattern, set())
    assert sorted(Path(path).resolve().name for path in found) == sorted(wanted)


def test_links_that_cross_are_followed_once(land: Path) -> None:
    for name, others in (("x", "y"), ("y", "x")):
        (land / name).mkdir()
        (land / name / "one.csv").write_text("1,a\n")
        for link in "abcdef":
            (land / name / link).symlink_to(land / others)
    found = list(FolderWalk(lambda path: path, Asked(400)).files(str(land)))
    assert len(found) == len(set(found)) == 4
    assert {os.path.realpath(path) for path in found} == {
        str(land / name / "one.csv") for name in "xy"
    }


def test_each_folder_and_each_file_asks_for_a_cancel(guest: Session, land: Path) -> None:
    for number in range(100):
        (land / f"{number}.csv").touch()
    core = core_of(guest)
    with pytest.raises(StatementCancelled):
        find_files(
            core.iceberg,
            FilePlace(f"{land}/*.csv", core.reach),
            raise_if_cancelled=Asked(50),
        )


def test_a_folder_too_deep_is_refused_by_its_name_in_the_place(guest: Session, land: Path) -> None:
    path = "/".join(["in", *"d" * 200])
    (land / path / "e").mkdir(parents=True)
    (land / "a.csv").write_text("1,a\n")
    for place in (f"{land}/in", f"{land}/in/**/*.csv"):
        with pytest.raises(LoadFailed, match=r"Folder '.*/land/in/(d/)+.*' lies more than 200"):
            copy(guest, place)
    with pytest.raises(LoadFailed, match=r"lies more than 200.*\n.*nearer to the files"):
        guest.sql(f"COPY INTO t FROM '{land}' FILE_FORMAT = (TYPE = CSV)")
    guest.sql(f"COPY INTO t FROM '{land}' FILES = ('a.csv') FILE_FORMAT = (TYPE = CSV)")


def test_a_file_whose_header_does_not_end_is_refused(guest: Session, land: Path) -> None:
    (land / "a.csv").write_bytes(b"a" * (17 << 20))
    with pytest.raises(LoadFailed, match=r"no end of its first record.*first 16 MiB"):
        guest.sql(
            f"COPY INTO t FROM '{land}' FILE_FORMAT = (TYPE = CSV PARSE_HEADER = TRUE) "
            "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
        )


def test_what_comes_after_a_skipped_line_with_an_open_quote_is_not_copied(
    guest: Session, land: Path
) -> None:
    (land / "a.csv.gz").write_bytes(gzip.compress(b'"open\n' + b"1,a\n" * (6 << 10)))
    copy(guest, land, QUOTED)
    assert guest.sql("SELECT COUNT(*) FROM t").fetchall() == [(6 << 10,)]
    scratch = Path(core_of(guest).relations.scratch.location)
    assert list(scratch.glob("*.csv")) == []


@pytest.mark.parametrize("name", [b"a:b.csv", b"a\xff.csv"])
def test_a_name_that_spark_does_not_open_is_told(guest: Session, land: Path, name: bytes) -> None:
    (land / "good.csv").write_text("1,a\n")
    Path(os.fsdecode(bytes(land) + b"/" + name)).write_text("2,b\n")
    refusal = r"File '.*/a.*[.]csv' has a name that Spark does not open"
    with pytest.raises(LoadFailed, match=refusal):
        copy(guest, land)
    assert copy(guest, f"{land}/good*")[0][1] == "LOADED"
    for on_error in ("SKIP_FILE", "CONTINUE"):
        (land / "good.csv").write_text(f"1,{on_error}\n")
        told = guest.sql(f"COPY INTO t FROM '{land}' ON_ERROR = {on_error}").fetchall()
        failed, loaded = told
        assert (failed[1], failed[3], loaded[1]) == ("LOAD_FAILED", 0, "LOADED")
        assert re.match(refusal, failed[6])


@pytest.mark.parametrize("content", ["[" * 200_000, '{"lake_id": "' + " " * (5 << 20) + '"}'])
def test_a_manifest_of_somebody_else_stops_no_overwrite(
    guest: Session, land: Path, content: str
) -> None:
    for name in "12":
        folder = land / f"data_{name * 8}-{name * 4}-{name * 4}-{name * 4}-{name * 12}"
        folder.mkdir()
    manifests = [folder / "_manifest.json" for folder in land.iterdir()]
    manifests[0].write_text(content)
    manifests[1].symlink_to("/dev/zero")
    guest.sql(f"COPY INTO '{land}' FROM (SELECT 1 AS one) OVERWRITE = TRUE")
    assert len(list(land.iterdir())) == 3
    manifests[1].unlink()
    os.mkfifo(manifests[1])
    guest.sql(f"COPY INTO '{land}' FROM (SELECT 1 AS one) OVERWRITE = TRUE")
    assert len(list(land.iterdir())) == 3


def test_a_file_that_came_in_the_place_of_another_is_not_opened(guest: Session, land: Path) -> None:
    (land / "in").mkdir()
    (land / "in" / "a.csv").write_text("1,a\n")
    core = core_of(guest)
    (file,) = find_files(core.iceberg, FilePlace(str(land), core.reach))
    open_source(core, file).close()
    (land / "in").rename(land / "away")
    (land / "in").symlink_to(land / "away")
    with pytest.raises(LoadFailed, match="changed before it was read"):
        open_source(core, file)
    (land / "in").unlink()
    (land / "in").mkdir()
    (land / "in" / "a.csv").write_text("1,a\n")
    with pytest.raises(LoadFailed, match="changed before it was read"):
        open_source(core, file)


def test_a_link_to_the_catalog_drops_none_of_its_locks(
    guest: Session, land: Path, tmp_path: Path
) -> None:
    """Closing any of SQLite's files drops the locks of the whole process, a hard link's too."""
    catalog = tmp_path / "catalog.db"
    held = sqlite3.connect(catalog, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    paths = [catalog, tmp_path / "catalog.db-shm"]
    for number, path in enumerate(tuple(paths)):
        paths.append(land / f"{number}.csv")
        paths[-1].hardlink_to(path)
    for path in paths:
        with pytest.raises(FileRefused, match="one of the catalog's own"):
            open_source(core_of(guest), SourceFile(str(path), 1, 0))
    run = [sys.executable, "-c", LOCKS, str(catalog)]
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout == "locked\n"
    held.close()


def test_no_location_has_files_of_icemelt_s_own(session: Session, land: Path) -> None:
    scratch = Path(core_of(session).relations.scratch.location)
    places = [
        *(Path(tempfile.gettempdir()), Path("/"), scratch, scratch / "in"),
        *(log_folder(), log_folder().parent, cache_folder("jars"), cache_folder("java") / "in"),
        *(FUNCTIONS.parent, spark_home() / "jars"),
    ]
    (land / "link").symlink_to(scratch)
    for place in (*places, land / "link"):
        with pytest.raises(FileRefused, match=r"Location .* has .* in it, or is among them"):
            validate_locations(session, [str(land), str(place)])
    validate_locations(session, [str(land)])


@pytest.mark.parametrize("name", ["a.csv.lz4", "a.json.snappy"])
def test_frames_that_say_how_large_they_are_are_not_read(
    guest: Session, land: Path, name: str
) -> None:
    (land / name).write_bytes(bytes.fromhex("000010007fffffff"))
    guest.sql("CREATE TABLE v (a VARIANT)")
    kind = name.split(".")[1].upper()
    for options in (f"TYPE = {kind}", f"TYPE = {kind} COMPRESSION = AUTO"):
        with pytest.raises(Never, match=f"'.*{name}' is packed in frames of Hadoop's"):
            copy(guest, land, options)
    made = f"LOCATION = @land FILE_FORMAT = (TYPE = {kind})"
    guest.sql(f"CREATE STAGE land URL = '{land}' FILE_FORMAT = (TYPE = {kind})")
    guest.sql(f"CREATE EXTERNAL TABLE e {made}")
    for query in ("SELECT $1 FROM @land", "SELECT * FROM e", "SELECT value:a FROM e"):
        with pytest.raises(Never, match=f"'.*{name}' is packed in frames of Hadoop's"):
            guest.sql(query).fetchall()
    guest.sql(f"CREATE EXTERNAL TABLE some {made} ON_ERROR = SKIP_FILE")
    (land / f"good.{kind.lower()}").write_text("1" if kind == "CSV" else '{"a": 1}')
    guest.sql("ALTER EXTERNAL TABLE some REFRESH")
    assert len(guest.sql("SELECT * FROM some").fetchall()) == 1
    told = guest.sql(f"COPY INTO v FROM @land FILE_FORMAT = (TYPE = {kind}) ON_ERROR = SKIP_FILE")
    assert [row[1] for row in told.fetchall()] == ["LOAD_FAILED", "LOADED"]
    (land / name).rename(land / "a.csv")
    with pytest.raises(DefinitionRefused, match="AUTO, NONE, GZIP, BZ2, ZSTD, DEFLATE"):
        copy(guest, land, f"TYPE = {kind} COMPRESSION = LZ4")


@pytest.mark.turns(8)
@pytest.mark.parametrize("part", ["unpacked", "packed", "values", "snappy"])
def test_a_parquet_page_that_says_it_is_huge_is_told(guest: Session, land: Path, part: str) -> None:
    core, path = core_of(guest), land / "a.parquet"
    file, options = SourceFile(str(path), 0, 0), ReadOptions(FileFormat.PARQUET)
    table = pa.table({"a": [f"{n % 7}-{n}" for n in range(600)]})
    codecs = ["snappy"] if part == "snappy" else ["none", "snappy", "zstd"]
    for version, codec, by_dictionary in itertools.product(("1.0", "2.0"), codecs, (True, False)):
        pq.write_table(
            *(table, path),
            compression=codec,
            data_page_version=version,
            use_dictionary=by_dictionary,
        )
        whole = path.read_bytes()
        require_readable(find_obstacles(core, options, [file]))
        for number in (2**31 - 1, 2**30):
            path.write_bytes(with_number(path, part, number))
            assert len(path.read_bytes()) == len(whole)
            with pytest.raises(LoadFailed, match=r"a.parquet' is damaged.* column 'a' has a page"):
                require_readable(find_obstacles(core, options, [file]))
            path.write_bytes(whole)


def test_a_parquet_file_that_says_it_is_huge_ends_its_statement_alone(
    guest: Session, land: Path
) -> None:
    table = pa.table({"a": [f"{n % 7}-{n}" for n in range(600)]})
    pq.write_table(table, land / "good.parquet")
    pq.write_table(table, land / "page.parquet", compression="snappy")
    (land / "page.parquet").write_bytes(with_number(land / "page.parquet", "unpacked", 2**31 - 1))
    pq.write_table(table, land / "column.parquet", compression="none", use_dictionary=False)
    column = pq.read_metadata(land / "column.parquet").row_group(0).column(0)
    size = varint(2 * column.total_compressed_size)
    more = b"\xfe" + b"\xff" * (len(size) - 2) + b"\x7f"
    beyond = (land / "column.parquet").read_bytes()
    beyond = beyond.replace(b"\x16" + size + b"\x26", b"\x16" + more + b"\x26")
    (land / "column.parquet").write_bytes(beyond)
    old = guest.spark.createDataFrame([("b",)], "a STRING").coalesce(1)
    old.write.option("compression", "lz4").parquet(str(land / "old"))
    (lz4,) = (land / "old").glob("*.parquet")
    for path, said in (
        (land / "page.parquet", "column 'a' has a page of 2147483647 bytes, more than the"),
        (land / "column.parquet", "its columns are larger than it"),
    ):
        with pytest.raises(LoadFailed, match=rf"File '.*{path.name}' is damaged, .*{said}"):
            load_by_name(guest, path)
    with pytest.raises(
        Never, match=r"has LZ4 in Hadoop's frames, in column 'a': .* as the file says"
    ):
        load_by_name(guest, lz4)
    assert load_by_name(guest, land / "good.parquet")[0][3] == 600


def load_by_name(guest: Session, path: Path) -> list[tuple[object, ...]]:
    return guest.sql(
        f"COPY INTO t FROM '{path}' FILE_FORMAT = (TYPE = PARQUET) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    ).fetchall()


def varint(number: int) -> bytes:
    """Write a number as Thrift and Snappy do: seven bits a byte, the lowest first."""
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def with_number(path: Path, part: str, number: int) -> bytes:
    """Return a Parquet file whose first page says another number; its last bytes make room."""
    whole = path.read_bytes()
    column = pq.read_metadata(path).row_group(0).column(0)
    begin = column.dictionary_page_offset or column.data_page_offset
    end = begin + column.total_compressed_size
    if column.dictionary_page_offset:
        end = column.data_page_offset
    place, numbers = begin + 2, dict[str, int]()
    for name in ("unpacked", "packed", "values"):
        # 0x15 is "the next field, a number"; before the last a structure begins
        place += 2 if name == "values" else 1
        raw, place = read_varint(whole, place)
        numbers[name] = raw // 2
    levels = 3 if whole[begin + 1] == 6 else 0
    packed = end - numbers["packed"] + levels
    if part == "snappy":
        return whole[:packed] + varint(number) + whole[packed + 5 :]
    said = numbers | {part: number}
    longer = len(varint(2 * number)) - len(varint(2 * numbers[part]))
    if part != "packed":
        said["packed"] -= longer
    tag = whole[begin + 2 + sum(1 + len(varint(2 * numbers[n])) for n in ("unpacked", "packed"))]
    head = whole[begin : begin + 2]
    for name in ("unpacked", "packed"):
        head += b"\x15" + varint(2 * said[name])
    head += bytes([tag]) + b"\x15" + varint(2 * said["values"])
    return whole[:begin] + head + whole[place : end - longer] + whole[end:]


def read_varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[place] & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if data[place - 1] < 0x80:
            return number, place
