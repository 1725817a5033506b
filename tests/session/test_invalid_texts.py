"""Bytes of files that are no character: their row is refused, or U+FFFD stands in their place."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Lake
from icemelt.errors import LoadFailed, ValueRefused
from icemelt.session.session import Session

BY_NAME = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
QUOTED = "TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"'"
TEXTS = {
    "TYPE = CSV": b"1,a\xffb\n2,ok\n",
    QUOTED: b'1,"a\xffb"\n2,ok\n',
    "TYPE = CSV ENCODING = 'WINDOWS1252'": b"1,a\x81b\n2,ok\n",
    "TYPE = CSV ENCODING = 'UTF16LE'": "1,a\udc00b\n2,ok\n".encode("utf-16-le", "surrogatepass"),
    "TYPE = JSON": b'{"id": 1, "name": "a\xffb"}\n{"id": 2, "name": "ok"}\n',
    # documents that take several lines
    "TYPE = JSON STRIP_OUTER_ARRAY = TRUE": (
        b'[\n{"name": "a\xffb", "id":\n1}, {"id": 2, "name": "ok"}]'
    ),
}
REFUSED = "bytes that are no .*, which REPLACE_INVALID_CHARACTERS = TRUE replaces: .*a\ufffdb"


def invalid(*texts: bytes) -> pa.Array:
    """Return texts of bytes that Arrow does not look at."""
    return pa.Array.from_buffers(pa.string(), len(texts), pa.array(texts).buffers())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    return made


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, name VARCHAR)")
    return session


def matching(options: str) -> str:
    return "" if "CSV" in options else BY_NAME


@pytest.mark.parametrize("options", TEXTS)
def test_a_row_with_such_bytes_is_refused(table: Session, folder: Path, options: str) -> None:
    ending = "json" if "JSON" in options else "csv"
    (folder / f"a.{ending}").write_bytes(TEXTS[options])
    copy = f"COPY INTO t FROM '{folder}' FILE_FORMAT = ({options}) {matching(options)}"
    with pytest.raises(LoadFailed, match=REFUSED):
        table.sql(copy)
    assert table.sql("SELECT * FROM t").fetchall() == []
    ((_, status, parsed, loaded, *_),) = table.sql(f"{copy} ON_ERROR = CONTINUE").fetchall()
    assert (status, parsed, loaded) == ("PARTIALLY_LOADED", 2, 1)
    assert table.sql("SELECT * FROM t").fetchall() == [(2, "ok")]


@pytest.mark.parametrize("options", TEXTS)
@pytest.mark.parametrize("name", ["REPLACE_INVALID_CHARACTERS", "IGNORE_UTF8_ERRORS"])
def test_such_bytes_are_replaced(table: Session, folder: Path, options: str, name: str) -> None:
    (folder / "a.csv").write_bytes(TEXTS[options])
    written = f"{options} {name} = TRUE"
    table.sql(f"COPY INTO t FROM '{folder}' FILE_FORMAT = ({written}) {matching(options)}")
    assert table.sql("SELECT * FROM t ORDER BY id").fetchall() == [(1, "a\ufffdb"), (2, "ok")]


def test_texts_of_parquet_files_are_looked_at_where_they_are_read(
    session: Session, folder: Path
) -> None:
    good, bad = invalid(b"\xef\xbf\xbd", b"ok"), invalid(b"ok", b"a\xffb")
    listed = pa.ListArray.from_arrays([0, 1, 2], bad)
    held = pa.StructArray.from_arrays([bad], ["x"])
    keyed = pa.MapArray.from_arrays([0, 1, 2], bad, pa.array([1, 2]))
    columns = {"id": pa.array([1, 2]), "good": good, "listed": listed, "held": held, "keyed": keyed}
    pq.write_table(pa.table(columns), folder / "a.parquet")
    session.sql("""CREATE TABLE t (id INT, good VARCHAR, listed ARRAY(VARCHAR),
        held OBJECT(x VARCHAR), keyed MAP(VARCHAR, INT))""")
    copy = f"COPY INTO t {{}} FROM '{folder}' FILE_FORMAT = (TYPE = PARQUET{{}}) {BY_NAME}"
    # a U+FFFD of the file's own is a character
    session.sql(copy.format("(id, good)", ""))
    assert session.sql("SELECT good FROM t ORDER BY id").fetchall() == [("\ufffd",), ("ok",)]
    session.sql("TRUNCATE TABLE t")
    for column in ("listed", "held", "keyed"):
        with pytest.raises(LoadFailed, match=REFUSED):
            session.sql(copy.format(f"(id, {column})", ""))
    session.sql(copy.format("", " REPLACE_INVALID_CHARACTERS = TRUE"))
    query = "SELECT listed[0], held:x::VARCHAR, MAP_KEYS(keyed)[0]::VARCHAR FROM t WHERE id = 2"
    assert session.sql(query).fetchall() == [("a\ufffdb",) * 3]


@pytest.mark.parametrize("kind", ["CSV", "JSON", "PARQUET"])
def test_queries_of_files_and_external_tables_refuse_them_too(
    session: Session, folder: Path, kind: str
) -> None:
    if kind == "PARQUET":
        pq.write_table(pa.table({"name": invalid(b"a\xffb", b"ok")}), folder / "a.parquet")
    else:
        name = f"a.{kind.lower()}"
        (folder / name).write_bytes(b"a\xffb\nok\n" if kind == "CSV" else TEXTS["TYPE = JSON"])
    path = "value:c1" if kind == "CSV" else "value:name"
    for rest, column in (("", "$1"), ("", "name"), (" REPLACE_INVALID_CHARACTERS = TRUE", "name")):
        session.sql(
            f"CREATE OR REPLACE STAGE s URL = '{folder}' FILE_FORMAT = (TYPE = {kind}{rest})"
        )
        session.sql(f"""CREATE OR REPLACE EXTERNAL TABLE e (name VARCHAR AS ({path}::VARCHAR))
            LOCATION = @s FILE_FORMAT = (TYPE = {kind}{rest})""")
        query = f"SELECT {column} FROM {'@s' if column == '$1' else 'e'} ORDER BY 1"
        if rest:
            assert session.sql(query).fetchall() == [("a\ufffdb",), ("ok",)]
        else:
            with pytest.raises(ValueRefused, match=REFUSED):
                session.sql(query).fetchall()


def test_texts_that_another_engine_has_written_are_told_of(lake: Lake) -> None:
    session = lake.open()
    session.sql("CREATE TABLE t (name VARCHAR)")
    bad = "SELECT CAST(X'61FF62' AS STRING)"
    lake.foreign().sql(f"INSERT INTO icemelt.main.public.t {bad}").collect()
    with pytest.raises(ValueRefused, match="no UTF-8, as another engine has written"):
        session.sql("SELECT name FROM t").fetchall()
    assert session.sql("SELECT HEX_ENCODE(name) FROM t").fetchall() == [("61FF62",)]
