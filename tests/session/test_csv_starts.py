"""CSV files are read by the end of their own records, and lines are skipped whatever they hold."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from icemelt.session.session import Session

QUOTED = "TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"'"


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, note VARCHAR, tail VARCHAR)")
    return session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    return made


def load(session: Session, path: Path, options: str = QUOTED, rest: str = "") -> list[object]:
    session.sql(f"COPY INTO t FROM '{path}' FILE_FORMAT = ({options}) {rest}")
    return session.sql("SELECT id, note, tail FROM t ORDER BY id").fetchall()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_breaks_inside_quotes_stay_as_they_are(table: Session, folder: Path, end: str) -> None:
    """Also where one stands before the first end of a record, and is another one than that."""
    notes = ["a\r\nb", "a\nb", "a\rb", "\r\n", 'q"\n"q', "x\r"]
    records = [
        '{},"{}",{}'.format(number, note.replace('"', '""'), f'"{note}"' if number == 6 else "z")
        for number, note in enumerate(notes, 1)
    ]
    (folder / "a.csv").write_bytes("".join(record + end for record in records).encode())
    found = load(table, folder)
    assert found == [
        (number, note, note if number == 6 else "z") for number, note in enumerate(notes, 1)
    ]


def test_files_of_several_ends_are_loaded_together(table: Session, folder: Path) -> None:
    (folder / "unix.csv").write_bytes(b'id,note,tail\n1,"a\r\nb",x\n')
    (folder / "windows.csv").write_bytes(b'\xef\xbb\xbfid,note,tail\r\n2,"a\nb",\r\n3,c,""\r\n')
    (folder / "packed.csv.gz").write_bytes(gzip.compress(b'id,note,tail\r\n4,"a\r\nb",end'))
    (folder / "empty.csv").write_bytes(b"")
    wanted = [(1, "a\r\nb", "x"), (2, "a\nb", None), (3, "c", ""), (4, "a\r\nb", "end")]
    assert load(table, folder, f"{QUOTED} SKIP_HEADER = 1") == wanted
    table.sql("TRUNCATE TABLE t")
    by_name = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    assert load(table, folder, f"{QUOTED} PARSE_HEADER = TRUE", by_name) == wanted


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "lines",
    [
        ['"Weekly report (24 screens)', "created, twice", "id,note,tail"],
        ["", "", '"id'],
        ['5" disk', 'a "b" c', '"x","y\\"'],
        ['"one', 'two"', "three"],
    ],
)
def test_lines_are_skipped_whatever_they_hold(
    table: Session, folder: Path, lines: list[str], end: str, mark: str
) -> None:
    text = end.join([*lines, "1,ann,x", f'2,"bob ""b""{end}c",', ""])
    (folder / "a.csv").write_bytes((mark + text).encode())
    (folder / "b.csv.gz").write_bytes(gzip.compress(text.replace("1,ann", "3,cid").encode()))
    wanted = [(1, "ann", "x"), (2, f'bob "b"{end}c', None), (2, f'bob "b"{end}c', None)]
    found = load(table, folder, f"{QUOTED} SKIP_HEADER = 3")
    assert found == [*wanted, (3, "cid", "x")]
    assert load(table, folder, f"{QUOTED} SKIP_HEADER = 3") == found  # known by their names


def test_blank_lines_are_lines_without_quotes_too(table: Session, folder: Path) -> None:
    (folder / "a.csv").write_text("\nid,note,tail\n1,a,b\n")
    assert load(table, folder, "TYPE = CSV SKIP_HEADER = 1", "ON_ERROR = CONTINUE") == [
        (1, "a", "b")
    ]
    table.sql("TRUNCATE TABLE t")
    assert load(table, folder, "TYPE = CSV SKIP_HEADER = 2", "FORCE = TRUE") == [(1, "a", "b")]
    table.sql("TRUNCATE TABLE t")
    assert load(table, folder, f"{QUOTED} SKIP_HEADER = 9", "FORCE = TRUE") == []


@pytest.mark.parametrize("header", ["\x01", "\x1f \t", "\u00a0", "\u2003"])
@pytest.mark.parametrize("options", ["TYPE = CSV", "TYPE = CSV TRIM_SPACE = TRUE", QUOTED])
def test_a_header_of_characters_that_nobody_sees_is_one_line(
    table: Session, folder: Path, header: str, options: str
) -> None:
    """Spark drops a line of control characters, and keeps one of spaces beyond ASCII."""
    (folder / "a.csv").write_text(f"{header}\n1,a,b\n2,c,d\n")
    assert load(table, folder, f"{options} SKIP_HEADER = 1") == [(1, "a", "b"), (2, "c", "d")]


def test_a_refused_row_of_such_a_file_is_counted_under_its_name(
    table: Session, folder: Path
) -> None:
    (folder / "a.csv").write_bytes(b'"report\n1,"a\r\nb",x\nno,b,c\n')
    (row,) = table.sql(
        f"COPY INTO t FROM '{folder}' FILE_FORMAT = ({QUOTED} SKIP_HEADER = 1) ON_ERROR = CONTINUE"
    ).fetchall()
    assert (Path(row[0]).name, row[1:4], row[7]) == ("a.csv", ("PARTIALLY_LOADED", 2, 1), 3)


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("windows-1252", ("WINDOWS1252", "windows-1252", "CP1252")),
        ("utf-16", ("UTF16", "UTF-16")),
        ("shift_jis", ("SHIFTJIS",)),
        ("iso8859-15", ("ISO885915", "ISO-8859-15")),
    ],
)
def test_encodings_have_the_names_of_snowflake(
    table: Session, folder: Path, encoding: str, names: tuple[str, ...]
) -> None:
    word = {"shift_jis": "日本"}.get(encoding, "Müller ½"[: 6 if encoding[0] == "i" else 8])
    (folder / "a.csv").write_bytes(f'"odd\n1,"{word}\n{word}",{word}\n'.encode(encoding))
    for name in names:
        table.sql("TRUNCATE TABLE t")
        options = f"{QUOTED} SKIP_HEADER = 1 ENCODING = '{name}'"
        assert load(table, folder, options, "FORCE = TRUE") == [(1, f"{word}\n{word}", word)]


def test_unloaded_texts_with_line_breaks_come_back(table: Session, folder: Path) -> None:
    table.sql("INSERT INTO t VALUES (1, 'a\\r\\nb', 'c\\rd'), (2, 'e\\nf', '')")
    before = table.sql("SELECT * FROM t ORDER BY id").fetchall()
    table.sql(f"COPY INTO '{folder}/out/' FROM t FILE_FORMAT = ({QUOTED}) HEADER = FALSE")
    table.sql("TRUNCATE TABLE t")
    assert load(table, folder / "out") == before
