"""States and versions are the same after they were documents."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import hypothesis.strategies as st
from hypothesis import given
from run_events import ROOTS, Step, event_of, steps
from run_machine import NOON, machine, task

from icemelt.errors import DefinitionRefused
from icemelt.tasks.documents import (
    decode_graph,
    decode_state,
    digest_tasks,
    encode_state,
    encode_tasks,
    list_versions,
)
from icemelt.tasks.graph import GraphVersion, Task
from icemelt.tasks.records import GraphRun, GraphSuccess, RootState, RunClaim, RunError, TaskRun
from icemelt.tasks.schedule import CronSchedule, IntervalSchedule
from icemelt.tasks.states import OverlapPolicy, RunOrigin, RunState, SuspendedReason

moments = st.datetimes(datetime(1970, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
texts = st.text(max_size=8)
numbers = st.integers(1, 2**62)
errors = st.builds(RunError, texts, texts)
claims = st.builds(RunClaim, texts, numbers, moments)
task_runs = st.builds(
    TaskRun,
    *(texts, st.integers(1, 31), st.sampled_from(RunState), moments),
    *(st.none() | moments, st.none() | moments, st.none() | claims, st.none() | errors),
    *(st.none() | texts, st.none() | texts),
)
schedules = st.builds(
    IntervalSchedule, st.timedeltas(timedelta(seconds=10), timedelta(days=8))
) | st.sampled_from([CronSchedule("*/5 * * * MON-FRI", "Europe/Berlin")])
lengths = st.timedeltas(timedelta(0), timedelta(days=7))
roots = st.builds(
    Task,
    *(st.just("root"), texts),
    is_suspended=st.booleans(),
    suspended_reason=st.none() | st.sampled_from(SuspendedReason),
    schedule=st.none() | schedules,
    condition=st.none() | texts,
    config=st.none() | texts,
    overlap_policy=st.none() | st.sampled_from(OverlapPolicy),
    auto_retry_attempts=st.none() | st.integers(0, 30),
    failures_to_suspend=st.integers(0, 2**31),
    timeout=lengths,
    trigger_interval=lengths,
    object_id=texts,
    owner=texts,
    body=texts,
    options=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    run_within=st.none() | st.lists(texts, max_size=2).map(tuple),
)


@st.composite
def graphs(draw: st.DrawFn, number: int) -> GraphVersion:
    root = draw(roots)
    others = (
        Task("child", root.schema, ("root",)),
        Task("last", root.schema, finalizes="root"),
        Task("grandchild", root.schema, ("root", "child"), is_suspended=False),
    )
    return GraphVersion(number, (root, *others[: draw(st.integers(0, 3))]))


@st.composite
def states(draw: st.DrawFn) -> RootState:
    versions = [draw(graphs(number)) for number in (1, 2, 2**40)]
    runs = st.builds(
        GraphRun,
        *(numbers, st.sampled_from(versions), st.sampled_from(RunOrigin), moments),
        *(st.integers(1, 31), st.none() | texts, st.lists(task_runs, max_size=3).map(tuple)),
    )
    return RootState(
        versions[2],
        *(draw(moments), draw(moments)),
        *(tuple(draw(st.lists(runs, max_size=2))), draw(st.none() | runs), draw(st.none() | runs)),
        *(draw(st.integers(0, 9)), draw(numbers), draw(numbers), draw(st.none() | moments)),
        *(draw(numbers), draw(numbers)),
        draw(st.none() | st.builds(GraphSuccess, numbers, moments)),
    )


@given(graphs(7))
def test_a_version_is_the_same_after_it_was_a_document(graph: GraphVersion) -> None:
    document = encode_tasks(graph)
    read = json.loads(json.dumps(document))
    assert decode_graph(7, read) == graph
    assert digest_tasks(read) == digest_tasks(document)


@given(graphs(1), graphs(1))
def test_equal_digests_are_equal_tasks(one: GraphVersion, other: GraphVersion) -> None:
    digests = [digest_tasks(encode_tasks(graph)) for graph in (one, other)]
    assert (digests[0] == digests[1]) == (one == other)


@given(states())
def test_a_state_is_the_same_after_it_was_a_document(state: RootState) -> None:
    versions = {state.graph.number: state.graph}
    optional = [run for run in (state.queued, state.last_ended) if run is not None]
    versions |= {run.version.number: run.version for run in (*state.active, *optional)}
    document = json.loads(json.dumps(encode_state(state)))
    assert list_versions(document) == versions.keys()
    assert decode_state(document, versions.__getitem__) == state


@given(st.sampled_from(ROOTS), steps)
def test_a_state_that_events_have_made_is_the_same_after_it_was_a_document(
    settings: dict[str, object], taken: list[Step]
) -> None:
    run = machine(task("root", **settings), task("a", "root"), task("z", finalizes="root"))
    versions = {run.state.graph.number: run.state.graph}
    assert run.now == NOON
    for step in taken:
        try:
            run.apply(event_of(step, run.state), seconds=step.seconds)
        except DefinitionRefused:
            continue
        versions[run.state.graph.number] = run.state.graph
        document = json.loads(json.dumps(encode_state(run.state)))
        assert decode_state(document, versions.__getitem__) == run.state
