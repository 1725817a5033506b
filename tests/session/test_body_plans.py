"""What a retry of a body runs: what is not finished, and what makes its temporary objects again."""

from __future__ import annotations

import pytest

from icemelt.names import QualifiedName
from icemelt.session.runtime.task_context import ConsumptionRefused
from icemelt.session.tasks.bodies import Body, find_steps
from icemelt.session.tasks.replaying import plan_body, validate_consumption
from icemelt.transactions.consumption import Consumption

MAKE = "CREATE TEMPORARY TABLE b AS SELECT id FROM t"
CLONE = "CREATE TEMPORARY TABLE c CLONE b"
EMPTY = "CREATE TEMPORARY TABLE b (id INT)"
FILL = "INSERT INTO b VALUES (1)"
INTO_U = "INSERT INTO u SELECT id FROM b"
INTO_V = "INSERT INTO v SELECT id FROM b"
OTHER = "INSERT INTO v VALUES (1)"
BEGIN = "BEGIN TRANSACTION"
B = QualifiedName("main", "public", "b")


def body_of(*statements: str) -> Body:
    return find_steps(f"BEGIN {'; '.join(statements)}; END", "main", "public")


@pytest.mark.parametrize(
    ("statements", "unfinished", "positions"),
    [
        ([MAKE, INTO_U, INTO_V], 0, [0, 1, 2]),
        ([MAKE, INTO_U, INTO_V], 1, [0, 1, 2]),
        ([MAKE, INTO_U, INTO_V], 2, [0, 2]),
        ([MAKE, INTO_U, INTO_V], 3, []),
        # nothing to come names the object
        ([MAKE, INTO_U, OTHER], 2, [2]),
        # what fills the object, in any way, and under another name
        ([MAKE, FILL, INTO_U, INTO_V], 3, [0, 1, 3]),
        (
            [MAKE, "MERGE INTO b USING t ON b.id = t.id WHEN MATCHED THEN DELETE", INTO_V],
            2,
            [0, 1, 2],
        ),
        ([MAKE, "UPDATE main.PUBLIC.B SET id = 1", INTO_V], 2, [0, 1, 2]),
        ([MAKE, "COPY INTO b FROM '/files'", INTO_V], 2, [0, 1, 2]),
        ([MAKE, "TRUNCATE TABLE b", INTO_V], 2, [0, 1, 2]),
        (
            [MAKE, "ALTER TABLE b RENAME TO c", INTO_U, "INSERT INTO v SELECT * FROM c"],
            3,
            [0, 1, 3],
        ),
        ([MAKE, CLONE, OTHER, "DELETE FROM v USING c"], 3, [0, 1, 3]),
        (
            ["CREATE TEMPORARY STAGE b", "COPY INTO @b FROM t", OTHER, "COPY INTO v FROM @b"],
            3,
            [0, 1, 3],
        ),
        # another table of the same own name is no temporary object
        ([MAKE, "INSERT INTO other.b VALUES (1)", INTO_V], 2, [0, 2]),
        ([MAKE, "USE SCHEMA other", FILL, "DELETE FROM main.public.b"], 3, [0, 1, 3]),
        (["USE other", MAKE, "INSERT INTO other.public.b VALUES (1)", INTO_V], 3, [0, 1, 2, 3]),
        # an object that is made anew, or dropped, is not made as it was before
        (
            [MAKE, INTO_U, "CREATE OR REPLACE TEMPORARY TABLE b AS SELECT 2 AS id", INTO_V],
            3,
            [2, 3],
        ),
        ([MAKE, "CREATE OR REPLACE TEMPORARY TABLE b AS SELECT 1 FROM b", INTO_V], 2, [0, 1, 2]),
        ([MAKE, INTO_U, "DROP TABLE b", MAKE, INTO_V], 4, [3, 4]),
        (
            [
                MAKE,
                "CREATE TEMPORARY TABLE c AS SELECT id FROM b",
                "DROP TABLE b",
                MAKE,
                "DELETE FROM b USING c",
            ],
            4,
            [0, 1, 2, 3, 4],
        ),
        # the name that is dropped may be that of the table behind
        ([MAKE, INTO_U, "DROP TABLE b"], 2, []),
        ([MAKE, INTO_U, "DROP TABLE IF EXISTS b", OTHER], 2, [3]),
        ([MAKE, "DROP TABLE b", INTO_U, INTO_V], 3, [3]),
        # in a transaction
        ([BEGIN, MAKE, INTO_U, "COMMIT", INTO_V], 4, [1, 4]),
        ([BEGIN, MAKE, "DROP TABLE b", INTO_U, "COMMIT", OTHER], 3, [0, 1, 2, 3, 4, 5]),
        ([EMPTY, BEGIN, FILL, "ROLLBACK", INTO_V], 4, [0, 4]),
        ([BEGIN, EMPTY, FILL, "ROLLBACK", INTO_V], 4, [1, 4]),
        ([BEGIN, MAKE, "ROLLBACK", FILL, INTO_V], 4, [4]),
        # settings of the session
        (["ALTER SESSION SET TIMEZONE = 'UTC'", MAKE, INTO_U, OTHER], 3, [0, 3]),
    ],
)
def test_a_retry_runs_what_is_not_finished_and_what_that_needs(
    statements: list[str], unfinished: int, positions: list[int]
) -> None:
    body = body_of(*statements)
    if unfinished < len(body.steps):
        unfinished = body.unit_start(unfinished)
    assert list(plan_body(body, unfinished).positions) == positions


@pytest.mark.parametrize(
    ("statements", "position"),
    [
        ([MAKE], 0),
        ([MAKE, OTHER], 0),
        ([MAKE, "DROP TABLE b"], 0),
        ([MAKE, "CREATE OR REPLACE TEMPORARY TABLE b AS SELECT 1 AS id", INTO_U], 0),
        ([BEGIN, MAKE, INTO_U, "COMMIT"], 3),
        ([BEGIN, MAKE, INTO_U, "COMMIT", "DROP TABLE b", OTHER], 3),
    ],
)
def test_rows_that_no_later_statement_reads_are_consumed(
    statements: list[str], position: int
) -> None:
    validate_consumption(body_of(*statements), position, Consumption(frozenset({B}), lasts=True))


@pytest.mark.parametrize(
    ("statements", "position"),
    [
        ([MAKE, INTO_U], 0),
        ([MAKE, "CREATE OR REPLACE TEMPORARY TABLE b AS SELECT 1 FROM b"], 0),
        ([BEGIN, MAKE, INTO_U, "COMMIT", INTO_V], 3),
        ([BEGIN, MAKE, CLONE, "COMMIT", "DELETE FROM u USING c"], 3),
        ([BEGIN, MAKE, INTO_U, "CREATE TABLE w (id INT)", INTO_V], 3),
        ([MAKE, "CALL SYSTEM$PYTHON_TASK('t')"], 0),
    ],
)
def test_rows_that_a_retry_would_miss_are_not_consumed(
    statements: list[str], position: int
) -> None:
    consumption = Consumption(frozenset({B}), lasts=True)
    with pytest.raises(ConsumptionRefused, match=r"main\.public\.b"):
        validate_consumption(body_of(*statements), position, consumption)


def test_the_hint_is_the_transaction_to_type() -> None:
    consumption = Consumption(frozenset({B}), lasts=False)
    with pytest.raises(ConsumptionRefused) as refused:
        validate_consumption(body_of(OTHER, MAKE, OTHER, INTO_V, OTHER), 1, consumption)
    assert refused.value.hint == f"BEGIN TRANSACTION; {MAKE}; {OTHER}; {INTO_V}; COMMIT;"
    with pytest.raises(ConsumptionRefused) as refused:
        validate_consumption(body_of(BEGIN, MAKE, "COMMIT", "DROP VIEW w", INTO_V), 2, consumption)
    assert refused.value.hint == (
        f"BEGIN TRANSACTION; {MAKE}; DROP VIEW w; {INTO_V}; COMMIT; "
        "Move before it what defines other objects, which would commit it."
    )


def test_a_function_of_python_puts_no_rows_into_temporary_objects_alone() -> None:
    body = body_of("CALL SYSTEM$PYTHON_TASK('t')")
    with pytest.raises(ConsumptionRefused, match="alone"):
        validate_consumption(body, 0, Consumption(frozenset({B}), lasts=False))
    validate_consumption(body, 0, Consumption(frozenset({B}), lasts=True))
    validate_consumption(body, 0, Consumption(frozenset(), lasts=False))
