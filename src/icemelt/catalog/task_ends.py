"""Which runs of tasks decisions have ended, and nobody else tells of."""

from __future__ import annotations

from collections.abc import Iterable

from icemelt.tasks.events import Decision, Event, RunEnded, RunRecorded
from icemelt.tasks.states import RunState

__all__ = ["RunKey", "find_ends"]

# the object id of the root, the id of the graph's run, the name of the task, the attempt
RunKey = tuple[str, int, str, int]


def find_ends(
    root_id: str, decisions: Iterable[Decision], event: Event | None = None
) -> list[RunKey]:
    """Return the runs that decisions have ended or skipped, and of which nobody else tells.

    The holder of a run tells of its own end, and of a cancel while it executes the run.

    Args:
        root_id: the object id of the root.
        decisions: what the registry has decided, and has written.
        event: the event that the decisions follow from.
    """
    ends = set()
    for decision in decisions:
        if not isinstance(decision, RunRecorded) or decision.task_run.state.is_open:
            continue
        run = decision.task_run
        is_own_end = isinstance(event, RunEnded) and (event.run_id, event.task) == (
            decision.run_id,
            run.task,
        )
        is_heard = run.state is RunState.CANCELLED and run.started_at is not None
        if not is_own_end and not is_heard:
            ends.add((root_id, decision.run_id, run.task, run.attempt))
    return sorted(ends)
