"""Bodies of tasks that are functions of Python, and run where the function is."""

from __future__ import annotations

from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import DefinitionRefused, IcemeltError, ObjectNotFound
from icemelt.names import QualifiedName
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.python_tasks import TaskFunction, find_function
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.bodies import BodyStep, find_steps
from icemelt.sql.dialect.written_names import written_name

__all__ = ["TaskFunctionFailed", "is_runnable_here", "run_function"]


class TaskFunctionFailed(IcemeltError):
    """A function of Python that is the body of a task has raised an error of its own."""

    code = "task-function-failed"
    errno = 2000
    sqlstate = "38000"


def is_runnable_here(core: Core, task: TaskRecord) -> bool:
    """Tell whether this process has all functions of Python that the body of a task runs.

    A scheduler leaves the runs of other tasks to other processes.
    """
    names = [step.python_task for step in find_steps(task.body).steps]
    wanted = [_full(task, name) for name in names if name is not None]
    return all(find_function(core.database, name) is not None for name in wanted)


def run_function(session: Session, step: BodyStep, statement_id: str) -> None:
    """Run the function of Python of a CALL, and record the CALL in the history.

    Args:
        session: the session that executes the body.
        step: the CALL.
        statement_id: the id of the CALL in the history.

    Raises:
        ObjectNotFound: this process does not have the function.
        DefinitionRefused: a client of a server has written the body.
        TaskFunctionFailed: the function has raised an error that is not icemelt's.
    """
    core = core_of(session)
    history = History(core, statement_id, step.text, "CALL", core.begin_statement())
    try:
        core.jobs.raise_if_cancelled()
        _call(_find(core, step.python_task or ""), session)
        core.jobs.raise_if_cancelled()
    except IcemeltError as error:
        with tolerate(IcemeltError, to="note a function of Python that failed in the history"):
            core.record(history.failed(error))
        raise
    core.record(history.record("succeeded"))


def _find(core: Core, name: str) -> TaskFunction:
    running = core.settings.running_task
    if running is None or core.is_guest:
        raise DefinitionRefused(
            "A client of the server has no task that runs a function of Python.",
            hint="Write the body as statements: AS BEGIN …; END",
        )
    full = _full(running.context.task, name)
    function = find_function(core.database, full)
    if function is None:
        raise ObjectNotFound(
            f"This process has no function of Python for task {str(full)!r}.",
            hint=f"session.task({str(full)!r}, function, …) in the process of the scheduler.",
        )
    return function


def _call(function: TaskFunction, session: Session) -> None:
    try:
        function(session)
    except IcemeltError:
        raise
    except (Exception, SystemExit) as error:
        # a function may call sys.exit: it ends its run, and not the scheduler's thread
        raise TaskFunctionFailed(
            f"{type(error).__name__}: {error}", hint="Mend the function, and run the task again."
        ) from error


def _full(task: TaskRecord, name: str) -> QualifiedName:
    return written_name(name).within(task.name.database, task.name.schema)
