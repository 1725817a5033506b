"""The functions that the body of a task asks about its run, without a lake and in statements."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from session.task_contexts import SCHEDULED_AT, context_of, make_task

from icemelt.errors import IcemeltError, ParameterError, QueryError, ValueRefused
from icemelt.session.runtime.task_context import RunEdits, RunningTask, TaskContext
from icemelt.session.session import Session, core_of
from icemelt.session.timeline.task_functions import answer_task_function
from icemelt.tasks.graph import GraphVersion, Task
from icemelt.tasks.records import GraphRun, TaskRun
from icemelt.tasks.states import RunOrigin, RunState

CONFIG = '{"dir": "/a", "rate": 0.10, "on": true, "none": null, "list": [1, {"x y": "z"}]}'
NOTHING = RunEdits(lambda _value, _statement_id: ())


def answer(context: TaskContext, function: str, argument: str | None = None) -> str | None:
    return answer_task_function(context, f"SYSTEM${function}", argument, "Europe/Berlin")


def context(**fields: object) -> TaskContext:
    values = {"left": "from left", "right": None, "root": "from root"}
    usual = {"predecessors": ("Left", "right"), "return_values": values, "config": CONFIG}
    return context_of(make_task(after=("Left", "right")), **{**usual, **fields})


@pytest.mark.parametrize(
    ("name", "value"),
    [("LEFT", "from left"), ("left", "from left"), ("right", None), ("Root", "from root")],
)
def test_return_values_are_found_by_names_in_any_case(name: str, value: str | None) -> None:
    assert answer(context(), "GET_PREDECESSOR_RETURN_VALUE", name) == value


def test_an_only_predecessor_needs_no_name() -> None:
    alone = context(predecessors=("Left",))
    assert answer(alone, "GET_PREDECESSOR_RETURN_VALUE") == "from left"


@pytest.mark.parametrize(
    ("predecessors", "name", "words"),
    [
        (("Left", "right"), None, "has 2 predecessors that are resumed: whose return value"),
        ((), None, "has no predecessor that is resumed"),
        (("Left", "right"), "lift", "has no predecessor 'lift' that is resumed"),
    ],
)
def test_a_predecessor_that_is_not_told_is_an_error(
    predecessors: tuple[str, ...], name: str | None, words: str
) -> None:
    with pytest.raises(QueryError, match=words) as raised:
        answer(context(predecessors=predecessors), "GET_PREDECESSOR_RETURN_VALUE", name)
    assert "'Left'" in raised.value.hint or not predecessors


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (None, CONFIG),
        ("dir", "/a"),
        ("rate", "0.1"),
        ("on", "true"),
        ("none", None),
        ("list", '[1,{"x y":"z"}]'),
        ("list[0]", "1"),
        ("list[1]['x y']", "z"),
        ('list[1]."x y"', "z"),
        ("list[7]", None),
        ("missing.deep", None),
        ("dir.x", None),
    ],
)
def test_the_configuration_is_read_by_paths(path: str | None, value: str | None) -> None:
    assert answer(context(), "GET_TASK_GRAPH_CONFIG", path) == value
    assert answer(context(config=None), "GET_TASK_GRAPH_CONFIG", path) is None


def test_a_text_that_is_no_path_is_refused() -> None:
    with pytest.raises(ParameterError, match="takes a path"):
        answer(context(), "GET_TASK_GRAPH_CONFIG", "..")


def test_the_run_tells_its_names_ids_and_times() -> None:
    run = context(last_success_run_id=6, last_success_scheduled_at=SCHEDULED_AT - timedelta(days=1))
    told = {
        what: answer(run, "TASK_RUNTIME_INFO", what)
        for what in (
            "CURRENT_TASK_NAME",
            "current_root_task_name",
            "CURRENT_ROOT_TASK_UUID",
            "CURRENT_TASK_GRAPH_RUN_GROUP_ID",
            "CURRENT_TASK_GRAPH_ORIGINAL_SCHEDULED_TIMESTAMP",
            "LAST_SUCCESSFUL_TASK_GRAPH_RUN_GROUP_ID",
            "LAST_SUCCESSFUL_TASK_GRAPH_ORIGINAL_SCHEDULED_TIMESTAMP",
        )
    }
    assert list(told.values()) == [
        *("child", "root", "id-of-root", "7"),
        *("2024-01-31 06:00:00.250 +0100", "6", "2024-01-30 06:00:00.250 +0100"),
    ]
    assert answer(context(), "TASK_RUNTIME_INFO", "LAST_SUCCESSFUL_TASK_GRAPH_RUN_GROUP_ID") is None
    with pytest.raises(ParameterError) as raised:
        answer(run, "TASK_RUNTIME_INFO", "CURRENT_TASK")
    assert "CURRENT_TASK_NAME" in raised.value.hint


def test_a_context_is_made_of_a_run() -> None:
    tasks = (
        Task("root", "main.public", is_suspended=False, config='{"a": 1}'),
        Task("left", "main.public", ("root",), is_suspended=False),
        Task("right", "main.public", ("root",), is_suspended=True),
        Task("child", "main.public", ("left", "right"), is_suspended=False),
    )
    ended = TaskRun("left", 2, RunState.SUCCEEDED, SCHEDULED_AT, return_value="x")
    graph = GraphVersion(3, tasks)
    run = GraphRun(9, graph, RunOrigin.SCHEDULE, SCHEDULED_AT, 2, '{"a": 1}', (ended,))
    made = TaskContext.of_run(make_task(after=("left", "right")), "r", run, 5)
    assert made.predecessors == ("left",)
    assert (made.root_name, made.run_id, made.attempt, made.token) == ("root", 9, 2, 5)
    assert answer(made, "GET_PREDECESSOR_RETURN_VALUE") == "x"


def test_statements_of_a_body_ask_and_tell(session: Session) -> None:
    settings = core_of(session).settings
    running = RunningTask(context(), NOTHING)
    settings.running_task = running
    session.sql("CREATE TABLE told (name VARCHAR, value VARCHAR)")
    session.sql(
        "INSERT INTO told SELECT SYSTEM$TASK_RUNTIME_INFO('CURRENT_TASK_NAME'), "
        "SYSTEM$GET_PREDECESSOR_RETURN_VALUE('left')"
    )
    session.sql(
        "INSERT INTO told VALUES (SYSTEM$CURRENT_USER_TASK_NAME(), "
        "SYSTEM$GET_TASK_GRAPH_CONFIG('none'))"
    )
    assert sorted(session.sql("SELECT * FROM told").fetchall(), key=str) == [
        ("child", "from left"),
        ("child", None),
    ]
    rate = "SELECT SYSTEM$GET_TASK_GRAPH_CONFIG('rate')::DECIMAL(4, 2) + 1 AS rate"
    assert str(session.sql(rate).fetchall()[0][0]) == "1.10"
    when = "SYSTEM$TASK_RUNTIME_INFO('CURRENT_TASK_GRAPH_ORIGINAL_SCHEDULED_TIMESTAMP')"
    (moment,) = session.sql(f"SELECT {when}::TIMESTAMP_LTZ AS moment").fetchall()[0]
    assert moment == SCHEDULED_AT
    assert session.sql("SELECT SYSTEM$SET_RETURN_VALUE(?)", ["é" * 5120]).fetchall()
    assert running.return_value == "é" * 5120
    session.sql("CALL SYSTEM$SET_RETURN_VALUE('done')")
    assert running.return_value == "done"
    with pytest.raises(ValueRefused, match="10,240 bytes"):
        session.sql("CALL SYSTEM$SET_RETURN_VALUE(?)", ["é" * 5121])
    settings.running_task = replace(running, context=context(predecessors=()))
    with pytest.raises(IcemeltError, match="no predecessor that is resumed"):
        session.sql("SELECT SYSTEM$GET_PREDECESSOR_RETURN_VALUE()")
