"""Statements on a schema with a task that this machine cannot read, and a scheduler beside it."""

from __future__ import annotations

import pytest
from session.task_runs import root_id, wait_for
from tasks.broken_graphs import ZONE, move_to_mars

from icemelt import Session
from icemelt.errors import DefinitionRefused
from icemelt.session.session import core_of

CRON = f"SCHEDULE = 'USING CRON 0 3 * * * {ZONE}'"


def state_of(session: Session, name: str) -> str:
    [row] = session.sql(f"SHOW TASKS LIKE '{name}'").to_pandas().to_dict("records")
    return str(row["state"])


@pytest.fixture(autouse=True)
def broken(session: Session) -> None:
    session.sql(f"CREATE TASK broken {CRON} AS SELECT 1")
    session.sql("ALTER TASK broken RESUME")
    session.sql("CREATE TASK after_it AFTER broken AS SELECT 1")
    move_to_mars(core_of(session).database, root_id(session, "broken"))


def test_statements_on_the_schema_work_and_others_run(session: Session) -> None:
    with session.scheduler():
        session.sql("CREATE TASK other SCHEDULE = '1 HOUR' AS SELECT 1")
        session.sql("ALTER TASK other RESUME")
        session.sql("EXECUTE TASK other")
        wait_for(session, "other", 1)
    session.sql("SELECT * FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY())").fetchall()
    session.sql("SELECT * FROM TABLE(INFORMATION_SCHEMA.CURRENT_TASK_GRAPHS())").fetchall()
    dependents = "SELECT name FROM TABLE(INFORMATION_SCHEMA.TASK_DEPENDENTS('{}'))"
    assert session.sql(dependents.format("other")).fetchall() == [("other",)]
    assert session.sql(dependents.format("broken")).fetchall() == [("broken",), ("after_it",)]
    session.sql("DROP TASK other")
    session.sql("DROP TASK broken")
    assert state_of(session, "after_it") == "suspended"


def test_a_statement_that_needs_the_zone_says_what_to_type(session: Session) -> None:
    for statement in ("ALTER TASK broken SET CONFIG = '{}'", "ALTER TASK after_it RESUME"):
        with pytest.raises(DefinitionRefused, match="Time zone 'Mars/Base'") as refused:
            session.sql(statement)
        assert "SCHEDULE = 'USING CRON" in refused.value.hint
    session.sql("ALTER TASK broken SUSPEND")
    assert state_of(session, "broken") == "suspended"
    session.sql(f"ALTER TASK broken SET {CRON}")
    session.sql("ALTER TASK broken RESUME")
    assert state_of(session, "broken") == "started"
