from __future__ import annotations

import logging

import pytest

from icemelt.errors import (
    DefinitionRefused,
    IcemeltError,
    Never,
    NotYet,
    PointNotConstant,
    QueryError,
    SqlSyntaxError,
)
from icemelt.sql.parse import parse

# The text, with the part that is underlined between « and », and a part of the hint.
SYNTAX = [
    ("«SELCT» 1", "SELECT"),
    ("SELECT * «frm» t", "FROM"),
    ("SELECT * FROM t «wher» a = 1", "WHERE"),
    ("SELECT a FROM t GROUP «a»", "GROUP BY"),
    ("SELECT (1« »", "Write )"),
    ("SELECT 1 +« »", "missing"),
    ("SELECT 1«;» SELECT 2", "execute_script"),
    ("SELECT «'»abc", "Close it"),
    ('SELECT «"»abc', "Close it"),
    ("SELECT 1 «/»* abc", "Close it"),
    ("SELECT «x»'zz'", "X'00FF'"),
    ("SELECT $«x»", ":name"),
    ("SELECT * FROM t «END» (OFFSET => -1)", "CHANGES (INFORMATION"),
    ("SELECT * FROM t AT (OFFSET => -2) «END» (OFFSET => -1)", "CHANGES (INFORMATION"),
    ("SELECT * FROM t CHANGES (INFORMATION => «DEFAULTS») AT (OFFSET => -1)", "DEFAULT?"),
    ("SELECT * FROM t AT («TIMSTAMP» => 'x')", "TIMESTAMP?"),
    ("SELECT * FROM t «BEFORE (OFFSET => -1)»", "STATEMENT"),
    ("SELECT * FROM t «CHANGES»", "AT (TIMESTAMP"),
    ("SELECT * FROM t «AT»", "AT (TIMESTAMP"),
    ("SELECT * FROM t «before» WHERE a = 1", "BEFORE (STATEMENT"),
    ("SELECT * FROM t JOIN u ON« »", "Write a condition"),
    ("SELECT * FROM t JOIN u ON «WHERE» a = 1", "Write a condition"),
    ("CREATE TABLE t (id «INTT»)", "INT?"),
    ("CREATE TABLE t (id INT «x»)", "NOT NULL"),
    ("CREATE TABLE t (id INT« »", "Close"),
    ("CREATE TABLE t« »", "AS SELECT"),
    ("CREATE TABLE «'t'» (id INT)", "name"),
    ("CREATE «TABEL» t (id INT)", "TABLE?"),
    ("CREATE TABLE «IF» EXISTS t (id INT)", "IF NOT EXISTS"),
    ("ALTER TABLE t «RENAM» TO u", "RENAME?"),
    ("ALTER TABLE t ALTER COLUMN a «FOO»", "SET DEFAULT"),
    ("DROP TABLE t «PURGE»", "Remove"),
    ("SHOW «TABELS»", "TABLES?"),
    ("SHOW TABLES LIKE «x»", "'…'"),
    ("DESC HISTORY t LIMIT «x»", "10"),
    ("INSERT INTO t VALUES (1), (2, 3)« »", "same number"),
    ("MERGE INTO t USING (SELECT 1 AS id)« »", "ON"),
    ("MERGE INTO t USING u ON true WHEN MATCHED THEN «UPSERT»", "Write UPDATE or DELETE here."),
    ("MERGE INTO t USING u ON true WHEN MATCHED THEN «INSERT» (a) VALUES (1)", "NOT MATCHED"),
    ("COPY INTO t FROM '/x' «ON_EROR» = CONTINUE", "ON_ERROR?"),
    ("COPY INTO t FROM '/x' FILE_FORMAT = («TYPE» = CVS)", "CSV?"),
    ("COPY INTO t FROM '/x' FORCE = «MAYBE»", "FORCE = TRUE"),
]

REFUSED: list[tuple[str, type[IcemeltError], str]] = [
    ("", SqlSyntaxError, "execute_script"),
    ("-- nothing", SqlSyntaxError, "execute_script"),
    ("SELECT * FROM t CHANGES (INFORMATION => DEFAULT)", SqlSyntaxError, "AT (TIMESTAMP"),
    ("SELECT * FROM t CHANGES (INFORMATION => REDO_LOG) AT (OFFSET => -1)", NotYet, "DEFAULT"),
    ("SELECT * FROM t AT (STREAM => 's')", NotYet, "TIMESTAMP"),
    ("SELECT * FROM t AT (OFFSET => x)", PointNotConstant, "parameter"),
    ("SELECT * FROM t AT (OFFSET => (SELECT 1))", PointNotConstant, "parameter"),
    ("SELECT * FROM t AT (OFFSET => RANDOM())", PointNotConstant, "CURRENT_TIMESTAMP"),
    ("WITH c AS (SELECT 1) SELECT * FROM c AT (OFFSET => -1)", NotYet, "inside the WITH"),
    ("SELECT t.a FROM a.t, b.t", QueryError, "alias"),
    ("SELECT IFF(1, 2)", SqlSyntaxError, "3 arguments"),
    ("SELECT * FROM t VERSION AS OF 5", NotYet, "AT (…)"),
    ("SELECT * FROM t MATCH_RECOGNIZE (PATTERN (a) DEFINE a AS x > 1)", NotYet, "without"),
    ("SELECT * FROM t START WITH a = 1 CONNECT BY a = PRIOR b", NotYet, "without"),
    ("SELECT * FROM a ASOF JOIN b MATCH_CONDITION (a.x >= b.x)", NotYet, "QUALIFY"),
    ("SELECT * FROM t, u WHERE t.a = u.a(+)", NotYet, "LEFT JOIN"),
    ("SELECT * FROM t UNION BY NAME SELECT * FROM u", NotYet, "columns"),
    ("SELECT a > ALL (SELECT 1) FROM t", NotYet, "MAX"),
    ("SELECT * FROM @stage", NotYet, "COPY INTO"),
    ("SELECT * FROM TABLE(RESULT_SCAN('x'))", NotYet, "subquery"),
    ("SELECT * RENAME (a AS b) FROM t", NotYet, "EXCLUDE"),
    ("SELECT f.seq FROM t, LATERAL FLATTEN(t.a) f", NotYet, "ROW_NUMBER"),
    ("SELECT a::TIME", Never, "VARCHAR"),
    ("SELECT CURRENT_TIME", NotYet, "timestamp"),
    ("SELECT KURTOSIS(a) FROM t", NotYet, "AVG"),
    ("SELECT REGEXP_REPLACE(a, 'x', 'y', 1, 2) FROM t", NotYet, "occurrence"),
    ("SELECT TO_DATE(a, 'QQ-YYYY') FROM t", NotYet, "YYYY"),
    ("SELECT SYSTEM$STREAM_HAS_DATA('s')", Never, "SHOW"),
    ("MERGE INTO t USING s ON t.a IN (SELECT 1) WHEN MATCHED THEN DELETE", NotYet, "USING"),
    ("UPDATE t SET a = 1 FROM u WHERE t.a IN (SELECT 1)", NotYet, "FROM (SELECT"),
    ("INSERT FIRST INTO t SELECT 1", NotYet, "INSERT ALL"),
    ("INSERT ALL INTO t (a, A) SELECT 1", QueryError, "once"),
    ("COPY INTO t (a, a) FROM '/x'", QueryError, "once"),
    ("SELECT CONDITIONAL_CHANGE_EVENT(a) OVER (ORDER BY a) FROM t", NotYet, "LAG"),
    ("COPY INTO '/x' FROM t", NotYet, "to_spark"),
    ("COPY INTO t FROM @s", NotYet, "path"),
    ("COPY INTO t FROM '/x' FILE_FORMAT = (TYPE = AVRO)", NotYet, "CSV"),
    ("COPY INTO t FROM '/x' FILE_FORMAT = my_format", NotYet, "TYPE"),
    ("CREATE STREAM s ON TABLE t", NotYet, "CHANGES"),
    ("CREATE OR REPLACE TABLE STREAM s ON TABLE t", NotYet, "CHANGES"),
    ("CREATE VIEW v AS SELECT 1", NotYet, "WITH"),
    ("CREATE TASK t AS SELECT 1", NotYet, "scheduler"),
    ("CREATE DYNAMIC TABLE d AS SELECT 1", NotYet, "CREATE OR REPLACE TABLE"),
    ("CREATE FUNCTION f() RETURNS INT AS '1'", NotYet, "expression"),
    ("CREATE TABLE t CLONE u", NotYet, "AS SELECT"),
    ("CREATE TABLE t (a INT UNIQUE)", NotYet, "UNIQUE"),
    ("CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES u (a))", NotYet, "FOREIGN"),
    ("CREATE TABLE t (a INT PRIMARY KEY ENFORCED)", Never, "RELY"),
    ("CREATE TABLE t (a GEOGRAPHY)", Never, "text"),
    ("CREATE TABLE t (a TIMESTAMP_TZ)", Never, "TIMESTAMP_LTZ"),
    ("CREATE TABLE t (a NUMBER(39))", DefinitionRefused, "38"),
    ("CREATE TABLE t (a INT DEFAULT b)", DefinitionRefused, "constant"),
    ("CREATE TABLE t (a INT DEFAULT CURRENT_DATABASE())", DefinitionRefused, "constant"),
    ("CREATE TABLE t (a INT, PRIMARY KEY (aa))", DefinitionRefused, "'a'"),
    ("CREATE TABLE t (a INT PRIMARY KEY, PRIMARY KEY (a))", DefinitionRefused, "one key"),
    ("ALTER STREAM s SET COMMENT = 'x'", NotYet, "CHANGES"),
    ("ALTER TABLE t SWAP WITH u", NotYet, "RENAME"),
    ("SHOW STREAMS", NotYet, "SHOW TABLES"),
    ("DESC STREAM s", NotYet, "DESC TABLE"),
    ("DROP VIEW v", NotYet, "WITH"),
    ("GRANT SELECT ON t TO ROLE r", Never, "storage"),
    ("USE ROLE r", Never, "USE SCHEMA"),
    ("SET x = 1", Never, ":name"),
    ("CALL f()", NotYet, "expression"),
    ("BEGIN SELECT 1; END", SqlSyntaxError, "execute_script"),
    ("BEGIN SELECT 1", NotYet, "COMMIT"),
    ("EXPLAIN USING JSON SELECT 1", NotYet, "TEXT"),
    ("SELECT " + "(" * 500 + "1" + ")" * 500, SqlSyntaxError, "WITH"),
]


@pytest.mark.parametrize(("marked", "hint"), SYNTAX)
def test_a_syntax_error_underlines_the_users_own_text(marked: str, hint: str) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    with pytest.raises(SqlSyntaxError) as raised:
        parse(marked.replace("«", "").replace("»", "").rstrip(" "))
    assert raised.value.span == (start, end)
    assert hint in raised.value.hint


@pytest.mark.parametrize(("text", "kind", "hint"), REFUSED)
def test_what_is_refused_says_what_to_do(text: str, kind: type[IcemeltError], hint: str) -> None:
    with pytest.raises(IcemeltError) as raised:
        parse(text)
    assert type(raised.value) is kind
    assert hint in raised.value.hint


def test_refusals_write_nothing_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for text, _, _ in REFUSED:
            with pytest.raises(IcemeltError):
                parse(text)
    # py4j forgets Java objects of other tests meanwhile, and tells of each
    assert not [record for record in caplog.records if not record.name.startswith("py4j")]
