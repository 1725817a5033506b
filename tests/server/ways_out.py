"""Statements of a guest that must lead nowhere: each fails without telling a secret."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["OF_TEXTS", "attempts"]

# statements made of texts, that read files
OF_TEXTS = (
    "EXECUTE IMMEDIATE 'SELECT value FROM text.`{secret}`'",
    'EXECUTE IMMEDIATE $$SELECT * FROM text."{secret}"$$',
    "EXECUTE IMMEDIATE $$COPY INTO t FROM '{secret}'$$",
    "EXECUTE IMMEDIATE 'SELECT * FROM IDENTIFIER(?)' USING ('{secret}')",
    "EXECUTE IMMEDIATE FROM '{secret}'",
    'SET x = (SELECT * FROM text."{secret}")',
    "SELECT SETVARIABLE('x', (SELECT value FROM text.`{secret}`))",
)

# names that would be more than one; `{secret}` is a file beside the places
_NAMES = (
    "transform(id) using 'cat {secret}' as (who string) from range(1) -- ",
    "value from text.`{secret}` -- ",
    "value from binaryfile.`{secret}` -- ",
    "* from identifier('text.`{secret}`') -- ",
    "* from identifier('text.`/etc/host\\u006eame`') -- ",
    "1) as a from text.`{secret}` -- ",
    "(select max(value) from text.`{secret}`) || lower",
    "abs{0.__class__.__mro__}",
    "x{0}",
    "x{all}{over}",
    "abs(1), reflect",
    "abs\n-- \n",
    "abs/*",
    "abs`",
    "abs'",
    "abs\\",
    "${env:HOME}",
    "java.lang.system.exit",
    "a b",
    "größe",
    "",
)
_CALLS = (
    'SELECT "{name}"(1)',
    'SELECT a."{name}"(1)',
    'SELECT "{name}"(1) OVER (ORDER BY id) FROM t',
    'SELECT id FROM t WHERE "{name}"(1)',
    'INSERT INTO t SELECT 1, "{name}"(1)',
    'UPDATE t SET v = "{name}"(1)',
    'CREATE TABLE u (a INT, b VARCHAR DEFAULT "{name}"(1))',
    'MERGE INTO t USING (SELECT 1 AS id) s ON "{name}"(t.id) WHEN MATCHED THEN DELETE',
    'SELECT * FROM t AT (OFFSET => "{name}"(1))',
    'SELECT * FROM t PIVOT ("{name}"(v) FOR id IN (1))',
    "COPY INTO '{place}/made' FROM (SELECT \"{name}\"(1) AS c)",
    'SELECT abs("{name}" => 1)',
)
_FUNCTIONS = (
    "reflect('java.lang.System', 'getProperty', 'user.home')",
    "java_method('java.lang.System', 'getProperty', 'user.home')",
    "try_reflect('java.lang.System', 'getProperty', 'user.home')",
    "builtin.reflect('java.lang.System', 'getProperty', 'user.home')",
    "system.builtin.abs(1)",
    "icemelt.system.iceberg_version()",
    '"icemelt"."system"."iceberg_version"()',
    "icemelt.system.bucket(16, id)",
    "spark_catalog.default.f(1)",
    "input_file_name()",
    "input_file_block_start()",
    "from_xml('<a/>', 'a INT', map('rowValidationXSDPath', '{secret}'))",
    "xpath('<a/>', 'a')",
    "xpath_string('<!DOCTYPE a [<!ENTITY x SYSTEM \"file://{secret}\">]><a>&x;</a>', 'a')",
    "from_avro(TO_BINARY('00', 'HEX'), '{{}}')",
    "from_protobuf(TO_BINARY('00', 'HEX'), 'M', '{secret}')",
    "java.lang.Runtime.getRuntime()",
    "identifier('reflect')",
    "identifier('t')",
    "version()",
    "current_catalog()",
    "session_user()",
    "python_worker_logs()",
    "stack(2000000000, 1)",
    "window(CURRENT_TIMESTAMP(), '10000 days', '1 microsecond')",
    "session_window(CURRENT_TIMESTAMP(), '1 day')",
    "count_min_sketch(id, 1e-9, 0.99, 1)",
    "repeat('a', 2000000000 - id)",
    "array_repeat(v, 2000000000)",
    "printf('%1000000000d', id)",
    "_file",
    "t._file",
    "_metadata.file_path",
    "_metadata",
    "_partition",
    "_spec_id",
)
# types as JSON: Spark computes what is in them, and PySpark imports it
_DEFAULTED = (
    '{"type":"struct","fields":[{"name":"a","type":"string","nullable":true,'
    '"metadata":{"EXISTS_DEFAULT":"user()"}}]}'
)
_IMPORTED = (
    '{"type":"struct","fields":[{"name":"a","type":{"type":"udt","pyClass":"this.x",'
    '"serializedClass":"x","sqlType":"string"},"nullable":true,"metadata":{}}]}'
)
_TYPES = tuple(
    call.replace("{0}", kind)
    for kind in (f"'{_DEFAULTED}'", f"concat('{_IMPORTED}', '')", f"$${_IMPORTED}$$", "'a INT'")
    for call in (
        "from_json(v, {0})",
        "FROM_CSV(v, {0})",
        "from_xml(v, {0})",
        "from_avro(v, {0})",
        "variant_get(PARSE_JSON(v), '$', {0})",
        "TRY_VARIANT_GET(PARSE_JSON(v), '$', {0})",
    )
)
_EXPRESSIONS = (
    "SELECT {0} FROM t",
    "SELECT id FROM t ORDER BY {0}",
    "SELECT (SELECT max({0}) FROM t)",
    "UPDATE t SET v = {0}",
)
_TABLES = (
    "text.`{secret}`",
    'text."{secret}"',
    'csv."{secret}"',
    'json."file:{secret}"',
    'parquet."{secret}"',
    'orc."{secret}"',
    'binaryFile."{secret}"',
    'xml."{secret}"',
    'delta."{secret}"',
    'iceberg."{secret}"',
    'jdbc."jdbc:sqlite:{secret}"',
    '"text.`{secret}`"',
    '"`text`.`{secret}`"',
    "'{secret}'",
    "@stage",
    "t.files",
    "t.snapshots",
    "t.all_manifests",
    "main.public.t.files",
    '"t.files"',
    '"t$files"',
    "icemelt.pins.t",
    "icemelt_staged.t",
    "spark_catalog.default.t",
    "global_temp.t",
    "icemelt.information_schema.tables",
    "system.information_schema.tables",
    "IDENTIFIER('missing')",
    "IDENTIFIER('text.\"{secret}\"')",
    "IDENTIFIER('\"text.`{secret}`\"')",
    "TABLE('text.\"{secret}\"')",
    "TABLE('{secret}')",
    "IDENTIFIER('text.`{secret}`')",
    "read_files('{secret}')",
    "TABLE(read_files('{secret}'))",
    "TABLE(range(1))",
    "TABLE(java_method('a', 'b'))",
    "TABLE(sql_keywords())",
)
_READS = (
    "SELECT * FROM {0}",
    "INSERT INTO t SELECT * FROM {0}",
    "CREATE VIEW w AS SELECT * FROM {0}",
)
_STATEMENTS = (
    "SET spark.sql.runSQLOnFiles = true",
    "SET",
    "RESET",
    "ALTER SESSION SET \"spark.sql.runSQLOnFiles\" = 'true'",
    "ADD JAR '{secret}'",
    "ADD FILE '{secret}'",
    "ADD ARCHIVE '{secret}'",
    "LIST JARS",
    "CREATE FUNCTION f AS 'java.lang.System' USING JAR '{secret}'",
    "CREATE OR REPLACE TEMPORARY FUNCTION f AS 'java.lang.System'",
    "CREATE FUNCTION f() RETURNS INT RETURN 1",
    "DROP FUNCTION abs",
    "CALL icemelt.system.rewrite_data_files('t')",
    "CALL system.register_table('x', '{secret}')",
    *OF_TEXTS,
    "EXECUTE IMMEDIATE $$SELECT value FROM text.`{secret}`$$",
    "DECLARE VARIABLE a INT",
    "DECLARE a INT DEFAULT 1",
    "SET VAR a = 1",
    "BEGIN SELECT 1; END",
    "SELECT $a",
    "SELECT :a",
    "SELECT ${{env:HOME}}",
    "SELECT TRANSFORM(id) USING 'cat {secret}' FROM t",
    "SELECT TRANSFORM(id) USING 'cat {secret}' AS (a STRING) FROM t",
    "FROM t SELECT TRANSFORM(id) USING 'cat' AS a",
    "MAP id USING 'cat' FROM t",
    "REDUCE id USING 'cat' FROM t",
    "INSERT OVERWRITE DIRECTORY '{place}' SELECT 1",
    "INSERT OVERWRITE LOCAL DIRECTORY '{place}' SELECT 1",
    "INSERT OVERWRITE DIRECTORY USING text OPTIONS (path '{place}') SELECT 1",
    "WITH a AS (SELECT 1) INSERT OVERWRITE DIRECTORY '{place}' SELECT * FROM a",
    "CREATE TABLE u USING csv LOCATION '{secret}'",
    "CREATE TABLE u (a INT) LOCATION '{secret}'",
    "CREATE TABLE u (a INT) USING jdbc OPTIONS (url 'jdbc:sqlite:{secret}')",
    "CREATE TABLE u (a INT) TBLPROPERTIES ('location' = '{secret}')",
    "CREATE SCHEMA s LOCATION '{secret}'",
    "CREATE STAGE s URL = 'file://{secret}'",
    "CREATE EXTERNAL VOLUME v",
    "ALTER TABLE t SET LOCATION '{secret}'",
    "ALTER TABLE t SET TBLPROPERTIES ('icemelt.default.1' = '1')",
    "LOAD DATA LOCAL INPATH '{secret}' INTO TABLE t",
    "EXPORT TABLE t TO '{secret}'",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "MSCK REPAIR TABLE t",
    "REFRESH TABLE t",
    "CLEAR CACHE",
    "UNCACHE TABLE t",
    "SHOW CREATE TABLE t",
    "DESCRIBE FUNCTION reflect",
    "LIST @~",
    "GET @~ file://{secret}",
    "PUT 'file://{secret}' @~",
    "REMOVE @~",
    "COPY INTO t FROM '{secret}'",
    "COPY INTO t FROM 'file:{secret}'",
    "COPY INTO t FROM 'FiLe://localhost{secret}'",
    "COPY INTO t FROM '{place}/../secret.txt'",
    "COPY INTO t FROM '{place}/%2e%2e/secret.txt'",
    "COPY INTO t FROM '{place}/./../secret.txt'",
    "COPY INTO t FROM '{place}//../secret.txt'",
    "COPY INTO t FROM '{place}/link.txt'",
    "COPY INTO t FROM '{place}' FILES = ('link.txt')",
    "COPY INTO t FROM '{place}' FILES = ('../secret.txt')",
    "COPY INTO t FROM '{place}' FILES = ('{secret}')",
    "COPY INTO t FROM '{place}/{{../secret,good}}.txt'",
    "COPY INTO t FROM 'jar:file:{secret}'",
    "COPY INTO t FROM 'har://{secret}'",
    "COPY INTO t FROM 'viewfs://{secret}'",
    "COPY INTO t FROM 'secret.txt'",
    "COPY INTO t FROM '~/secret.txt'",
    "COPY INTO t FROM @stage",
    "COPY INTO t FROM (SELECT 1, value FROM text.`{secret}`)",
    "COPY INTO '{secret}' FROM t",
    "COPY INTO '{place}/../made' FROM t",
    "COPY INTO 'file:{place}/../made' FROM t",
    "COPY INTO '{place}x/made' FROM t",
    "COPY INTO '{place}/made' FROM (SELECT * FROM text.`{secret}`)",
    'SELECT /*+ "a) */ value from text.`{secret}` -- " */ nope FROM t',
    'SELECT nope AS "a` FROM text.`{secret}` -- " FROM t',
    'SELECT nope AS "a\nFROM text.`{secret}` -- " FROM t',
    'SELECT nope AS "a\\u0060 FROM text.\\u0060{secret}\\u0060 -- " FROM t',
    "SELECT nope, 'a\\'' || ' FROM text.`{secret}` -- ' FROM t",
    "SELECT nope, $$'$$ || $$ FROM text.`{secret}` -- $$ FROM t",
    'WITH "a AS (SELECT 1) SELECT value FROM text.`{secret}` -- " AS (SELECT 1) SELECT nope',
    'SELECT max(nope) OVER "w` AS (x" FROM t',
    'SELECT CAST(nope AS "string) from text.`{secret}` -- ") FROM t',
    "SELECT DATEADD('day) from text.`{secret}` -- ', 1, v) FROM t",
    'SELECT EXTRACT("day from v) from text.`{secret}` -- " FROM v) FROM t',
    "SELECT nope + INTERVAL '1' \"day from text.`{secret}`\" FROM t",
    "SELECT v:\"a']') from text.`{secret}` -- \", nope FROM t",
    "SELECT v['a\\'] from text.`{secret}` -- '], nope FROM t",
    "SELECT {{'a\\') from text.`{secret}` -- ': nope}} FROM t",
    "SELECT * FROM t, LATERAL FLATTEN(INPUT => v, PATH => 'a\\') from text -- ', MODE => nope)",
    'SELECT * FROM t SAMPLE ("1) from text.`{secret}` -- ")',
    "SELECT nope FROM t\0 FROM text.`{secret}`",
)


def attempts(secret: str, place: str) -> Iterator[str]:
    """Return the statements; `secret` is a file, and `place` a folder that a guest may use."""

    def filled(text: str) -> str:
        text = text.replace("{secret}", secret).replace("{place}", place)
        return text.replace("{{", "{").replace("}}", "}")

    for call in _CALLS:
        yield from (filled(call).replace("{name}", filled(name)) for name in _NAMES)
    for place_of_it in _EXPRESSIONS:
        yield from (filled(place_of_it.replace("{0}", each)) for each in _FUNCTIONS)
    for place_of_it in _EXPRESSIONS:
        yield from (place_of_it.replace("{0}", each) for each in _TYPES)
    for read in _READS:
        yield from (filled(read.replace("{0}", each)) for each in _TABLES)
    yield from map(filled, _STATEMENTS)
