"""A cast that fails in an expression over the records of files names the file and the line."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from icemelt.errors import ValueRefused
from icemelt.session.session import Session

TOO_LONG = r"A text is longer than VARCHAR\(1\): '22'"


@pytest.fixture
def staged(session: Session, tmp_path: Path) -> Session:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text("head\n1\n\n3\n")
    (folder / "b.csv").write_text("head\n4\n22\n22\n")
    session.sql(f"CREATE STAGE s URL = '{folder}' FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1)")
    session.sql("CREATE TABLE t (c VARCHAR)")
    return session


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("VALUE:c1::VARCHAR(1)", TOO_LONG),
        ("UPPER(VALUE:c1::VARCHAR(1)) || 'x'", TOO_LONG),
        # the CASE does not reach the cast of 3, which would fail, too
        (
            "CASE WHEN VALUE:c1 = '22' THEN (VALUE:c1 || 'x')::INT END",
            "The text '22x' is no number",
        ),
    ],
)
def test_a_column_of_an_external_table_names_the_line(
    staged: Session, expression: str, said: str
) -> None:
    staged.sql(
        f"CREATE EXTERNAL TABLE e (c VARCHAR AS ({expression})) LOCATION = @s"
        " FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1)"
    )
    with pytest.raises(ValueRefused) as refused:
        staged.sql("SELECT c FROM e").fetchall()
    refused.match(rf"^File 'b\.csv' has a record that is refused: {said}.*, in line 3\.")
    assert "SKIP_FILE" in refused.value.hint
    # an error that the statement makes of other columns is left as it is
    with pytest.raises(ValueRefused, match=f"^{TOO_LONG}"):
        staged.sql("SELECT '22'::VARCHAR(1), value FROM e").fetchall()


@pytest.mark.parametrize("on_error", ["ABORT_STATEMENT", "CONTINUE"])
def test_the_query_of_copy_into_names_the_line(
    staged: Session, tmp_path: Path, on_error: str
) -> None:
    file = tmp_path / "in" / "b.csv"
    with pytest.raises(ValueRefused, match=f"^File '{file}', line 3: {TOO_LONG}"):
        staged.sql(f"COPY INTO t FROM (SELECT $1::VARCHAR(1) FROM @s) ON_ERROR = {on_error}")
    assert staged.sql("SELECT c FROM t").fetchall() == []


def test_a_pipe_keeps_the_line_in_the_history(staged: Session) -> None:
    staged.sql("CREATE PIPE p AS COPY INTO t FROM (SELECT $1::VARCHAR(1) FROM @s)")
    told = {Path(row[0]).name: row[1:7] for row in staged.sql("ALTER PIPE p REFRESH").fetchall()}
    assert told["a.csv"][0] == "LOADED"
    assert told["b.csv"][0] == "LOAD_FAILED"
    assert "line 3: A text is longer than VARCHAR(1): '22'" in str(told["b.csv"])


def test_a_record_of_parquet_has_a_number(session: Session, tmp_path: Path) -> None:
    pq.write_table(pa.table({"c": ["1", "2", "22"]}), tmp_path / "a.parquet")
    session.sql(f"CREATE STAGE s URL = '{tmp_path}' FILE_FORMAT = (TYPE = PARQUET)")
    session.sql(
        "CREATE EXTERNAL TABLE e (c VARCHAR AS (VALUE:c::VARCHAR(1))) LOCATION = @s"
        " PATTERN = 'a[.]parquet' FILE_FORMAT = (TYPE = PARQUET)"
    )
    with pytest.raises(ValueRefused, match=rf"^File 'a\.parquet' .*{TOO_LONG}, in record 3\."):
        session.sql("SELECT c FROM e").fetchall()
