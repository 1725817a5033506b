from __future__ import annotations

import pytest

from icemelt.errors import SqlSyntaxError
from icemelt.names import ObjectName
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import (
    CopyInto,
    FileFormat,
    Query,
    StagePath,
    TableReference,
    Unload,
    bind_context,
    context_names,
)

T = TableReference("__icemelt_0__", ObjectName(("t",)))
EVERY = Query("SELECT * FROM __icemelt_0__ AS `t`", (T,))

OPTIONS = [
    "FILE_FORMAT = (TYPE = JSON COMPRESSION = GZIP)",
    "OVERWRITE = TRUE",
    "SINGLE = true",
    "HEADER = FALSE",
    "DETAILED_OUTPUT = TRUE",
    "MAX_FILE_SIZE = 1000",
]


def unloaded(text: str) -> Unload:
    statement = parse_statement(text)
    assert isinstance(statement, Unload)
    return statement


def test_copy_into_a_location_reads_a_table() -> None:
    assert unloaded("COPY INTO '/x' FROM t") == Unload("/x", EVERY, has_format=False)
    assert parse_statement("COPY INTO :path FROM t", {"path": "s3://b/x"}) == Unload(
        "s3://b/x", EVERY, has_format=False
    )


def test_the_tables_name_is_data() -> None:
    statement = unloaded("COPY INTO '/x' FROM D..\"File Format\" HEADER = TRUE")
    reference = TableReference("__icemelt_0__", ObjectName(("d", "public", "File Format")))
    assert statement.query == Query("SELECT * FROM __icemelt_0__ AS `File Format`", (reference,))
    assert statement.header


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT a FROM t", "SELECT `a` FROM __icemelt_0__ AS `t`"),
        ("(SELECT 1 AS a)", "(SELECT 1 AS `a`)"),
        ("WITH c AS (SELECT 1 AS a) SELECT * FROM c", None),
        ("SELECT 1 AS a UNION SELECT 2", "SELECT 1 AS `a` UNION SELECT 2 AS `2`"),
    ],
)
def test_copy_into_a_location_reads_a_query(query: str, text: str | None) -> None:
    statement = unloaded(f"COPY INTO '/x' FROM ({query}) SINGLE = TRUE")
    assert statement.single
    if text is not None:
        assert statement.query.text == text


@pytest.mark.parametrize("start", range(len(OPTIONS)))
def test_options_of_files_stand_in_any_order(start: int) -> None:
    written = " ".join(OPTIONS[start:] + OPTIONS[:start])
    assert unloaded(f"COPY INTO '/x' FROM t {written}") == Unload(
        "/x",
        EVERY,
        FileFormat.JSON,
        {"COMPRESSION": "GZIP"},
        overwrite=True,
        single=True,
        detailed_output=True,
        max_file_size=1000,
    )


ROWS = "(SELECT `a`, 1 AS `a` FROM __icemelt_0__ AS `t`) AS `__icemelt_rows`"


@pytest.mark.parametrize(
    ("rows", "partition", "source"),
    [
        (
            "t PARTITION BY ('d=' || t.d) INCLUDE_QUERY_ID = TRUE HEADER = TRUE",
            "('d=' || `t`.`d`)",
            "__icemelt_0__ AS `t`",
        ),
        (
            "(SELECT a, 1 AS a FROM t) HEADER = TRUE PARTITION BY TO_VARCHAR(a) OVERWRITE = FALSE",
            "CAST(`a` AS STRING)",
            ROWS,
        ),
        (
            "t PARTITION BY (SELECT MAX(b) FROM u) HEADER = TRUE",
            "(SELECT max(`b`) AS `MAX(b)` FROM __icemelt_1__ AS `u`)",
            "__icemelt_0__ AS `t`",
        ),
    ],
)
def test_the_last_column_of_the_query_is_the_partition(
    rows: str, partition: str, source: str
) -> None:
    statement = unloaded(f"COPY INTO '/x' FROM {rows}")
    text = f"SELECT *, {partition} AS `__icemelt_partition` FROM {source}"
    assert (statement.query.text, statement.is_partitioned, statement.header) == (text, True, True)


def test_the_query_has_a_context() -> None:
    statement = parse_statement("COPY INTO '/x' FROM (SELECT CURRENT_USER() AS u FROM t)")
    assert context_names(statement) == {"CURRENT_USER"}
    bound = bind_context(statement, {"CURRENT_USER": "'me'"})
    assert isinstance(bound, Unload)
    assert bound.query.text == "SELECT 'me' AS `u` FROM __icemelt_0__ AS `t`"


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("@s", StagePath(ObjectName(("s",)))),
        ("@s/", StagePath(ObjectName(("s",)))),
        ("'@s/a b'", StagePath(ObjectName(("s",)), "a b")),
        (
            "@main.public.s/day=1/x-1.csv",
            StagePath(ObjectName(("main", "public", "s")), "day=1/x-1.csv"),
        ),
        ('@"My s"/a', StagePath(ObjectName(("My s",)), "a")),
        ("'@main..\"a/b\"/c'", StagePath(ObjectName(("main", "public", "a/b")), "c")),
        ("@s//a", None),
        ("@s/it's", None),
        ("@s/a--b", None),
    ],
)
def test_a_place_in_a_stage_is_a_name_and_a_path(written: str, path: StagePath | None) -> None:
    if path is None:
        with pytest.raises(SqlSyntaxError):
            parse_statement(f"COPY INTO {written} FROM t")
        return
    assert unloaded(f"COPY INTO {written} FROM t HEADER = TRUE").location == path
    assert unloaded(f"COPY INTO {written} FROM t HEADER = TRUE").header
    loading = parse_statement(f"COPY INTO t FROM {written} FORCE = TRUE")
    assert isinstance(loading, CopyInto)
    assert (loading.path, loading.force) == (path, True)


def test_a_text_of_null_if_has_no_line_break() -> None:
    with pytest.raises(SqlSyntaxError, match="A text of NULL_IF has no line break"):
        parse_statement("COPY INTO '/x' FROM t FILE_FORMAT = (TYPE = CSV NULL_IF = ('a\\nb'))")
