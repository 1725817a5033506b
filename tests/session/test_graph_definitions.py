"""A graph is made anew by GET_DDL of its tasks; DROP tells which of them run after no other now."""

from __future__ import annotations

from datetime import timedelta

import pytest
from task_runs import apply, execute, history

from conftest import Lake
from icemelt import Session
from icemelt.errors import DefinitionRefused
from icemelt.tasks.events import RunClaimed, RunEnded
from icemelt.tasks.states import RunState

GRAPH = """
    CREATE TABLE rows_of (id INT);
    CREATE STREAM news ON TABLE rows_of;
    CREATE TASK root WHEN SYSTEM$STREAM_HAS_DATA('news') CONFIG = '{"a": [1, null]}'
      TASK_AUTO_RETRY_ATTEMPTS = 2 COMMENT = 'it''s; the -- root'
      AS INSERT INTO rows_of SELECT id FROM news;
    CREATE TASK "Second" AFTER root AS BEGIN
      DELETE FROM rows_of WHERE id IS NULL; -- a comment; with a semicolon
      DELETE FROM rows_of WHERE id = 1;
    END;
    CREATE TASK b AFTER root AS SELECT ';';
    CREATE TASK c AFTER "Second" WHEN SYSTEM$GET_PREDECESSOR_RETURN_VALUE('Second') = 'x'
      AS SELECT 1;
    ALTER TASK b ADD AFTER c;
    CREATE TASK last FINALIZE = root AS SELECT 1;
"""
MEMBERS = "SELECT name FROM TABLE(INFORMATION_SCHEMA.TASK_DEPENDENTS('root'))"
# all but times and ids
TASKS = """SELECT name, schedule, predecessors, definition, condition, config, comment,
task_relations FROM INFORMATION_SCHEMA.TASKS"""


def test_a_graph_is_made_anew_by_the_definitions_of_its_tasks(lake: Lake) -> None:
    session = lake.open()
    session.execute_script(GRAPH)
    before = sorted(session.sql(TASKS).fetchall())
    names = [name for (name,) in session.sql(MEMBERS).fetchall()]
    assert names == ["root", "Second", "c", "b", "last"]
    script = ";\n".join(definition(session, name) for name in names)
    for name in names:
        session.sql(f'DROP TASK "{name}"')
    session.execute_script(script)
    assert sorted(session.sql(TASKS).fetchall()) == before
    assert [name for (name,) in session.sql(MEMBERS).fetchall()] == names


def test_dropping_a_task_tells_which_tasks_run_after_no_other_now(lake: Lake) -> None:
    session = lake.open()
    session.execute_script(GRAPH)
    assert session.sql("DROP TASK c").notice is None
    found = session.sql('DROP TASK "Second"')
    assert found.notice is None
    found = session.sql("DROP TASK root")
    assert found.notice == "Tasks 'b', 'last' are suspended roots now: no other is before."
    session.sql("CREATE TASK a AFTER b AS SELECT 1")
    found = session.sql("DROP TASK b")
    assert found.notice == "Task 'a' is a suspended root now: no other is before."


def test_dropping_a_task_tells_which_tasks_run_after_two_roots_now(lake: Lake) -> None:
    session = lake.open()
    session.execute_script("""
        CREATE TASK root SCHEDULE = '1 HOUR' AS SELECT 1;
        CREATE TASK a AFTER root AS SELECT 1;
        CREATE TASK b AFTER root AS SELECT 1;
        CREATE TASK torn AFTER a, b AS SELECT 1;
        CREATE TASK below AFTER torn AS SELECT 1
    """)
    session.sql("CREATE TASK c AFTER b AS SELECT 1")
    session.sql("ALTER TASK torn ADD AFTER c")
    session.sql("SELECT SYSTEM$TASK_DEPENDENTS_ENABLE('root')")
    assert session.sql("DROP TASK b").notice == (
        "Task 'c' is a suspended root now: no other is before. Tasks 'below', 'torn' are after two "
        "roots now, and not run before ALTER TASK … REMOVE AFTER leaves one."
    )
    with pytest.raises(DefinitionRefused, match="2 roots"):
        session.sql("EXECUTE TASK root")
    session.sql("ALTER TASK torn REMOVE AFTER c")
    session.sql("EXECUTE TASK root")


def test_a_run_is_cancelled_of_a_task_that_has_left_its_graph(lake: Lake) -> None:
    session = lake.open()
    session.execute_script("""
        CREATE TASK root SCHEDULE = '1 HOUR' AS SELECT 1;
        CREATE TASK child AFTER root AS SELECT 1
    """)
    session.sql("SELECT SYSTEM$TASK_DEPENDENTS_ENABLE('root')")
    execute(session, "root")
    apply(session, "root", RunClaimed(1, "root", "me", timedelta(minutes=1), "id"))
    apply(session, "root", RunEnded(1, "root", 1, RunState.SUCCEEDED))
    session.sql("ALTER TASK child REMOVE AFTER root")
    assert [row[:3] for row in history(session, "root")][1] == ("child", 1, "SCHEDULED")
    session.sql("SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS('child')")
    assert [row[:3] for row in history(session, "root")][1] == ("child", 1, "CANCELLED")


def definition(session: Session, name: str) -> str:
    """Return the statement that makes a task."""
    [(text,)] = session.sql(f"""SELECT GET_DDL('TASK', '"{name}"')""").fetchall()
    return str(text)
