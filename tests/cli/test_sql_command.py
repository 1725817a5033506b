"""`icemelt sql` with statements given: what comes out, where, and with which exit code."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner, Result

from icemelt.cli.main import app

NUMBERS = "(SELECT SEQ8() AS n FROM TABLE(GENERATOR(ROWCOUNT => 3000000)))"
LONG = f"SELECT SUM(a.n * b.n % 7) AS s FROM {NUMBERS} a CROSS JOIN {NUMBERS} b"

Sql = Callable[..., Result]


@pytest.fixture
def sql(spark: SparkSession, tmp_path: Path) -> Sql:
    """Run `icemelt sql` on a lake of the test's own, in the Spark that runs already."""

    def run(*arguments: str, stdin: str = "") -> Result:
        command = ["sql", str(tmp_path / "lake"), *arguments]
        return CliRunner().invoke(app, command, input=stdin, env={"COLUMNS": "40"})

    return run


def test_statements_of_the_command_line(sql: Sql, tmp_path: Path) -> None:
    ended = sql(
        "-c",
        "CREATE TABLE t (id INT, name VARCHAR); INSERT INTO t VALUES (1, 'a'), (2, NULL);",
        "-c",
        "SELECT * FROM t ORDER BY id",
    )

    assert ended.exit_code == 0, ended.output
    assert ended.stdout.endswith(" id | name\n----+------\n  1 | a\n  2 | NULL\n")
    assert "2 rows inserted." in ended.stdout
    assert ended.stderr == f"Made a new lake: {tmp_path}/lake\n"


def test_json_has_an_object_per_row(sql: Sql) -> None:
    text = "SELECT 1 AS n, 1.50::NUMBER(5,2) AS d, NULL AS e, 'é' AS s, DATE '2024-02-29' AS t"
    ended = sql("-c", text, "--format", "json")

    assert ended.exit_code == 0, ended.output
    assert json.loads(ended.stdout) == {"n": 1, "d": "1.50", "e": None, "s": "é", "t": "2024-02-29"}


def test_csv_is_never_cut_off(sql: Sql) -> None:
    text = "SELECT SEQ4() AS id, REPEAT('x', 500) AS x FROM TABLE(GENERATOR(ROWCOUNT => 1500))"
    ended = sql("--format", "csv", "-c", text)
    lines = list(csv.reader(io.StringIO(ended.stdout)))

    assert ended.exit_code == 0, ended.output
    assert lines[0] == ["id", "x"]
    assert len(lines) == 1501
    assert {len(line[1]) for line in lines[1:]} == {500}


def test_a_script_stops_at_its_first_error_and_names_the_line(sql: Sql, tmp_path: Path) -> None:
    script = tmp_path / "load.sql"
    script.write_text(
        "SELECT 'one' AS a;\n-- a comment\n\nSELECT *\n  FROM nowhere;\nSELECT 'two';"
    )
    ended = sql("-f", str(script))

    assert ended.exit_code == 1
    assert "one" in ended.stdout
    assert "two" not in ended.stdout
    assert f"{script}:" in ended.stderr
    assert "Error: Table 'main.public.nowhere' does not exist." in ended.stderr
    assert "Hint: " in ended.stderr
    assert "java" not in ended.stderr.lower()


def test_a_string_without_end_names_its_line(sql: Sql) -> None:
    ended = sql(stdin="SELECT 1;\nSELECT 'no end")

    assert ended.exit_code == 1
    assert "standard input:" in ended.stderr


def test_standard_input_is_a_script(sql: Sql) -> None:
    for arguments in ([], ["-f", "-"]):
        ended = sql(*arguments, "--format", "csv", stdin="SELECT 1 AS a; SELECT 2 AS b;")
        assert (ended.exit_code, ended.stdout) == (0, "a\n1\nb\n2\n")


def test_starts_in_a_database_and_schema(sql: Sql) -> None:
    sql("-c", "CREATE DATABASE sales; CREATE SCHEMA sales.raw;")
    text = "SELECT CURRENT_DATABASE() || '.' || CURRENT_SCHEMA() AS place"
    ended = sql("--database", "sales", "--schema", "raw", "--format", "csv", "-c", text)

    assert ended.stdout.lower() == "place\nsales.raw\n"
    assert sql("--schema", "nowhere", "-c", "SELECT 1").exit_code == 1


def test_times_are_said_apart_from_the_output(sql: Sql) -> None:
    ended = sql("--timing", "--format", "csv", "-c", "SELECT 1 AS a")

    assert ended.stdout == "a\n1\n"
    assert ended.stderr.splitlines()[-1].endswith(" s")


def test_a_place_that_cannot_be_a_lake(sql: Sql, tmp_path: Path) -> None:
    (tmp_path / "lake").write_text("a file")
    ended = sql("-c", "SELECT 1")

    assert ended.exit_code == 1
    assert "Error: " in ended.stderr


def test_control_c_cancels_and_ends_with_130(sql: Sql, tmp_path: Path) -> None:
    sql("-c", "SELECT 1")
    press = threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    ended = sql("-c", LONG)
    press.cancel()

    assert ended.exit_code == 130
    assert "Error: The statement was cancelled." in ended.stderr
    assert sql("-c", "SELECT 1").exit_code == 0
