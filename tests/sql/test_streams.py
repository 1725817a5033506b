from __future__ import annotations

import pytest

from icemelt.names import ObjectName
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import (
    AdvanceStream,
    AlterStream,
    Ask,
    ChangeFormat,
    CreateStream,
    Existing,
    Explain,
    Point,
    PointKind,
    ResetStream,
    Select,
    SetOptions,
    Side,
    Statement,
    StreamAction,
    TableReference,
    UnsetOptions,
    bind_context,
    context_names,
)


def name(*parts: str) -> ObjectName:
    return ObjectName(parts)


S, T = name("s"), name("t")
AN_HOUR = Point(Side.AT, PointKind.OFFSET, "-3600")
STATEMENT = Point(Side.BEFORE, PointKind.STATEMENT, "'x'")

CREATED: list[tuple[str, CreateStream]] = [
    ("CREATE STREAM s ON TABLE t", CreateStream(S, T)),
    (
        "create or replace stream d.sc.S on table d..T",
        CreateStream(name("d", "sc", "s"), name("d", "public", "t"), existing=Existing.REPLACED),
    ),
    ("CREATE STREAM IF NOT EXISTS s ON VIEW t", CreateStream(S, T, "VIEW", existing=Existing.KEPT)),
    ("CREATE STREAM s ON DYNAMIC TABLE t", CreateStream(S, T, "DYNAMIC TABLE")),
    (
        "CREATE STREAM s ON EXTERNAL TABLE t INSERT_ONLY = TRUE",
        CreateStream(S, T, "EXTERNAL TABLE", mode=ChangeFormat.INSERT_ONLY),
    ),
    ("CREATE STREAM s ON STAGE t", CreateStream(S, T, "STAGE")),
    ("CREATE STREAM s COPY GRANTS ON TABLE t", CreateStream(S, T)),
    ('CREATE STREAM "On" ON TABLE "Table"', CreateStream(name("On"), name("Table"))),
    ("CREATE STREAM stream ON TABLE stream", CreateStream(name("stream"), name("stream"))),
    ("CREATE STREAM s CLONE a.t", CreateStream(S, None, clone=name("a", "t"))),
    (
        "CREATE STREAM s CLONE a.t COPY GRANTS COMMENT = 'twin'",
        CreateStream(S, None, comment="twin", clone=name("a", "t")),
    ),
    (
        "CREATE OR REPLACE STREAM s CLONE t COPY GRANTS",
        CreateStream(S, None, existing=Existing.REPLACED, clone=T),
    ),
    ("CREATE STREAM s ON TABLE t AT (OFFSET => -3600)", CreateStream(S, T, point=AN_HOUR)),
    (
        "CREATE STREAM s ON TABLE t BEFORE (STATEMENT => 'x')",
        CreateStream(S, T, point=STATEMENT),
    ),
    (
        "CREATE STREAM s ON TABLE t AT (STREAM => 'a.b')",
        CreateStream(S, T, point=Point(Side.AT, PointKind.STREAM, "'a.b'")),
    ),
    (
        "CREATE STREAM s ON TABLE t AT (TIMESTAMP => '2024-01-01'::timestamp)",
        CreateStream(
            S,
            T,
            point=Point(Side.AT, PointKind.TIMESTAMP, "CAST('2024-01-01' AS TIMESTAMP_NTZ)"),
        ),
    ),
]

WRITTEN = [
    "AT (OFFSET => -3600)",
    "APPEND_ONLY = TRUE",
    "INSERT_ONLY = FALSE",
    "SHOW_INITIAL_ROWS = true",
    "COMMENT = 'it''s'",
]

ACTIONS: list[tuple[str, StreamAction]] = [
    ("SET COMMENT = 'x'", SetOptions({"COMMENT": "x"})),
    ("set comment 'x'", SetOptions({"COMMENT": "x"})),
    ("UNSET COMMENT", UnsetOptions(("COMMENT",))),
    ("ADVANCE", AdvanceStream()),
    ("ADVANCE TO AT (OFFSET => -3600)", AdvanceStream(AN_HOUR)),
    ("ADVANCE TO BEFORE (STATEMENT => 'x')", AdvanceStream(STATEMENT)),
    ("RESET TO AT (OFFSET => -3600)", ResetStream(AN_HOUR)),
    ("RESET TO BEFORE (STATEMENT => 'x')", ResetStream(STATEMENT)),
]

HAS_DATA = "SYSTEM$STREAM_HAS_DATA"
ASKED: list[tuple[str, Ask]] = [
    (
        "SELECT SYSTEM$STREAM_HAS_DATA('s')",
        Ask(HAS_DATA, "s", "SYSTEM$STREAM_HAS_DATA('s')"),
    ),
    (
        "select system$stream_has_data( 'a.\"B c\"' );",
        Ask(HAS_DATA, 'a."B c"', "system$stream_has_data( 'a.\"B c\"' )"),
    ),
    ("SELECT SYSTEM$STREAM_HAS_DATA($$s$$) AS Has", Ask(HAS_DATA, "s", "has")),
    ("SELECT SYSTEM$STREAM_HAS_DATA('s') \"Has\"", Ask(HAS_DATA, "s", "Has")),
    (
        "SELECT SYSTEM$STREAM_GET_TABLE_TIMESTAMP('s') x",
        Ask("SYSTEM$STREAM_GET_TABLE_TIMESTAMP", "s", "x"),
    ),
    ("SELECT SYSTEM$ABORT_TRANSACTION('01-a') x", Ask("SYSTEM$ABORT_TRANSACTION", "01-a", "x")),
    (
        "CALL SYSTEM$ABORT_TRANSACTION('01-a')",
        Ask("SYSTEM$ABORT_TRANSACTION", "01-a", "SYSTEM$ABORT_TRANSACTION"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), CREATED)
def test_create_stream_is_read_as_plain_data(text: str, expected: CreateStream) -> None:
    assert parse_statement(text) == expected


@pytest.mark.parametrize("start", range(len(WRITTEN)))
@pytest.mark.parametrize("separator", [" ", ", "])
def test_options_of_a_stream_stand_in_any_order(start: int, separator: str) -> None:
    options = WRITTEN[start:] + WRITTEN[:start]
    for written in (options, options[::-1]):
        assert parse_statement(
            f"CREATE STREAM s ON TABLE t {separator.join(written)}"
        ) == CreateStream(
            S,
            T,
            point=AN_HOUR,
            mode=ChangeFormat.APPEND_ONLY,
            show_initial_rows=True,
            comment="it's",
        )


@pytest.mark.parametrize(("text", "action"), ACTIONS)
def test_alter_stream_has_one_action(text: str, action: StreamAction) -> None:
    assert parse_statement(f"ALTER STREAM s {text}") == AlterStream(S, action)
    altered = AlterStream(name("a", "s"), action, if_exists=True)
    assert parse_statement(f"alter stream if exists A.S {text}") == altered


def test_comment_on_a_stream_alters_it() -> None:
    action = SetOptions({"COMMENT": "x"})
    assert parse_statement("COMMENT IF EXISTS ON STREAM s IS 'x'") == AlterStream(
        S, action, if_exists=True
    )


@pytest.mark.parametrize(
    "text",
    [
        "CREATE STREAM s ON TABLE t AT (TIMESTAMP => CURRENT_TIMESTAMP())",
        "ALTER STREAM s ADVANCE TO AT (TIMESTAMP => CURRENT_TIMESTAMP)",
        "ALTER STREAM s RESET TO AT (TIMESTAMP => GETDATE())",
    ],
)
def test_the_clock_fills_the_point_of_a_stream(text: str) -> None:
    statement = parse_statement(text)
    assert context_names(statement) == {"CURRENT_TIMESTAMP"}
    bound = bind_context(statement, {"CURRENT_TIMESTAMP": "NOW"})
    assert not context_names(bound)
    assert point_of(bound) == Point(Side.AT, PointKind.TIMESTAMP, "NOW")


def point_of(statement: Statement) -> Point | None:
    match statement:
        case CreateStream(point=point) | AlterStream(action=AdvanceStream(point)):
            return point
        case AlterStream(action=ResetStream(point)):
            return point
        case _:
            raise AssertionError(statement)


def test_a_point_of_a_stream_takes_parameters() -> None:
    expected = CreateStream(S, T, point=STATEMENT, comment="c")
    text = "CREATE STREAM s ON TABLE t BEFORE (STATEMENT => ?) COMMENT = ?"
    assert parse_statement(text, ["x", "c"]) == expected


@pytest.mark.parametrize(("text", "expected"), ASKED)
def test_a_question_alone_is_no_query(text: str, expected: Ask) -> None:
    assert parse_statement(text) == expected


def test_a_question_takes_parameters() -> None:
    asked = parse_statement("SELECT SYSTEM$STREAM_HAS_DATA(:name) AS x", {"name": "a.s"})
    assert asked == Ask(HAS_DATA, "a.s", "x")
    assert parse_statement("CALL SYSTEM$STREAM_HAS_DATA(?)", ["s"]) == Ask(HAS_DATA, "s", HAS_DATA)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SYSTEM$STREAM_HAS_DATA('s'), 1",
        "SELECT DISTINCT SYSTEM$STREAM_HAS_DATA('s')",
        "SELECT NOT SYSTEM$STREAM_HAS_DATA('s')",
        "SELECT SYSTEM$STREAM_HAS_DATA('s') FROM t",
        "SELECT SYSTEM$STREAM_HAS_DATA('s') LIMIT 1",
        "SELECT 1 WHERE SYSTEM$STREAM_HAS_DATA('s')",
        "SELECT SYSTEM$STREAM_HAS_DATA('s') UNION ALL SELECT TRUE",
        "WITH c AS (SELECT 1) SELECT SYSTEM$STREAM_HAS_DATA('s')",
        "(SELECT SYSTEM$STREAM_HAS_DATA('s'))",
        "CREATE TABLE t AS SELECT SYSTEM$STREAM_HAS_DATA('s') AS x",
        "INSERT INTO t VALUES (SYSTEM$STREAM_HAS_DATA('s'))",
        "INSERT ALL WHEN SYSTEM$STREAM_HAS_DATA('s') THEN INTO t SELECT 1",
        "UPDATE t SET a = 1 WHERE SYSTEM$STREAM_HAS_DATA('s')",
        "COPY INTO '/x' FROM (SELECT SYSTEM$STREAM_HAS_DATA('s') AS x)",
        "EXPLAIN SELECT 1 FROM t WHERE SYSTEM$STREAM_HAS_DATA('s')",
    ],
)
def test_a_question_inside_a_statement_is_a_value_of_its_context(text: str) -> None:
    statement = parse_statement(text)
    assert context_names(statement) == {"SYSTEM$STREAM_HAS_DATA(s)"}
    bound = bind_context(statement, {"SYSTEM$STREAM_HAS_DATA(s)": "true"})
    assert not context_names(bound)
    assert "__icemelt_ask" not in repr(bound)


def test_questions_about_names_that_look_alike_have_slots_of_their_own() -> None:
    names = ["a.b", "a_b", "A.b", "a_b_", ") OR f(", "__icemelt_ask0__"]
    questions = ", ".join(f"SYSTEM$STREAM_HAS_DATA('{each}')" for each in names)
    select = parse_statement(f"SELECT {questions}")
    assert isinstance(select, Select)
    context = select.query.context
    assert [each.name for each in context] == [f"{HAS_DATA}({each})" for each in names]
    assert len({each.slot for each in context}) == len(names)
    for each in context:
        assert select.query.text.count(each.slot) == 1


def test_explain_of_a_question_explains_it() -> None:
    asked = parse_statement("EXPLAIN SELECT SYSTEM$STREAM_HAS_DATA('s') AS x")
    assert asked == Explain(Ask(HAS_DATA, "s", "x"))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("s", S),
        ("Db.Public.S", name("db", "public", "s")),
        ("db..s", name("db", "public", "s")),
        ('"My s"."a.b"', name("My s", "a.b")),
        ('"a""b"', name('a"b')),
        (" s$1 ", name("s$1")),
        ("größe", name("größe")),
    ],
)
def test_a_backlog_names_its_stream_in_a_text(written: str, expected: ObjectName) -> None:
    select = parse_statement(f"SELECT * FROM TABLE(SYSTEM$STREAM_BACKLOG('{written}')) AS b")
    assert isinstance(select, Select)
    reference = TableReference("__icemelt_0__", expected, backlog=True)
    assert select.query.references == (reference,)
    assert select.query.text == "SELECT * FROM __icemelt_0__ AS `b`"


def test_a_backlog_is_read_beside_its_stream() -> None:
    select = parse_statement(
        "SELECT * FROM s JOIN TABLE(SYSTEM$STREAM_BACKLOG('s')) ON s.id = version"
    )
    assert isinstance(select, Select)
    assert [each.backlog for each in select.query.references] == [False, True]


@pytest.mark.parametrize(
    ("clause", "side"),
    [
        ("AT (STREAM => 's')", "point"),
        ("CHANGES (INFORMATION => DEFAULT) AT (STREAM => 's')", "start"),
        ("CHANGES AT (OFFSET => -1) END (STREAM => 's')", "end"),
    ],
)
def test_a_stream_names_a_point(clause: str, side: str) -> None:
    select = parse_statement(f"SELECT * FROM t {clause}")
    assert isinstance(select, Select)
    (reference,) = select.query.references
    holder = reference if side == "point" else reference.changes
    assert getattr(holder, side) == Point(Side.AT, PointKind.STREAM, "'s'")
