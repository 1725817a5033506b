"""Tasks that Python makes: the statement behind `session.task`, who may make one, who runs it."""

from __future__ import annotations

from typing import Any

import pytest
from session.body_edits import MARK, make_edits
from session.task_contexts import context_of, find_task

from conftest import Lake
from icemelt.errors import (
    DefinitionRefused,
    IcemeltError,
    Never,
    ObjectNotFound,
    ParameterError,
    SqlSyntaxError,
)
from icemelt.session.hosting import open_guest
from icemelt.session.runtime.task_context import RunEdits
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.python_bodies import is_runnable_here
from icemelt.session.tasks.running import run_task_body
from icemelt.tasks.states import RunState


def load(own: Session) -> None:
    own.sql("INSERT INTO t VALUES (1)")


def shown(session: Session, name: str) -> dict[str, Any]:
    result = session.sql("SHOW TASKS")
    (row,) = [row for row in result.fetchall() if row[1] == name]
    return dict(zip(result.columns, row, strict=True))


def test_a_function_becomes_a_task_with_the_options_of_create_task(session: Session) -> None:
    session.sql("CREATE SCHEMA other")
    session.sql("USE SCHEMA public")
    session.task(
        "root",
        load,
        schedule="1 HOUR",
        config={"a": "it's"},
        user_task_timeout_ms=60_000,
        comment="first",
        timezone=None,
    )
    session.task("one", load, after="root", when="SYSTEM$GET_PREDECESSOR_RETURN_VALUE() = 'x'")
    session.task("two", load, after=["root"])
    session.task('"It\'s both"', load, after=("one", "main.public.two"))
    session.task("last", load, finalize="root")
    root = shown(session, "root")
    assert root["definition"] == "CALL SYSTEM$PYTHON_TASK('main.public.root')"
    assert (root["schedule"], root["comment"]) == ("1 HOUR", "first")
    assert root["config"] == '{"a": "it\'s"}'
    assert shown(session, "one")["condition"] == "SYSTEM$GET_PREDECESSOR_RETURN_VALUE() = 'x'"
    both = shown(session, "It's both")
    assert both["definition"] == "CALL SYSTEM$PYTHON_TASK('main.public.\"It''s both\"')"
    assert both["predecessors"] == '["main.public.one", "main.public.two"]'
    assert '"FinalizedRootTask"' in shown(session, "last")["task_relations"]
    (text,) = session.sql("SELECT GET_DDL('TASK', 'root')").fetchall()[0]
    assert "SYSTEM$PYTHON_TASK" in text


def test_making_a_task_again_keeps_it_started_and_takes_the_new_function(
    lake: Lake, session: Session
) -> None:
    session.sql(f"CREATE SCHEMA {MARK}")
    session.sql("USE SCHEMA public")
    session.sql("CREATE TABLE t (id INT)")
    session.task("root", lambda own: own.sql("SELECT 1 / 0"), schedule="1 HOUR", comment="a")
    before = shown(session, "root")["id"]
    session.sql("ALTER TASK root RESUME")
    session.task("root", load, schedule="2 HOURS")
    row = shown(session, "root")
    assert (row["id"], row["state"], row["schedule"]) == (before, "started", "2 HOURS")
    assert not row["comment"]
    # another session of the process, on the same lake, has the function
    other = core_of(lake.open())
    session.sql("CREATE TASK twin CLONE root")
    for name in ("root", "twin"):
        task = find_task(session, name)
        assert is_runnable_here(other, task)
        outcome = run_task_body(other, context_of(task), make_edits(session))
        assert outcome.state is RunState.SUCCEEDED
    assert session.sql("SELECT * FROM t").fetchall() == [(1,), (1,)]


def test_a_process_without_the_function_leaves_the_run_to_others(session: Session) -> None:
    session.sql("CREATE TASK far AS BEGIN SELECT 1; CALL SYSTEM$PYTHON_TASK('far'); END")
    session.sql("CREATE TASK near AS SELECT 1")
    core = core_of(session)
    assert not is_runnable_here(core, find_task(session, "far"))
    assert is_runnable_here(core, find_task(session, "near"))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"function": "load"}, ParameterError),
        ({"after": "missing"}, ObjectNotFound),
        ({"after": "other.root"}, DefinitionRefused),
        ({"when": "id > 1"}, DefinitionRefused),
        ({"when": "TRUE AS SELECT 1"}, SqlSyntaxError),
        ({"schedule": "often"}, DefinitionRefused),
        ({"scheduel": "1 HOUR"}, SqlSyntaxError),
        ({"a b": "c"}, ParameterError),
        ({"name": "missing.public.t"}, ObjectNotFound),
    ],
)
def test_what_cannot_be_a_task_is_refused(
    session: Session, arguments: dict[str, Any], error: type[IcemeltError]
) -> None:
    with pytest.raises(error):
        session.task(**{"name": "refused", "function": load, **arguments})
    assert session.sql("SHOW TASKS").fetchall() == []


def test_a_guest_makes_no_task_of_python(lake: Lake, session: Session) -> None:
    session.task("root", load, schedule="1 HOUR")
    guest = open_guest(session, "guest", [str(lake.folder / "guest")])
    call = "CALL SYSTEM$PYTHON_TASK('root')"
    with pytest.raises(Never, match="no task that runs a function of Python"):
        guest.task("mine", load)
    for text in (
        f"CREATE TASK mine AS {call}",
        f"CREATE OR REPLACE TASK root AS BEGIN SELECT 1; {call}; END",
        f"ALTER TASK root MODIFY AS {call}",
    ):
        with pytest.raises(Never, match="no task that runs a function of Python"):
            guest.sql(text)
    guest.sql("CREATE TASK mine CLONE root")
    cloned = find_task(session, "mine")
    outcome = run_task_body(
        core_of(session), context_of(cloned), RunEdits(lambda _value, _statement_id: ())
    )
    assert outcome.error is not None
    assert outcome.error.code == "definition-refused"
    guest.close()
