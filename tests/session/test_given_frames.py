"""Rows of pandas and Arrow in transactions, and lists bound to IN."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from icemelt.errors import IcemeltError, QueryError
from icemelt.session.session import Session


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, v VARCHAR DEFAULT 'd', at TIMESTAMP_NTZ, n NUMBER(5, 2))")
    return session


def rows_of(session: Session) -> list[Any]:
    return session.sql("SELECT * FROM t ORDER BY id").fetchall()


_AT = dt.datetime(2024, 5, 1, 9)  # noqa: DTZ001 - a wall clock
_FRAME = pd.DataFrame(
    {"id": [1, 2], "v": ["a", None], "at": [_AT, None], "n": [Decimal("1.5"), None]}
)


@pytest.mark.parametrize(
    "rows",
    [
        _FRAME,
        _FRAME.set_index("id"),
        _FRAME.assign(v=_FRAME["v"].astype("category")),
        pa.Table.from_pandas(_FRAME),
        pa.RecordBatch.from_pandas(_FRAME),
    ],
    ids=["frame", "index", "category", "table", "batch"],
)
def test_frames_of_pandas_and_arrow_are_rows(table: Session, rows: Any) -> None:
    table.sql("ALTER SESSION SET TIMEZONE = 'Asia/Tokyo'")
    wanted = [(1, "a", _AT, Decimal("1.50")), (2, None, None, None)]
    with table.transaction() as tx:
        assert tx.append(rows, "t") == 2
        assert rows_of(table) == wanted
        assert tx.overwrite(rows, "t") == 2
        updated = {"v": "CONCAT(COALESCE(source.v, 'x'), '!')"}
        assert tx.merge(rows, "t", on="id", when_matched=updated) == 2
    with pytest.raises(QueryError):
        tx.append(rows, "t")
    assert [value for _, value, *_ in rows_of(table)] == ["a!", "x!"]


def test_columns_that_a_frame_leaves_out_have_their_defaults(table: Session) -> None:
    with table.transaction() as tx:
        tx.append(pd.DataFrame({"ID": [1]}), "t")
    assert rows_of(table) == [(1, "d", None, None)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": 1}], "found list"),
        (None, "found NoneType"),
        (pd.DataFrame({"id": [1, "a"]}), "several types"),
        (7, "found int"),
        (pa.table({"id": pa.array([None], pa.float16())}), "no type for these rows"),
    ],
    ids=["list", "none", "mixed", "number", "half"],
)
def test_what_is_no_frame_is_told(table: Session, rows: Any, message: str) -> None:
    with table.transaction() as tx:
        for call in (tx.append, tx.overwrite):
            with pytest.raises(QueryError, match=message) as raised:
                call(rows, "t")
            assert "createDataFrame" in raised.value.hint
    assert rows_of(table) == []


def test_a_list_is_what_in_looks_through(table: Session) -> None:
    table.sql("INSERT INTO t (id, v) VALUES (1, 'a'), (2, 'b'), (NULL, NULL)")

    def ids(condition: str, parameters: Any) -> list[Any]:
        rows = table.sql(f"SELECT id FROM t WHERE {condition} ORDER BY id NULLS LAST", parameters)
        return [number for (number,) in rows.fetchall()]

    assert ids("id IN (?)", [[1, 2, 3]]) == [1, 2]
    assert ids("id NOT IN (?)", [[1]]) == [2]
    assert ids("id IN (?)", [[1, None]]) == [1]
    assert ids("id NOT IN (?)", [[1, None]]) == []
    assert ids("id IN (?)", [[]]) == []
    assert ids("id NOT IN (?)", [[]]) == [1, 2, None]
    assert ids("(id, v) IN (:rows)", {"rows": [(1, "a"), (2, "x")]}) == [1]
    assert ids("(id, v) IN (:rows)", {"rows": []}) == []
    assert ids("v IN (?) AND id = ?", [["a", "b"], 2]) == [2]
    assert ids("id IN (?)", [list(range(3_000))]) == [1, 2]
    with pytest.raises(IcemeltError, match="nothing"):
        ids("nothing IN (?)", [[]])
    assert table.sql("DELETE FROM t WHERE id IN (?)", [[2, 5]]).rowcount == 1


@pytest.mark.parametrize("condition", ["id = ?", "id IN (?, 2)", "id > ?"])
def test_a_list_elsewhere_is_no_number(table: Session, condition: str) -> None:
    with pytest.raises(IcemeltError) as raised:
        table.sql(f"SELECT id FROM t WHERE {condition}", [[1, 2]]).fetchall()
    assert "IN (?)" in f"{raised.value.message} {raised.value.hint}"
