from __future__ import annotations

import logging

import pytest

from icemelt.names import ObjectName
from icemelt.schema import Column, DecimalType, ListType, MapType, Primitive
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import (
    AddColumn,
    AlterColumn,
    AlterContainer,
    AlterSession,
    AlterTable,
    Begin,
    Commit,
    CopyInto,
    CreateContainer,
    CreateTable,
    Describe,
    DescribeHistory,
    Drop,
    DropColumns,
    Existing,
    Explain,
    FileFormat,
    Insert,
    InsertAll,
    ObjectKind,
    Optimize,
    PrimaryKey,
    Query,
    RenameColumn,
    RenameTable,
    Rollback,
    RowLevel,
    Select,
    SetOptions,
    SetPrimaryKey,
    Show,
    ShowChangeSupport,
    Statement,
    Truncate,
    Undrop,
    UnsetOptions,
    Use,
)

DATABASE, SCHEMA, TABLE = ObjectKind.DATABASE, ObjectKind.SCHEMA, ObjectKind.TABLE
STREAM = ObjectKind.STREAM
LONG, STRING = Primitive("long"), Primitive("string")


def name(*parts: str) -> ObjectName:
    return ObjectName(parts)


T = name("t")

STATEMENTS: list[tuple[str, Statement]] = [
    ("BEGIN", Begin()),
    ("begin work", Begin()),
    ("BEGIN TRANSACTION NAME Load", Begin("load")),
    ("START TRANSACTION;", Begin()),
    ("COMMIT WORK", Commit()),
    ("ROLLBACK -- now", Rollback()),
    ("USE d", Use(None, name("d"))),
    ("USE DATABASE d", Use(DATABASE, name("d"))),
    ("USE SCHEMA d.S", Use(SCHEMA, name("d", "s"))),
    ("TRUNCATE t", Truncate(T)),
    ("TRUNCATE TABLE IF EXISTS a..t", Truncate(name("a", "public", "t"), if_exists=True)),
    ("OPTIMIZE TABLE t", Optimize(T)),
    ("OPTIMIZE d.s.t", Optimize(name("d", "s", "t"))),
    ("DESC t", Describe(TABLE, T)),
    ('DESCRIBE TABLE "My t"', Describe(TABLE, name("My t"))),
    ("DESC SCHEMA s", Describe(SCHEMA, name("s"))),
    ("DESC HISTORY t LIMIT 5", DescribeHistory(T, 5)),
    ("DESC HISTORY", Describe(TABLE, name("history"))),
    ("DESC STREAM a.s", Describe(STREAM, name("a", "s"))),
    ("DESCRIBE stream", Describe(TABLE, name("stream"))),
    ("SHOW DATABASES", Show("DATABASES")),
    ("SHOW STREAMS", Show("STREAMS")),
    ("SHOW STREAMS IN ACCOUNT", Show("STREAMS", account=True)),
    ("SHOW STREAMS IN DATABASE d", Show("STREAMS", scope_kind=DATABASE, scope=name("d"))),
    ("SHOW STREAMS LIKE '%' IN s", Show("STREAMS", "%", scope=name("s"))),
    ("SHOW TERSE STREAMS LIMIT 1 FROM 'x'", Show("STREAMS", limit=1, limit_from="x", terse=True)),
    ("SHOW CHANGE SUPPORT FOR VIEW s.v", ShowChangeSupport(name("s", "v"))),
    ("SHOW LOCKS", Show("LOCKS")),
    ("SHOW LOCKS IN ACCOUNT", Show("LOCKS", account=True)),
    ("SHOW TRANSACTIONS", Show("TRANSACTIONS")),
    ("SHOW TRANSACTIONS IN ACCOUNT", Show("TRANSACTIONS", account=True)),
    ("SHOW TABLES IN ACCOUNT", Show("TABLES", account=True)),
    ("SHOW TABLES IN SCHEMA", Show("TABLES", scope_kind=SCHEMA)),
    ("SHOW SCHEMAS IN d", Show("SCHEMAS", scope_kind=DATABASE, scope=name("d"))),
    ("SHOW COLUMNS IN t", Show("COLUMNS", scope_kind=TABLE, scope=T)),
    (
        "SHOW TERSE TABLES HISTORY LIKE 'a%' IN SCHEMA d.s STARTS WITH 'x' LIMIT 10 FROM 'y'",
        Show(
            "TABLES",
            like="a%",
            scope_kind=SCHEMA,
            scope=name("d", "s"),
            starts_with="x",
            limit=10,
            limit_from="y",
            history=True,
            terse=True,
        ),
    ),
    ("DROP TABLE IF EXISTS t", Drop(TABLE, T, if_exists=True, cascade=True)),
    ("DROP SCHEMA s CASCADE", Drop(SCHEMA, name("s"), cascade=True)),
    ("DROP DATABASE d RESTRICT", Drop(DATABASE, name("d"))),
    ("DROP STREAM IF EXISTS s.t", Drop(STREAM, name("s", "t"), if_exists=True, cascade=True)),
    ("UNDROP TABLE s.t", Undrop(TABLE, name("s", "t"))),
    ("UNDROP STREAM t", Undrop(STREAM, T)),
    (
        "CREATE SCHEMA IF NOT EXISTS a.b",
        CreateContainer(SCHEMA, name("a", "b"), Existing.KEPT),
    ),
    ("CREATE OR ALTER SCHEMA s", CreateContainer(SCHEMA, name("s"), Existing.ALTERED)),
    (
        "CREATE OR ALTER TEMPORARY TABLE t (a INT)",
        CreateTable(T, (Column("a", LONG),), existing=Existing.ALTERED, temporary=True),
    ),
    (
        "CREATE OR REPLACE DATABASE d DATA_RETENTION_TIME_IN_DAYS = 2, COMMENT = 'x'",
        CreateContainer(
            DATABASE,
            name("d"),
            existing=Existing.REPLACED,
            options={"DATA_RETENTION_TIME_IN_DAYS": "2", "COMMENT": "x"},
        ),
    ),
    (
        "ALTER SCHEMA IF EXISTS s SET DATA_RETENTION_TIME_IN_DAYS = 1",
        AlterContainer(
            SCHEMA, name("s"), SetOptions({"DATA_RETENTION_TIME_IN_DAYS": "1"}), if_exists=True
        ),
    ),
    (
        "ALTER DATABASE d UNSET COMMENT",
        AlterContainer(DATABASE, name("d"), UnsetOptions(("COMMENT",))),
    ),
    (
        "ALTER SESSION SET TIMEZONE = 'UTC' LOCK_TIMEOUT = 5",
        AlterSession(SetOptions({"TIMEZONE": "UTC", "LOCK_TIMEOUT": "5"})),
    ),
    (
        "ALTER SESSION UNSET TIMEZONE, AUTOCOMMIT",
        AlterSession(UnsetOptions(("TIMEZONE", "AUTOCOMMIT"))),
    ),
    ("EXPLAIN USING TEXT SELECT 1", Explain(Select(Query("SELECT 1 AS `1`")))),
    ("EXPLAIN DROP TABLE t", Explain(Drop(TABLE, T, cascade=True))),
    ("COMMENT ON TABLE t IS 'x'", AlterTable(T, (SetOptions({"COMMENT": "x"}),))),
    (
        "COMMENT ON COLUMN s.t.c IS 'x'",
        AlterTable(name("s", "t"), (AlterColumn("c", comment="x"),)),
    ),
    (
        (
            "COPY INTO t (a, B) FROM '/x' FILES = ('1.csv', '2.csv') PATTERN = '.*[.]csv'"
            " FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1, NULL_IF = ('', 'NULL')"
            " FIELD_DELIMITER = '|') ON_ERROR = CONTINUE FORCE = TRUE"
        ),
        CopyInto(
            T,
            "/x",
            ("a", "b"),
            ("1.csv", "2.csv"),
            ".*[.]csv",
            FileFormat.CSV,
            {"SKIP_HEADER": "1", "NULL_IF": "\nNULL", "FIELD_DELIMITER": "|"},
            "CONTINUE",
            force=True,
        ),
    ),
    (
        (
            "COPY INTO t FROM '/x' FILE_FORMAT = (TYPE = 'parquet') ON_ERROR = SKIP_FILE_10%"
            " MATCH_BY_COLUMN_NAME = case_insensitive PURGE = true"
        ),
        CopyInto(
            T,
            "/x",
            format=FileFormat.PARQUET,
            on_error="SKIP_FILE_10%",
            match_by_column_name="CASE_INSENSITIVE",
            purge=True,
        ),
    ),
]

ALTERATIONS: list[tuple[str, tuple[object, ...]]] = [
    ("RENAME TO s.u", (RenameTable(name("s", "u")),)),
    ('RENAME COLUMN a TO "B c"', (RenameColumn("a", "B c"),)),
    ("DROP COLUMN a, b", (DropColumns(("a", "b")),)),
    ("DROP COLUMN IF EXISTS a", (DropColumns(("a",), if_exists=True),)),
    ("DROP PRIMARY KEY", (SetPrimaryKey(None),)),
    ("ADD PRIMARY KEY (a, b) RELY", (SetPrimaryKey(PrimaryKey(("a", "b"), rely=True)),)),
    (
        "ADD CONSTRAINT k PRIMARY KEY (a) NOT ENFORCED",
        (SetPrimaryKey(PrimaryKey(("a",), name="k")),),
    ),
    ("SET CHANGE_TRACKING = TRUE", (SetOptions({"CHANGE_TRACKING": "TRUE"}),)),
    ("CHANGE_TRACKING = false", (SetOptions({"CHANGE_TRACKING": "FALSE"}),)),
    ("SET PROPERTIES ('change_tracking'='true')", (SetOptions({"CHANGE_TRACKING": "true"}),)),
    (
        "SET PROPERTIES ('data_retention_days'='7', 'comment'='Kept')",
        (SetOptions({"DATA_RETENTION_TIME_IN_DAYS": "7", "COMMENT": "Kept"}),),
    ),
    ("UNSET COMMENT", (UnsetOptions(("COMMENT",)),)),
    (
        "ADD COLUMN IF NOT EXISTS a INT NOT NULL DEFAULT 5 COMMENT 'c', b VARCHAR(5)",
        (
            AddColumn(
                Column("a", LONG, nullable=False, default="5", comment="c"), if_not_exists=True
            ),
            AddColumn(Column("b", Primitive("string", 5))),
        ),
    ),
    (
        "ALTER a TYPE NUMBER(20,2), COLUMN b DROP NOT NULL, b SET DEFAULT 'x', c DROP DEFAULT",
        (
            AlterColumn("a", type=DecimalType(20, 2)),
            AlterColumn("b", nullable=True),
            AlterColumn("b", default="'x'"),
            AlterColumn("c", default=""),
        ),
    ),
    ("MODIFY COLUMN a COMMENT 'x'", (AlterColumn("a", comment="x"),)),
    (
        "ADD COLUMN a INT, ALTER COLUMN b SET NOT NULL, DROP COLUMN c",
        (AddColumn(Column("a", LONG)), AlterColumn("b", nullable=False), DropColumns(("c",))),
    ),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS)
def test_a_statement_is_read_as_plain_data(text: str, expected: Statement) -> None:
    assert parse_statement(text) == expected


@pytest.mark.parametrize(("text", "actions"), ALTERATIONS)
def test_alter_table_has_one_action_for_each_change(text: str, actions: tuple[object, ...]) -> None:
    assert parse_statement(f"ALTER TABLE IF EXISTS s.t {text}") == AlterTable(
        name("s", "t"), actions, if_exists=True
    )


def test_create_table_has_columns_a_key_options_and_partitions() -> None:
    statement = parse_statement("""
        CREATE OR REPLACE TEMPORARY TABLE t (
            id INT,
            "Order" VARCHAR(20) NOT NULL DEFAULT 'it''s' COMMENT 'which',
            at TIMESTAMP_LTZ(9) DEFAULT CURRENT_TIMESTAMP,
            n NUMBER, a ARRAY(INT), m MAP(VARCHAR, NUMBER(5,1)), o OBJECT,
            CONSTRAINT k PRIMARY KEY (id) RELY
        )
        CLUSTER BY (id, bucket(4, "Order"), to_date(at), truncate(3, "Order"))
        DATA_RETENTION_TIME_IN_DAYS = 3 COMMENT = 'x'
    """)
    assert statement == CreateTable(
        T,
        (
            Column("id", LONG, nullable=False),
            Column(
                "Order",
                Primitive("string", 20),
                nullable=False,
                default="'it\\'s'",
                comment="which",
            ),
            Column("at", Primitive("timestamptz"), default="current_timestamp()"),
            Column("n", DecimalType(38, 0)),
            Column("a", ListType(LONG)),
            Column("m", MapType(STRING, DecimalType(5, 1))),
            Column("o", Primitive("variant")),
        ),
        PrimaryKey(("id",), rely=True, name="k"),
        existing=Existing.REPLACED,
        temporary=True,
        options={"DATA_RETENTION_TIME_IN_DAYS": "3", "COMMENT": "x"},
        partition_by=("`id`", "bucket(4, `Order`)", "days(`at`)", "truncate(3, `Order`)"),
    )


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("CREATE TABLE t AS SELECT 1 AS a", "SELECT 1 AS `a`"),
        ("CREATE TABLE t (a INT) AS SELECT 1 AS b", "SELECT 1 AS `b`"),
        (
            "CREATE TABLE t (A, b) AS SELECT 1, 2",
            "SELECT * FROM (SELECT 1 AS `1`, 2 AS `2`) AS `__icemelt_r`(`a`, `b`)",
        ),
        (
            "CREATE TABLE t AS (WITH c AS (SELECT 1 AS x) SELECT * FROM c)",
            "(WITH `c` AS (SELECT 1 AS `x`) SELECT * FROM `c` AS `c`)",
        ),
    ],
)
def test_create_table_as_keeps_its_query(text: str, query: str) -> None:
    statement = parse_statement(text)
    assert isinstance(statement, CreateTable)
    assert statement.query == Query(query)


def test_create_table_like_names_its_model() -> None:
    assert parse_statement("CREATE TRANSIENT TABLE IF NOT EXISTS t LIKE s.u") == CreateTable(
        T, like=name("s", "u"), existing=Existing.KEPT
    )


def test_default_in_values_is_a_slot_with_its_position() -> None:
    statement = parse_statement("INSERT INTO t (a, b) VALUES (1, DEFAULT), (DEFAULT, 'DEFAULT')")
    assert statement == Insert(
        T,
        Query("SELECT 1, __icemelt_v0__ UNION ALL SELECT __icemelt_v1__, 'DEFAULT'"),
        ("a", "b"),
        defaults=(("__icemelt_v0__", 1), ("__icemelt_v1__", 0)),
    )


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t (SELECT 1)",
        "INSERT INTO t ((SELECT 1))",
        "INSERT INTO t (WITH a AS (SELECT 1) SELECT 1)",
    ],
)
def test_a_query_in_parentheses_is_no_list_of_columns(text: str) -> None:
    statement = parse_statement(text)
    assert isinstance(statement, Insert)
    assert statement.columns is None


def test_insert_all_numbers_its_whens() -> None:
    statement = parse_statement("""
        INSERT OVERWRITE ALL
          WHEN a > 1 THEN INTO t (x) VALUES (a + 1) INTO u
          WHEN b THEN INTO t VALUES (DEFAULT, current_timestamp())
          ELSE INTO v
        SELECT a, b FROM s
    """)
    assert isinstance(statement, InsertAll)
    assert [
        (b.target.last, b.columns, b.values, b.condition, b.group) for b in statement.branches
    ] == [
        ("t", ("x",), ("`a` + 1",), "`a` > 1", 0),
        ("u", None, None, "`a` > 1", 0),
        ("t", None, (None, "__icemelt_ctx_current_timestamp__"), "`b`", 1),
        ("v", None, None, None, 2),
    ]
    assert statement.overwrite
    assert statement.query.text == "SELECT `a`, `b` FROM __icemelt_0__ AS `s`"
    bound = statement.bind_context({"CURRENT_TIMESTAMP": "now"})
    assert bound.branches[2].values == (None, "now")


def test_a_merge_by_position_has_slots_for_names() -> None:
    statement = parse_statement(
        "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (1, t.a)"
    )
    assert isinstance(statement, RowLevel)
    assert [(each.column, each.value) for each in statement.assignments] == [
        ("#0", "1"),
        ("#1", "NULL"),
    ]
    values = {each.slot: each.value or "" for each in statement.assignments}
    values |= {each.name_slot: f"`c{each.column[1:]}`" for each in statement.assignments}
    for each in statement.unnamed:
        values |= {each.names_slot: ", `c2`", each.values_slot: ", 7"}
    bound = statement.bind({"__icemelt_target__": "x", "__icemelt_0__": "y"}, values)
    assert bound.endswith("WHEN NOT MATCHED THEN INSERT (`c0`, `c1`, `c2`) VALUES (1, NULL, 7)")


def test_nothing_is_written_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for text, _ in STATEMENTS:
            parse_statement(text)
    assert not caplog.records
