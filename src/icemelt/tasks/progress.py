"""Which tasks of a graph run next, given the states of those that have run.

`states` has a task once its run is scheduled, and no task that has no run: a child whose
predecessor failed has none, nor has a suspended task.

==================================  ==============================================================
a task                              runs when
==================================  ==============================================================
the root                            the run begins, suspended or not: EXECUTE TASK runs it, too
a resumed child                     all its resumed predecessors SUCCEEDED; a suspended predecessor
                                    counts as succeeded
a child whose parents are all       never
suspended; a suspended child
a child with a SKIPPED, FAILED or   never in this attempt
CANCELLED parent
the finalizer                       no other task runs or will, and the root was not SKIPPED
==================================  ==============================================================

>>> from icemelt.tasks.graph import Task
>>> def resumed(name: str, *before: str) -> Task:
...     return Task(name, "main.public", before, is_suspended=False)
>>> graph = GraphVersion(1, (resumed("load"), resumed("a", "load"), resumed("b", "load", "a")))
>>> find_ready_tasks(graph, {})
('load',)
>>> find_ready_tasks(graph, {"load": RunState.SUCCEEDED})
('a',)
>>> find_ready_tasks(graph, {"load": RunState.SUCCEEDED, "a": RunState.SUCCEEDED})
('b',)
>>> graph_outcome(graph, {"load": RunState.SUCCEEDED, "a": RunState.FAILED})
<RunState.FAILED: 'FAILED'>
"""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.tasks.graph import GraphVersion, Task
from icemelt.tasks.states import RunState

__all__ = ["find_ready_tasks", "graph_outcome", "is_attempt_over", "states_for_retry"]


def find_ready_tasks(graph: GraphVersion, states: Mapping[str, RunState]) -> tuple[str, ...]:
    """Return the tasks whose runs begin now, in the order of the graph."""
    ready = tuple(
        task.name
        for task in graph.tasks
        if task.name not in states and _is_ready(task, graph, states)
    )
    if ready or _has_open_run(states):
        return ready
    finalizer = graph.finalizer
    if finalizer is None or finalizer.is_suspended or finalizer.name in states:
        return ()
    if states.get(graph.root.name, RunState.SKIPPED) is RunState.SKIPPED:
        return ()
    return (finalizer.name,)


def is_attempt_over(graph: GraphVersion, states: Mapping[str, RunState]) -> bool:
    """Tell whether nothing runs any more, and nothing will."""
    return not _has_open_run(states) and not find_ready_tasks(graph, states)


def graph_outcome(graph: GraphVersion, states: Mapping[str, RunState]) -> RunState:
    """Return what became of an attempt that is over: STATE in COMPLETE_TASK_GRAPHS.

    FAILED where a run failed, the finalizer's included; else CANCELLED where a run was cancelled;
    else SKIPPED where the root was; else SUCCEEDED, whether children were skipped or not.
    """
    ended = set(states.values())
    if any(state.is_failure for state in ended):
        return RunState.FAILED
    if RunState.CANCELLED in ended:
        return RunState.CANCELLED
    if states.get(graph.root.name) is RunState.SKIPPED:
        return RunState.SKIPPED
    return RunState.SUCCEEDED


def states_for_retry(graph: GraphVersion, states: Mapping[str, RunState]) -> dict[str, RunState]:
    """Return the states with which the next attempt begins: of what does not run again.

    Runs that succeeded or were skipped stay. Runs that failed or were cancelled, what did not run
    after them, and the finalizer run again.

    >>> from icemelt.tasks.graph import Task
    >>> graph = GraphVersion(
    ...     1, (Task("load", "s"), Task("a", "s", ("load",)), Task("z", "s", finalizes="load"))
    ... )
    >>> ended = {"load": RunState.SUCCEEDED, "a": RunState.FAILED, "z": RunState.SUCCEEDED}
    >>> states_for_retry(graph, ended)
    {'load': <RunState.SUCCEEDED: 'SUCCEEDED'>}
    """
    finalizer = graph.finalizer
    return {
        name: state
        for name, state in states.items()
        if state in {RunState.SUCCEEDED, RunState.SKIPPED}
        and (finalizer is None or name != finalizer.name)
    }


def _has_open_run(states: Mapping[str, RunState]) -> bool:
    return any(state.is_open for state in states.values())


def _is_ready(task: Task, graph: GraphVersion, states: Mapping[str, RunState]) -> bool:
    if task is graph.root:
        return True
    if task.is_suspended or task.finalizes is not None:
        return False
    resumed = [name for name in task.predecessors if _takes_part(name, graph)]
    return bool(resumed) and all(states.get(name) is RunState.SUCCEEDED for name in resumed)


def _takes_part(name: str, graph: GraphVersion) -> bool:
    return name == graph.root.name or not graph.task(name).is_suspended
