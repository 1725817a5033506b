"""Tables of long texts that take little on disk are read and written in little memory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from server.program import server
from server.test_java_death import Requests, made

_SHORT = "INSERT INTO wide SELECT 'x' || SEQ8(), -1 FROM TABLE(GENERATOR(ROWCOUNT => 40000))"
_LONG = "INSERT INTO wide SELECT {}, SEQ8() FROM TABLE(GENERATOR(ROWCOUNT => 1500))"
_EQUAL = "REPEAT('abcdefghij', 200000)"
_TEXTS = {
    "equal": _EQUAL,
    "different at the end": f"{_EQUAL} || SEQ8()",
    "some equal": f"{_EQUAL} || IFF(SEQ8() % 3 = 0, '', SEQ8()::VARCHAR)",
    "random": "REPEAT(UUID_STRING(), 55000)",
}
_CHANGES = (
    "SELECT max(length(v)), count(*) FROM wide CHANGES (INFORMATION => {}) AT (STATEMENT => '{}')"
)
_MERGE = """MERGE INTO wide t
USING (SELECT SEQ8() * 5 AS id FROM TABLE(GENERATOR(ROWCOUNT => 100))) q
ON t.id = q.id WHEN MATCHED THEN UPDATE SET v = t.v || '!'
WHEN NOT MATCHED THEN INSERT (v, id) VALUES ('new', q.id)"""
_SECONDS = 600


@pytest.mark.torture
@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
def test_texts_of_two_megabytes_are_worked_on_in_a_gigabyte(
    spark: object, tmp_path: Path, text: str
) -> None:
    made(tmp_path)
    with server(tmp_path, SPARK_DRIVER_MEMORY="1g") as running:
        requests, java = Requests(running), running.java()
        for statement in (
            "CREATE TABLE wide (v VARCHAR, id INT)",
            "CREATE TABLE copy (v VARCHAR, id INT)",
            "CREATE STREAM s ON TABLE wide",
        ):
            run(requests, statement)
        start = run(requests, _SHORT)["statement_id"]
        run(requests, _LONG.format(text))
        for statement in (
            "SELECT max(length(v)), count(*) FROM wide",
            _CHANGES.format("DEFAULT", start),
            "INSERT INTO copy SELECT v, id FROM s",
            "DELETE FROM wide WHERE v LIKE '%ghij7' OR id = 8",
            "UPDATE wide SET id = id + 10000 WHERE id % 10 = 3",
            _MERGE,
            _CHANGES.format("APPEND_ONLY", start),
            _CHANGES.format("DEFAULT", start),
            "OPTIMIZE wide",
            "SELECT max(length(v)), count(*) FROM wide",
            "DELETE FROM wide WHERE length(v) > 1000",
        ):
            run(requests, statement)
            assert running.java() == java, statement


@pytest.mark.torture
def test_more_changed_rows_than_fit_are_an_error(spark: object, tmp_path: Path) -> None:
    made(tmp_path)
    with server(tmp_path, SPARK_DRIVER_MEMORY="1g") as running:
        requests, java = Requests(running), running.java()
        run(requests, "CREATE TABLE wide (v VARCHAR, id INT)")
        run(requests, _LONG.format(_TEXTS["random"]))
        run(requests, "CREATE TABLE copy (v VARCHAR, id INT)")
        run(requests, "CREATE STREAM s ON TABLE wide")
        run(requests, "UPDATE wide SET id = id + 10000 WHERE id % 5 = 3")
        told = wait(requests, "INSERT INTO copy SELECT v, id FROM s")
        assert told["status"] == "failed"
        assert "memory to build hash relation" in told["error"]["message"]
        assert running.java() == java
        # nothing was consumed
        assert run(requests, "SELECT SYSTEM$STREAM_HAS_DATA('s')")["data"] == [[True]]


def run(requests: Requests, statement: str) -> dict[str, Any]:
    """Return what is told of a statement that has ended well."""
    told = wait(requests, statement)
    assert told.get("status") == "succeeded", (statement, told)
    return told


def wait(requests: Requests, statement: str) -> dict[str, Any]:
    """Return what is told of a statement that has ended."""
    told, since = requests.sql(statement), time.monotonic()
    while told.get("status") == "running" and time.monotonic() - since < _SECONDS:
        path = f"/v1/statements/{told['statement_id']}"
        told = requests.client.get(path, params={"wait_seconds": 60}).json()
    return told
