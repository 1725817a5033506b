"""Bodies of tasks as steps: units, and where a retry begins after what the history has."""

from __future__ import annotations

from dataclasses import replace

import pytest
from session.task_contexts import context_of, make_task

from icemelt.catalog.activity_records import StatementRecord
from icemelt.session.runtime.task_context import SuccessCarrier
from icemelt.session.tasks.bodies import Body, find_steps, name_statement

RECORD = StatementRecord("id", "session", "owner", "text", "INSERT", 0, 0, "succeeded", wrote=True)
INSERT = "INSERT INTO t VALUES (1)"
BEGIN = "BEGIN TRANSACTION"


def body_of(*statements: str) -> Body:
    return find_steps(f"BEGIN {'; '.join(statements)}; END")


@pytest.mark.parametrize(
    ("statements", "units"),
    [
        ([INSERT], [0]),
        ([INSERT, INSERT], [0, 1]),
        ([BEGIN, INSERT, "COMMIT"], [0, 0, 0]),
        ([INSERT, BEGIN, INSERT, "ROLLBACK", INSERT], [0, 1, 1, 1, 2]),
        ([BEGIN, INSERT], [0, 0]),
        ([BEGIN, BEGIN, INSERT, "COMMIT", "COMMIT"], [0, 0, 0, 0, 1]),
        # CREATE and DROP commit, but not of temporary objects
        ([BEGIN, INSERT, "CREATE TABLE a (i INT)", INSERT, "COMMIT"], [0, 0, 1, 2, 3]),
        ([BEGIN, INSERT, "CREATE TEMPORARY TABLE a AS SELECT 1", "COMMIT"], [0, 0, 0, 0]),
        ([BEGIN, INSERT, "CREATE TABLE a AS SELECT 1", "COMMIT"], [0, 0, 0, 0]),
    ],
)
def test_a_transaction_is_one_unit(statements: list[str], units: list[int]) -> None:
    body = body_of(*statements)
    assert [step.unit for step in body.steps] == units
    assert body.is_exactly_once is (len(set(units)) == 1)


@pytest.mark.parametrize(
    ("statements", "carrier"),
    [
        ([INSERT, INSERT], SuccessCarrier.STATEMENT),
        ([BEGIN, INSERT, "COMMIT"], SuccessCarrier.COMMIT),
        ([INSERT, "CALL SYSTEM$PYTHON_TASK('t')"], SuccessCarrier.NOTHING),
    ],
)
def test_the_last_statement_alone_carries_the_success(
    statements: list[str], carrier: SuccessCarrier
) -> None:
    body = body_of(*statements)
    carriers = [body.carrier(position) for position in range(len(statements))]
    assert carriers == [*[SuccessCarrier.NOTHING] * (len(statements) - 1), carrier]


@pytest.mark.parametrize(
    ("statements", "succeeded", "unfinished", "start"),
    [
        ([INSERT, INSERT, INSERT], [], 0, 0),
        ([INSERT, INSERT, INSERT], [0], 1, 1),
        ([INSERT, INSERT, INSERT], [0, 1, 2], 3, 3),
        # what is after an unfinished statement is not looked at
        ([INSERT, INSERT, INSERT], [0, 2], 1, 1),
        ([INSERT, BEGIN, INSERT, INSERT, "COMMIT"], [0], 1, 1),
        # the record of the COMMIT itself may be lost
        ([INSERT, BEGIN, INSERT, INSERT, "COMMIT"], [0, 2, 3], 5, 5),
        ([BEGIN, INSERT, "CREATE TABLE a (i INT)", INSERT, "COMMIT"], [1, 2], 3, 3),
        # queries are in the history before their rows are computed
        ([INSERT, "SELECT 1", "SELECT 2", INSERT], [0, 1, 2], 3, 1),
        (["SELECT 1"], [0], 1, 0),
        ([INSERT, "SELECT 1"], [0, 1], 2, 1),
        # nothing is published of a transaction that is rolled back, or only reads
        ([BEGIN, INSERT, "ROLLBACK", INSERT, INSERT], [0, 2, 3], 4, 4),
        ([BEGIN, "SELECT 1", "COMMIT", INSERT, INSERT], [0, 1, 2, 3], 4, 4),
        # a temporary object is gone with its session: the plan of a retry makes it again
        (["CREATE TEMPORARY TABLE a AS SELECT 1", INSERT, INSERT], [0, 1], 2, 2),
    ],
)
def test_a_retry_begins_after_what_the_history_has(
    statements: list[str], succeeded: list[int], unfinished: int, start: int
) -> None:
    body = body_of(*statements)
    failed = replace(RECORD, status="failed", wrote=False)
    records = {position: [failed] for position in range(len(statements))}
    for position in succeeded:
        records[position].append(RECORD)
    assert body.find_unfinished(records) == unfinished
    assert body.retry_start(unfinished) == start


def test_a_query_of_a_transaction_does_not_finish_it() -> None:
    body = body_of(BEGIN, "SELECT 1", INSERT, "COMMIT", INSERT)
    read = replace(RECORD, wrote=False)
    assert body.find_unfinished({0: [read], 1: [read]}) == 0
    assert body.retry_start(0) == 0


def test_settings_of_the_session_and_return_values_are_replayed() -> None:
    body = body_of(
        "USE SCHEMA other",
        "ALTER SESSION SET TIMEZONE = 'UTC'",
        "CALL SYSTEM$SET_RETURN_VALUE('a')",
        "SELECT SYSTEM$STREAM_HAS_DATA('s')",
        INSERT,
    )
    assert [step.is_replayed for step in body.steps] == [True, True, True, False, False]


def test_a_statement_has_the_same_id_in_the_same_attempt_alone() -> None:
    context = context_of(make_task(body=INSERT))
    names = [
        name_statement(context, 1, 0),
        name_statement(context, 2, 0),
        name_statement(context, 1, 1),
        name_statement(replace(context, run_id=8), 1, 0),
        name_statement(replace(context, root_id="other"), 1, 0),
        name_statement(context_of(make_task(body=f"{INSERT}, (2)")), 1, 0),
        name_statement(context_of(make_task("other", INSERT)), 1, 0),
    ]
    assert len(set(names)) == len(names)
    assert name_statement(context_of(make_task("CHILD", INSERT)), 1, 0) == names[0]
