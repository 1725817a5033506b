"""What external tables, directory tables and their streams do about files with faults."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from processes import ProcessSession

from icemelt.errors import FileDamaged, FileRefused, IcemeltError, LoadFailed, ValueRefused
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

ODD_NAMES = ["a b", "50%", "%41", "ü ✓", "new\nline", "it's", "[x]{y}*?", "#1", "a+b&c=d", "a", "A"]


def make(session: Session, root: Path, file_format: str = "TYPE = CSV") -> None:
    """Make a stage `s` of a folder, an external table `e`, and a stream on each."""
    root.mkdir(exist_ok=True)
    path = "c1" if "CSV" in file_format else "n"
    columns = f"n INT AS (VALUE:{path}::INT), name VARCHAR AS (METADATA$FILENAME)"
    for statement in (
        f"CREATE STAGE s URL = '{root}' DIRECTORY = (ENABLE = TRUE)",
        f"CREATE EXTERNAL TABLE e ({columns}) LOCATION = @s FILE_FORMAT = ({file_format})",
        "CREATE STREAM rows_of_files ON EXTERNAL TABLE e INSERT_ONLY = TRUE",
        "CREATE STREAM files ON STAGE s",
    ):
        session.sql(statement)


def refresh(session: Session) -> list[str]:
    """List the stage and the external table; return the files that the latter has found."""
    session.sql("ALTER STAGE s REFRESH")
    return sorted(row[0] for row in session.sql("ALTER EXTERNAL TABLE e REFRESH").fetchall())


def numbers(session: Session, relation: str = "e") -> list[int]:
    return sorted(row[0] for row in session.sql(f"SELECT n FROM {relation}").fetchall())


def history_of(session: Session, statement_id: str) -> int | None:
    [record] = [each for each in session.history() if each.statement_id == statement_id]
    return record.files_skipped


def test_names_of_any_characters_are_listed_and_read_once(session: Session, tmp_path: Path) -> None:
    root = tmp_path / "in"
    make(session, root)
    names = sorted(f"{name}.csv" for name in ODD_NAMES)
    for number, name in enumerate(names):
        (root / name).write_text(f"{number}\n")
    assert refresh(session) == names
    expected = list(enumerate(names))
    assert sorted(session.sql("SELECT n, name FROM e").fetchall()) == expected
    assert sorted(session.sql("SELECT n, name FROM rows_of_files").fetchall()) == expected
    listed = session.sql("SELECT relative_path FROM DIRECTORY(@s)").fetchall()
    assert sorted(row[0] for row in listed) == names
    # a name is one file's, whatever stands in it
    for number, name in expected:
        quoted = name.replace("'", "''")
        rows = session.sql(f"SELECT n FROM e WHERE name = '{quoted}'").fetchall()
        assert rows == [(number,)]
    session.sql("CREATE TABLE copied AS SELECT n FROM rows_of_files")
    assert refresh(session) == numbers(session, "rows_of_files") == []


@pytest.mark.parametrize("kind", ["CSV", "JSON", "PARQUET", "ORC"])
def test_a_file_of_no_bytes_has_no_rows_or_is_named(
    session: Session, tmp_path: Path, kind: str
) -> None:
    root = tmp_path / "in"
    make(session, root, f"TYPE = {kind}")
    (root / "none.dat").write_bytes(b"")
    assert refresh(session) == ["none.dat"]
    if kind in {"CSV", "JSON"}:
        assert numbers(session) == numbers(session, "rows_of_files") == []
        return
    with pytest.raises(LoadFailed, match=r"none\.dat"):
        numbers(session)
    session.sql("ALTER EXTERNAL TABLE e SET ON_ERROR = SKIP_FILE")
    read = session.sql("SELECT n FROM rows_of_files")
    assert read.fetchall() == []
    assert history_of(session, read.statement_id) == 1


@pytest.mark.parametrize(("kind", "line"), [("CSV", "{n}\n"), ("JSON", '{{"n": {n}}}\n')])
def test_a_packed_file_that_ends_early_gives_no_part_of_its_rows(
    session: Session, tmp_path: Path, kind: str, line: str
) -> None:
    root = tmp_path / "in"
    make(session, root, f"TYPE = {kind} COMPRESSION = GZIP")
    text = "".join(line.format(n=n) for n in range(20_000))
    whole = gzip.compress(text.encode())
    (root / "cut.gz").write_bytes(whole[: len(whole) // 2])
    (root / "whole.gz").write_bytes(gzip.compress(line.format(n=7).encode()))
    refresh(session)
    with pytest.raises(FileDamaged, match=r"^File 'cut\.gz' is missing or damaged") as damaged:
        numbers(session)
    assert "SKIP_FILE" in damaged.value.hint
    with pytest.raises(FileDamaged, match=r"^File 'cut\.gz'"):
        session.sql("CREATE TABLE copied AS SELECT n FROM rows_of_files")
    session.sql("ALTER EXTERNAL TABLE e SET ON_ERROR = SKIP_FILE")
    consumed = session.sql("CREATE TABLE copied AS SELECT n FROM rows_of_files")
    assert numbers(session, "copied") == [7]
    assert history_of(session, consumed.statement_id) == 1
    # the sender sends it again
    (root / "cut.gz").write_bytes(whole)
    assert refresh(session) == ["cut.gz"]
    assert numbers(session, "rows_of_files") == list(range(20_000))


def test_files_of_several_schemas_have_null_for_what_they_lack(
    session: Session, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    make(session, root, "TYPE = PARQUET")
    pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), root / "narrow.parquet")
    pq.write_table(pa.table({"n": [2], "extra": ["x"]}), root / "wide.parquet")
    pq.write_table(pa.table({"other": [0.5]}), root / "without.parquet")
    refresh(session)
    rows = session.sql("SELECT n, VALUE:extra::VARCHAR, name FROM rows_of_files").fetchall()
    assert sorted(rows, key=str) == [
        (1, None, "narrow.parquet"),
        (2, "x", "wide.parquet"),
        (None, None, "without.parquet"),
    ]
    pq.write_table(pa.table({"n": ["no number"]}), root / "text.parquet")
    refresh(session)
    with pytest.raises(IcemeltError, match=r"text\.parquet.*expects BIGINT"):
        session.sql("SELECT n FROM e").fetchall()


def test_names_that_differ_in_case_are_two_members(session: Session, tmp_path: Path) -> None:
    root = tmp_path / "in"
    make(session, root, "TYPE = JSON")
    (root / "a.json").write_text('{"n": 1, "N": 2}\n{"N": 3}\n')
    refresh(session)
    found = session.sql("SELECT n, VALUE:N::INT FROM e").fetchall()
    assert sorted(found, key=str) == [(1, 2), (None, 3)]
    # one name twice says two things
    (root / "a.json").write_text('{"n": 4}\n{"n": 4, "n": 5}\n')
    refresh(session)
    with pytest.raises(ValueRefused, match=r"'a\.json' has a record .*, in line 2"):
        numbers(session)


@pytest.mark.slow
def test_a_million_rows_in_one_array_are_read(session: Session, tmp_path: Path) -> None:
    root = tmp_path / "in"
    make(session, root, "TYPE = JSON STRIP_OUTER_ARRAY = TRUE")
    rows = ", ".join(f'{{"n": {n}}}' for n in range(1_000_000))
    (root / "all.json").write_text(f"[{rows}]")
    refresh(session)
    asked = "SELECT COUNT(*), COUNT(DISTINCT n), SUM(n) FROM rows_of_files"
    counted = (1_000_000, 1_000_000, 499_999_500_000)
    assert session.sql(asked).fetchall() == [counted]
    places = "SELECT MIN(METADATA$FILE_ROW_NUMBER), MAX(METADATA$FILE_ROW_NUMBER) FROM @s "
    session.sql("CREATE FILE FORMAT arrays TYPE = JSON STRIP_OUTER_ARRAY = TRUE")
    numbered = session.sql(f"{places} (FILE_FORMAT => arrays)").fetchall()
    assert numbered == [(1, 1_000_000)]


def test_a_folder_that_is_not_there_leaves_the_list_as_it_was(
    session: Session, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    make(session, root)
    (root / "a.csv").write_text("1\n")
    refresh(session)
    (root / "a.csv").unlink()
    root.rmdir()
    for statement in ("ALTER STAGE s REFRESH", "ALTER EXTERNAL TABLE e REFRESH", "LIST @s"):
        with pytest.raises(LoadFailed, match="in"):
            session.sql(statement)
    assert session.sql("SELECT relative_path FROM DIRECTORY(@s)").fetchall() == [("a.csv",)]
    with pytest.raises(LoadFailed, match="nowhere"):
        session.sql(f"CREATE STAGE t URL = '{tmp_path}/nowhere' DIRECTORY = (ENABLE = TRUE)")
    session.sql(f"CREATE STAGE u URL = '{tmp_path}/nowhere'")
    with pytest.raises(LoadFailed, match="nowhere"):
        session.sql("CREATE EXTERNAL TABLE f LOCATION = @u FILE_FORMAT = (TYPE = CSV)")


@pytest.fixture
def unprivileged(tmp_path: Path) -> Iterator[ProcessSession]:
    """A session that heeds the modes of files."""
    with ProcessSession(tmp_path / "lake", privileged=False) as session:
        yield session


@pytest.mark.slow
def test_what_may_not_be_read_is_named_and_not_skipped(
    unprivileged: ProcessSession, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    (root / "closed").mkdir(parents=True)
    for name, number in (("open", 1), ("secret", 2), ("closed/inside", 3)):
        (root / f"{name}.csv").write_text(f"{number}\n")

    def ask(statement: str) -> object:
        answer = unprivileged.sql(statement)
        return answer.code or sorted(answer.rows)

    ask(f"CREATE STAGE s URL = '{root}' DIRECTORY = (ENABLE = TRUE)")
    made = (
        "CREATE EXTERNAL TABLE e (n INT AS (VALUE:c1::INT)) LOCATION = @s FILE_FORMAT = "
        "(TYPE = CSV) ON_ERROR = SKIP_FILE"
    )
    ask(made)
    assert ask("SELECT n FROM e") == [(1,), (2,), (3,)]
    ask("CREATE STREAM st ON EXTERNAL TABLE e INSERT_ONLY = TRUE SHOW_INITIAL_ROWS = TRUE")
    (root / "secret.csv").chmod(0)
    # no fault of the file: a stream that passed over its rows would never come back to them
    for statement in ("SELECT n FROM e", "CREATE TABLE copied AS SELECT n FROM st"):
        answer = unprivileged.sql(statement)
        assert answer.code == "file-refused", answer
        assert answer.message.startswith("File 'secret.csv' cannot be"), answer
    (root / "secret.csv").chmod(0o644)
    (root / "closed").chmod(0)
    for statement in ("ALTER STAGE s REFRESH", "ALTER EXTERNAL TABLE e REFRESH"):
        answer = unprivileged.sql(statement)
        assert (answer.code, "closed" in answer.message) == ("load-failed", True), answer
    listed = ask("SELECT relative_path FROM DIRECTORY(@s)")
    assert listed == [("closed/inside.csv",), ("open.csv",), ("secret.csv",)]
    (root / "closed").chmod(0o755)
    assert ask("CREATE TABLE copied AS SELECT n FROM st") != "file-refused"
    assert ask("SELECT n FROM copied") == [(1,), (2,), (3,)]


def test_no_location_leads_out_of_its_stage(session: Session, tmp_path: Path) -> None:
    root = tmp_path / "in"
    make(session, root)
    (tmp_path / "out.csv").write_text("9\n")
    (root / "a.csv").write_text("1\n")
    for statement in (
        "CREATE EXTERNAL TABLE f LOCATION = @s/../ FILE_FORMAT = (TYPE = CSV)",
        "ALTER EXTERNAL TABLE e REFRESH '../'",
        "ALTER EXTERNAL TABLE e ADD FILES ('../out.csv')",
        "ALTER EXTERNAL TABLE e ADD FILES ('x/../../out.csv')",
        "ALTER STAGE s REFRESH SUBPATH = '../'",
    ):
        with pytest.raises(FileRefused, match=r"has '\.\.' in it"):
            session.sql(statement)
    # whoever may name all places may name one so
    session.sql(f"CREATE STAGE t URL = '{root}/../in' DIRECTORY = (ENABLE = TRUE)")
    assert session.sql("SELECT relative_path FROM DIRECTORY(@t)").fetchall() == [("a.csv",)]
    made = "LOCATION = @t FILE_FORMAT = (TYPE = CSV)"
    session.sql(f"CREATE EXTERNAL TABLE f (n INT AS (VALUE:c1::INT)) {made}")
    assert numbers(session, "f") == [1]
    with open_guest(session, "ann", [str(root)]) as guest:
        for url in (f"{root}/..", f"{root}/../../in", str(tmp_path), "/"):
            with pytest.raises(FileRefused):
                guest.sql(f"CREATE STAGE g URL = '{url}' DIRECTORY = (ENABLE = TRUE)")
        (root / "linked.csv").symlink_to(tmp_path / "out.csv")
        (root / "all").symlink_to(tmp_path)
        guest.sql(f"CREATE STAGE g URL = '{root}'")
        with pytest.raises(FileRefused):
            guest.sql("CREATE EXTERNAL TABLE h LOCATION = @g FILE_FORMAT = (TYPE = CSV)")


@pytest.mark.parametrize("options", ["", "SKIP_HEADER = 1", "PARSE_HEADER = TRUE"])
def test_files_packed_by_zstd_have_whole_records(
    session: Session, tmp_path: Path, options: str
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    text = b"n,name\n1,Ann\n" if options else b"1,Ann\n"
    packed = pa.compress(text, codec="zstd", asbytes=True)
    (root / "a.csv.zst").write_bytes(packed)
    session.sql(f"CREATE STAGE s URL = '{root}'")
    make = f"LOCATION = @s FILE_FORMAT = (TYPE = CSV {options})"
    session.sql(f"CREATE EXTERNAL TABLE whole {make}")
    names = ("n", "name") if options.startswith("PARSE") else ("c1", "c2")
    assert session.sql(f"SELECT value:{names[1]}::VARCHAR FROM whole").fetchall() == [("Ann",)]
    # one that ends early is named
    (root / "a.csv.zst").write_bytes(packed[:-4])
    session.sql("ALTER EXTERNAL TABLE whole REFRESH")
    with pytest.raises(FileDamaged, match=r"a\.csv\.zst"):
        session.sql("SELECT value FROM whole").fetchall()


def test_copy_names_the_one_damaged_file_among_others(session: Session, tmp_path: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    (root / "a.csv").write_text("1\n")
    (root / "b [2] %.csv.gz").write_bytes(gzip.compress(b"2\n")[:-6])
    (root / "c.csv").write_text("3\n")
    session.sql("CREATE TABLE t (id INT)")
    file = str(root / "b [2] %.csv.gz")
    said = f"The file is damaged, or no CSV file: {file!r}."
    with pytest.raises(LoadFailed) as damaged:
        session.sql(f"COPY INTO t FROM '{root}'")
    assert damaged.value.message == said
    assert session.sql("SELECT id FROM t").fetchall() == []
    for on_error, status in (("SKIP_FILE", "LOADED"), ("CONTINUE", "LOAD_SKIPPED")):
        rows = session.sql(f"COPY INTO t FROM '{root}' ON_ERROR = {on_error}").fetchall()
        assert [row[1] for row in rows] == [status, "LOAD_FAILED", status]
        # not one of its rows, with CONTINUE neither
        assert rows[1][2:7] == (0, 0, rows[1][4], 1, said)
        assert sorted(session.sql("SELECT id FROM t").fetchall()) == [(1,), (3,)]
    loads = "SELECT status, first_error_message FROM INFORMATION_SCHEMA.LOAD_HISTORY"
    kept = session.sql(f"{loads} WHERE file_name LIKE '%b [2]%'").fetchall()
    assert kept == [("LOAD FAILED", said)]
    # mended, it is loaded
    (root / "b [2] %.csv.gz").write_bytes(gzip.compress(b"2\n"))
    rows = session.sql(f"COPY INTO t FROM '{root}' ON_ERROR = SKIP_FILE").fetchall()
    assert [row[1] for row in rows] == ["LOAD_SKIPPED", "LOADED", "LOAD_SKIPPED"]


@pytest.mark.parametrize("on_error", ["SKIP_FILE", "CONTINUE", "SKIP_FILE_3"])
@pytest.mark.parametrize("query", [False, True])
def test_copy_loads_all_files_but_the_damaged_ones(
    session: Session, tmp_path: Path, on_error: str, query: object
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    for number in range(9):
        pq.write_table(pa.table({"id": [number] * 5_000}), root / f"{number}.parquet")
    (root / "3.parquet").write_bytes((root / "3.parquet").read_bytes()[:-9])
    (root / "5.parquet").write_bytes(b"no parquet at all")
    whole = (root / "7.parquet").read_bytes()
    # a page, with the footer as it was
    (root / "7.parquet").write_bytes(whole[:30] + bytes(200) + whole[230:])
    session.sql("CREATE TABLE t (id INT)")
    session.sql(f"CREATE STAGE s URL = '{root}' FILE_FORMAT = (TYPE = PARQUET)")
    source, match = "(SELECT $1:id::INT FROM @s)", ""
    if not query:
        source, match = "@s", "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    session.sql("CREATE STREAM changes ON TABLE t")
    told = session.sql(f"COPY INTO t FROM {source} {match} ON_ERROR = {on_error}").fetchall()
    failed = {int(Path(row[0]).stem) for row in told if row[1] == "LOAD_FAILED"}
    assert failed == {3, 5, 7}
    assert all(row[3] == (0 if row[1] == "LOAD_FAILED" else 5_000) for row in told)
    counted = "SELECT id, count(*) FROM {} GROUP BY id ORDER BY id"
    expected = [(number, 5_000) for number in range(9) if number not in failed]
    assert session.sql(counted.format("t")).fetchall() == expected
    assert session.sql(counted.format("changes")).fetchall() == expected


def test_a_file_that_is_written_while_it_is_loaded_waits_until_it_is_whole(
    session: Session, tmp_path: Path
) -> None:
    file, ended = tmp_path / "in" / "growing.csv", threading.Event()
    file.parent.mkdir()
    file.write_text("0\n")

    def grow() -> None:
        with file.open("a") as rows:
            while not ended.wait(0.001):
                rows.write("1\n")
                rows.flush()

    session.sql("CREATE TABLE t (n INT)")
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(grow)
        try:
            with pytest.raises(LoadFailed, match="changed while it was read"):
                session.sql(f"COPY INTO t FROM '{file.parent}'")
        finally:
            ended.set()
        writing.result()
    assert session.sql("SELECT COUNT(*) FROM t").fetchall() == [(0,)]
    session.sql(f"COPY INTO t FROM '{file.parent}'")
    rows = len(file.read_text().splitlines())
    assert session.sql("SELECT COUNT(*) FROM t").fetchall() == [(rows,)]
