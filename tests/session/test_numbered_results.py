"""Results whose rows have next values of a sequence."""

from __future__ import annotations

import threading

import pytest

from icemelt import Session
from icemelt.errors import NotYet


def test_rows_that_are_numbered_are_no_data_frame(session: Session) -> None:
    session.execute_script("CREATE SEQUENCE s; CREATE TABLE t (id INT); INSERT INTO t VALUES (1)")
    with session.sql("SELECT s.NEXTVAL AS n FROM t") as numbered:
        with pytest.raises(NotYet, match="computed anew"):
            numbered.to_spark()
        assert numbered.fetchall() == [(1,)]
    # one number is a constant, and other rows have none
    assert session.sql("SELECT s.NEXTVAL AS n").to_spark().collect() == [(2,)]
    assert session.table("t").collect() == [(1,)]


def test_rows_that_nobody_fetches_leave_no_thread(session: Session) -> None:
    session.sql("CREATE SEQUENCE s")
    query = "SELECT s.NEXTVAL AS n FROM TABLE(GENERATOR(ROWCOUNT => 5000))"
    kept = [session.sql(query) for _ in range(3)]
    assert kept[0].head(1)
    assert "icemelt-sequence" not in {thread.name for thread in threading.enumerate()}
    # more rows than numbers were taken for them
    numbers = [n for (n,) in kept[1].fetchall()]
    numbers += kept[2].to_reader().read_all()["n"].to_pylist()
    assert len(set(numbers)) == 10_000
    assert "icemelt-sequence" not in {thread.name for thread in threading.enumerate()}
