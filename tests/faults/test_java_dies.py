"""Java dies under a session: what was published is told as published, the rest as refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conftest import Lake, sqlite_url
from icemelt.catalog.database import system_clock

PROGRAM = """
import json, sys
import sqlalchemy as sa
from pyspark import SparkContext
import icemelt
from icemelt.errors import IcemeltError

def tell(name, work):
    try:
        told = work()
    except IcemeltError as error:
        told = error.code
    print(json.dumps([name, told]), flush=True)

def opened():
    options = {"master": "local[1]", "memory": "1g", "maintain_every": None}
    return icemelt.connect(sys.argv[1], **options)

def kill_java_after_a_publication(session):
    published = []

    def execute(_connection, _cursor, text, *_rest):
        if text.startswith("INSERT INTO icemelt_transactions"):
            published.append(text)

    def checkin(*_connection):
        if published:
            SparkContext._gateway.proc.kill()
            SparkContext._gateway.proc.wait()

    engine = session._core.database.engine
    sa.event.listen(engine, "before_cursor_execute", execute)
    sa.event.listen(engine, "checkin", checkin)

def append(rows, transaction):
    transaction.append(rows.select("id"), "sink")

session = opened()
for statement in (
    "CREATE TABLE t (id INT)", "CREATE TABLE sink (id INT)", "CREATE STREAM s ON TABLE t"
):
    session.sql(statement)
kill_java_after_a_publication(session)
tell("insert", lambda: session.sql("INSERT INTO t VALUES (1)").rowcount)
tell("begin", lambda: session.sql("BEGIN").fetchall())
tell("for each change", lambda: session.for_each_change("s", append))
tell("in transaction", lambda: session.in_transaction)
session.close()
session = opened()
kill_java_after_a_publication(session)
tell("for each change", lambda: session.for_each_change("s", append))
tell("select", lambda: session.sql("SELECT * FROM s").fetchall())
session.close()
"""


@pytest.mark.slow
def test_what_is_published_before_java_dies_is_no_failure(
    spark: SparkSession, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        ["insert", 1],
        ["begin", "spark-died"],
        ["for each change", "spark-died"],
        ["in transaction", False],
        ["for each change", 1],
        ["select", "spark-died"],
    ]
    lake = Lake(spark, sqlite_url(tmp_path), tmp_path, system_clock)
    session = lake.open()
    assert session.sql("SELECT id FROM t").fetchall() == [(1,)]
    assert session.sql("SELECT id FROM sink").fetchall() == [(1,)]
    assert session.sql("SELECT id FROM s").fetchall() == []
    assert session.sql("SHOW TRANSACTIONS").fetchall() == []
    lake.close()
