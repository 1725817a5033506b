"""Graphs: what is none, what a dropped task leaves, and which tasks run next."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icemelt.errors import DefinitionRefused
from icemelt.tasks.graph import (
    GraphVersion,
    Task,
    require_resumable,
    select_graph,
    split_graphs,
)
from icemelt.tasks.progress import (
    find_ready_tasks,
    graph_outcome,
    is_attempt_over,
    states_for_retry,
)
from icemelt.tasks.schedule import IntervalSchedule
from icemelt.tasks.states import OverlapPolicy, RunState, SuspendedReason

HOURLY = IntervalSchedule(timedelta(hours=1))


def task(name: str, *after: str, **settings: object) -> Task:
    return Task(name, "main.public", after, **{"is_suspended": False, **settings})  # type: ignore[arg-type]


ROOT = task("root", schedule=HOURLY)


@pytest.mark.parametrize(
    ("tasks", "message", "hint"),
    [
        ([], "A graph has a task", "CREATE TASK"),
        ([ROOT, task("a", "a")], "'a' runs after itself", "ALTER TASK a REMOVE AFTER a"),
        (
            [ROOT, task("a", "root", "b"), task("b", "a")],
            "'a', 'b' run after each other",
            "ALTER TASK a REMOVE AFTER b",
        ),
        (
            [ROOT, task("d", "a"), task("a", "c"), task("b", "a"), task("c", "b")],
            "'a', 'c', 'b' run after each other",
            "ALTER TASK a REMOVE AFTER c",
        ),
        ([ROOT, task("other", schedule=HOURLY)], "2 roots", "ALTER TASK other ADD AFTER root"),
        ([ROOT, task("a", "gone")], "'gone', which does not exist", "REMOVE AFTER gone"),
        ([ROOT, task("a", "root", "root")], "a predecessor twice", "AFTER root"),
        ([ROOT, ROOT], "twice", "DROP TASK root"),
        (
            [ROOT, replace(task("a", "root"), schema="main.other")],
            "a graph is in one schema",
            "Create a in main.public",
        ),
        (
            [ROOT, replace(task("a", finalizes="root"), schema="main.other")],
            "a graph is in one schema",
            "Create a in main.public",
        ),
        (
            [ROOT, task("a", "root", schedule=HOURLY)],
            "'a' is a child in a graph and has SCHEDULE",
            "ALTER TASK a UNSET SCHEDULE",
        ),
        ([ROOT, task("a", "root", config="{}")], "has CONFIG", "ALTER TASK a UNSET CONFIG"),
        (
            [ROOT, task("a", "root", overlap_policy=OverlapPolicy.NO_OVERLAP)],
            "has OVERLAP_POLICY",
            "ALTER TASK a UNSET OVERLAP_POLICY",
        ),
        (
            [ROOT, task("a", "root", auto_retry_attempts=0)],
            "has TASK_AUTO_RETRY_ATTEMPTS",
            "ALTER TASK a UNSET TASK_AUTO_RETRY_ATTEMPTS",
        ),
        (
            [ROOT, task("a", finalizes="root"), task("b", finalizes="root")],
            "2 finalizers, 'a', 'b'",
            "ALTER TASK b UNSET FINALIZE",
        ),
        (
            [ROOT, task("a", "root", finalizes="root")],
            "'a' is the finalizer of 'root' and has predecessors",
            "ALTER TASK a REMOVE AFTER root",
        ),
        (
            [ROOT, task("a", finalizes="root", schedule=HOURLY)],
            "'a' is the finalizer in a graph and has SCHEDULE",
            "ALTER TASK a UNSET SCHEDULE",
        ),
        (
            [ROOT, task("a", "root"), task("b", finalizes="a")],
            "not the root",
            "ALTER TASK b SET FINALIZE = root",
        ),
        ([task("a", finalizes="a")], "which is no root", "ALTER TASK a UNSET FINALIZE"),
        (
            [ROOT, task("z", finalizes="root"), task("a", "z")],
            "a finalizer runs last",
            "ALTER TASK a REMOVE AFTER z",
        ),
        (
            [ROOT, *(task(f"t{number}", "root") for number in range(1_000))],
            "1,001 tasks",
            "CREATE TASK",
        ),
    ],
)
def test_tasks_that_are_no_graph_are_refused_with_what_to_type(
    tasks: list[Task], message: str, hint: str
) -> None:
    with pytest.raises(DefinitionRefused) as refused:
        GraphVersion(1, tuple(tasks))
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_a_thousand_tasks_in_a_chain_are_a_graph() -> None:
    chain = [ROOT, *(task(f"t{n}", f"t{n - 1}" if n else "root") for n in range(999))]
    graph = GraphVersion(1, tuple(reversed(chain)))
    assert graph.root is ROOT
    assert graph.children("root") == (chain[1],)
    assert select_graph("root", graph.tasks) == tuple(chain)
    assert split_graphs({each.name: each for each in chain}) == {"root": tuple(chain)}


@pytest.mark.parametrize("after", [("a", "other"), ("other", "a")])
def test_a_task_after_two_roots_is_in_no_graph_and_the_others_run_without_it(
    after: tuple[str, str],
) -> None:
    tasks = [
        *(ROOT, task("a", "root"), task("other"), task("b", "other"), task("torn", *after)),
        *(task("below", "torn", "a"), task("last", finalizes="root")),
    ]
    graphs = split_graphs({each.name: each for each in tasks})
    names = {root: [each.name for each in graph] for root, graph in graphs.items()}
    assert names == {"root": ["root", "a", "last"], "other": ["other", "b"]}
    for graph in graphs.values():
        GraphVersion(1, graph)


def test_a_root_that_would_never_run_is_not_resumed() -> None:
    with pytest.raises(DefinitionRefused, match="neither SCHEDULE nor WHEN") as refused:
        require_resumable(task("root"))
    assert refused.value.hint.startswith("ALTER TASK root SET SCHEDULE = '10 MINUTES'")
    for resumable in (ROOT, task("a", condition="TRUE"), task("a", "b"), task("a", finalizes="b")):
        require_resumable(resumable)


def test_a_suspended_root_is_not_another_graph() -> None:
    graph = GraphVersion(3, (ROOT, task("a", "root")))
    suspended = graph.suspend_root(SuspendedReason.SUSPENDED_DUE_TO_ERRORS)
    assert suspended.number == 4
    assert suspended.root.is_suspended
    assert suspended.runs_as(graph)
    other = GraphVersion(4, (ROOT, task("a", "root", is_suspended=True)))
    assert not other.runs_as(graph)


# ------------------------------------------------------------------------------- which task is next


def test_a_suspended_child_counts_as_succeeded() -> None:
    graph = GraphVersion(
        1,
        (
            ROOT,
            task("a", "root", is_suspended=True),
            task("b", "root"),
            task("after_both", "a", "b"),
            task("after_suspended", "a"),
            task("below", "after_suspended", "b"),
        ),
    )
    states = {"root": RunState.SUCCEEDED}
    assert find_ready_tasks(graph, states) == ("b",)
    states["b"] = RunState.SUCCEEDED
    assert find_ready_tasks(graph, states) == ("after_both",)
    states["after_both"] = RunState.SUCCEEDED
    # a child whose parents are all suspended has no run, and what is after it has none
    assert find_ready_tasks(graph, states) == ()
    assert graph_outcome(graph, states) is RunState.SUCCEEDED


@pytest.mark.parametrize("ended", [RunState.FAILED, RunState.CANCELLED, RunState.SUCCEEDED])
def test_the_finalizer_runs_last_whatever_became_of_the_others(ended: RunState) -> None:
    graph = GraphVersion(1, (task("z", finalizes="root"), ROOT, task("a", "root")))
    assert find_ready_tasks(graph, {}) == ("root",)
    assert find_ready_tasks(graph, {"root": RunState.SUCCEEDED}) == ("a",)
    assert find_ready_tasks(graph, {"root": RunState.SUCCEEDED, "a": RunState.EXECUTING}) == ()
    states = {"root": RunState.SUCCEEDED, "a": ended}
    assert find_ready_tasks(graph, states) == ("z",)
    assert not is_attempt_over(graph, states)
    states["z"] = RunState.SUCCEEDED
    assert is_attempt_over(graph, states)
    assert graph_outcome(graph, states) is ended
    root_ended = {"root": RunState.FAILED}
    assert find_ready_tasks(graph, root_ended) == ("z",)


def test_nothing_follows_a_skipped_root() -> None:
    graph = GraphVersion(1, (ROOT, task("a", "root"), task("z", finalizes="root")))
    assert is_attempt_over(graph, {"root": RunState.SKIPPED})
    assert graph_outcome(graph, {"root": RunState.SKIPPED}) is RunState.SKIPPED


NAMES = [f"t{number}" for number in range(8)]


@st.composite
def graphs(draw: st.DrawFn) -> GraphVersion:
    count = draw(st.integers(1, 8))
    tasks = [task("t0", schedule=HOURLY, is_suspended=draw(st.booleans()))]
    for number in range(1, count):
        after = draw(st.sets(st.sampled_from(NAMES[:number]), min_size=1, max_size=3))
        tasks.append(task(NAMES[number], *sorted(after), is_suspended=draw(st.integers(0, 3)) == 0))
    if draw(st.booleans()):
        tasks.append(task("z", finalizes="t0", is_suspended=draw(st.integers(0, 3)) == 0))
    return GraphVersion(1, tuple(draw(st.permutations(tasks))))


def model_run(
    graph: GraphVersion, ends: dict[str, RunState], kept: set[str]
) -> dict[str, RunState]:
    """Say what a whole attempt comes to, task by task from the root down, without a scheduler.

    `ends` says how each task would end, `kept` which tasks ended so in an earlier attempt.
    """
    result: dict[str, RunState] = {}
    for name in NAMES[: sum(each.finalizes is None for each in graph.tasks)]:
        each = graph.task(name)
        if name == "t0":
            result[name] = ends[name]
            continue
        parents = [
            result.get(n) for n in each.predecessors if n == "t0" or not graph.task(n).is_suspended
        ]
        if name in kept or (
            not each.is_suspended
            and parents
            and all(parent is RunState.SUCCEEDED for parent in parents)
        ):
            result[name] = ends[name]
    z = graph.finalizer
    if z is not None and not z.is_suspended and result["t0"] is not RunState.SKIPPED:
        result["z"] = ends["z"]
    return result


ENDS = st.fixed_dictionaries(
    {
        name: st.sampled_from(
            [RunState.SUCCEEDED] * 5 + [RunState.FAILED, RunState.CANCELLED, RunState.SKIPPED]
        )
        for name in (*NAMES, "z")
    }
)


@given(graphs(), ENDS, ENDS, st.randoms(use_true_random=False))
@settings(max_examples=500, deadline=None)
def test_random_graphs_run_as_the_model_says_in_any_order(
    graph: GraphVersion, ends: dict[str, RunState], again: dict[str, RunState], random: Random
) -> None:
    def run(states: dict[str, RunState], ends: dict[str, RunState]) -> list[str]:
        order = []
        while True:
            for name in find_ready_tasks(graph, states):
                assert name not in states
                states[name] = RunState.EXECUTING
                order.append(name)
            executing = [name for name, state in states.items() if state.is_open]
            if not executing:
                break
            states[random.choice(executing)] = RunState.SCHEDULED
            ended = random.choice(executing)
            states[ended] = ends[ended]
        assert is_attempt_over(graph, states)
        assert "z" not in order or order[-1] == "z"
        return order

    states: dict[str, RunState] = {}
    run(states, ends)
    assert states == model_run(graph, ends, set())
    kept = states_for_retry(graph, states)
    assert all(states[name] is state and name != "z" for name, state in kept.items())
    second = dict(kept)
    order = run(second, again)
    assert not set(order) & set(kept)
    assert second == model_run(graph, {**again, **kept}, set(kept))


def test_hints_write_names_in_quotes_where_a_statement_needs_them() -> None:
    other, child = task("Other root"), task("My child", "Other root", "select")
    with pytest.raises(DefinitionRefused) as refused:
        GraphVersion(1, (other, task("select"), child))
    assert refused.value.hint == 'ALTER TASK "select" ADD AFTER "Other root"'
