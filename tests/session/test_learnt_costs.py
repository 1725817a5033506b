"""A session learns what plans for the changes of views take; EXPLAIN ANALYZE tells it of one."""

from __future__ import annotations

import pytest

from icemelt import Session
from icemelt.errors import NotYet, QueryError
from icemelt.observe.emitting import emit
from icemelt.observe.events import CURRENT_STATEMENT, RowsFetched, StatementEnded
from icemelt.session.runtime.plan_watch import PlanWatch

CHANGES = "SELECT * FROM sums CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => '{}')"


@pytest.fixture
def changes(session: Session) -> str:
    """Return a query of a view's changes, in a session that learns."""
    session.sql("ALTER SESSION SET LEARN_COSTS = TRUE")
    session.sql("CREATE TABLE t (id INT, v INT)")
    session.sql("INSERT INTO t SELECT seq4(), seq4() % 7 FROM TABLE(GENERATOR(ROWCOUNT => 1000))")
    session.sql("CREATE VIEW sums AS SELECT v, SUM(id) AS total FROM t GROUP BY v")
    session.sql("CREATE STREAM news ON VIEW sums")
    start = session.sql("SELECT 1").statement_id
    session.sql("UPDATE t SET id = id + 1 WHERE id = 5")
    return CHANGES.format(start)


def explained(session: Session, query: str) -> str:
    return "\n".join(row[0] for row in session.sql(f"EXPLAIN {query}").fetchall())


def run_by(session: Session, way: str, query: str) -> None:
    session.sql(f"ALTER SESSION SET VIEW_CHANGES = {way}")
    session.sql(query).fetchall()
    session.sql("ALTER SESSION SET VIEW_CHANGES = AUTO")


def known(session: Session) -> int:
    """Return of how many plans the session has learnt."""
    return len(session._core.plans.memory._ratios)


def test_explain_tells_what_was_learnt_of_a_plan(session: Session, changes: str) -> None:
    assert "as it was before" not in explained(session, changes)
    run_by(session, "INCREMENTAL", changes)
    session._core.plans.memory.note("another", "BOTH_ENDS", 1.0, 1.0)
    assert "as it was before" in explained(session, changes)
    session.sql("ALTER SESSION SET LEARN_COSTS = FALSE")
    assert "as it was before" not in explained(session, changes)
    assert session.sql("SHOW PARAMETERS LIKE 'LEARN_COSTS'").fetchall()[0][1] == "FALSE"


def test_a_plan_counts_once_its_rows_were_fetched(session: Session, changes: str) -> None:
    explained(session, changes)
    planned = session.sql(changes)
    planned.to_spark()
    assert known(session) == 0
    planned.fetchall()
    assert known(session) == 1


def test_a_statement_that_consumes_counts_at_its_end(session: Session, changes: str) -> None:
    session.sql("CREATE TABLE copy (v INT, total INT)")
    session.sql("INSERT INTO copy SELECT v, total FROM news")
    assert known(session) == 1
    assert session._core.plans._unsubscribe is None


def test_a_plan_that_fails_counts_for_nothing(session: Session, changes: str) -> None:
    with pytest.raises(QueryError):
        session.sql(changes.replace("SELECT *", "SELECT v / (v - v)")).fetchall()
    assert known(session) == 0


def test_several_views_of_a_statement_share_its_time() -> None:
    plans = PlanWatch()
    token = CURRENT_STATEMENT.set("one")
    try:
        plans.expect("a", "INCREMENTAL", 1.0)
        plans.expect("b", "BOTH_ENDS", 3.0)
    finally:
        CURRENT_STATEMENT.reset(token)
    emit(StatementEnded("other", "s", "INSERT", 9.0))
    emit(StatementEnded("one", "s", "SELECT", 2.0))
    assert not plans.memory._ratios
    emit(RowsFetched("one", 6.0))
    # twice the expected time for each: nothing to choose by
    assert plans.memory.correction("a", "INCREMENTAL") == pytest.approx(1.0)
    assert len(plans.memory._ratios) == 2


def expecting(statement_id: str, *, fails: bool = False) -> PlanWatch:
    """Return a watch that expects a second of a plan, and of another one if the first `fails`."""
    plans, token = PlanWatch(), CURRENT_STATEMENT.set(statement_id)
    try:
        plans.expect("a", "INCREMENTAL", 1.0)
        if fails:
            plans.forget()
            plans.expect("a", "BOTH_ENDS", 1.0)
    finally:
        CURRENT_STATEMENT.reset(token)
    return plans


@pytest.mark.parametrize(
    "events",
    [
        # not all rows, or none
        [StatementEnded("one", "s", "SELECT", 2.0), RowsFetched("one", 1.0, is_whole=False)],
        [StatementEnded("one", "s", "SELECT", 2.0), RowsFetched("one", 1.0, "value-refused")],
        [StatementEnded("one", "s", "INSERT", 2.0, "conflict")],
        # the time is that of more than the plan, or of less
        [StatementEnded("one", "s", "MERGE", 2.0)],
        [StatementEnded("one", "s", "CONSUME", 2.0)],
        [StatementEnded("one", "s", "EXPLAIN", 2.0)],
    ],
)
def test_what_is_not_the_time_of_a_plan_is_not_learnt(
    events: list[StatementEnded | RowsFetched],
) -> None:
    plans = expecting("one")
    for event in events:
        emit(event)
    assert not plans.memory._ratios
    assert plans._unsubscribe is None


def test_a_plan_that_another_one_replaced_is_not_learnt() -> None:
    plans = expecting("one", fails=True)
    emit(StatementEnded("one", "s", "INSERT", 2.0))
    assert not plans.memory._ratios


def test_rows_fetched_inside_of_a_statement_are_in_its_time() -> None:
    plans = expecting("one")
    emit(RowsFetched("one", 1.0))
    emit(StatementEnded("one", "s", "CREATE", 2.0))
    assert len(plans.memory._ratios) == 1


def test_explain_analyze_runs_the_query_and_tells_what_it_took(
    session: Session, changes: str
) -> None:
    first, *others = explained(session, f"ANALYZE {changes}").splitlines()
    assert first.startswith("Ran in ")
    assert ": 2 rows, of " in first
    assert " MB read, Spark jobs: " in first
    assert any(line.startswith("  plan: ") for line in others)
    assert "Ran in" not in explained(session, changes)
    # a query of a stream does not consume it
    explained(session, "ANALYZE EXTENDED SELECT * FROM news")
    assert session.sql("SELECT COUNT(*) FROM news").fetchall() == [(2,)]


def test_explain_analyze_counts_what_was_read(session: Session, changes: str) -> None:
    lines = explained(session, "ANALYZE SELECT v, v FROM t").splitlines()
    assert ": 1,000 rows, of 1,000 rows and " in lines[0]


def test_explain_analyze_changes_nothing(session: Session, changes: str) -> None:
    with pytest.raises(NotYet, match="ANALYZE runs queries alone"):
        session.sql("EXPLAIN ANALYZE DELETE FROM t")
    with pytest.raises(NotYet, match="ANALYZE runs queries alone"):
        session.sql("EXPLAIN ANALYZE DROP TABLE t")
    assert session.sql("SELECT COUNT(*) FROM t").fetchall() == [(1000,)]
