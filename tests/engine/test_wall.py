"""The wall before Spark: what Spark's parser makes of a text decides, not how it was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import ParseException

from icemelt.engine.plan_outline import open_outliner
from icemelt.engine.wall import Wall
from icemelt.errors import FunctionNotFound, IcemeltError, Never
from icemelt.session.hosting import open_guest
from icemelt.session.runtime.spark_sql import run_sql, select, where
from icemelt.session.session import Session

PATH_TABLE = "text.`/etc/hostname`"
REFUSED = (
    "SELECT transform(id) USING 'id -un' AS (who STRING) FROM range(1)",
    f"SELECT value FROM {PATH_TABLE}",
    f"SELECT (SELECT max(value) FROM {PATH_TABLE})",
    f"SELECT 1 WHERE EXISTS (SELECT 1 FROM {PATH_TABLE})",
    f"SELECT 1 IN (SELECT value FROM {PATH_TABLE})",
    f"WITH a AS (SELECT * FROM {PATH_TABLE}) SELECT * FROM a",
    f"SELECT * FROM (WITH a AS (SELECT * FROM {PATH_TABLE}) SELECT 1)",
    f"SELECT max(id) OVER w FROM range(1) WINDOW w AS (PARTITION BY (SELECT 1 FROM {PATH_TABLE}))",
    f"SELECT transform(array(1), x -> (SELECT 1 FROM {PATH_TABLE}))",
    f"SELECT * FROM range(1), LATERAL (SELECT * FROM {PATH_TABLE})",
    f"SELECT * FROM range((SELECT count(*) FROM {PATH_TABLE}))",
    f"VALUES ((SELECT 1 FROM {PATH_TABLE}))",
    f"SELECT id FROM range(1) ORDER BY (SELECT 1 FROM {PATH_TABLE})",
    f"SELECT id FROM range(1) GROUP BY id HAVING (SELECT 1 FROM {PATH_TABLE}) > 1",
    f"SELECT id FROM range(1) LIMIT (SELECT 1 FROM {PATH_TABLE})",
    f"SELECT 1 UNION ALL SELECT * FROM {PATH_TABLE}",
    f"SELECT * FROM icemelt_a JOIN {PATH_TABLE} ON true",
    f"SELECT * FROM icemelt_a PIVOT (max(v) FOR k IN ((SELECT 1 FROM {PATH_TABLE})))",
    f"UPDATE icemelt.w.t SET v = (SELECT 1 FROM {PATH_TABLE})",
    f"DELETE FROM icemelt.w.t WHERE id IN (SELECT 1 FROM {PATH_TABLE})",
    f"MERGE INTO icemelt.w.t USING {PATH_TABLE} s ON true WHEN MATCHED THEN DELETE",
    "SELECT * FROM parquet.`/srv`",
    "SELECT * FROM binaryFile.`/srv`",
    "SELECT * FROM `icemelt`.`/srv/t`",
    "SELECT * FROM icemelt.pins.t.files",
    "SELECT * FROM spark_catalog.default.t",
    "SELECT * FROM default.t",
    "SELECT * FROM t",
    "SELECT * FROM global_temp.t",
    "SELECT * FROM identifier('text.`/etc/hostname`')",
    "SELECT identifier('a')",
    "TABLE t",
    "FROM t SELECT *",
    "INSERT OVERWRITE DIRECTORY '/srv/out' USING text SELECT 'x'",
    "FROM icemelt_a INSERT OVERWRITE DIRECTORY '/srv/out' USING text SELECT 'x'",
    "WITH a AS (SELECT 1) INSERT OVERWRITE DIRECTORY '/srv/out' USING text SELECT 'x'",
    "INSERT INTO icemelt.w.t SELECT 1",
    "INSERT OVERWRITE TABLE t SELECT 1",
    "CREATE TABLE t USING text LOCATION '/srv' AS SELECT 1",
    "CREATE TEMPORARY VIEW v AS SELECT 1",
    "CREATE TEMPORARY FUNCTION f AS 'java.lang.System'",
    "CREATE TEMPORARY FUNCTION f() RETURNS INT RETURN 1",
    "DROP TABLE icemelt.pins.t",
    "ADD JAR '/srv/a.jar'",
    "LIST FILES",
    "SET spark.sql.runSQLOnFiles = true",
    "RESET",
    "SET VAR a = 1",
    "DECLARE a INT",
    "EXECUTE IMMEDIATE 'SELECT 1'",
    "CALL icemelt.system.remove_orphan_files('t')",
    "LOAD DATA INPATH '/srv' INTO TABLE t",
    "CACHE TABLE t",
    "REFRESH '/srv'",
    "DESCRIBE FUNCTION EXTENDED reflect",
    "SHOW TABLES",
    "EXPLAIN SELECT 1",
    "USE spark_catalog",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "BEGIN SELECT 1; END",
    "SELECT * FROM icemelt_a LATERAL VIEW explode(array(1)) x AS y",
    "SELECT * FROM icemelt.pins.t VERSION AS OF 1",
    "!ls",
    "dfs -ls /",
)
PASSED = (
    "SELECT id, count(*) FROM icemelt_a GROUP BY ALL ORDER BY 1 LIMIT 3",
    "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM A WHERE n < 3) SELECT * FROM a",
    "SELECT * FROM icemelt.pins.`a` UNION SELECT * FROM icemelt_staged.`b` WITH (`x` = 1)",
    "SELECT max(id) OVER w FROM icemelt_a WINDOW w AS (PARTITION BY id)",
    "SELECT * FROM icemelt_a, LATERAL (SELECT * FROM posexplode(array(1)) AS r(a, b))",
    "SELECT 'value from text.`/etc/passwd`' AS `a from b`, transform(array(1), x -> x + 1)",
    "UPDATE icemelt.w.t SET v = 1 WHERE id IN (SELECT id FROM icemelt_a)",
    "SELECT * FROM icemelt_a TABLESAMPLE (10 PERCENT) REPEATABLE (1)",
    "SELECT * FROM icemelt_a PIVOT (max(v) FOR k IN (1, 2))",
    "SELECT * FROM icemelt_a UNPIVOT (v FOR k IN (a, b))",
    "SELECT * FROM VALUES (1, 'a'), (2, NULL) AS t(a, b) EXCEPT SELECT 1, 'a'",
    "SELECT id FROM icemelt_a INTERSECT SELECT 2",
)


@pytest.fixture
def walls(session: Session) -> tuple[Wall, Wall]:
    outliner = open_outliner(session.spark)
    return Wall(outliner), Wall(outliner, for_guest=True)


@pytest.fixture
def guest(session: Session) -> Iterator[Session]:
    with open_guest(session, "ann", ()) as guest:
        yield guest


def test_nothing_but_queries_of_own_relations_passes(walls: tuple[Wall, Wall]) -> None:
    for wall in walls:
        for text in REFUSED:
            # Spark's parser refuses some by itself
            with pytest.raises((Never, ParseException)):
                wall.check_query(text)
        for text in PASSED:
            wall.check_query(text)


def test_a_function_of_a_catalog_is_none_for_a_guest(walls: tuple[Wall, Wall]) -> None:
    host, guest = walls
    for text in ("SELECT icemelt.system.iceberg_version()", "SELECT builtin.abs(1)"):
        host.check_query(text)
        with pytest.raises(FunctionNotFound):
            guest.check_query(text)


def test_an_expression_passes_by_itself_and_not_by_those_beside_it(
    walls: tuple[Wall, Wall],
) -> None:
    for texts in (
        [f"(SELECT max(value) FROM {PATH_TABLE})"],
        ["1", f"a + (SELECT 1 FROM {PATH_TABLE})"],
        ["1 -- ", f"(SELECT 1 FROM {PATH_TABLE})"],
        ["1 /*", f"(SELECT 1 FROM {PATH_TABLE})", "*/"],
    ):
        with pytest.raises(Exception, match=r"no table|COMMENT|SYNTAX"):
            walls[0].check_expressions(texts)
    walls[0].check_expressions(["*", "a AS b", "transform(c, x -> x + 1) AS `d`"])


def test_a_stored_text_meets_the_wall_in_the_session_of_the_host_too(
    session: Session, guest: Session
) -> None:
    session.sql("CREATE TABLE t (a INT)")
    for each in (session, guest):
        rows = each.sql("SELECT 1 AS a").to_spark()
        core = each._core
        with pytest.raises(Never):
            select(core, rows, [f"(SELECT max(value) FROM {PATH_TABLE}) AS a"])
        with pytest.raises(Never):
            where(core, rows, f"(SELECT max(value) FROM {PATH_TABLE}) = 'a'")
        with pytest.raises(Never):
            run_sql(core, f"SELECT * FROM {PATH_TABLE}")


def test_sparks_own_setting_keeps_path_tables_out_too(session: Session, guest: Session) -> None:
    for each in (session, guest):
        assert each.spark.conf.get("spark.sql.runSQLOnFiles") == "false"
        with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
            each.spark.sql(f"SELECT * FROM {PATH_TABLE}")


def test_a_default_of_another_column_s_text_stays_a_text(session: Session) -> None:
    evil = " || upper(''x'') || "
    columns = f"a VARCHAR DEFAULT '__icemelt_v1__', b VARCHAR DEFAULT '{evil}'"
    session.sql(f"CREATE TABLE d ({columns})")
    session.sql("INSERT INTO d VALUES (DEFAULT, DEFAULT)")
    session.sql("UPDATE d SET a = DEFAULT WHERE b IN (SELECT b FROM d)")
    assert session.sql("SELECT * FROM d").fetchall() == [("__icemelt_v1__", " || upper('x') || ")]


def test_the_name_of_a_database_stays_a_text(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql('CREATE DATABASE "__icemelt_0__"')
    session.sql('USE DATABASE "__icemelt_0__"')
    found = session.sql("SELECT CURRENT_DATABASE() FROM main.public.t").fetchall()
    assert found == [("__icemelt_0__",)]


def test_no_text_of_a_user_chooses_the_class_of_an_error(session: Session) -> None:
    for text, code in (
        ("raise_error('No such file or directory')", "query"),
        ("raise_error('Permission denied /srv/a.parquet')", "query"),
        ("raise_error('cancelled because of that')", "query"),
        ("raise_error('icemelt-duplicate-key:x')", "query"),
        ("raise_error('[USER_RAISED_EXCEPTION] icemelt-length:v:3')", "query"),
        ("assert_true(false, 'icemelt-size:REPEAT:3')", "query"),
        ("CAST('No such file or directory' AS INT)", "value-refused"),
        ("CAST('[USER_RAISED_EXCEPTION] icemelt-duplicate-key:x' AS DATE)", "value-refused"),
    ):
        with pytest.raises(IcemeltError) as told:
            session.sql(f"SELECT {text}").fetchall()
        assert told.value.code == code, text


def test_a_guest_s_explain_names_no_path_of_the_server(
    session: Session, guest: Session, tmp_path: Path
) -> None:
    made = session.sql("CREATE TABLE t (id INT, v VARCHAR)").statement_id
    session.sql("INSERT INTO t VALUES (1, 'a')")
    point = f"AT (STATEMENT => '{made}')"
    for text in (
        "EXPLAIN SELECT v, count(*) FROM t WHERE id > 0 GROUP BY v",
        f"EXPLAIN SELECT * FROM t CHANGES (INFORMATION => DEFAULT) {point}",
        "EXPLAIN SELECT * FROM t AT (OFFSET => 0)",
    ):
        plan = "\n".join(line for (line,) in guest.sql(text).fetchall())
        for place in (session.warehouse, str(tmp_path), "file:"):
            assert place not in plan, text
