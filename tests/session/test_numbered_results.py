"""Results whose rows have next values of a sequence."""

from __future__ import annotations

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
