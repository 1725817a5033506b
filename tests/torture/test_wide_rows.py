"""A table of long texts that take little on disk is compacted by a Java with little memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from server.program import server
from server.test_java_death import Requests, made


@pytest.mark.torture
def test_texts_of_two_megabytes_are_compacted_in_a_gigabyte(spark: object, tmp_path: Path) -> None:
    made(tmp_path)
    with server(tmp_path, SPARK_DRIVER_MEMORY="1g") as running:
        requests, java = Requests(running), running.java()
        assert requests.sql("CREATE TABLE wide (v VARCHAR)")["error"] is None
        rows = "FROM TABLE(GENERATOR(ROWCOUNT => {}))"
        # files of few rows are read row by row anyway
        short = f"SELECT 'x' || SEQ8() {rows}"
        long = f"SELECT REPEAT('abcdefghij', 200000) || SEQ8() {rows}"
        for query in (short.format(40_000), short.format(40_000), long.format(1_500)):
            assert requests.sql(f"INSERT INTO wide {query}")["error"] is None
        told = requests.sql("OPTIMIZE wide")
        assert told["error"] is None, told
        assert running.java() == java
