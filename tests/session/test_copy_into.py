"""COPY INTO loads each file once, whole or by ON_ERROR's choice."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from icemelt.errors import DefinitionRefused, IcemeltError, LoadFailed, NotYet, QueryError
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import ErrorTolerated, Event, PublishAttempted
from icemelt.session.session import Session

CSV = "FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1 FIELD_OPTIONALLY_ENCLOSED_BY = '\"')"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in [1] %20#é+"
    made.mkdir()
    (made / "a.csv").write_text("id,v,day\n1,x,2024-01-01\n2.5,\\N,\n")
    (made / "b{1}.csv").write_text('id,v,day\n3,"q,""\nq",2024-02-01\n')
    (made / "_hidden.csv").write_text("id\nnot to be read\n")
    return made


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT NOT NULL, v VARCHAR(5), day DATE)")
    return session


def copy(session: Session, path: Path, rest: str = CSV) -> list[tuple[object, ...]]:
    """Return file name, status, rows parsed, rows loaded, errors seen, first error and line."""
    found = session.sql(f"COPY INTO t FROM '{path}' {rest}").fetchall()
    return [(Path(str(row[0])).name, *row[1:4], row[5], *row[6:8]) for row in found]


def rows(session: Session) -> list[tuple[object, ...]]:
    return session.sql("SELECT id, v, CAST(day AS VARCHAR) FROM t ORDER BY id, v").fetchall()


def test_files_are_loaded_once(table: Session, folder: Path) -> None:
    assert copy(table, folder) == [
        ("a.csv", "LOADED", 2, 2, 0, None, None),
        ("b{1}.csv", "LOADED", 1, 1, 0, None, None),
    ]
    assert rows(table) == [(1, "x", "2024-01-01"), (3, 'q,"\nq', "2024-02-01"), (3, None, None)]
    again = copy(table, folder)
    assert {row[1] for row in again} == {"LOAD_SKIPPED"}
    last = table.sql("DESC HISTORY t").fetchall()[0]
    assert (*last[2:4], last[5], last[7]) == (3, *_bytes(table), "COPY", 3)
    (folder / "a.csv").write_text("id,v,day\n9,changed,\n8,new,\n")
    assert copy(table, folder, f"{CSV} ON_ERROR = CONTINUE")[0][1:4] == ("PARTIALLY_LOADED", 2, 1)
    assert copy(table, folder, f"{CSV} FILES = ('b{{1}}.csv') FORCE = TRUE")[0][1] == "LOADED"


def test_a_column_that_takes_no_values_of_a_type_is_named(table: Session, folder: Path) -> None:
    table.sql(f"CREATE STAGE days URL = '{folder}' FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1)")
    with pytest.raises(DefinitionRefused, match=r"Column 'id' of .* is BIGINT, and takes no DATE"):
        table.sql("COPY INTO t FROM (SELECT $3::DATE, $2, $3::DATE FROM @days)")
    table.sql(
        f"COPY INTO '{folder}/typed/' FROM (SELECT 1 AS id, TRUE AS day)"
        " FILE_FORMAT = (TYPE = PARQUET)"
    )
    with pytest.raises(DefinitionRefused, match=r"Column .day. of .* is DATE, and takes no BOOL"):
        copy(
            table,
            folder / "typed",
            "FILE_FORMAT = (TYPE = PARQUET) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        )
    assert rows(table) == []


def test_truncate_forgets_loaded_files(table: Session, folder: Path) -> None:
    copy(table, folder)
    for kept in ("DELETE FROM t", "INSERT OVERWRITE INTO t SELECT * FROM t WHERE FALSE"):
        table.sql(kept)
        assert {row[1] for row in copy(table, folder)} == {"LOAD_SKIPPED"}
    table.sql("TRUNCATE TABLE t")
    assert {row[1] for row in copy(table, folder)} == {"LOADED"}
    assert len(rows(table)) == 3


def _bytes(session: Session) -> tuple[object]:
    return (session.sql("DESC HISTORY t LIMIT 1").fetchall()[0][3],)


BROKEN = "id,v,day\n1,a,\n2,b,x\nx,c,\n,d,\n5,toolong,\n6,e\n7,f,,\n8,g,\n"


def test_a_refused_row_stops_the_statement(table: Session, folder: Path) -> None:
    (folder / "c.csv").write_text(BROKEN)
    with pytest.raises(LoadFailed) as refused:
        copy(table, folder)
    assert "line 3: Column 'day' expects DATE, found 'x'" in refused.value.message
    assert "6 of 11 rows" in refused.value.message
    assert rows(table) == []
    assert copy(table, folder / "a.csv")[0][1] == "LOADED"


def test_refused_rows_are_counted_and_left_out(table: Session, folder: Path) -> None:
    (folder / "c.csv").write_text(BROKEN)
    first = "Column 'day' expects DATE, found 'x'"
    assert copy(table, folder, f"{CSV} ON_ERROR = CONTINUE PATTERN = '[ac][.]csv'") == [
        ("a.csv", "LOADED", 2, 2, 0, None, None),
        ("c.csv", "PARTIALLY_LOADED", 8, 2, 6, first, 3),
    ]
    assert [row[0] for row in rows(table)] == [1, 1, 3, 8]


def test_files_with_refused_rows_are_skipped(table: Session, folder: Path) -> None:
    (folder / "c.csv").write_text(BROKEN)
    chosen = "PATTERN = '[ac][.]csv'"
    assert [row[1:4] for row in copy(table, folder, f"{CSV} ON_ERROR = SKIP_FILE {chosen}")] == [
        ("LOADED", 2, 2),
        ("LOAD_FAILED", 8, 0),
    ]
    again = copy(table, folder, f"{CSV} ON_ERROR = 'SKIP_FILE_90%' {chosen}")
    assert [row[1:4] for row in again] == [("LOAD_SKIPPED", 0, 0), ("PARTIALLY_LOADED", 8, 2)]


def test_lines_are_counted_across_the_pieces_of_a_file(table: Session, tmp_path: Path) -> None:
    lines = [f"{number},v," for number in range(1, 301)]
    lines[276] = "bad,v,"
    (tmp_path / "long.csv").write_text("id,v,day\n" + "\n".join(lines))
    table.spark.conf.set("spark.sql.files.maxPartitionBytes", "1000")
    skipping = "FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1) ON_ERROR = CONTINUE"
    refused = "Column 'id' expects BIGINT, found 'bad'"
    assert copy(table, tmp_path / "long.csv", skipping) == [
        ("long.csv", "PARTIALLY_LOADED", 300, 299, 1, refused, 278)
    ]


def test_columns_formats_and_headers_of_several_lines(session: Session, tmp_path: Path) -> None:
    session.sql(
        "CREATE TABLE t (id INT, at TIMESTAMP_NTZ, day DATE, doc VARIANT, list ARRAY(INT),"
        " rest VARCHAR DEFAULT 'dflt')"
    )
    (tmp_path / "f.psv").write_text(
        'junk\njunk\n1|31/03/2024 02:30|5/3/2024|{"a": 1}|[1,2]\nNULL||||\n'
    )
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berlin'")
    session.sql(
        f"COPY INTO t (id, at, day, doc, list) FROM '{tmp_path}/f.psv' FILE_FORMAT = (TYPE = CSV"
        " SKIP_HEADER = 2 FIELD_DELIMITER = '|' NULL_IF = ('NULL', '-')"
        " DATE_FORMAT = 'DD/MM/YYYY' TIMESTAMP_FORMAT = 'DD/MM/YYYY HH24:MI')"
    )
    query = "SELECT id, CAST(at AS VARCHAR), CAST(day AS VARCHAR), doc:a::INT, list, rest FROM t"
    assert sorted(session.sql(query).fetchall(), key=lambda row: row[0] is None) == [
        (1, "2024-03-31 02:30:00.000", "2024-03-05", 1, [1, 2], "dflt"),
        (None, None, None, None, None, "dflt"),
    ]


def test_a_compressed_file_is_matched_by_its_header(table: Session, tmp_path: Path) -> None:
    with gzip.open(tmp_path / "h.csv.gz", "wt") as file:
        file.write("V,other,ID\na,x,1\n,x,2\n")
    copy(
        table,
        tmp_path / "h.csv.gz",
        "FILE_FORMAT = (TYPE = CSV PARSE_HEADER = TRUE) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
    )
    assert rows(table) == [(1, "a", None), (2, None, None)]


def test_json_fills_a_variant_or_columns_by_name(session: Session, tmp_path: Path) -> None:
    (tmp_path / "j.json").write_text(
        '{"ID": 1, "v": "a", "day": "2024-01-01"}\n\n{"id": 2} {"id": 3}\n'
        '{"id": "x"}\n{"id": 4.5}\n'
    )
    session.sql("CREATE TABLE t (id INT NOT NULL, v VARCHAR, day DATE)")
    by_name = "FILE_FORMAT = (TYPE = JSON) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    loaded = copy(session, tmp_path / "j.json", f"{by_name} ON_ERROR = CONTINUE")
    assert loaded[0][1:5] == ("PARTIALLY_LOADED", 5, 4, 1)
    assert rows(session) == [
        (1, "a", "2024-01-01"),
        (2, None, None),
        (3, None, None),
        (5, None, None),
    ]
    with pytest.raises(DefinitionRefused, match="MATCH_BY_COLUMN_NAME"):
        copy(session, tmp_path / "j.json", "FILE_FORMAT = (TYPE = JSON) FORCE = TRUE")
    (tmp_path / "array.json").write_text('[{"id": 1,\n "x": null},\n {"id": 2}]')
    session.sql("CREATE TABLE docs (doc VARIANT)")
    session.sql(
        f"COPY INTO docs FROM '{tmp_path}/array.json'"
        " FILE_FORMAT = (TYPE = JSON STRIP_OUTER_ARRAY = TRUE)"
    )
    assert sorted(session.sql("SELECT doc:id::INT FROM docs").fetchall()) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"id": 1,\n "x": [2]}\n', [(1,)]),
        ("{}", [(None,)]),
        ('[{"id": 1}]', [(1,)]),
        ('[{"id": 1}] [{"id": 2},\n{"id": 3\n}]{"id": 4}', [(1,), (2,), (3,), (4,)]),
        ('{"id": 1}\n{"id": 2}\n', [(1,), (2,)]),
        ("[]", []),
        ("[\n]\n", []),
        ('{"id": 1}, {"id": 2}', [(1,), (2,)]),
        ('[{"id": 1}], [{"id": 2}]', [(1,), (2,)]),
        ('[{"id": 1}', None),
        ('[{"id": 1} {"id": 2}]', None),
        ('[{"id": 1},]', None),
        ('{"id": ', None),
    ],
)
def test_one_object_needs_no_outer_array(
    session: Session, tmp_path: Path, text: str, found: list[tuple[int | None]] | None
) -> None:
    (tmp_path / "a.json").write_text(text)
    session.sql("CREATE TABLE docs (doc VARIANT)")
    load = f"COPY INTO docs FROM '{tmp_path}/a.json' FILE_FORMAT = (TYPE = JSON"
    if found is None:
        with pytest.raises(LoadFailed, match=r"a\.json"):
            session.sql(f"{load} STRIP_OUTER_ARRAY = TRUE)")
        return
    session.sql(f"{load} STRIP_OUTER_ARRAY = TRUE)")
    assert session.sql("SELECT doc:id::INT FROM docs ORDER BY 1").fetchall() == found


def test_headers_in_another_order_are_matched_by_name(table: Session, tmp_path: Path) -> None:
    files = tmp_path / "in"
    files.mkdir()
    (files / "a.csv").write_text("id,v,day\n1,a,2024-01-01\n")
    (files / "b.csv").write_text('\n"v","ID"\n"b,\nc",2\n')
    (files / "c.csv").write_text("day,other,id\n2024-01-03,x,3\n")
    (files / "d.csv").write_text("")
    (files / "e.csv").write_text("id,v,day\n4,d,2024-01-04\n5,e\n")
    options = "FILE_FORMAT = (TYPE = CSV PARSE_HEADER = TRUE FIELD_OPTIONALLY_ENCLOSED_BY = '\"')"
    options += " MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = CONTINUE"
    loaded = copy(table, files, options)
    assert [row[2:4] for row in loaded] == [(1, 1), (1, 1), (1, 1), (0, 0), (2, 1)]
    assert rows(table) == [
        (1, "a", "2024-01-01"),
        (2, "b,\nc", None),
        (3, None, "2024-01-03"),
        (4, "d", "2024-01-04"),
    ]


@pytest.mark.parametrize(
    ("header", "matching", "said"),
    [
        ("id,v,ID", "CASE_INSENSITIVE", "both 'id' and 'ID'"),
        ("id,v,id", "CASE_INSENSITIVE", "'id' twice"),
        ("id,v,id", "CASE_SENSITIVE", "'id' twice"),
    ],
)
def test_a_name_twice_in_a_header_is_refused(
    table: Session, tmp_path: Path, header: str, matching: str, said: str
) -> None:
    (tmp_path / "a.csv").write_text("v,id\na,1\n")
    (tmp_path / "b.csv").write_text(f"{header}\n1,a,2\n")
    options = f"FILE_FORMAT = (TYPE = CSV PARSE_HEADER = TRUE) MATCH_BY_COLUMN_NAME = {matching}"
    with pytest.raises(LoadFailed, match=rf"b\.csv' has {said}") as refused:
        copy(table, tmp_path, f"{options} PATTERN = '.*[.]csv'")
    assert refused.value.hint
    assert rows(table) == []


def test_names_that_differ_in_case_are_two_columns(table: Session, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ID,v,id\n7,a,1\n")
    options = "FILE_FORMAT = (TYPE = CSV PARSE_HEADER = TRUE) MATCH_BY_COLUMN_NAME = CASE_SENSITIVE"
    copy(table, tmp_path / "a.csv", options)
    assert rows(table) == [(1, "a", None)]


@pytest.mark.parametrize(
    "statement",
    [
        "COPY INTO t FROM @mine FILE_FORMAT = (TYPE = PARQUET)",
        "COPY INTO t FROM (SELECT $1:id FROM @mine (FILE_FORMAT => 'p'))",
        "SELECT $1 FROM @mine (FILE_FORMAT => 'p')",
        "SELECT * FROM TABLE(INFER_SCHEMA(LOCATION => '@mine', FILE_FORMAT => 'p'))",
    ],
)
def test_a_text_read_as_parquet_is_named(session: Session, tmp_path: Path, statement: str) -> None:
    session.sql(f"CREATE STAGE mine URL = '{tmp_path}/in'")
    session.sql("CREATE FILE FORMAT p TYPE = PARQUET")
    session.sql("CREATE TABLE t (id INT)")
    session.spark.sql("SELECT 1L AS id").coalesce(1).write.parquet(str(tmp_path / "in" / "p"))
    (tmp_path / "in" / "z.csv").write_text("1\n2\n")
    with pytest.raises(LoadFailed, match=r"z\.csv' is no Parquet file") as refused:
        session.sql(statement).fetchall()
    assert refused.value.hint


def test_parquet_files_of_several_schemas_are_matched_by_name(
    table: Session, tmp_path: Path
) -> None:
    spark = table.spark
    spark.sql("SELECT 1L AS ID, 'a' AS v").write.parquet(str(tmp_path / "p" / "1"))
    spark.sql("SELECT DATE '2024-01-01' AS day, 2 AS id").write.parquet(str(tmp_path / "p" / "2"))
    loaded = copy(table, tmp_path / "p", "FILE_FORMAT = (TYPE = PARQUET)")
    assert [row[1:4] for row in loaded] == [("LOADED", 1, 1), ("LOADED", 1, 1)]
    assert rows(table) == [(1, "a", None), (2, None, "2024-01-01")]


@pytest.mark.parametrize(
    ("path", "rest", "error"),
    [
        ("nowhere", "", LoadFailed),
        ("a.csv", "FILES = ('nowhere.csv')", LoadFailed),
        ("nosuch://bucket/x", "", LoadFailed),
        ("", "FILES = ('_hidden.csv')", LoadFailed),
        ("", "PATTERN = '('", QueryError),
        ("", "FILE_FORMAT = (TYPE = CSV SKIP_HEDER = 1)", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV ENCODING = 'rot13')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV ENCODING = 'idna')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV ENCODING = 'hex')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV ENCODING = '')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV RECORD_DELIMITER = '')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV RECORD_DELIMITER = 'ab')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '😀')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV ESCAPE = '😀')", DefinitionRefused),
        ("", "FILE_FORMAT = (TYPE = CSV COMPRESSION = GZIP)", NotYet),
        ("", "ON_ERROR = SOMETIMES", IcemeltError),
        ("", "MATCH_BY_COLUMN_NAME = CASE_SENSITIVE", DefinitionRefused),
        ("a.csv", "FILE_FORMAT = (TYPE = PARQUET)", LoadFailed),
    ],
)
def test_what_cannot_be_loaded_is_named(
    table: Session, folder: Path, path: str, rest: str, error: type[IcemeltError]
) -> None:
    with pytest.raises(error) as refused:
        table.sql(f"COPY INTO t FROM '{path if '://' in path else folder / path}' {rest}")
    assert refused.value.hint
    assert rows(table) == []


def test_no_matching_file_is_no_error(table: Session, folder: Path) -> None:
    found = table.sql(f"COPY INTO t FROM '{folder}' PATTERN = 'nothing' {CSV}").fetchall()
    assert found == [("Copy executed with 0 files processed.",)]


def test_loaded_files_are_purged(table: Session, folder: Path) -> None:
    copy(table, folder, f"{CSV} PURGE = TRUE FILES = ('a.csv')")
    assert not (folder / "a.csv").exists()
    assert (folder / "b{1}.csv").exists()


def test_files_are_purged_when_their_rows_are_published(table: Session, folder: Path) -> None:
    for end, is_kept in (("ROLLBACK", True), ("COMMIT", False)):
        table.sql("BEGIN")
        copy(table, folder, f"{CSV} PURGE = TRUE FILES = ('a.csv')")
        assert (folder / "a.csv").exists()
        table.sql(end)
        assert (folder / "a.csv").exists() is is_kept


@pytest.mark.parametrize("in_transaction", [False, True])
def test_a_file_that_was_written_again_is_not_purged(
    table: Session, folder: Path, *, in_transaction: bool
) -> None:
    path, told, statement = folder / "a.csv", list[Event](), f"{CSV} PURGE = TRUE"

    def write_again(_event: Event) -> None:
        path.write_text("id,v,day\n9,new,\n")

    unsubscribe = [subscribe(told.append, ErrorTolerated), subscribe(write_again, PublishAttempted)]
    if in_transaction:
        table.sql("BEGIN")
    result = table.sql(f"COPY INTO t FROM '{folder}' {statement}")
    if in_transaction:
        table.sql("COMMIT")
    else:
        assert result.notice == (
            "PURGE has left 1 file that was written again after it was loaded, as "
            f"{str(path)!r}: COPY INTO loads it anew."
        )
    for end in unsubscribe:
        end()
    assert {file.name for file in folder.iterdir()} == {"a.csv", "_hidden.csv"}
    assert [event.details["message"] for event in told] == [
        f"File {str(path)!r} was written again after it was loaded."
    ]
    assert copy(table, folder, statement)[0][:2] == ("a.csv", "LOADED")
    assert (9, "new", None) in rows(table)
    assert not path.exists()
