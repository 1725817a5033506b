"""COPY INTO a location with PARTITION BY: each row is in a file below its partition, and once."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import Lake
from icemelt.errors import Conflict, DefinitionRefused, FileRefused, IcemeltError, ValueRefused
from icemelt.session.copy.partition_paths import folder_of_partition, is_partition
from icemelt.session.session import Session

PLAIN = "FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE FIELD_OPTIONALLY_ENCLOSED_BY = '\"')"
BY_NAME = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
# texts that are folders of a location, whatever signs they have
TEXTS = (
    *("day=2024-01-01/hour=5", "a b", " a ", "10:30:00", "é☃/日", "%2e%2e", "100%", "a+b", "{x,y}"),
    *("[1]*?#;&=", "'\"", "~", "-rf", "a/b", "a/b/c", "C:", "s3:", "file:", "con", "x" * 240),
)
REFUSED = (
    *("", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/../b", "...", ".a", "_a", "a/_b"),
    *("_NULL_", "a\\b", "a\nb", "a\tb", "a\x7fb", "x" * 241, "é" * 200, "/".join("a" * 110)),
    *("data_0f8fad5b-d9cb-469f-a165-70867728950e", "a/data_0f8fad5b-d9cb-469f-a165-70867728950e_2"),
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def rows(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, p VARCHAR)")
    values = [(number, text) for number, text in enumerate((*TEXTS, *TEXTS[:3], None, None))]
    _insert(session, values)
    return session


def _insert(session: Session, values: list[tuple[int, str | None]]) -> None:
    listed = ", ".join(f"({number}, {_literal(text)})" for number, text in values)
    session.sql(f"INSERT INTO t VALUES {listed}")


def _literal(text: str | None) -> str:
    if text is None:
        return "NULL"
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")
    return f"'{escaped}'"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"'", "PARSE_HEADER = TRUE"),
        ("TYPE = JSON COMPRESSION = BZ2", ""),
        ("TYPE = PARQUET", ""),
    ],
)
def test_what_is_unloaded_loads_back_equal(
    rows: Session, place: Path, written: str, read: str
) -> None:
    found = rows.sql(
        f"COPY INTO '{place}' FROM t PARTITION BY p FILE_FORMAT = ({written}) HEADER = TRUE"
    )
    assert found.columns == ("rows_unloaded", "input_bytes", "output_bytes")
    assert found.fetchall()[0][0] == len(TEXTS) + 5
    rows.sql("CREATE TABLE u LIKE t")
    rows.sql(f"COPY INTO u FROM '{place}' FILE_FORMAT = ({written} {read}) {BY_NAME}")
    every = "SELECT * FROM {} ORDER BY id"
    loaded, given_rows = (rows.sql(every.format(name)).fetchall() for name in ("u", "t"))
    assert loaded == given_rows


def test_the_manifest_and_the_result_tell_of_every_file(rows: Session, place: Path) -> None:
    result = rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY p {PLAIN} DETAILED_OUTPUT = TRUE")
    assert result.columns == ("file_name", "file_size", "row_count")
    folder = f"data_{result.statement_id}"
    assert [path.name for path in (place / folder).glob("[!.]*")] == ["_manifest.json"]
    manifest = json.loads((place / folder / "_manifest.json").read_text())
    listed = {(file["name"], file["bytes"], file["rows"]) for file in manifest["files"]}
    assert listed == set(result.fetchall()) == _files(place)
    assert manifest["rows"] == len(TEXTS) + 5
    assert manifest["columns"] == [
        {"name": "id", "type": "BIGINT"},
        {"name": "p", "type": "VARCHAR"},
    ]
    wanted = {f"{text or '_NULL_'}/{folder}" for text in (*TEXTS, None)}
    assert {name.rpartition("/")[0] for name, _, _ in listed} == wanted


def _files(place: Path) -> set[tuple[str, int, int]]:
    """Return the files of data in a location: path, size in bytes, and number of lines."""
    return {
        (str(file.relative_to(place)), file.stat().st_size, len(file.read_text().splitlines()))
        for file in place.rglob("part-*")
    }


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.none()
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
        | st.sampled_from([*TEXTS, *TEXTS, *REFUSED]),
        max_size=12,
    )
)
def test_each_row_is_once_and_under_its_partition(
    session: Session, tmp_path: Path, texts: list[str | None]
) -> None:
    place = Path(tempfile.mkdtemp(dir=tmp_path))
    given_rows = session.spark.createDataFrame(list(enumerate(texts)), "id INT, p STRING")
    session.sql("CREATE OR REPLACE TABLE t (id INT, p VARCHAR)")
    with session.transaction() as transaction:
        transaction.append(given_rows, "t")
    unload = f"COPY INTO '{place}' FROM (SELECT id, p FROM t) PARTITION BY p {PLAIN}"
    if any(text is not None and not is_partition(text) for text in texts):
        with pytest.raises(ValueRefused):
            session.sql(unload)
        assert list(place.iterdir()) == []
        return
    session.sql(unload)
    found: Counter[tuple[int, str]] = Counter()
    for file in place.rglob("part-*"):
        partition = str(file.parent.parent.relative_to(place))
        with file.open(newline="") as lines:
            found.update((int(line[0]), partition) for line in csv.reader(lines))
    assert found == Counter((at, text or "_NULL_") for at, text in enumerate(texts))


@pytest.mark.parametrize("text", REFUSED)
def test_a_text_that_is_no_path_is_refused_and_named(text: str) -> None:
    with pytest.raises(ValueRefused) as refused:
        folder_of_partition(text)
    assert repr(text)[1:50].rstrip("'") in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("text", ["a/../../b", "", "a\x01b", "é" * 200, "x" * 600])
def test_nothing_is_left_where_a_partition_is_refused(
    session: Session, place: Path, text: str
) -> None:
    session.sql("CREATE TABLE t (id INT, p VARCHAR)")
    _insert(session, [(1, "fine"), (2, text)])
    session.sql("CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    with pytest.raises(ValueRefused):
        session.sql(f"COPY INTO '{place}' FROM s PARTITION BY p")
    assert list(place.rglob("*")) == []
    assert session.sql("SELECT COUNT(*) FROM s").fetchall() == [(2,)]


def test_a_partition_gives_texts_of_existing_columns(rows: Session, place: Path) -> None:
    with pytest.raises(DefinitionRefused, match="gives a BIGINT, expected a VARCHAR"):
        rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY id")
    with pytest.raises(IcemeltError, match="'nosuch' does not exist"):
        rows.sql(f"COPY INTO '{place}' FROM (SELECT id FROM t) PARTITION BY nosuch")
    assert not place.exists()


def test_the_columns_may_be_named_as_the_folders_that_spark_makes(
    session: Session, place: Path
) -> None:
    query = 'SELECT 1 AS p0, 2 AS "P1", 3 AS p_0, 4 AS value'
    session.sql(
        f"COPY INTO '{place}' FROM ({query}) PARTITION BY TO_VARCHAR(p0) {PLAIN} HEADER = TRUE"
    )
    (file,) = (place / "1").rglob("part-*")
    assert file.read_text() == "p0,P1,p_0,value\n1,2,3,4\n"


def test_no_rows_make_no_partition(session: Session, place: Path) -> None:
    session.sql("CREATE TABLE t (id INT, p VARCHAR)")
    for query in ("t", "(SELECT p FROM t GROUP BY p)"):
        found = session.sql(f"COPY INTO '{place}' FROM {query} PARTITION BY p")
        assert found.fetchall() == [(0, 0, 0)]
    assert len(list(place.rglob("_manifest.json"))) == 2
    assert list(place.rglob("part-*")) == []


def test_documents_are_lines_of_their_own(session: Session, place: Path) -> None:
    documents = "SELECT PARSE_JSON('{\"k\": 1}') AS d UNION ALL SELECT PARSE_JSON('{\"k\": 2}')"
    session.sql(
        f"COPY INTO '{place}' FROM ({documents}) PARTITION BY ('k=' || d:k)"
        " FILE_FORMAT = (TYPE = JSON COMPRESSION = NONE)"
    )
    found = {file.parent.parent.name: file.read_text() for file in place.rglob("part-*")}
    assert found == {"k=1": '{"k":1}\n', "k=2": '{"k":2}\n'}


def test_files_of_partitions_are_as_small_as_max_file_size(session: Session, place: Path) -> None:
    query = "SELECT seq4() AS id, MOD(seq4(), 3) AS p FROM TABLE(GENERATOR(ROWCOUNT => 900))"
    session.sql(
        f"COPY INTO '{place}' FROM ({query}) PARTITION BY TO_VARCHAR(p) {PLAIN} MAX_FILE_SIZE = 500"
    )
    files = _files(place)
    assert sum(lines for _, _, lines in files) == 900
    assert max(size for _, size, _ in files) <= 500
    assert {Path(name).parts[0] for name, _, _ in files} == {"0", "1", "2"}
    assert not list(place.rglob("_staged"))


def test_many_partitions_are_one_job(session: Session, place: Path) -> None:
    query = "SELECT seq4() AS id FROM TABLE(GENERATOR(ROWCOUNT => 300))"
    scheduler = session.spark.sparkContext._jsc.sc().dagScheduler()
    jobs = []
    for count in (3, 100):
        before = scheduler.nextJobId()
        session.sql(
            f"COPY INTO '{place}/{count}' FROM ({query}) PARTITION BY TO_VARCHAR(MOD(id, {count}))"
        )
        jobs.append(scheduler.nextJobId() - before)
        assert len(list((place / str(count)).glob("*/data_*"))) == count
    # a folder with many folders is listed by a job
    assert jobs[1] <= jobs[0] + 3


def test_what_stands_in_the_way_stays_and_nothing_else(rows: Session, place: Path) -> None:
    place.mkdir()
    (place / "a b").write_text("mine")
    (place / "a").mkdir()
    (place / "a" / "mine.txt").write_text("mine")
    rows.sql("CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    with pytest.raises(FileRefused, match=r"a b/data_.* cannot be written") as refused:
        rows.sql(f"COPY INTO '{place}' FROM s PARTITION BY p {PLAIN}")
    assert refused.value.hint
    left = sorted(str(path.relative_to(place)) for path in place.rglob("*"))
    assert left == ["a", "a b", "a/mine.txt"]
    assert rows.sql("SELECT COUNT(*) FROM s").fetchall() == [(len(TEXTS) + 5,)]


def test_rollback_removes_the_folders_of_all_partitions(rows: Session, place: Path) -> None:
    rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY p {PLAIN}")
    before = sorted(place.rglob("*"))
    rows.sql("CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    rows.sql("BEGIN")
    rows.sql(f"COPY INTO '{place}' FROM s PARTITION BY ('new/' || LEFT(p, 200)) {PLAIN}")
    rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY p {PLAIN}")
    assert len(sorted(place.rglob("*"))) > 2 * len(before)
    rows.sql("ROLLBACK")
    assert sorted(place.rglob("*")) == before
    assert rows.sql("SELECT COUNT(*) FROM s").fetchall() == [(len(TEXTS) + 5,)]


def test_a_transaction_that_loses_leaves_no_partition(lake: Lake, place: Path) -> None:
    first, second = lake.open(), lake.open()
    first.sql("CREATE TABLE t (id INT)")
    first.sql("INSERT INTO t VALUES (1), (2)")
    first.sql("BEGIN")
    first.sql(f"COPY INTO '{place}' FROM t PARTITION BY TO_VARCHAR(id)")
    first.sql("UPDATE t SET id = 3 WHERE id = 1")
    second.sql("UPDATE t SET id = 4 WHERE id = 1")
    with pytest.raises(Conflict):
        first.sql("COMMIT")
    assert list(place.rglob("*")) == []


def test_overwrite_replaces_the_partitions_of_earlier_statements(
    rows: Session, place: Path
) -> None:
    (place / "a").mkdir(parents=True)
    (place / "a" / "mine.txt").write_text("stays")
    rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY p {PLAIN}")
    forged = rows.sql(f"COPY INTO '{place}/other' FROM t PARTITION BY p {PLAIN}").statement_id
    (place / "other" / f"data_{forged}").rename(place / f"data_{forged}")
    manifest = place / f"data_{forged}" / "_manifest.json"
    # names that lead elsewhere are left
    names = json.loads(manifest.read_text())
    names["files"] = [{"name": f"../data_{forged}/x"}, {"name": "a/mine.txt"}, 7, {"name": None}]
    manifest.write_text(json.dumps(names))
    (place.parent / f"data_{forged}").mkdir()
    last = rows.sql(f"COPY INTO '{place}' FROM (SELECT 1 AS one) OVERWRITE = TRUE")
    left = {path.name for path in place.iterdir()}
    assert left == {"a", "other", f"data_{last.statement_id}"}
    assert [path.name for path in (place / "a").iterdir()] == ["mine.txt"]
    assert (place.parent / f"data_{forged}").exists()


@pytest.mark.parametrize("manifest", [None, "not read"])
def test_overwrite_finds_partitions_without_their_manifest(
    rows: Session, place: Path, manifest: str | None
) -> None:
    first = rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY p {PLAIN}").statement_id
    nested = rows.sql(f"COPY INTO '{place}/other' FROM t {PLAIN}").statement_id
    if manifest is None:
        shutil.rmtree(place / f"data_{first}")
    else:
        # as long as no manifest is read
        (place / f"data_{first}" / "_manifest.json").write_text(" " * (17 << 20))
    last = rows.sql(f"COPY INTO '{place}' FROM (SELECT 1 AS one) OVERWRITE = TRUE")
    left = {path.name for path in place.iterdir()}
    assert left == {"other", f"data_{last.statement_id}"}
    assert [path.name for path in (place / "other").iterdir()] == [f"data_{nested}"]


def test_overwrite_replaces_what_its_own_transaction_wrote(rows: Session, place: Path) -> None:
    rows.sql("BEGIN")
    rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY p {PLAIN}")
    rows.sql(f"COPY INTO '{place}' FROM (SELECT 1 AS one) OVERWRITE = TRUE")
    rows.sql("ROLLBACK")
    assert list(place.rglob("*")) == []
    rows.sql("BEGIN")
    rows.sql(f"COPY INTO '{place}' FROM t PARTITION BY p {PLAIN}")
    last = rows.sql(f"COPY INTO '{place}' FROM (SELECT 1 AS one) OVERWRITE = TRUE").statement_id
    assert len(list(place.iterdir())) > 2
    rows.sql("COMMIT")
    assert [path.name for path in place.iterdir()] == [f"data_{last}"]


def test_a_stream_is_consumed_with_the_files_of_a_stage(session: Session) -> None:
    session.sql("CREATE STAGE mine")
    session.sql("CREATE TABLE t (id INT, p VARCHAR)")
    session.sql("CREATE STREAM s ON TABLE t")
    _insert(session, [(1, "a"), (2, None)])
    session.sql(f"COPY INTO @mine/x FROM s PARTITION BY p {PLAIN}")
    assert session.sql("SELECT COUNT(*) FROM s").fetchall() == [(0,)]
    found = session.sql("SELECT $1, LEFT(METADATA$FILENAME, 9) FROM @mine/x ORDER BY 1").fetchall()
    assert found == [("1", "x/a/data_"), ("2", "x/_NULL_/")]
    assert session.sql("SELECT $1 FROM @mine/x/_NULL_/").fetchall() == [("2",)]
