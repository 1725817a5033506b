"""What ERROR_INTEGRATION and SUCCESS_INTEGRATION of a root are told: which ends of runs, and how.

As Snowflake has it ("Configure a task to send error notifications", "… success notifications"):
each failed run of a task of the graph is told, in each attempt; a success is told once, when the
whole graph's run is over. A run that was cancelled or skipped is not told.

>>> from datetime import UTC, timedelta
>>> from icemelt.tasks.records import RunError
>>> load = Task("load", "main.public", options=(("ERROR_INTEGRATION", "https://example.com/"),))
>>> noon = datetime(2025, 1, 1, 12, tzinfo=UTC)
>>> failed = TaskRun("load", 1, RunState.FAILED, noon, error=RunError("query", "No."))
>>> recorded = RunRecorded(7, 1, RunOrigin.SCHEDULE, failed, noon)
>>> [told] = find_notifications([recorded], {1: GraphVersion(1, (load,))})
>>> told.message_type.value, told.url, told.task.name
('USER_TASK_FAILED', 'https://example.com/', 'load')
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from icemelt.names import QualifiedName
from icemelt.tasks.events import Decision, GraphSucceeded, RunRecorded
from icemelt.tasks.graph import GraphVersion, Task
from icemelt.tasks.records import TaskRun
from icemelt.tasks.states import RunOrigin, RunState

__all__ = ["MessageType", "Notification", "Sender", "compose_message", "find_notifications"]

_LONGEST_TEXT = 16_384


class MessageType(StrEnum):
    """What a message tells, in Snowflake's words."""

    FAILED = "USER_TASK_FAILED"
    SUCCEEDED = "USER_TASK_SUCCEEDED"


@dataclass(frozen=True, slots=True)
class Notification:
    """One message about a run, and where it goes.

    Attributes:
        message_type: what is told.
        url: the webhook.
        task: the task that failed; the root, where the graph's run succeeded.
        root: the root of the graph.
        task_run: the run of the task.
        run_id: GRAPH_RUN_GROUP_ID.
        origin: why the graph runs.
        run_scheduled_at: the scheduled time of the graph's run.
        completed_at: when the run of the task ended; of a success, the last run of the graph.
    """

    message_type: MessageType
    url: str
    task: Task
    root: Task
    task_run: TaskRun
    run_id: int
    origin: RunOrigin
    run_scheduled_at: datetime
    completed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Sender:
    """The names with which a message says where it comes from.

    Attributes:
        lake: the name of the lake's catalog.
        lake_id: the id of the lake.
        database: the name of the graph's database.
        schema: the name of the graph's schema.
    """

    lake: str
    lake_id: str
    database: str
    schema: str

    def name(self, task: Task) -> str:
        """Return the full name of a task."""
        return str(QualifiedName(self.database, self.schema, task.name))


def find_notifications(
    decisions: Iterable[Decision], graphs: Mapping[int, GraphVersion]
) -> Iterator[Notification]:
    """Yield what the decisions of one event have to tell, by the options of the version that runs.

    Args:
        decisions: the decisions.
        graphs: the versions of the graph by number, of all runs.
    """
    for decision in decisions:
        match decision:
            # FAILED_AND_AUTO_SUSPENDED follows a FAILED that was told
            case RunRecorded(task_run=TaskRun(state=RunState.FAILED)):
                graph = graphs[decision.graph_version]
                url = graph.root.option("ERROR_INTEGRATION")
                if url is not None:
                    yield _tell_failure(decision, graph, url)
            case GraphSucceeded():
                url = decision.graph_run.version.root.option("SUCCESS_INTEGRATION")
                if url is not None:
                    yield _tell_success(decision, url)
            case _:
                pass


def compose_message(
    notification: Notification, sender: Sender, message_id: str, now: datetime
) -> str:
    """Return the body of a message: JSON in ASCII, with the fields of Snowflake's messages.

    Args:
        notification: what is told.
        sender: the names of the lake and the schema.
        message_id: the id of the message, which is that of the webhook.
        now: when it is told.
    """
    task, root, run = notification.task, notification.root, notification.task_run
    error = run.error
    document = {
        "version": "1.0",
        "messageId": message_id,
        "messageType": notification.message_type.value,
        "timestamp": _as_text(now),
        "accountName": sender.lake,
        "lakeId": sender.lake_id,
        "taskName": sender.name(task),
        "taskId": task.object_id,
        "rootTaskName": sender.name(root),
        "rootTaskId": root.object_id,
        "messages": [
            {
                "runId": _as_text(notification.run_scheduled_at),
                "graphRunGroupId": notification.run_id,
                "attemptNumber": run.attempt,
                "scheduledFrom": notification.origin.value,
                "scheduledTime": _as_text(run.scheduled_at),
                "queryStartTime": _as_text(run.started_at),
                "completedTime": _as_text(notification.completed_at),
                "queryId": run.query_id,
                "errorCode": None if error is None else error.code,
                "errorMessage": None if error is None else error.message[:_LONGEST_TEXT],
            }
        ],
    }
    return json.dumps(document, separators=(",", ":"))


def _tell_failure(decision: RunRecorded, graph: GraphVersion, url: str) -> Notification:
    run = decision.task_run
    return Notification(
        MessageType.FAILED,
        url,
        graph.task(run.task),
        graph.root,
        run,
        decision.run_id,
        decision.origin,
        decision.scheduled_at,
        run.completed_at,
    )


def _tell_success(decision: GraphSucceeded, url: str) -> Notification:
    graph_run = decision.graph_run
    root = graph_run.version.root
    root_run = next(run for run in graph_run.task_runs if run.task == root.name)
    ends = [run.completed_at for run in graph_run.task_runs if run.completed_at is not None]
    return Notification(
        MessageType.SUCCEEDED,
        url,
        root,
        root,
        root_run,
        graph_run.id,
        graph_run.origin,
        graph_run.scheduled_at,
        max(ends, default=None),
    )


def _as_text(moment: datetime | None) -> str | None:
    """Return a time as in `2025-01-01T12:00:00.000Z`."""
    if moment is None:
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
