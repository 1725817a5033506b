"""The law of CSV files in streams: a file without an odd row has the rows of its lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from icemelt.engine.resources import StatementResources
from icemelt.schema import Column, Primitive
from icemelt.session import Session
from icemelt.session.files.raw_rows import FilledColumns
from icemelt.session.files.read_options import ReadOptions, read_options
from icemelt.session.files.scans import scan_files
from icemelt.session.files.source_files import SourceFile, spark_name
from icemelt.spark_sql.loading import FILE
from icemelt.sql.statements import FileFormat

_PIECES = [b"a", b"1", b" ", b"\t", b",", b",", b"\n", b"\n", b"\r\n", b"\r", b"\0", b'"', b"\\N"]
_PIECES += [b"\\", b"#", b"\xc3\xbc", b"\xff", b"\xef\xbb\xbf", b"\x01", b"x,y\n", b"x,y\r\n"]
_FILES = st.lists(st.lists(st.sampled_from(_PIECES), max_size=14).map(b"".join), max_size=25)
_ODD = [
    *(b"a,b\n\nc,d\n", b"a,b\r\nc,d\ne,f\r\n", b"a,b\nc,d\r\n", b"a\rb,c\n", b"  \na,b\n", b"a,b"),
    *(b"\xef\xbb\xbfa,b\n", b"\0a,b\nc,d\0\n", b"a,\0b\n", b"\na,b\n", b"a,b\n  ", b"\r\r\n", b""),
    *(b" \r\na,b\r\n", b"a,b\r", b"a,b\rc,d\n", b"\n\r\na,b", b'"a\n",b\n', b"a\xff,b\n", b"\t\n"),
]
_OPTIONS = [
    {},
    {"SKIP_HEADER": "1"},
    {"ERROR_ON_COLUMN_COUNT_MISMATCH": "false"},
    {"NULL_IF": "('')", "EMPTY_FIELD_AS_NULL": "false"},
    {"RECORD_DELIMITER": "\r\n"},
    {"NULL_IF": "('a', 'x')"},
    {"FIELD_OPTIONALLY_ENCLOSED_BY": '"', "MULTI_LINE": "false", "SKIP_HEADER": "1"},
    {"FIELD_OPTIONALLY_ENCLOSED_BY": '"', "MULTI_LINE": "false", "ESCAPE": "\\"},
]
_COLUMNS = tuple(Column(name, Primitive("string")) for name in ("a", "b"))


@settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(files=_FILES, written=st.sampled_from(_OPTIONS), count=st.integers(1, 2))
@example(files=_ODD, written=_OPTIONS[0], count=2)
@example(files=_ODD, written=_OPTIONS[0], count=1)
@example(files=_ODD, written=_OPTIONS[1], count=2)
@example(files=_ODD, written=_OPTIONS[2], count=2)
@example(files=_ODD, written=_OPTIONS[2], count=1)
def test_rows_of_a_stream_are_those_of_lines(
    session: Session, tmp_path: Path, files: list[bytes], written: dict[str, str], count: int
) -> None:
    sources = []
    for number, content in enumerate(files):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(content)
        sources.append(SourceFile(str(path), len(content), 0))
    options = read_options(FileFormat.CSV, written)
    by_line, refused = _read(session, options, sources, count, in_stream=False)
    streamed, odd = _read(session, options, sources, count, in_stream=True)
    names = {spark_name(source): content for source, content in zip(sources, files, strict=True)}
    assert names.keys() >= by_line.keys()
    for name in names.keys() - odd:
        assert streamed.get(name) == by_line.get(name), names[name]
        assert name not in refused


def _read(
    session: Session,
    options: ReadOptions,
    sources: list[SourceFile],
    count: int,
    *,
    in_stream: bool,
) -> tuple[dict[str, Counter[Any]], set[str]]:
    """Return the rows of each file, and the files with a row that is refused."""
    rows: dict[str, Counter[Any]] = {}
    refused: set[str] = set()
    if not sources:
        return rows, refused
    filled, asked = FilledColumns("t", _COLUMNS[:count]), replace(options, in_stream=in_stream)
    names = [f"c{number}" for number in range(count)]
    resources = StatementResources(session._core.iceberg)
    try:
        (scan,) = scan_files(session._core, filled, asked, sources, resources)
        is_refused = f"({scan.broken}) IS NOT NULL AS refused"
        read = scan.frame.selectExpr(FILE, is_refused, *names).collect()
    finally:
        resources.release()
    for row in read:
        rows.setdefault(row[FILE], Counter())[tuple(row[name] for name in names)] += 1
        refused |= {row[FILE]} if row["refused"] else set()
    return rows, refused


def test_copy_into_reads_odd_rows_by_line(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_bytes(b"a,b\nc,d\r\n  \ne,f\rg,h\n")
    session.sql("CREATE TABLE t (x VARCHAR, y VARCHAR)")
    ((_, status, *_rest),) = session.sql(f"COPY INTO t FROM '{path}'").fetchall()
    assert status == "LOADED"
    rows = session.sql("SELECT x, y FROM t ORDER BY x").fetchall()
    assert rows == [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]


def test_copy_into_loads_what_comes_after_an_open_quote_in_a_header(
    session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "open.csv"
    path.write_bytes(b'id,"na\n1,x\n2,y\n')
    session.sql("CREATE TABLE t (a VARCHAR, b VARCHAR)")
    session.sql(
        f"COPY INTO t FROM '{path}' FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1 MULTI_LINE = FALSE "
        "FIELD_OPTIONALLY_ENCLOSED_BY = '\"')"
    )
    assert session.sql("SELECT * FROM t ORDER BY a").fetchall() == [("1", "x"), ("2", "y")]
