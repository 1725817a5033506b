"""Run the body of a task: what it publishes carries the success of the run.

The body `INSERT INTO copy SELECT * FROM s`, killed at any moment:

| step                                       | rows of `copy`, frontier of `s` | the run    |
|--------------------------------------------|---------------------------------|------------|
| the statement runs                         | as before                       | EXECUTING  |
| its publication, which carries the success | new                             | SUCCEEDED  |

There is no moment at which the one is there without the other. A body that publishes nothing has
its success published apart. Of a body of several transactions each publication carries the fence
of the run, and the last one the success: a retry begins with the first statement that the history
does not have as finished. A publication that consumes a stream into temporary objects is refused
where a later statement reads these: a retry would find neither.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.queries.reading import find_statements
from icemelt.errors import IcemeltError, StatementCancelled
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core, new_id
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.task_context import RunEdits, RunningTask, TaskContext
from icemelt.session.runtime.transacting import rollback
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.authors import watching_author
from icemelt.session.tasks.bodies import Body, BodyStep, find_steps, name_statement
from icemelt.session.tasks.python_bodies import run_function
from icemelt.session.tasks.replaying import plan_body, validate_consumption
from icemelt.session.tasks.task_sessions import BodyStop, open_task_session
from icemelt.sql import statements as s
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState
from icemelt.transactions.consumption import Consumption
from icemelt.transactions.pending import Pending
from icemelt.transactions.transaction import run_statement

__all__ = ["BodyOutcome", "run_task_body"]


@dataclass(frozen=True, slots=True)
class BodyOutcome:
    """How the body of a task has ended.

    Attributes:
        state: SUCCEEDED, FAILED or CANCELLED.
        is_success_published: whether the registry has the edits of the success; else the caller
            tells the registry of the end.
        statement_id: QUERY_ID: the id of the last statement, None where none began.
        error: ERROR_CODE and ERROR_MESSAGE, None after a success.
        return_value: what SYSTEM$SET_RETURN_VALUE has set last.
        finished: how many statements are finished, from the first one on.
        retry_from: the position of the statement with which a retry begins, from 0 on.
    """

    state: RunState
    is_success_published: bool
    statement_id: str | None = None
    error: RunError | None = None
    return_value: str | None = None
    finished: int = 0
    retry_from: int = 0


def run_task_body(
    core: Core, context: TaskContext, edits: RunEdits, stop: BodyStop | None = None
) -> BodyOutcome:
    """Run the body of a task in a session of its own, and publish its success.

    An attempt after the first begins with the first statement that no attempt before has finished.
    A transaction that the body leaves open is rolled back.

    Args:
        core: the parts of the session that executes tasks.
        context: the run of the task.
        edits: what the publications of the body carry.
        stop: stops the body from another thread; None where nobody does.

    Returns:
        how the body has ended; an error of the body, of its publication or of the task's schema is
        a part of the outcome.
    """
    running, stop = RunningTask(context, edits), stop or BodyStop()
    try:
        body = find_steps(context.task.body, *_namespace(context))
        watched = watching_author(core.database, context.task, stop.stop)
        with open_task_session(core, running) as session, stop.of(session), watched:
            outcome = _BodyRun(session, running, body).run()
    except IcemeltError as error:
        return _end(running, error)
    if stop.error is None or outcome.state is not RunState.CANCELLED:
        return outcome
    told = RunError(stop.error.code, stop.error.message)
    return replace(outcome, state=RunState.FAILED, error=told)


@dataclass(slots=True)
class _BodyRun:
    """One run of a body in its session.

    Attributes:
        session: the session of the body.
        running: the run of the task.
        body: the body.
        position: the position of the statement that runs or ran last.
    """

    session: Session
    running: RunningTask
    body: Body
    position: int = 0
    _core: Core = field(init=False)

    def __post_init__(self) -> None:
        self._core = core_of(self.session)
        self.running.validate_consumption = self._validate_consumption

    def run(self) -> BodyOutcome:
        """Run the statements in order, up to the first that fails, and publish the success."""
        try:
            for position in plan_body(self.body, self._find_unfinished()).positions:
                self.position = position
                self._run_step(self.body.steps[position])
            self.position = len(self.body.steps)
            self._publish_success()
        except IcemeltError as error:
            return self._end(error)
        return self._end(None)

    def _find_unfinished(self) -> int:
        """Return the position of the first statement that no earlier attempt has finished."""
        context, records = self.running.context, dict[int, list[StatementRecord]]()
        if context.task.finalizes is not None:
            # a finalizer runs after each attempt, and that of the one before is over
            return 0
        positions = {
            name_statement(context, attempt, position): position
            for attempt in range(1, context.attempt)
            for position in range(len(self.body.steps))
        }
        if positions:
            with self._core.database.read() as connection:
                found = find_statements(connection, list(positions))
            for statement_id, record in found.items():
                records.setdefault(positions[statement_id], []).append(record)
        return self.body.find_unfinished(records)

    def _run_step(self, step: BodyStep) -> None:
        context = self.running.context
        statement_id = name_statement(context, context.attempt, self.position)
        self.running.statement_id = statement_id
        self.running.carrier = self.body.carrier(self.position)
        if step.python_task is not None:
            run_function(self.session, step, statement_id)
            return
        result = self.session.run(step.text, statement_id=statement_id)
        if isinstance(step.statement, s.Select):
            is_last = self.position + 1 == len(self.body.steps)
            # a later statement may read the rows by RESULT_SCAN
            rows = result.to_reader() if is_last else result.to_arrow().to_reader()
            for _batch in rows:
                pass
        result.close()

    def _validate_consumption(self, consumption: Consumption) -> None:
        """Refuse what the running statement consumes, where a retry would miss the rows.

        Raises:
            ConsumptionRefused: the rows are in temporary objects that later statements read.
        """
        validate_consumption(self.body, self.position, consumption)

    def _publish_success(self) -> None:
        """Publish the success by itself, if no publication of the body has carried it.

        Raises:
            StatementCancelled: the body was stopped before.
            IcemeltError: the registry has refused the success.
        """
        rollback(self._core)
        if self.running.is_success_published:
            return
        success = self.running.success_edits()
        with self._core.jobs.of(new_id()), translated(self._core.spark):
            self._core.jobs.begin_publishing()
            run_statement(
                self._core.newest,
                self._core.author,
                lambda _attempt: Pending(None, None, edits=success),
            )
        self.running.is_success_published = True

    def _end(self, error: IcemeltError | None) -> BodyOutcome:
        """Return the outcome; roll back what the body has left open."""
        with tolerate(IcemeltError, to="roll back the transaction of a task's body"):
            rollback(self._core)
        steps = self.body.steps
        has_run_all = self.position == len(steps)
        finished = self.position if has_run_all else self.body.unit_start(self.position)
        plan = plan_body(self.body, finished)
        outcome = replace(
            _end(self.running, error),
            statement_id=self.running.statement_id,
            finished=finished,
            retry_from=plan.start,
        )
        if outcome.error is None or self.body.is_exactly_once or has_run_all:
            return outcome
        place = f"statement {self.position + 1} of {len(steps)}"
        message = f"{outcome.error.message} It was {place}; a retry begins with statement "
        message += f"{outcome.retry_from + 1}."
        if plan.remade:
            message += " It makes temporary objects again before."
        return replace(outcome, error=replace(outcome.error, message=message))


def _namespace(context: TaskContext) -> tuple[str, str]:
    return context.task.name.database, context.task.name.schema


def _end(running: RunningTask, error: IcemeltError | None) -> BodyOutcome:
    """Return the outcome of a body before any statement; a success that is published stays one."""
    value = running.return_value
    if error is None or running.is_success_published:
        return BodyOutcome(RunState.SUCCEEDED, running.is_success_published, return_value=value)
    state = RunState.CANCELLED if isinstance(error, StatementCancelled) else RunState.FAILED
    told = RunError(error.code, error.message)
    return BodyOutcome(state, is_success_published=False, error=told, return_value=value)
