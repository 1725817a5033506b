"""SQL over HTTP stays inside the lake and the places that are configured: each way out is tried."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from ingest.reaching import served
from pyspark.sql import SparkSession
from server.test_statements import holder, run
from server.ways_out import OF_TEXTS, attempts

from icemelt.engine.functions import HARMLESS, OWN
from icemelt.engine.start.compatibility import builtin_functions
from icemelt.errors import IcemeltError
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

SECRET = "hunter2"

FUNCTIONS = (
    "reflect('java.lang.System', 'getProperty', 'user.home')",
    "java_method('java.lang.System', 'getProperty', 'user.home')",
    "try_reflect('java.lang.System', 'getProperty', 'user.home')",
    "\"reflect\"('java.lang.System', 'getProperty', 'user.home')",
    "system.builtin.reflect('java.lang.System', 'getProperty', 'user.home')",
    "builtin.reflect('java.lang.System', 'getProperty', 'user.home')",
    "session.reflect('java.lang.System', 'getProperty', 'user.home')",
    "spark_catalog.default.reflect('java.lang.System', 'getProperty', 'user.home')",
    "from_protobuf(TO_BINARY('00', 'HEX'), 'M', '{secret}')",
    "to_protobuf(OBJECT_CONSTRUCT('a', 1), 'M', '{secret}')",
    "from_avro(TO_BINARY('00', 'HEX'), '{{}}')",
    "from_xml('<a/>', 'a INT', map('rowValidationXSDPath', '{secret}'))",
    "schema_of_xml('<a/>', map('rowValidationXSDPath', '{secret}'))",
    "xpath_string('<!DOCTYPE a [<!ENTITY x SYSTEM \"file://{secret}\">]><a>&x;</a>', 'a')",
    "input_file_name()",
    "user()",
    "session_user()",
    "current_catalog()",
    "python_worker_logs()",
)
# where an expression may stand
PLACES = (
    "SELECT {0}",
    "SELECT id FROM t WHERE {0} IS NOT NULL",
    "SELECT count(*) FROM t GROUP BY {0}",
    "SELECT id FROM t ORDER BY {0}",
    "SELECT id FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY {0}) = 1",
    "SELECT id FROM t HAVING max({0}) IS NOT NULL",
    "SELECT TRANSFORM(ARRAY_CONSTRUCT(1), x -> {0})",
    "SELECT * FROM t, LATERAL FLATTEN(INPUT => ARRAY_CONSTRUCT({0}))",
    "INSERT INTO t SELECT 1, {0}",
    "INSERT INTO t VALUES (1, {0})",
    "UPDATE t SET v = {0}",
    "DELETE FROM t WHERE {0} IS NOT NULL",
    "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = {0}",
    "INSERT ALL WHEN {0} IS NOT NULL THEN INTO t SELECT 1, 'a'",
    "CREATE TABLE u AS SELECT {0} AS c",
    "CREATE VIEW w AS SELECT {0} AS c",
    "CREATE TABLE u (c VARCHAR DEFAULT {0})",
    "ALTER TABLE t ADD COLUMN c VARCHAR DEFAULT {0}",
    "COPY INTO t FROM (SELECT 1, {0} FROM '{place}')",
    "COPY INTO '{place}' FROM (SELECT {0} AS c)",
    "EXPLAIN SELECT {0}",
    "SELECT * FROM t AT (TIMESTAMP => {0})",
)
STATEMENTS = (
    'SELECT * FROM parquet."{secret}"',
    "SELECT * FROM parquet.`{secret}`",
    'SELECT * FROM text."{secret}"',
    'SELECT * FROM csv."file://{secret}"',
    'SELECT * FROM "{secret}"',
    'SELECT * FROM binaryFile."{secret}"',
    "SELECT * FROM '{secret}'",
    "SELECT * FROM read_files('{secret}')",
    "SELECT * FROM TABLE(range(1))",
    "SELECT * FROM spark_catalog.default.t",
    "SELECT * FROM t.files",
    "SELECT * FROM t.all_data_files",
    "COPY INTO t FROM '{secret}'",
    "COPY INTO t FROM 'file://{secret}'",
    "COPY INTO t FROM 'FILE://{secret}'",
    "COPY INTO t FROM '{place}/../secret.txt'",
    "COPY INTO t FROM '{place}/link.txt'",
    "COPY INTO t FROM '{place}/out/'",
    "COPY INTO t FROM '{place}/*/../../secret.txt'",
    "COPY INTO t FROM '{place}' FILES = ('../secret.txt')",
    "COPY INTO t FROM '{place}/' PATTERN = '.*[.]txt'",
    "COPY INTO t FROM '{place}x/other.csv'",
    "COPY INTO t FROM 's3a://bucket/key'",
    "COPY INTO t FROM 'hdfs://host/key'",
    "COPY INTO t FROM 'http://host/key'",
    "COPY INTO t FROM '{secret}' PURGE = TRUE",
    "COPY INTO '{place}/../out' FROM t",
    "COPY INTO '{place}/out' FROM t",
    "COPY INTO 'file://{place}x' FROM t",
    "COPY INTO 's3a://bucket/key' FROM t",
    "SET spark.sql.ansi.enabled = false",
    "ALTER SESSION SET \"spark.sql.ansi.enabled\" = 'false'",
    "RESET spark.sql.ansi.enabled",
    "ADD JAR '{secret}'",
    "ADD FILE '{secret}'",
    "LIST FILES",
    "CREATE FUNCTION f AS 'java.lang.System' USING JAR '{secret}'",
    "CREATE TEMPORARY FUNCTION f AS 'java.lang.System'",
    "CALL system.remove_orphan_files('t')",
    "CREATE TABLE u (a INT) USING parquet LOCATION '{secret}'",
    "CREATE TABLE u USING text OPTIONS (path '{secret}')",
    "CREATE EXTERNAL TABLE u (a INT) LOCATION = '{secret}'",
    "CREATE CATALOG c",
    "CREATE TEMPORARY VIEW u USING csv OPTIONS (path '{secret}')",
    "INSERT OVERWRITE DIRECTORY '{place}/../out' SELECT 1",
    "LOAD DATA INPATH '{secret}' INTO TABLE t",
    "SELECT TRANSFORM(id) USING 'cat {secret}' FROM t",
    "DESCRIBE FUNCTION EXTENDED reflect",
    *OF_TEXTS,
    "CACHE TABLE t",
    "REFRESH '{secret}'",
    "PUT file://{secret} @stage",
    "!cat {secret}",
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder that may be read, beside what must not be."""
    (tmp_path / "secret.txt").write_text(f"1,{SECRET}\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "inside.csv").write_text(f"1,{SECRET}\n")
    (tmp_path / "placex").mkdir()
    (tmp_path / "placex" / "other.csv").write_text(f"1,{SECRET}\n")
    place = tmp_path / "place"
    place.mkdir()
    (place / "good.csv").write_text("1,good\n")
    (place / "link.txt").symlink_to(tmp_path / "secret.txt")
    (place / "out").symlink_to(tmp_path / "out")
    return place


@pytest.fixture
def client(session: Session, place: Path) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(served(session, locations=(str(place),)))
        yield stack.enter_context(holder(session, url))


def test_no_statement_leads_out_of_the_lake(
    session: Session, client: httpx.Client, place: Path
) -> None:
    before = listing(place.parent)
    for template in STATEMENTS:
        text = template.format(secret=place.parent / "secret.txt", place=place)
        told = run(client, text)
        assert told["status"] == "failed", (text, told)
        assert told["error"]["code"] != "internal", (text, told)
        assert SECRET not in str(told), text
    assert listing(place.parent) == before
    assert session.sql("SELECT * FROM t").fetchall() == [(1, "a")]
    assert run(client, f"COPY INTO t FROM '{place}/good.csv'")["status"] == "succeeded"
    assert run(client, f"COPY INTO '{place}/made' FROM t")["status"] == "succeeded"


@pytest.mark.turns(8)
def test_no_text_of_a_guest_gets_out_of_its_quotes(session: Session, place: Path) -> None:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    before, tried = listing(place.parent), 0
    with open_guest(session, "ann", (str(place),)) as guest:
        for text in attempts(str(place.parent / "secret.txt"), str(place)):
            tried += 1
            with pytest.raises(IcemeltError) as told:
                guest.sql(text).fetchall()
            assert told.value.code != "internal", text
            for secret in (SECRET, "uid=", "/root", socket.gethostname()):
                assert secret not in told.value.message, text
    assert tried > 300
    assert listing(place.parent) == before
    assert session.sql("SELECT * FROM t").fetchall() == [(1, "a")]
    names = {name for row in session.sql("SHOW TABLES").fetchall() for name in row}
    assert not names & {"u", "w"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_leads_out_of_the_lake(
    session: Session, client: httpx.Client, place: Path, function: str
) -> None:
    call = function.format(secret=place.parent / "secret.txt")
    told = run(client, f"SELECT {call}")
    assert told["status"] == "failed", told
    assert SECRET not in str(told)


def test_no_place_of_a_statement_lets_such_a_function_in(
    session: Session, client: httpx.Client, place: Path
) -> None:
    before = listing(place.parent)
    call = FUNCTIONS[0]
    for template in PLACES:
        text = template.format(call, place=place / "good.csv")
        told = run(client, text)
        assert told["status"] == "failed", (text, told)
        assert "/root" not in str(told)
    assert listing(place.parent) == before
    assert session.sql("SELECT * FROM t").fetchall() == [(1, "a")]


def test_a_view_of_somebody_else_calls_no_such_function(
    session: Session, client: httpx.Client
) -> None:
    session.sql(f"CREATE VIEW home AS SELECT {FUNCTIONS[0]} AS h")
    assert run(client, "SELECT * FROM home")["error"]["code"] == "function-not-found"


def test_harmless_functions_are_spark_s_and_stay_with_the_host(
    spark: SparkSession, session: Session
) -> None:
    assert builtin_functions(spark) >= HARMLESS - OWN
    with open_guest(session, "ann", ()) as guest:
        assert guest.sql("SELECT soundex('Miller')").fetchall() == [("M460",)]
    assert session.sql("SELECT reflect('java.lang.Math', 'abs', 1)").fetchall()


def listing(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))
