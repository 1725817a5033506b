"""COPY INTO a location writes what loading reads back, and consumes the streams that it reads."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import Lake
from icemelt.errors import (
    Conflict,
    DefinitionRefused,
    FileRefused,
    IcemeltError,
    Never,
    ValueRefused,
)
from icemelt.session.session import Session

QUOTED = "TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"'"
BY_NAME = "MATCH_BY_COLUMN_NAME = CASE_SENSITIVE"
COLUMNS = (
    '"Key" INT, b BOOLEAN, i INT, n NUMBER(38, 9), f FLOAT, v VARCHAR, x BINARY, d DATE,'
    " t TIMESTAMP_NTZ, z TIMESTAMP_LTZ, j VARIANT, a ARRAY(INT), at ARRAY(TIMESTAMP_NTZ),"
    " m MAP(VARCHAR, FLOAT), o OBJECT(p INT, q DATE)"
)
ROWS = (
    "SELECT 1, TRUE, 9223372036854775807, 12345678901234567890123456789.123456789,"
    " 1.7976931348623157e308, 'it''s \"a\", \\\\N\\n', TO_BINARY('00FF'), '0001-01-01'::DATE,"
    " '2024-03-31 02:30:00.123456'::TIMESTAMP_NTZ, '2024-10-27 00:30:00.000001Z'::TIMESTAMP_LTZ,"
    ' PARSE_JSON(\'{"k": [1, 2.5, null, "s"]}\'), [1, NULL, 3]::ARRAY(INT),'
    " ['2024-03-31 02:30:00.123456'::TIMESTAMP_NTZ]::ARRAY(TIMESTAMP_NTZ),"
    " PARSE_JSON('{\"k\": 0.1}')::MAP(VARCHAR, FLOAT),"
    ' PARSE_JSON(\'{"p": 1, "q": "2024-01-02"}\')::OBJECT(p INT, q DATE)'
    " UNION ALL SELECT 2, FALSE, -1, -0.5, 'NaN'::FLOAT, '', TO_BINARY(''), '9999-12-31'::DATE,"
    " '1582-10-10 00:00:00'::TIMESTAMP_NTZ, '1970-01-01 00:00:00Z'::TIMESTAMP_LTZ,"
    " PARSE_JSON('null'), []::ARRAY(INT), NULL, NULL, NULL"
    " UNION ALL SELECT 3, NULL, NULL, NULL, '-inf'::FLOAT, ' é\\u2603 \\r\\n\\t', NULL, NULL, NULL,"
    " NULL, PARSE_JSON('\"text\"'), NULL, NULL, NULL, NULL"
    " UNION ALL SELECT 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
    " NULL, NULL"
)
TIMES = "DATE_FORMAT = 'DD.MM.YYYY' TIMESTAMP_FORMAT = 'DD.MM.YYYY HH24:MI:SS.FF6'"
TIMES += " NULL_IF = ('none')"


@pytest.mark.turns(8)
@pytest.mark.parametrize(
    ("written", "read"),
    [
        (QUOTED, QUOTED),
        (f"{QUOTED} ESCAPE = '\\\\' FIELD_DELIMITER = '|'", None),
        (f"{QUOTED} COMPRESSION = NONE", QUOTED),
        (f"{QUOTED} RECORD_DELIMITER = ';'", None),
        ("TYPE = JSON", f"TYPE = JSON) {BY_NAME} --"),
        ("TYPE = JSON COMPRESSION = BZ2", f"TYPE = JSON) {BY_NAME} --"),
        ("TYPE = PARQUET", "TYPE = PARQUET"),
        ("TYPE = PARQUET COMPRESSION = ZSTD", "TYPE = PARQUET"),
    ],
)
def test_what_is_unloaded_loads_back_equal(
    session: Session, tmp_path: Path, written: str, read: str | None
) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berlin'")
    session.sql(f"CREATE TABLE t ({COLUMNS})")
    session.sql(f"INSERT INTO t {ROWS}")
    session.sql("CREATE TABLE u AS SELECT * FROM t WHERE FALSE")
    place = tmp_path / "out [1] %20#é+"
    found = session.sql(f"COPY INTO '{place}' FROM t FILE_FORMAT = ({written})").fetchall()
    assert found[0][0] == 4
    session.sql(f"COPY INTO u FROM '{place}' FILE_FORMAT = ({read or written})")
    assert _values(session, "u") == _values(session, "t")


def _values(session: Session, table: str) -> list[str]:
    """Return rows as texts: the equality of values, NaN and variants included."""
    return [str(row) for row in session.sql(f'SELECT * FROM {table} ORDER BY "Key"').fetchall()]


def test_dates_and_times_are_written_as_the_format_says(session: Session, tmp_path: Path) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berlin'")
    session.sql("CREATE TABLE t (d DATE, t TIMESTAMP_NTZ)")
    session.sql("INSERT INTO t VALUES ('2024-03-05', '2024-03-31 02:30:00.123456'), (NULL, NULL)")
    session.sql(
        f"COPY INTO '{tmp_path}/o' FROM t SINGLE = TRUE HEADER = TRUE"
        f" FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE {TIMES})"
    )
    (folder,) = _folders(tmp_path / "o")
    (file,) = folder.glob("part-*")
    assert sorted(file.read_text().splitlines()) == [
        "05.03.2024,31.03.2024 02:30:00.123456",
        "d,t",
        "none,none",
    ]
    session.sql("CREATE TABLE u (d DATE, t TIMESTAMP_NTZ)")
    session.sql(
        f"COPY INTO u FROM '{tmp_path}/o' FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1 {TIMES})"
    )
    ordered = "SELECT d::VARCHAR, t::VARCHAR FROM {} ORDER BY d"
    written, read = (session.sql(ordered.format(name)).fetchall() for name in ("t", "u"))
    assert read == written


def test_documents_are_lines_of_their_own(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (doc VARIANT)")
    session.sql(
        'INSERT INTO t SELECT PARSE_JSON(\'{"a": [1, "\\\\n"]}\') UNION ALL SELECT 1::VARIANT'
    )
    session.sql(f"COPY INTO '{tmp_path}/o' FROM t FILE_FORMAT = (TYPE = JSON)")
    session.sql("CREATE TABLE u (doc VARIANT)")
    session.sql(f"COPY INTO u FROM '{tmp_path}/o' FILE_FORMAT = (TYPE = JSON)")
    found = session.sql("SELECT TO_JSON(doc) FROM u ORDER BY 1").fetchall()
    assert found == [("1",), ('{"a":[1,"\\n"]}',)]


@pytest.fixture
def numbers(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql("INSERT INTO t SELECT seq4(), 'text' FROM TABLE(GENERATOR(ROWCOUNT => 1000))")
    return session


def test_the_manifest_and_the_result_tell_of_every_file(numbers: Session, tmp_path: Path) -> None:
    plain = "FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE)"
    result = numbers.sql(f"COPY INTO '{tmp_path}/o' FROM t {plain} MAX_FILE_SIZE = 3000")
    assert result.columns == ("rows_unloaded", "input_bytes", "output_bytes")
    (folder,) = _folders(tmp_path / "o")
    assert folder.name == f"data_{result.statement_id}"
    manifest = json.loads((folder / "_manifest.json").read_text())
    assert manifest["statement_id"] == result.statement_id
    assert manifest["columns"] == [
        {"name": "id", "type": "BIGINT"},
        {"name": "v", "type": "VARCHAR"},
    ]
    listed = {each["name"]: (each["rows"], each["bytes"]) for each in manifest["files"]}
    there = {
        file.name: (len(file.read_text().splitlines()), file.stat().st_size)
        for file in folder.glob("part-*")
    }
    assert listed == there
    assert max(size for _, size in there.values()) <= 3000
    total = sum(size for _, size in there.values())
    assert result.fetchall() == [(1000, total, total)]
    detailed = numbers.sql(
        f"COPY INTO '{tmp_path}/p' FROM (SELECT id FROM t) DETAILED_OUTPUT = TRUE SINGLE = TRUE"
    )
    assert detailed.columns == ("file_name", "file_size", "row_count")
    ((name, size, count),) = detailed.fetchall()
    assert ((tmp_path / "p" / name).stat().st_size, count) == (size, 1000)
    zipped = numbers.sql(f"COPY INTO '{tmp_path}/q' FROM t").fetchall()[0]
    assert zipped[1] == total > zipped[2]


def test_overwrite_replaces_what_earlier_statements_left(numbers: Session, tmp_path: Path) -> None:
    place = tmp_path / "o"
    numbers.sql(f"COPY INTO '{place}' FROM t")
    (place / "mine.txt").write_text("stays")
    numbers.sql(f"COPY INTO '{place}' FROM t")
    assert len(_folders(place)) == 2
    numbers.sql("BEGIN")
    numbers.sql(f"COPY INTO '{place}' FROM (SELECT 1 AS one) OVERWRITE = TRUE")
    assert len(_folders(place)) == 3
    numbers.sql("ROLLBACK")
    assert len(_folders(place)) == 2
    last = numbers.sql(f"COPY INTO '{place}' FROM (SELECT 1 AS one) OVERWRITE = TRUE")
    assert [folder.name for folder in _folders(place)] == [f"data_{last.statement_id}"]
    assert (place / "mine.txt").exists()


def test_a_stream_is_consumed_with_the_files(numbers: Session, tmp_path: Path) -> None:
    place = tmp_path / "o"
    numbers.sql("CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    numbers.sql("BEGIN")
    numbers.sql(f"COPY INTO '{place}' FROM s")
    assert len(_folders(place)) == 1
    numbers.sql("ROLLBACK")
    assert _files(place) == []
    assert numbers.sql("SELECT count(*) FROM s").fetchall() == [(1000,)]
    with pytest.raises(IcemeltError):
        numbers.sql(f"COPY INTO '{place}' FROM (SELECT id / (id - 500) FROM s)")
    plain = "FILE_FORMAT = (TYPE = CSV ESCAPE_UNENCLOSED_FIELD = NONE)"
    with pytest.raises(ValueRefused):
        numbers.sql(f"COPY INTO '{place}' FROM (SELECT id, 'a,b' AS v FROM s) {plain}")
    assert _files(place) == []
    assert numbers.sql("SELECT count(*) FROM s").fetchall() == [(1000,)]
    found = numbers.sql(f"COPY INTO '{place}' FROM (SELECT id FROM s)").fetchall()
    assert found[0][0] == 1000
    assert numbers.sql("SELECT count(*) FROM s").fetchall() == [(0,)]
    numbers.sql("INSERT INTO t VALUES (1, 'x')")
    with numbers.transaction():
        numbers.sql(f"COPY INTO '{place}' FROM (SELECT id FROM s)")
    assert numbers.sql("SELECT count(*) FROM s").fetchall() == [(0,)]
    assert len(_folders(place)) == 2


def test_a_transaction_that_loses_leaves_no_files(lake: Lake, tmp_path: Path) -> None:
    first, second = lake.open(), lake.open()
    first.sql("CREATE TABLE t (id INT)")
    first.sql("INSERT INTO t VALUES (1)")
    first.sql("CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    first.sql("BEGIN")
    first.sql(f"COPY INTO '{tmp_path}/o' FROM s")
    first.sql("UPDATE t SET id = 2")
    second.sql("UPDATE t SET id = 3")
    with pytest.raises(Conflict):
        first.sql("COMMIT")
    assert _files(tmp_path / "o") == []
    assert first.sql("SELECT id FROM s").fetchall() == [(3,)]


def test_of_two_at_once_each_row_is_in_one(lake: Lake, tmp_path: Path) -> None:
    sessions = [lake.open(), lake.open()]
    sessions[0].sql("CREATE TABLE t (id INT)")
    sessions[0].sql("INSERT INTO t VALUES (1), (2), (3)")
    sessions[0].sql("CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    barrier = threading.Barrier(2)

    def copy(session: Session) -> int:
        barrier.wait()
        return int(session.sql(f"COPY INTO '{tmp_path}/o' FROM s").fetchall()[0][0])

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(copy, sessions)) == [0, 3]
    manifests = [json.loads((f / "_manifest.json").read_text()) for f in _folders(tmp_path / "o")]
    assert sorted(manifest["rows"] for manifest in manifests) == [0, 3]


@pytest.mark.turns(8)
@pytest.mark.parametrize(
    ("place", "rest", "error"),
    [
        ("file", "", FileRefused),
        ("file/below", "", FileRefused),
        ("/proc/nowhere", "", FileRefused),
        ("nosuch://bucket/x", "", FileRefused),
        ("o", "FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1)", DefinitionRefused),
        ("o", "FILE_FORMAT = (TYPE = CSV FIELD_DELIMTER = ';')", DefinitionRefused),
        ("o", "FILE_FORMAT = (TYPE = CSV FILE_EXTENSION = 'a/b')", DefinitionRefused),
        ("o", "FILE_FORMAT = (TYPE = JSON FILE_EXTENSION = 'txt')", DefinitionRefused),
        ("o", "FILE_FORMAT = (TYPE = CSV COMPRESSION = LZO)", DefinitionRefused),
        ("o", "FILE_FORMAT = (TYPE = CSV ENCODING = 'ISO-8859-1')", Never),
        ("o", "FILE_FORMAT = (TYPE = ORC)", Never),
        ("o", "SINGLE = TRUE MAX_FILE_SIZE = 10", FileRefused),
        ("o", "MAX_FILE_SIZE = 0", DefinitionRefused),
    ],
)
def test_what_cannot_be_written_is_named(
    numbers: Session, tmp_path: Path, place: str, rest: str, error: type[IcemeltError]
) -> None:
    (tmp_path / "file").write_text("a file")
    numbers.sql("CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    location = place if place.startswith(("/", "nosuch")) else tmp_path / place
    with pytest.raises(error) as refused:
        numbers.sql(f"COPY INTO '{location}' FROM s {rest}")
    assert refused.value.hint
    assert "Exception" not in refused.value.message
    assert _files(tmp_path / "o") == []
    assert numbers.sql("SELECT count(*) FROM s").fetchall() == [(1000,)]


@pytest.mark.parametrize(
    ("query", "rest", "error"),
    [
        ("SELECT 1 AS a, 2 AS a", "HEADER = TRUE", DefinitionRefused),
        ("SELECT 1 AS a, 2 AS A", "FILE_FORMAT = (TYPE = PARQUET)", DefinitionRefused),
        ("SELECT '\\\\N' AS a", f"FILE_FORMAT = ({QUOTED})", ValueRefused),
        ("SELECT '' AS a", "", ValueRefused),
        ("SELECT '\\uFEFFa' AS a, 1 AS b", "", ValueRefused),
        ("SELECT NULL AS a", f"FILE_FORMAT = ({QUOTED} NULL_IF = ())", ValueRefused),
        ("SELECT [TO_BINARY('00')]::ARRAY(BINARY) AS a", "", DefinitionRefused),
    ],
)
def test_values_that_would_not_load_back_are_refused(
    session: Session, tmp_path: Path, query: str, rest: str, error: type[IcemeltError]
) -> None:
    with pytest.raises(error):
        session.sql(f"COPY INTO '{tmp_path}/o' FROM ({query}) {rest}")
    assert _files(tmp_path / "o") == []


@pytest.mark.parametrize("options", ["", "ESCAPE = '!'", "FIELD_DELIMITER = ';'"])
def test_texts_outside_of_quotes_are_escaped_and_load_back(
    session: Session, tmp_path: Path, options: str
) -> None:
    session.sql(
        r"CREATE TABLE written AS SELECT column1 AS id, column2 AS v FROM VALUES "
        r"(1, 'a\nb'), (2, 'x;'), (3, 'x,'), (4, '!'), (5, 'C:\\new'), (6, 'a\r\nb')"
    )
    session.sql("CREATE TABLE loaded LIKE written")
    form = f"FILE_FORMAT = (TYPE = CSV {options})"
    session.sql(f"COPY INTO '{tmp_path}/o/' FROM written {form}")
    session.sql(f"COPY INTO loaded FROM '{tmp_path}/o/' {form} PATTERN = '.*data_.*csv.*'")
    rows = "SELECT * FROM {} ORDER BY id"
    written = session.sql(rows.format("written")).fetchall()
    assert session.sql(rows.format("loaded")).fetchall() == written
    assert len(written) == 6


def test_an_empty_location_is_refused(session: Session) -> None:
    with pytest.raises(FileRefused, match="empty"):
        session.sql("COPY INTO '' FROM (SELECT 1 AS a)")


def _folders(place: Path) -> list[Path]:
    return sorted(place.glob("data_*"))


def _files(place: Path) -> list[Path]:
    return [path for path in place.rglob("*") if path.is_file()]
