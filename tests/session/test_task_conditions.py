"""Conditions of tasks: their values over given facts, and over the streams of a lake."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from session.task_contexts import context_of, find_task, make_task

from conftest import Lake, TestClock
from icemelt.errors import (
    DefinitionRefused,
    NotYet,
    ObjectNotFound,
    SqlSyntaxError,
    StreamBroken,
    StreamStale,
    ValueRefused,
    WrongObjectKind,
)
from icemelt.session.runtime.core import Core
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.conditions import evaluate_condition, find_watched_streams
from icemelt.session.tasks.evaluation import evaluate
from icemelt.sql.parse import parse_condition

FULL, EMPTY = "SYSTEM$STREAM_HAS_DATA('full')", "SYSTEM$STREAM_HAS_DATA('empty')"
VALUE = "SYSTEM$GET_PREDECESSOR_RETURN_VALUE('{}')"
NUMBER, TEXT, NULL = VALUE.format("number"), VALUE.format("text"), VALUE.format("null")
DAY_MILLISECONDS = 86_400_000


@dataclass
class Facts:
    """Two streams and three predecessors; notes which streams were asked."""

    asked: list[str] = field(default_factory=list)

    def has_data(self, stream: str) -> bool:
        self.asked.append(stream)
        if stream == "missing":
            raise ObjectNotFound("There is none.", hint="")
        return stream == "full"

    def answer(self, _function: str, argument: str | None) -> str | None:
        return {"number": "12.50", "text": "Done", "null": None}[argument or "null"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FULL, True),
        (EMPTY, False),
        (f"NOT {EMPTY}", True),
        (f"{EMPTY} OR {FULL}", True),
        (f"{EMPTY} AND {FULL}", False),
        (f"NOT ({EMPTY} OR {FULL}) OR TRUE", True),
        (f"{FULL} AND {FULL} = TRUE AND {EMPTY} <> {FULL}", True),
        (f"{TEXT} = 'Done'", True),
        (f"{TEXT} = 'done'", False),
        (f"{TEXT} != 'done' AND 'done' <> {TEXT}", True),
        (f"{TEXT} < 'E' AND {TEXT} > 'D' AND {TEXT} <= 'Done' AND {TEXT} >= 'Done'", True),
        (f"{TEXT} IN ('a', 'Done')", True),
        (f"{TEXT} NOT IN ('a', 'b')", True),
        (f"{NUMBER} = 12.5", True),
        (f"{NUMBER} > 9", True),
        (f"{NUMBER} > '9'", False),
        (f"{NUMBER}::INT = 13", True),
        (f"CAST({NUMBER} AS NUMBER(10, 1)) = 12.5", True),
        (f"{NUMBER}::FLOAT < 12.6", True),
        ("-1 < 0", True),
        (f"{NULL} = 'a'", False),
        (f"NOT {NULL} = 'a'", False),
        (f"{NULL} IS NULL", True),
        (f"{TEXT} IS NOT NULL", True),
        (f"{NULL} = 'a' OR {FULL}", True),
        (f"{NULL} = 'a' AND {FULL}", False),
        (f"NOT ({NULL} = 'a' AND {EMPTY})", True),
        (f"TRY_CAST({TEXT} AS INT) IS NULL", True),
        ("'yes'::BOOLEAN", True),
        ("'off'", False),
        ("1", True),
        ("0", False),
        ("NULL", False),
        ("TRUE::VARCHAR = 'true'", True),
        ("12.50::VARCHAR = '12.50'", True),
    ],
)
def test_a_condition_has_the_value_of_its_facts(text: str, *, expected: bool) -> None:
    assert evaluate(parse_condition(text), Facts()) is expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{TEXT} > 5", "Numeric value 'Done' is not recognized"),
        (f"{TEXT}::INT = 5", "Numeric value 'Done' is not recognized"),
        (f"{TEXT} AND TRUE", "Boolean value 'Done' is not recognized"),
        (f"{NUMBER}::NUMBER(3, 2) > 1", "out of the range of NUMBER"),
        (f"{TEXT}::VARCHAR(2) = 'Do'", "has 4 characters"),
    ],
)
def test_a_value_that_is_no_number_or_boolean_is_an_error(text: str, words: str) -> None:
    with pytest.raises(ValueRefused, match=words):
        evaluate(parse_condition(text), Facts())


def test_operands_after_the_decisive_one_are_not_asked() -> None:
    facts = Facts()
    missing = "SYSTEM$STREAM_HAS_DATA('missing')"
    assert evaluate(parse_condition(f"{FULL} OR {missing}"), facts)
    assert not evaluate(parse_condition(f"{EMPTY} AND {missing}"), facts)
    assert facts.asked == ["full", "empty"]
    with pytest.raises(ObjectNotFound):
        evaluate(parse_condition(f"{missing} OR {FULL}"), facts)


def test_a_condition_of_many_operands_is_evaluated() -> None:
    text = " AND ".join([FULL] * 2_000)
    assert evaluate(parse_condition(text), Facts())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("UPPER('a') = 'A'", NotYet),
        ("1 + 1 = 2", NotYet),
        (f"-{NUMBER} < 0", NotYet),
        ("'a' LIKE 'a%'", NotYet),
        ("CASE WHEN TRUE THEN TRUE END", NotYet),
        ("'2024-01-01'::DATE > '2023-01-01'", NotYet),
        ("CURRENT_TIMESTAMP > '2024-01-01'", NotYet),
        ("SYSTEM$SET_RETURN_VALUE('a') = 'a'", NotYet),
        ("a = 1", DefinitionRefused),
        ("EXISTS (SELECT 1)", DefinitionRefused),
        ("SYSTEM$STREAM_HAS_DATA(1)", SqlSyntaxError),
        ("SYSTEM$STREAM_HAS_DATA('s') 1", SqlSyntaxError),
    ],
)
def test_what_needs_spark_or_rows_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_condition(text)


def without_spark(session: Session) -> Core:
    """Return the parts of a session that can neither run Spark nor open a file."""
    return replace(core_of(session), spark=None, iceberg=None)  # type: ignore[arg-type]


def is_true(session: Session, condition: str) -> bool:
    task = make_task(condition=condition)
    return evaluate_condition(without_spark(session), context_of(task))


def test_streams_are_asked_without_spark_and_files(any_lake: Lake) -> None:
    session = any_lake.open()
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE VIEW v AS SELECT id FROM t WHERE id > 1")
    session.sql("CREATE STREAM s ON TABLE t")
    session.sql('CREATE STREAM "Of view" ON VIEW v')
    session.sql("CREATE STAGE files DIRECTORY = (ENABLE = TRUE)")
    session.sql("CREATE STREAM of_files ON STAGE files")
    conditions = [f"SYSTEM$STREAM_HAS_DATA('{name}')" for name in ("S", 'public."Of view"')]
    assert not any(is_true(session, condition) for condition in conditions)
    session.sql("INSERT INTO t VALUES (1), (2)")
    assert all(is_true(session, condition) for condition in conditions)
    # a session in another schema, with a transaction and a temporary table of the name
    session.sql("CREATE SCHEMA other")
    session.sql("BEGIN")
    session.sql("CREATE TEMPORARY TABLE main.public.t (id INT)")
    assert all(is_true(session, condition) for condition in conditions)
    assert not is_true(session, "SYSTEM$STREAM_HAS_DATA('of_files')")
    session.sql("ROLLBACK")
    assert evaluate_condition(without_spark(session), context_of(make_task()))


def test_a_stream_that_cannot_be_read_is_an_error(lake: Lake, clock: TestClock) -> None:
    session = lake.open()
    for name in ("dropped", "late"):
        session.sql(f"CREATE TABLE {name} (id INT)")
        session.sql(f"CREATE STREAM of_{name} ON TABLE {name}")
    with pytest.raises(ObjectNotFound, match=r"Stream 'main\.public\.missing'"):
        is_true(session, "SYSTEM$STREAM_HAS_DATA('missing')")
    with pytest.raises(WrongObjectKind):
        is_true(session, "SYSTEM$STREAM_HAS_DATA('late')")
    session.sql("DROP TABLE dropped")
    with pytest.raises(StreamBroken, match="was dropped or replaced"):
        is_true(session, "SYSTEM$STREAM_HAS_DATA('of_dropped')")
    session.sql("INSERT INTO late VALUES (1)")
    clock.set(clock.time + 20 * DAY_MILLISECONDS)
    # late, and all of it is there
    task = make_task(condition="SYSTEM$STREAM_HAS_DATA('of_late')")
    assert evaluate_condition(core_of(session), context_of(task))
    session.sql("DELETE FROM late")
    clock.set(clock.time + 20 * DAY_MILLISECONDS)
    session.maintain(safe_age=0)
    with pytest.raises(StreamStale, match="is stale"):
        evaluate_condition(core_of(session), context_of(task))


def test_the_objects_that_can_give_a_stream_rows_are_watched(lake: Lake) -> None:
    session = lake.open()
    condition = " OR NOT ".join(
        f"SYSTEM$STREAM_HAS_DATA('{name}')" for name in ("s", "PUBLIC.S", "of_files", "missing")
    )
    for text in (
        "CREATE TABLE a (id INT)",
        "CREATE TABLE b (id INT)",
        "CREATE TABLE c (id INT)",
        "CREATE VIEW inner_view AS SELECT * FROM a",
        "CREATE VIEW v AS SELECT inner_view.id FROM inner_view JOIN b ON b.id = inner_view.id",
        "CREATE STREAM s ON VIEW v",
        "CREATE STREAM of_c ON TABLE c",
        "CREATE STAGE files DIRECTORY = (ENABLE = TRUE)",
        "CREATE STREAM of_files ON STAGE files",
        "CREATE SCHEMA other",
        f"CREATE TASK main.public.t WHEN {condition} AS SELECT 1",
    ):
        session.sql(text)
    core = core_of(session)
    names = ["a", "b", "v", "inner_view", "files", "s", "of_files"]
    with core.database.read() as connection:
        found = connection.exec_driver_sql("SELECT name, object_id FROM icemelt_objects")
        ids = {row.name: row.object_id for row in found}
    watched = find_watched_streams(core, find_task(session, "main.public.t"))
    assert [stream.stream_id for stream in watched] == [ids["s"], ids["of_files"]]
    assert watched[0].source_ids == {ids[name] for name in names[:4]}
    assert watched[1].object_ids == {ids["files"], ids["of_files"]}
    assert find_watched_streams(core, make_task()) == ()
