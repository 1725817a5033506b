"""What a body knows of the run of its task, and what the run adds to publications."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self, TypeVar

from icemelt.catalog.edits import Edit
from icemelt.catalog.records import Moment
from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import StreamError
from icemelt.names import fold
from icemelt.tasks.records import GraphRun, GraphSuccess
from icemelt.transactions.consumption import Consumption, find_consumption
from icemelt.transactions.pending import Pending

__all__ = ["ConsumptionRefused", "RunEdits", "RunningTask", "SuccessCarrier", "TaskContext"]

T = TypeVar("T")


class ConsumptionRefused(StreamError):
    """A task's body would consume rows into temporary objects, which end with a failed attempt."""

    code = "consumption-refused"
    errno = 1703
    sqlstate = "55000"


@dataclass(frozen=True, slots=True)
class TaskContext:
    """What the body and the condition of a task may ask about their run.

    Attributes:
        task: the task.
        root_id: the object id of the root task of the graph.
        root_name: the own name of the root task.
        run_id: GRAPH_RUN_GROUP_ID: the id of the graph's run.
        attempt: ATTEMPT_NUMBER of the graph's run, from 1 on.
        scheduled_at: the scheduled time of the root in the first attempt.
        token: the fencing token of the claim under which the body runs.
        config: the JSON text of the run's configuration, None without one.
        predecessors: the own names of the predecessors that are resumed.
        return_values: what the tasks before this one have set by SYSTEM$SET_RETURN_VALUE, by folded
            own name; None where a task has set nothing.
        last_success_run_id: the id of the graph's last run that succeeded before this one, None
            without any.
        last_success_scheduled_at: the scheduled time of that run's root.
    """

    task: TaskRecord
    root_id: str
    root_name: str
    run_id: int
    attempt: int
    scheduled_at: datetime
    token: int
    config: str | None = None
    predecessors: tuple[str, ...] = ()
    return_values: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    last_success_run_id: int | None = None
    last_success_scheduled_at: datetime | None = None

    @classmethod
    def of_run(
        cls,
        task: TaskRecord,
        root_id: str,
        run: GraphRun,
        token: int,
        last_success: GraphSuccess | None = None,
    ) -> Self:
        """Return the context of a task in a run of its graph.

        Args:
            task: the task.
            root_id: the object id of the root task.
            run: the graph's run.
            token: the fencing token of the claim; 0 where nobody has claimed the run.
            last_success: the graph's last run that succeeded before this one.
        """
        suspended = {fold(member.name): member.is_suspended for member in run.version.tasks}
        resumed = [name for name in task.after if not suspended.get(fold(name), True)]
        return cls(
            task,
            root_id,
            run.version.root.name,
            run.id,
            run.attempt,
            run.scheduled_at,
            token,
            run.config,
            tuple(resumed),
            {fold(ended.task): ended.return_value for ended in run.task_runs},
            None if last_success is None else last_success.run_id,
            None if last_success is None else last_success.scheduled_at,
        )


@dataclass(frozen=True, slots=True)
class RunEdits:
    """The changes of the registry that the publications of a body carry.

    Attributes:
        success: returns, for the return value of the task and the id of the statement that ran
            last, the edits that tell of the run's success. They refuse the publication where the
            run is not the holder's any more.
        fence: the edits of each other publication: they change nothing, and refuse likewise.
    """

    success: Callable[[str | None, str | None], tuple[Edit, ...]]
    fence: tuple[Edit, ...] = ()


def allow_consumption(consumption: Consumption) -> None:
    """Allow any consumption: the body has no statements that a retry could leave out."""


class SuccessCarrier(enum.Enum):
    """Which publication of the running statement carries the success of the task's run."""

    NOTHING = "nothing"
    """None: more statements follow."""
    STATEMENT = "statement"
    """The one that has the statement's own record for the history."""
    COMMIT = "commit"
    """That of the open transaction: the statement is its COMMIT."""


@dataclass(slots=True)
class RunningTask:
    """The run of a task whose body a session executes.

    Attributes:
        context: what the body may ask about the run.
        edits: what the publications carry.
        carrier: which publication of the running statement carries the success.
        return_value: what SYSTEM$SET_RETURN_VALUE has set last.
        statement_id: the id of the statement of the body that runs or ran last.
        is_success_published: whether a publication has carried the success.
        validate_consumption: refuses a consumption after which a retry would miss rows.
    """

    context: TaskContext
    edits: RunEdits
    carrier: SuccessCarrier = SuccessCarrier.NOTHING
    return_value: str | None = None
    statement_id: str | None = None
    is_success_published: bool = False
    validate_consumption: Callable[[Consumption], None] = allow_consumption
    _carries_success: bool = False

    def validate(self, consumption: Consumption | None) -> None:
        """Refuse what the running statement is about to publish, if a retry would miss rows.

        Args:
            consumption: what the publication consumes; None for nothing.

        Raises:
            ConsumptionRefused: a retry would miss the consumed rows.
        """
        if consumption is not None:
            self.validate_consumption(consumption)

    def add_edits(self, pending: Pending[T]) -> Pending[T]:
        """Return what an attempt of a statement wants published, with the edits of the run.

        A statement that has nothing to publish stays so, but one that has written files for others:
        these are kept if the success is published, and removed if it is refused. The edits of the
        run come first: the statement may cancel the run, and is of the run still.

        Raises:
            ConsumptionRefused: a retry would miss the rows that the statement consumes.
        """
        effects = pending.external_effects
        try:
            self.validate(find_consumption(pending.writes, pending.edits, effects))
        except ConsumptionRefused:
            for effect in effects:
                effect.rollback()
            raise
        carrier, is_recorded = self.carrier, pending.statement is not None
        self._carries_success = carrier is SuccessCarrier.STATEMENT and is_recorded
        if pending.is_empty and not (self._carries_success and pending.external_effects):
            return pending
        return replace(pending, edits=(*self._edits(), *pending.edits))

    def commit_edits(self) -> tuple[Edit, ...]:
        """Return the edits that the COMMIT of the open transaction carries."""
        self._carries_success = self.carrier is SuccessCarrier.COMMIT
        return self._edits()

    def note_publication(self, moment: Moment | None) -> None:
        """Note that the statement or the transaction was published; None where it was empty."""
        if moment is not None and self._carries_success:
            self.is_success_published = True

    def success_edits(self) -> tuple[Edit, ...]:
        """Return the edits that tell of the success."""
        return self.edits.success(self.return_value, self.statement_id)

    def _edits(self) -> tuple[Edit, ...]:
        return self.success_edits() if self._carries_success else self.edits.fence
