"""Options of file formats for bytes: marks before texts, bytes that are none, bytes as text."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from icemelt.errors import LoadFailed, ValueRefused
from icemelt.session.session import Session

MARK = b"\xef\xbb\xbf"
QUOTED = " FIELD_OPTIONALLY_ENCLOSED_BY = '\"'"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    return made


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, name VARCHAR)")
    return session


@pytest.mark.parametrize("quotes", ["", QUOTED, " PARSE_HEADER = TRUE"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_byte_order_mark_is_no_part_of_the_first_value(
    table: Session, folder: Path, quotes: str, *, packed: bool
) -> None:
    content = MARK + (b"id,name\n" if "HEADER" in quotes else b"") + b"1,Ann\n2,Bo\n"
    if packed:
        (folder / "a.csv.gz").write_bytes(gzip.compress(content))
    else:
        (folder / "a.csv").write_bytes(content)
    options = f"TYPE = CSV SKIP_BYTE_ORDER_MARK = TRUE{quotes}"
    rest = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE" if "HEADER" in quotes else ""
    table.sql(f"COPY INTO t FROM '{folder}' FILE_FORMAT = ({options}) {rest}")
    assert table.sql("SELECT * FROM t ORDER BY id").fetchall() == [(1, "Ann"), (2, "Bo")]


@pytest.mark.parametrize("rest", ["", " STRIP_OUTER_ARRAY = TRUE"])
def test_a_byte_order_mark_is_no_part_of_a_json_document(
    session: Session, folder: Path, rest: str
) -> None:
    session.sql("CREATE TABLE j (v VARIANT)")
    document = b'[{"a": 1}]' if rest else b'{"a": 1}\n'
    (folder / "a.json").write_bytes(MARK + document)
    options = f"TYPE = JSON SKIP_BYTE_ORDER_MARK = TRUE{rest}"
    session.sql(f"COPY INTO j FROM '{folder}' FILE_FORMAT = ({options})")
    assert session.sql("SELECT v:a::INT FROM j").fetchall() == [(1,)]


@pytest.mark.parametrize("quotes", ["", QUOTED])
def test_bytes_that_are_no_text_become_the_replacement_character(
    table: Session, folder: Path, quotes: str
) -> None:
    (folder / "a.csv").write_bytes(b"1,A\xffnn\n")
    options = f"TYPE = CSV REPLACE_INVALID_CHARACTERS = TRUE{quotes}"
    table.sql(f"COPY INTO t FROM '{folder}' FILE_FORMAT = ({options})")
    assert table.sql("SELECT name FROM t").fetchall() == [("A\ufffdnn",)]


@pytest.mark.parametrize(
    ("written", "text"), [("HEX", "616263"), ("BASE64", "YWJj"), ("UTF8", "abc"), ("utf-8", "abc")]
)
@pytest.mark.parametrize("kind", ["CSV", "JSON"])
def test_bytes_are_written_and_read_as_binary_format_says(
    session: Session, folder: Path, kind: str, written: str, text: str
) -> None:
    session.sql("CREATE TABLE b (id INT, v BINARY)")
    session.sql("INSERT INTO b VALUES (1, TO_BINARY('616263')), (2, NULL)")
    options = f"TYPE = {kind} BINARY_FORMAT = '{written}' COMPRESSION = NONE"
    session.sql(f"COPY INTO '{folder}' FROM b FILE_FORMAT = ({options})")
    [file] = folder.rglob(f"part-*.{kind.lower()}")
    first = file.read_text().splitlines()[0]
    assert (json.loads(first)["v"] if kind == "JSON" else first.split(",")[1]) == text
    session.sql("CREATE TABLE c (id INT, v BINARY)")
    rest = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE" if kind == "JSON" else ""
    session.sql(
        f"COPY INTO c FROM '{folder}' FILE_FORMAT = ({options}) PATTERN = '.*part-.*' {rest}"
    )
    assert session.sql("SELECT * FROM c ORDER BY id").fetchall() == [(1, b"abc"), (2, None)]


def test_bytes_that_are_no_text_are_not_written_as_one(session: Session, folder: Path) -> None:
    with pytest.raises(ValueRefused, match="FFFE"):
        session.sql(
            f"COPY INTO '{folder}' FROM (SELECT TO_BINARY('FFFE') AS v) "
            "FILE_FORMAT = (TYPE = CSV BINARY_FORMAT = UTF8)"
        )


def test_a_text_that_is_no_base64_is_refused(session: Session, folder: Path) -> None:
    session.sql("CREATE TABLE b (v BINARY)")
    (folder / "a.csv").write_text("?\n")
    with pytest.raises(LoadFailed, match="expects BINARY"):
        session.sql(
            f"COPY INTO b FROM '{folder}' FILE_FORMAT = (TYPE = CSV BINARY_FORMAT = BASE64)"
        )


@pytest.mark.parametrize("written", ["txt", ".txt"])
def test_csv_files_have_the_ending_of_file_extension(
    table: Session, folder: Path, written: str
) -> None:
    table.sql("INSERT INTO t VALUES (1, 'Ann')")
    table.sql(f"CREATE FILE FORMAT f TYPE = CSV FILE_EXTENSION = '{written}'")
    table.sql(f"COPY INTO '{folder}' FROM t FILE_FORMAT = f")
    [file] = folder.rglob("part-*.txt.gz")
    assert gzip.decompress(file.read_bytes()) == b"1,Ann\n"
    table.sql(f"COPY INTO t FROM '{folder}' FILE_FORMAT = f PATTERN = '.*part-.*'")
    assert table.sql("SELECT COUNT(*) FROM t").fetchall() == [(2,)]


def test_a_column_without_a_logical_type_is_bytes(session: Session, folder: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"v": [b"abc"]}), folder / "a.parquet")
    session.sql("CREATE TABLE b (v BINARY)")
    options = "TYPE = PARQUET BINARY_AS_TEXT = FALSE USE_VECTORIZED_SCANNER = TRUE"
    session.sql(
        f"COPY INTO b FROM '{folder}' FILE_FORMAT = ({options}) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    )
    assert session.sql("SELECT v FROM b").fetchall() == [(b"abc",)]
