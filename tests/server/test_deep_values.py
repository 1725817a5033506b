"""A value that is nested deeper than Java's stack reaches: it ends its statement, not Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from server.program import server
from server.test_java_death import Requests

# each of them calls itself for each level, in Java
READERS = ("TO_JSON(v)", "TYPEOF(v)", "v = PARSE_JSON('1')")
NESTED = (
    "REDUCE(ARRAY_GENERATE_RANGE(0, n), PARSE_JSON('1'), (v, i) -> ARRAY_CONSTRUCT(v))::VARIANT"
)


@pytest.mark.slow
def test_a_clients_deep_value_does_not_end_spark(spark: object, tmp_path: Path) -> None:
    with server(tmp_path) as running:
        requests, java = Requests(running), running.java()
        assert requests.sql("CREATE TABLE t AS SELECT 20000 AS n")["status"] == "succeeded"
        for reader in READERS:
            told = requests.sql(f"SELECT {reader} FROM (SELECT {NESTED} AS v FROM t)")
            assert "deep." in told["error"]["message"]
        assert requests.sql("SELECT n FROM t")["status"] == "succeeded"
        assert running.java() == java
