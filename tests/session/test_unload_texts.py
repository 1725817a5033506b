"""Each text that COPY INTO a location writes as CSV is read back, whatever ends a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from icemelt.session.session import Session

SIGNS = ("", "a", " ", ",", ";", "\\n", "\\r", '"', "!", "\\t", "\\uFEFF", "\\u0000")
ENDINGS = ("\\n", "\\r\\n", "\\r", ";", "a")
QUOTED = "TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"' COMPRESSION = NONE"


@pytest.fixture
def texts(session: Session) -> Session:
    """Return a session with a table of all texts of up to three signs, and a NULL."""
    signs = ", ".join(f"('{sign}')" for sign in SIGNS)
    session.sql(f"CREATE TABLE signs AS SELECT * FROM (VALUES {signs}) AS v (sign)")
    session.sql(
        "CREATE TABLE t AS SELECT v, ROW_NUMBER() OVER (ORDER BY HEX(v)) AS n, v AS w FROM"
        " (SELECT DISTINCT a.sign || b.sign || c.sign AS v FROM signs AS a, signs AS b, signs AS c"
        " UNION ALL SELECT NULL)"
    )
    return session


@pytest.mark.turns(4)
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("escape", ["", " ESCAPE = '!'"])
@pytest.mark.parametrize("header", [0, 1])
def test_a_text_is_read_back_as_it_was_written(
    texts: Session, tmp_path: Path, ending: str, escape: str, header: int
) -> None:
    written = f"{QUOTED} RECORD_DELIMITER = '{ending}'{escape} EMPTY_FIELD_AS_NULL = FALSE"
    texts.sql(f"CREATE FILE FORMAT f {written} SKIP_HEADER = {header}")
    texts.sql(f"CREATE STAGE s URL = '{tmp_path}/o'")
    unloading = written.replace(" EMPTY_FIELD_AS_NULL = FALSE", "")
    texts.sql(f"COPY INTO @s FROM t FILE_FORMAT = ({unloading}) HEADER = {header == 1}")
    texts.sql("CREATE TABLE loaded (v VARCHAR, n INT, w VARCHAR)")
    texts.sql("COPY INTO loaded FROM @s FILE_FORMAT = (FORMAT_NAME = f)")
    texts.sql(
        "CREATE EXTERNAL TABLE e (v VARCHAR AS (VALUE:c1::VARCHAR), n INT AS (VALUE:c2::INT),"
        " w VARCHAR AS (VALUE:c3::VARCHAR)) LOCATION = @s FILE_FORMAT = (FORMAT_NAME = f)"
    )
    expected = texts.sql("SELECT v, n, w FROM t ORDER BY n").fetchall()
    assert len(expected) > len(SIGNS) ** 2
    for query in (
        "SELECT v, n, w FROM loaded",
        "SELECT v, n, w FROM e",
        "SELECT $1, $2::INT AS n, $3 FROM @s (FILE_FORMAT => 'f')",
    ):
        assert texts.sql(f"{query} ORDER BY n").fetchall() == expected, query


def test_a_byte_order_mark_in_a_text_is_not_the_files(session: Session, tmp_path: Path) -> None:
    session.sql(f"COPY INTO '{tmp_path}/o' FROM (SELECT '\\uFEFFa' AS v) FILE_FORMAT = ({QUOTED})")
    session.sql("CREATE TABLE t (v VARCHAR)")
    session.sql(f"COPY INTO t FROM '{tmp_path}/o' FILE_FORMAT = ({QUOTED})")
    assert session.sql("SELECT v FROM t").fetchall() == [("\ufeffa",)]
