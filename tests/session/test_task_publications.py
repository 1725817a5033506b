"""What a body wrote and the end of its run are one publication."""

from __future__ import annotations

from datetime import timedelta

import pytest

from conftest import Lake
from icemelt import Session
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_runs import apply_task_event, find_claimable_runs
from icemelt.session.session import core_of
from icemelt.tasks.errors import RunLost
from icemelt.tasks.events import ClaimGranted, RunClaimed, RunEnded
from icemelt.tasks.states import RunState
from icemelt.transactions.pending import Pending

STATES = "SELECT state FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY()) ORDER BY graph_run_group_id"


def _claim(session: Session) -> tuple[str, int, int]:
    """Claim the only run that may be claimed; return its root, its id and its token."""
    database = core_of(session).database
    with database.write_unordered() as connection:
        [run] = find_claimable_runs(connection, 10)
        claim = RunClaimed(run.run_id, run.task, "server", timedelta(minutes=1))
        granted = apply_task_event(connection, database.clock, run.root_id, claim)[-1]
    assert isinstance(granted, ClaimGranted)
    return run.root_id, run.run_id, granted.claim.token


def _commit_body(session: Session, root_id: str, run_id: int, token: int) -> None:
    """Run a body in a transaction that ends its run, too."""
    session.sql("BEGIN")
    session.sql("INSERT INTO t SELECT id FROM s")
    transaction = core_of(session).settings.transaction
    assert transaction is not None
    edit = ApplyTaskEvent(root_id, RunEnded(run_id, "load", token, RunState.SUCCEEDED))
    transaction.run(lambda _: Pending(None, None, edits=(edit,)))
    session.sql("COMMIT")


def test_a_body_is_published_with_the_end_of_its_run_or_not_at_all(any_lake: Lake) -> None:
    session = any_lake.open()
    session.execute_script(
        "CREATE TABLE source (id INT); CREATE TABLE t (id INT); CREATE STREAM s ON TABLE source; "
        "INSERT INTO source VALUES (1); CREATE TASK load AS SELECT 1; EXECUTE TASK load"
    )
    lost = _claim(session)
    session.sql("SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS('load')")
    session.sql("EXECUTE TASK load")
    claimed = _claim(session)
    with pytest.raises(RunLost, match="Run 1 of task 'load' is not its holder's any more"):
        _commit_body(session, *lost)
    # neither the rows nor the frontier
    assert session.sql("SELECT * FROM t").fetchall() == []
    assert session.sql("SELECT id FROM s").fetchall() == [(1,)]
    assert session.sql(STATES).fetchall() == [("CANCELLED",), ("EXECUTING",)]

    _commit_body(session, *claimed)
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]
    assert session.sql("SELECT id FROM s").fetchall() == []
    assert session.sql(STATES).fetchall() == [("CANCELLED",), ("SUCCEEDED",)]
    # not twice
    with pytest.raises(RunLost):
        _commit_body(session, *claimed)
