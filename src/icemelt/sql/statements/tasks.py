"""Tasks: CREATE and ALTER TASK, and the tasks of a graph resumed together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing
from icemelt.sql.statements.reads import Query

__all__ = [
    "AddPredecessors",
    "AlterTask",
    "BodyStatement",
    "CancelRuns",
    "CreateTask",
    "EnableTasks",
    "ExecuteTask",
    "ModifyBody",
    "ModifyCondition",
    "RemovePredecessors",
    "ResumeTask",
    "SetFinalize",
    "SetReturnValue",
    "SetTask",
    "SuspendTask",
    "TaskAction",
    "TaskBody",
    "UnsetTask",
]


@dataclass(frozen=True, slots=True)
class BodyStatement:
    """A statement of a task's body: its text, and the offset of the text in the CREATE TASK."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class TaskBody:
    """What a task runs: one statement, or those of `BEGIN …; END`.

    Attributes:
        text: the body as written.
        statements: the statements in order, without the words BEGIN and END of the block.
    """

    text: str
    statements: tuple[BodyStatement, ...]


@dataclass(frozen=True, slots=True)
class CreateTask:
    """`CREATE TASK name [option = value …] [AFTER a, …] [FINALIZE = root] [WHEN c] AS body`.

    Attributes:
        name: the task's name.
        body: the statements that the task runs.
        options: the values as text, by the options' upper-case names.
        comment: the text of COMMENT.
        after: the names of the predecessors.
        finalizes: the name of the root task whose graph the task finalizes.
        condition: the text of the condition after WHEN.
        existing: how the statement treats an existing task of the name.
    """

    name: ObjectName
    body: TaskBody
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    after: tuple[ObjectName, ...] = ()
    finalizes: ObjectName | None = None
    condition: str | None = None
    existing: Existing = Existing.REFUSED
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class ResumeTask:
    """`RESUME`."""


@dataclass(frozen=True, slots=True)
class SuspendTask:
    """`SUSPEND`."""


@dataclass(frozen=True, slots=True)
class AddPredecessors:
    """`ADD AFTER a, …`."""

    names: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class RemovePredecessors:
    """`REMOVE AFTER a, …`."""

    names: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class SetTask:
    """`SET option = value …`; the comment is None where it stays, and empty where it goes."""

    options: Mapping[str, str]
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class UnsetTask:
    """`UNSET option, …`, names in upper case."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetFinalize:
    """`SET FINALIZE = root`, or `UNSET FINALIZE` where `root` is None."""

    root: ObjectName | None


@dataclass(frozen=True, slots=True)
class ModifyBody:
    """`MODIFY AS body`."""

    body: TaskBody


@dataclass(frozen=True, slots=True)
class ModifyCondition:
    """`MODIFY WHEN condition`, or `REMOVE WHEN` where `condition` is None."""

    condition: str | None


TaskAction = (
    ResumeTask
    | SuspendTask
    | AddPredecessors
    | RemovePredecessors
    | SetTask
    | UnsetTask
    | SetFinalize
    | ModifyBody
    | ModifyCondition
)


@dataclass(frozen=True, slots=True)
class AlterTask:
    """`ALTER TASK [IF EXISTS] name action`."""

    name: ObjectName
    action: TaskAction
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class EnableTasks:
    """`SELECT SYSTEM$TASK_DEPENDENTS_ENABLE('root')`: resume a task and its dependents.

    Attributes:
        name: the task, as the argument has it.
        column: the name of the answer's column.
    """

    name: str
    column: str


@dataclass(frozen=True, slots=True)
class SetReturnValue:
    """`SELECT SYSTEM$SET_RETURN_VALUE(expression)`: the return value of a task is computed.

    A constant text needs no query, and is an `Ask`.

    Attributes:
        query: the query of one row with the value as a text.
        column: the name of the answer's column.
    """

    query: Query
    column: str


@dataclass(frozen=True, slots=True)
class CancelRuns:
    """`SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS('task')`: cancel the runs of a task.

    Attributes:
        name: the task, as the argument has it.
        column: the name of the answer's column.
    """

    name: str
    column: str


@dataclass(frozen=True, slots=True)
class ExecuteTask:
    """`EXECUTE TASK name [USING CONFIG = 'json' | RETRY LAST]`.

    Attributes:
        name: the name of the root task.
        config: the text of USING CONFIG, None where there is none.
        is_retry: whether the last run of the graph is to be tried again.
    """

    name: ObjectName
    config: str | None = None
    is_retry: bool = False
