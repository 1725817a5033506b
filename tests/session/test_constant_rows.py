"""INSERT of constants: written without a Spark job, and stored as any other INSERT stores them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from icemelt import Session
from icemelt.errors import IcemeltError

_TYPES = {
    "flag": "BOOLEAN",
    "small": "INT",
    "whole": "BIGINT",
    "exact": "NUMBER(12, 3)",
    "wide": "NUMBER(38, 10)",
    "single": "FLOAT4",
    "real": "DOUBLE",
    "word": "VARCHAR",
    "short": "VARCHAR(3)",
    "bytes": "BINARY",
    "day": "DATE",
    "clock": "TIMESTAMP_NTZ",
    "instant": "TIMESTAMP_LTZ",
}
_NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.integers(-1000, 1000).map(str),
    st.decimals(-(10**9), 10**9, places=6).map(str),
    st.sampled_from(["1e3", "-2.5e-4", "0.5", "1.5", "2147483648", "1e300", "-0.0"]),
)
_TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
    st.sampled_from(
        ["true", "no", " 12 ", "1.25", "-7", "2024-02-29", "1582-10-10", "9999-12-31", "x"]
    ),
    st.sampled_from(["2024-02-29 12:30:45.123456789", "1900-01-01 00:00:00 +01:00", "inf", "NaN"]),
).map(lambda text: "'" + text.replace("\\", "\\\\").replace("'", "''") + "'")
_OTHERS = st.sampled_from(
    [
        *("NULL", "TRUE", "FALSE", "X'00FF'", "X''", "DATE '2024-02-29'", "CURRENT_DATE"),
        *("TIMESTAMP '2024-02-29 12:30:45.123456'", "1 + 1", "UPPER('ab')", "1 / 8"),
        *("'2024-02-29 12:00:00'::TIMESTAMP_LTZ", "LENGTH('abc')", "IFF(TRUE, 1, 'x')"),
    ]
)
_VALUES = st.one_of(_NUMBERS, _TEXTS, _OTHERS)


@dataclass(frozen=True)
class Jobs:
    """The Spark jobs of a block."""

    ids: set[int]


@contextmanager
def noted_jobs(session: Session) -> Iterator[Jobs]:
    """Note the Spark jobs that begin in a block."""
    noted = Jobs(set())
    before = _jobs(session)
    yield noted
    noted.ids.update(_jobs(session) - before)


def _jobs(session: Session) -> set[int]:
    store = session.spark._jsparkSession.sparkContext().statusStore()
    session.spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty()
    jobs = store.jobsList(None)
    return {jobs.apply(index).jobId() for index in range(jobs.size())}


@pytest.fixture
def tables(session: Session) -> Session:
    """Two tables of the same columns, and a table of one row."""
    columns = ", ".join(f"{name} {kind}" for name, kind in _TYPES.items())
    session.execute_script(
        f"CREATE TABLE constants ({columns}); CREATE TABLE others ({columns});"
        "CREATE TABLE one (n INT); INSERT INTO one VALUES (1)"
    )
    return session


def _outcome(session: Session, statement: str) -> tuple[str, str]:
    try:
        return "", str(session.sql(statement).rowcount)
    except IcemeltError as error:
        # of several values that do not fit Spark tells of any
        return error.code, ""


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(row=st.dictionaries(st.sampled_from(list(_TYPES)), _VALUES, min_size=1, max_size=4))
def test_constants_are_stored_as_a_job_stores_them(tables: Session, row: dict[str, str]) -> None:
    names, values = ", ".join(row), ", ".join(row.values())
    constant = _outcome(tables, f"INSERT INTO constants ({names}) VALUES ({values})")
    other = _outcome(tables, f"INSERT INTO others ({names}) SELECT {values} FROM one")
    assert constant == other
    assert _stored(tables, "constants") == _stored(tables, "others")
    tables.execute_script("TRUNCATE TABLE constants; TRUNCATE TABLE others")


def _stored(session: Session, table: str) -> Sequence[tuple[object, ...]]:
    # as Spark reads the files: a double with its bits, texts and bytes as they are
    columns = ", ".join(
        f"HEX_ENCODE({name})" if name in {"word", "short", "bytes"} else f"{name}::VARCHAR"
        for name in _TYPES
    )
    return session.sql(f"SELECT {columns} FROM {table}").fetchall()


def test_constants_need_no_job(tables: Session) -> None:
    first = tables.sql("INSERT INTO constants (small, short) VALUES (1, 'a')")
    with noted_jobs(tables) as inserted:
        counted = tables.sql("INSERT INTO constants (small, short) VALUES (2, 'b'), (3, NULL)")
        assert counted.rowcount == 2
        tables.sql("INSERT INTO constants (small) SELECT 4")
    assert inserted.ids == set()
    rows = tables.sql("SELECT small, short FROM constants ORDER BY small").fetchall()
    assert rows == [(1, "a"), (2, "b"), (3, None), (4, None)]
    changes = tables.sql(
        "SELECT small, METADATA$ACTION FROM constants CHANGES (INFORMATION => DEFAULT) "
        f"AT (STATEMENT => '{first.statement_id}') ORDER BY small"
    )
    assert changes.fetchall() == [(2, "INSERT"), (3, "INSERT"), (4, "INSERT")]


def test_a_query_of_constants_needs_no_job(session: Session) -> None:
    with noted_jobs(session) as selected:
        assert session.sql("SELECT 1 AS one, 'x' || 'y' AS text").fetchall() == [(1, "xy")]
        assert session.sql("SELECT n FROM (VALUES (2), (1)) AS v (n)").fetchall() == [(2,), (1,)]
        assert session.sql("SELECT 1 WHERE FALSE").fetchall() == []
        assert session.sql("SELECT PARSE_JSON('[1]') AS v").fetchall() == [("[1]",)]
    assert selected.ids == set()
    # no constant: Spark's optimizer does not compute it, and the driver might
    session.spark.conf.set("spark.icemelt.driverRuns", "false")
    with noted_jobs(session) as computed:
        session.sql("SELECT UUID_STRING() AS id").fetchall()
    assert computed.ids


@pytest.mark.parametrize(
    "definition",
    [
        "(id INT, v VARIANT)",
        "(id INT, v ARRAY(INT))",
        "(id INT, v INT) PARTITION BY (id)",
        "(id INT, v INT NOT NULL)",
        "(id INT AUTOINCREMENT, v INT)",
    ],
)
def test_what_arrow_does_not_write_is_sparks(session: Session, definition: str) -> None:
    session.sql(f"CREATE TABLE t {definition}")
    value = "ARRAY_CONSTRUCT(1)" if "ARRAY" in definition else "1"
    session.sql(f"INSERT INTO t (v) SELECT {value}")
    assert session.sql("SELECT count(v) FROM t").fetchall() == [(1,)]


def test_null_is_refused_where_a_column_has_none(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT NOT NULL, v INT)")
    with pytest.raises(IcemeltError, match="id"):
        session.sql("INSERT INTO t VALUES (NULL, 1)")
    session.sql("INSERT INTO t VALUES (1, NULL)")
    assert session.sql("SELECT * FROM t").fetchall() == [(1, None)]


def test_constants_of_a_transaction_are_seen_in_it_and_roll_back(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT DEFAULT 7)")
    session.execute_script("BEGIN; INSERT INTO t VALUES (1), (DEFAULT); INSERT INTO t VALUES (2)")
    assert session.sql("SELECT * FROM t ORDER BY id").fetchall() == [(1,), (2,), (7,)]
    session.sql("ROLLBACK")
    assert session.sql("SELECT * FROM t").fetchall() == []
