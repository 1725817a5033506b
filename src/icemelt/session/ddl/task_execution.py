"""EXECUTE TASK, and the runs of a task cancelled.

Neither waits: what is asked for is written into the state of the graph's runs, by a publication. A
scheduler does it.
"""

from __future__ import annotations

from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_records import TaskRecord
from icemelt.catalog.task_runs import find_roots_running, read_root_state
from icemelt.errors import DefinitionRefused
from icemelt.names import identifier
from icemelt.session.ddl.task_graphs import SchemaTasks, find_tasks_around
from icemelt.session.ddl.task_options import validate_task_options
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.scheduler_notice import note_absent_scheduler
from icemelt.sql import statements as s
from icemelt.sql.dialect.written_names import written_name
from icemelt.tasks.config import merge_config
from icemelt.tasks.events import RetryRequested, RunsCancelled, TaskExecuted
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["cancel_runs", "execute_task"]


def execute_task(core: Core, statement: s.ExecuteTask, history: History) -> str:
    """Run EXECUTE TASK: one more run of the graph, or another attempt of the last one.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such task.
        DefinitionRefused: the task is no root, its tasks are no graph, CONFIG is no JSON object, or
            there is nothing to retry.
    """
    if statement.config is not None:
        validate_task_options({"CONFIG": statement.config})

    def work(_attempt: Attempt) -> Pending[str]:
        task = core.object_of(TaskRecord, statement.name)
        tasks = find_tasks_around(core, task.name)
        _require_root(tasks, task)
        tasks.require_graph(task)
        _note_queued(core, task, statement)
        said = f"Task {task.name.name} is scheduled to run immediately."
        return Pending(said, lambda: history(0), edits=(_execution(task, statement),))

    said = core.outcome(work, history)
    note_absent_scheduler(core)
    return said


def cancel_runs(core: Core, statement: s.CancelRuns, history: History) -> LocalRows:
    """Run SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS: cancel what a task runs, or is about to run.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such task.
    """
    name = written_name(statement.name)

    def work(_attempt: Attempt) -> Pending[None]:
        task = core.object_of(TaskRecord, name)
        with core.database.read() as connection:
            roots = find_roots_running(connection, task.object_id)
        # a run may be due that nobody has seen yet
        roots.add(find_tasks_around(core, task.name).find_root(task).object_id)
        event = RunsCancelled(task.name.name)
        edits = [ApplyTaskEvent(root_id, event) for root_id in sorted(roots)]
        return Pending(None, lambda: history(0), edits=tuple(edits))

    core.outcome(work, history)
    return LocalRows((statement.column,), ((True,),))


def _execution(task: TaskRecord, statement: s.ExecuteTask) -> ApplyTaskEvent:
    if statement.is_retry:
        return ApplyTaskEvent(task.object_id, RetryRequested())
    given = statement.config
    config = None if given is None else merge_config(task.config, given)
    return ApplyTaskEvent(task.object_id, TaskExecuted(config))


def _require_root(tasks: SchemaTasks, task: TaskRecord) -> None:
    """Require that a task starts a graph.

    Raises:
        DefinitionRefused: the task runs after others.
    """
    if task.is_root:
        return
    above = ", ".join(task.after) if task.after else f"all tasks of {task.finalizes}"
    raise DefinitionRefused(
        f"Task {str(task.name)!r} runs after {above}: only the root of a graph is executed.",
        hint=f"EXECUTE TASK {identifier(tasks.find_root(task).name.name)}",
    )


def _note_queued(core: Core, task: TaskRecord, statement: s.ExecuteTask) -> None:
    """Note that the statement adds no run, where one waits already."""
    with core.database.read() as connection:
        state = read_root_state(connection, task.object_id)
    if state is not None and state.queued is not None and not statement.is_retry:
        core.scope.notices[task.object_id] = (
            f"A run of task {task.name.name} waits already for the one under way; "
            "this statement adds none."
        )
