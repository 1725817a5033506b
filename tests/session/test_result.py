"""A result is fetched row by row, in parts, or whole, and shows itself without running anything."""

from __future__ import annotations

import re
import sys
from typing import Any

import pyarrow as pa
import pytest

from icemelt.errors import PackageMissing, QueryError, ValueRefused
from icemelt.session.session import Session

NUMBERS = "SELECT n FROM (VALUES (1), (2), (3), (4), (5)) AS v (n) ORDER BY n"
ALL = [(1,), (2,), (3,), (4,), (5,)]


def test_rows_are_fetched_one_after_the_other_to_the_end(session: Session) -> None:
    result = session.sql(NUMBERS)
    found = []
    while (row := result.fetchone()) is not None:
        found.append(row)
    assert found == ALL
    assert (result.fetchone(), result.fetchmany(3)) == (None, [])


def test_parts_go_on_from_one_another(session: Session) -> None:
    result = session.sql(NUMBERS)
    assert result.fetchmany() == [(1,)]
    assert result.fetchmany(2) == [(2,), (3,)]
    assert result.fetchone() == (4,)
    assert (result.fetchmany(0), result.fetchmany(9), result.fetchmany(9)) == ([], [(5,)], [])


def test_all_rows_are_there_whatever_was_fetched_before(session: Session) -> None:
    result = session.sql(NUMBERS)
    assert (result.head(2), result.fetchone()) == ([(1,), (2,)], (1,))
    assert (result.fetchall(), list(result), list(result)) == (ALL, ALL, ALL)
    assert (result.fetchone(), result.to_arrow().num_rows) == ((2,), 5)


def test_rows_of_show_and_of_what_statements_say_are_fetched_alike(session: Session) -> None:
    session.sql("CREATE TABLE a (n INT)")
    session.sql("CREATE TABLE b (n INT)")
    shown = session.sql("SHOW TERSE TABLES")
    assert [shown.fetchone(), shown.fetchone(), shown.fetchone()] == [*shown.fetchall(), None]


def test_a_result_describes_itself_without_running(session: Session) -> None:
    failing = session.sql("SELECT raise_error('it ran') AS a, 1::BIGINT AS b")
    assert repr(failing) == f"<Result (a, b) of statement {failing.statement_id!r}>"
    assert failing.description[1] == ("b", "BIGINT", None, None, None, None, None)
    assert [each[:2] for each in session.sql("SHOW TABLES").description][1][0] == "name"


@pytest.mark.parametrize(
    ("query", "parameters", "rows"),
    [
        ("SELECT ARRAY_CONSTRUCT()", None, [([],)]),
        ("SELECT [] AS a, 1 AS a", None, [([], 1)]),
        ("SELECT [[]]", None, [([[]],)]),
        ("SELECT [NULL]", None, [([None],)]),
        ("SELECT [] WHERE FALSE", None, []),
        ("SELECT ?", [[]], [([],)]),
        ("SELECT ?", [[[], [None]]], [([[], [None]],)]),
        ("SELECT :a", {"a": []}, [([],)]),
    ],
)
def test_arrays_without_a_type(
    session: Session, query: str, parameters: Any, rows: list[tuple[Any, ...]]
) -> None:
    result = session.sql(query, parameters)
    assert result.fetchall() == rows
    table = session.sql(query, parameters).to_arrow()
    assert isinstance(table, pa.Table)
    assert table.num_rows == len(rows)
    assert len(session.sql(query, parameters).to_pandas()) == len(rows)


# fails where more of its rows are computed than are shown, in whatever part
LONG = (
    "SELECT UUID_STRING() AS u, "
    "IFF(MOD(SEQ8(), 1000) = 999, RAISE_ERROR('to its end')::INT, 1) AS n "
    "FROM TABLE(GENERATOR(ROWCOUNT => 100000))"
)
ALL_TYPES = (
    "SELECT 1::BIGINT AS i, 1.50::NUMBER(38, 2) AS d, 0.5::DOUBLE AS f, TRUE AS b, 'x' AS t, "
    "DATE '2024-01-01' AS day, '2024-01-01 01:02:03'::TIMESTAMP_NTZ AS ntz, "
    "'2024-01-01 01:02:03'::TIMESTAMP_LTZ AS ltz, X'01' AS bin, [1, NULL] AS list, "
    "MAP('a', 1) AS map, PARSE_JSON('{\"a\":1}') AS v, NULL AS nothing"
)
FAR = "SELECT DATE '9999-12-31' + 400 AS day, 1 AS n"


def jobs(session: Session) -> int:
    """Return how many jobs Spark has begun."""
    return int(session.spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def test_parts_have_the_size_that_the_result_was_given(session: Session) -> None:
    with session.sql(NUMBERS) as result:
        result.arraysize = 2
        assert (result.fetchmany(), result.rownumber) == ([(1,), (2,)], 2)
        assert (result.fetchmany(1), result.fetchmany()) == ([(3,)], [(4,), (5,)])
        assert (result.fetchmany(), result.rownumber) == ([], 5)


def test_pyarrow_takes_a_result_as_a_table_and_as_a_stream(session: Session) -> None:
    result = session.sql(f"SELECT UUID_STRING() AS u, n FROM ({NUMBERS})")
    table = pa.table(result)
    assert table.column("n").to_pylist() == [1, 2, 3, 4, 5]
    # the query runs once, whoever reads it
    before = jobs(session)
    assert pa.RecordBatchReader.from_stream(result).read_all() == table == result.to_arrow()
    wide = pa.schema([("u", pa.large_string()), ("n", pa.int64())])
    stream = pa.RecordBatchReader.from_stream(result, schema=wide)
    assert stream.read_all().schema.types == wide.types
    assert (result.to_reader().read_all(), jobs(session)) == (table, before)
    assert pa.table(session.sql("SHOW DATABASES")).num_rows == 1
    assert pa.table(session.sql("SELECT 1 AS a, 2 AS a")).column_names == ["a", "a"]
    assert pa.table(session.sql(f"SELECT * FROM ({NUMBERS}) WHERE n > 9")).num_rows == 0


def test_batches_are_computed_as_they_are_read(session: Session) -> None:
    ten = "FROM TABLE(GENERATOR(ROWCOUNT => 10))"
    good = f"SELECT UUID_STRING() AS u, 1 AS n {ten}"
    bad = f"SELECT 'a', RAISE_ERROR('to its end')::INT {ten}"
    result = session.sql(f"{good} UNION ALL {good} UNION ALL {bad}")
    reader = result.to_reader()
    first = reader.read_next_batch()
    assert first.schema.names == ["u", "n"]
    assert session.history(1)[0].status == "succeeded"
    with pytest.raises(QueryError, match="to its end"):
        reader.read_all()
    assert session.history(1)[0].status == "failed"
    # the rows are not kept: they are computed each time
    before = jobs(session)
    assert result.to_reader().read_next_batch().num_rows == first.num_rows
    assert jobs(session) > before


def test_batches_are_the_rows_of_the_table(session: Session) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berlin'")
    several = " UNION ALL ".join(f"{ALL_TYPES}, {n} AS n, {n} AS n" for n in range(5))
    result = session.sql(several)
    table = pa.Table.from_batches(result.to_reader(), result.to_reader().schema)
    assert table.column_names == list(result.columns)
    whole = result.to_arrow()
    assert table.to_pylist() == whole.to_pylist()
    assert table.column("ltz").type == whole.column("ltz").type
    assert result.to_reader().read_all() == whole
    assert session.sql("SHOW TABLES").to_reader().read_all().num_rows == 0
    nothing = session.sql("SELECT 1 AS one WHERE FALSE").to_reader()
    assert (nothing.schema.names, nothing.read_all().num_rows) == (["one"], 0)


def test_polars_takes_a_result(session: Session) -> None:
    polars = pytest.importorskip("polars")
    result = session.sql(NUMBERS)
    assert result.to_polars().rows() == polars.DataFrame(result).rows() == ALL
    assert polars.from_arrow(result.to_arrow()).rows() == ALL
    assert polars.scan_arrow_c_stream(session.sql(NUMBERS).to_reader()).collect().rows() == ALL
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Berlin'")
    frame = session.sql(ALL_TYPES).to_polars()
    [row] = frame.rows(named=True)
    assert (row["ltz"].isoformat(), row["v"]) == ("2024-01-01T01:02:03+01:00", '{"a":1}')
    assert session.sql("SELECT 1 AS a, 2 AS a").to_polars().columns == ["a", "a_2"]
    assert session.sql("SHOW TABLES").to_polars().height == 0
    assert session.sql(FAR).to_polars().height == 1


def test_duckdb_takes_a_result(session: Session) -> None:
    duckdb = pytest.importorskip("duckdb")
    result = session.sql(NUMBERS)
    assert duckdb.sql("SELECT sum(n) FROM result").fetchall() == [(15,)]
    reader = session.sql(NUMBERS).to_reader()
    assert duckdb.from_arrow(reader).sum("n").fetchall() == [(15,)]
    assert result.fetchall() == ALL


def test_polars_that_is_not_there_is_asked_for(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(PackageMissing, match="'polars'") as refused:
        session.sql(NUMBERS).to_polars()
    assert refused.value.hint == "pip install 'icemelt[polars]'"


def test_a_notebook_shows_the_first_rows_and_computes_no_others(session: Session) -> None:
    result = session.sql(LONG)
    shown = result._repr_html_()
    assert shown.count("<tr>") == 21
    assert "<p>the first 20 rows</p>" in shown
    before = jobs(session)
    assert result._repr_html_() == shown
    assert result.head(1)[0][0] in shown
    assert jobs(session) == before
    assert session.history(1)[0].status == "succeeded"
    with pytest.raises(QueryError, match="to its end"):
        result.fetchall()


def test_a_notebook_says_how_many_rows_there_are(session: Session) -> None:
    result = session.sql("SELECT UUID_STRING() AS u FROM TABLE(GENERATOR(ROWCOUNT => 21))")
    assert "<p>the first 20 rows</p>" in result._repr_html_()
    result.to_arrow()
    assert "<p>the first 20 of 21 rows</p>" in result._repr_html_()
    few = session.sql("SELECT UUID_STRING() AS u FROM TABLE(GENERATOR(ROWCOUNT => 2))")
    shown = few._repr_html_()
    assert "<p>2 rows</p>" in shown
    # what was shown whole is not run again
    before = jobs(session)
    assert all(row[0] in shown for row in few.fetchall())
    assert jobs(session) == before
    assert "<p>0 rows</p>" in session.sql("SHOW TABLES")._repr_html_()


def test_no_value_and_no_name_is_markup_in_a_notebook(session: Session) -> None:
    bad = '<script>alert("1")</script>&\''
    result = session.sql(
        'SELECT :bad AS "<img src=x onerror=alert(1)>", [:bad] AS a, '
        "OBJECT_CONSTRUCT(:bad, :bad) AS o, NULL AS nothing, 'NULL' AS word, 12.50 AS \"d$\"",
        bad=bad,
    )
    result.notice = "<b>done</b>"
    shown = result._repr_html_()
    assert re.findall(r"<(?!/?(?:div|table|thead|tbody|tr|th|td|span|em|p)\b)", shown) == []
    assert "onerror=alert(1)&gt;" in shown
    assert "&lt;b&gt;done&lt;/b&gt;" in shown
    # NULL is no word, and numbers stand to the right
    assert (shown.count(">NULL</em>"), shown.count(">NULL</span>")) == (1, 1)
    assert 'right"><span style="white-space: pre-wrap">12.50<' in shown
    assert shown.count("text-align: right") == 2
    # between two dollars nothing is mathematics: METADATA$ACTION, METADATA$ISUPDATE
    assert shown.startswith('<div class="tex2jax_ignore mathjax_ignore">')


def test_show_prints_what_the_shell_does(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    session.sql("SELECT 1 AS id, 'a' AS name UNION ALL SELECT 20, NULL ORDER BY id").show()
    assert capsys.readouterr().out.splitlines() == [
        "╭────┬──────╮",
        "│ id │ name │",
        "├────┼──────┤",
        "│  1 │ a    │",
        "│ 20 │ NULL │",
        "╰────┴──────╯",
        "2 rows",
    ]


def test_show_puts_the_columns_of_a_wide_row_one_below_the_other(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ", ".join(f"{n} AS c{n}" for n in range(30))
    session.sql(f"SELECT {columns}").show()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("── row 1 ─")
    assert [line.split() for line in lines[1:4]] == [["c0", "0"], ["c1", "1"], ["c2", "2"]]
    assert (len(lines), lines[-1]) == (32, "1 row")


def test_show_computes_what_it_shows(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.sql(LONG).show(3)
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[-1]) == (8, "the first 3 rows")
    session.sql("CREATE TABLE t (n INT)")
    session.sql("EXPLAIN SELECT * FROM t").show(1)
    plan = capsys.readouterr().out.splitlines()
    assert len(plan) > 1
    assert not any("│" in line for line in plan)


@pytest.mark.parametrize("take", ["fetchall", "fetchone", "head", "to_pandas", "show"])
def test_a_date_that_python_does_not_have_is_told_of(session: Session, take: str) -> None:
    result = session.sql(FAR)
    with pytest.raises(ValueRefused, match=r"Column 'day'.* 1 to 9999") as refused:
        getattr(result, take)(*([1] if take == "head" else []))
    assert refused.value.sqlstate == "22008"
    assert session.history(1)[0].status == "failed"
    assert result.to_arrow().column("day").cast(pa.string()).to_pylist() == ["10001-02-03"]


def test_a_result_that_was_fetched_is_a_data_frame_of_its_rows(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v VARIANT)")
    before = session.sql("INSERT INTO t SELECT 1, PARSE_JSON('[1]')").statement_id
    session.sql("UPDATE t SET v = PARSE_JSON('[2]')")
    changes = session.sql(f"SELECT id, v, [v] AS a FROM t CHANGES AT (STATEMENT => '{before}')")
    types = changes.to_spark().dtypes
    assert len(changes.fetchall()) == 2
    frame = changes.to_spark()
    assert frame.dtypes == types
    found = frame.selectExpr("id", "to_json(v)", "to_json(a)").collect()
    assert sorted(map(tuple, found)) == [(1, "[1]", "[[1]]"), (1, "[2]", "[[2]]")]


def test_rows_of_show_are_a_data_frame_with_their_types(session: Session) -> None:
    assert session.sql("SHOW STREAMS").to_spark().count() == 0
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    history = session.sql("DESC HISTORY t").to_spark()
    counts = [row.rows_inserted for row in history.orderBy("version").collect()]
    assert counts == [None, 1]
