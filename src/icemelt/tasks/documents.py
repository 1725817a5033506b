"""States of roots, and the tasks of graph versions, as JSON documents.

A state names the versions of its graph by their numbers: a graph of a thousand tasks is written
with each of its versions, and not with each event of its runs. Nothing is lost: times are whole
microseconds since 1970.

>>> from datetime import timezone
>>> from icemelt.tasks.records import new_root_state
>>> graph = GraphVersion(3, (Task("load", "main.public", body="SELECT 1"),))
>>> encode_tasks(graph)
[{'name': 'load', 'schema': 'main.public', 'body': 'SELECT 1'}]
>>> decode_graph(3, encode_tasks(graph)) == graph
True
>>> state = new_root_state(graph, datetime(2025, 1, 1, tzinfo=timezone.utc))
>>> decode_state(encode_state(state), {3: graph}.__getitem__) == state
True
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from icemelt.tasks.graph import GraphVersion, Task
from icemelt.tasks.records import GraphRun, GraphSuccess, RootState, RunClaim, RunError, TaskRun
from icemelt.tasks.schedule import CronSchedule, IntervalSchedule, Schedule
from icemelt.tasks.states import OverlapPolicy, RunOrigin, RunState, SuspendedReason

__all__ = [
    "decode_graph",
    "decode_state",
    "digest_tasks",
    "encode_state",
    "encode_tasks",
    "list_versions",
]

Document = Mapping[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# a field that is not in the document has its default
_DEFAULTS = {field.name: field.default for field in fields(Task) if field.default is not MISSING}


def encode_tasks(graph: GraphVersion) -> list[Document]:
    """Return the tasks of a version as a JSON array; settings with their defaults are left out."""
    return [
        {
            name: _ENCODERS[name](value) if name in _ENCODERS and value is not None else value
            for name in (field.name for field in fields(Task))
            if (value := getattr(task, name)) != _DEFAULTS.get(name, MISSING)
        }
        for task in graph.tasks
    ]


def decode_graph(number: int, tasks: Sequence[Document]) -> GraphVersion:
    """Return the version of a graph with a number.

    Args:
        number: The number of the version.
        tasks: The tasks, as `encode_tasks` returns them.
    """
    return GraphVersion(number, tuple(_decode_task(document) for document in tasks))


def digest_tasks(tasks: Sequence[Document]) -> str:
    """Return 64 hexadecimal digits that tell whether two documents of tasks are equal."""
    text = json.dumps(tasks, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def encode_state(state: RootState) -> dict[str, Any]:
    """Return the state of a root as a JSON object, with the numbers of versions."""
    return {
        "graph": state.graph.number,
        "anchor": _encode_time(state.anchor),
        "handled_until": _encode_time(state.handled_until),
        "active": [_encode_run(run) for run in state.active],
        "queued": None if state.queued is None else _encode_run(state.queued),
        "last_ended": None if state.last_ended is None else _encode_run(state.last_ended),
        "last_success": _encode_success(state.last_success),
        "failures": state.failures,
        "news": state.news,
        "seen_news": state.seen_news,
        "last_look": _encode_optional_time(state.last_look),
        "next_run_id": state.next_run_id,
        "next_token": state.next_token,
    }


def list_versions(document: Document) -> set[int]:
    """Return the numbers of the versions that the document of a state names."""
    runs = [*document["active"], document["queued"], document["last_ended"]]
    return {document["graph"], *(run["version"] for run in runs if run is not None)}


def decode_state(document: Document, find_version: Callable[[int], GraphVersion]) -> RootState:
    """Return the state of a document.

    Args:
        document: The document, as `encode_state` returns it.
        find_version: Returns the version with a number, for each number of `list_versions`.
    """

    def decode_run(run: Document | None) -> GraphRun | None:
        return None if run is None else _decode_run(run, find_version)

    return RootState(
        graph=find_version(document["graph"]),
        anchor=_decode_time(document["anchor"]),
        handled_until=_decode_time(document["handled_until"]),
        active=tuple(_decode_run(run, find_version) for run in document["active"]),
        queued=decode_run(document["queued"]),
        last_ended=decode_run(document["last_ended"]),
        # a lake of a former icemelt has no last success, and only whether there are news
        last_success=_decode_success(document.get("last_success")),
        failures=document["failures"],
        news=document.get("news", int(document.get("has_news", False))),
        seen_news=document.get("seen_news", 0),
        last_look=_decode_optional_time(document["last_look"]),
        next_run_id=document["next_run_id"],
        next_token=document["next_token"],
    )


# ------------------------------------------------------------------------------------------- runs


def _encode_success(success: GraphSuccess | None) -> list[Any] | None:
    return None if success is None else [success.run_id, _encode_time(success.scheduled_at)]


def _decode_success(values: Sequence[Any] | None) -> GraphSuccess | None:
    return None if values is None else GraphSuccess(values[0], _decode_time(values[1]))


def _encode_run(run: GraphRun) -> dict[str, Any]:
    return {
        "id": run.id,
        "version": run.version.number,
        "origin": run.origin.value,
        "scheduled_at": _encode_time(run.scheduled_at),
        "attempt": run.attempt,
        "config": run.config,
        "task_runs": [_encode_task_run(task_run) for task_run in run.task_runs],
    }


def _decode_run(document: Document, find_version: Callable[[int], GraphVersion]) -> GraphRun:
    return GraphRun(
        document["id"],
        find_version(document["version"]),
        RunOrigin(document["origin"]),
        _decode_time(document["scheduled_at"]),
        document["attempt"],
        document["config"],
        tuple(_decode_task_run(values) for values in document["task_runs"]),
    )


def _encode_task_run(run: TaskRun) -> list[Any]:
    """Return the run of a task as an array: a graph's run has up to a thousand."""
    claim, error = run.claim, run.error
    return [
        run.task,
        run.attempt,
        run.state.value,
        _encode_time(run.scheduled_at),
        _encode_optional_time(run.started_at),
        _encode_optional_time(run.completed_at),
        None if claim is None else [claim.holder, claim.token, _encode_time(claim.lease_end)],
        None if error is None else [error.code, error.message],
        run.return_value,
        run.query_id,
    ]


def _decode_task_run(values: Sequence[Any]) -> TaskRun:
    task, attempt, state, scheduled_at, started_at, completed_at, claim, error, *rest = values
    return_value, query_id = rest
    return TaskRun(
        task,
        attempt,
        RunState(state),
        _decode_time(scheduled_at),
        _decode_optional_time(started_at),
        _decode_optional_time(completed_at),
        None if claim is None else RunClaim(claim[0], claim[1], _decode_time(claim[2])),
        None if error is None else RunError(*error),
        return_value,
        query_id,
    )


# ------------------------------------------------------------------------------------------ tasks


def _decode_task(document: Document) -> Task:
    values: dict[str, Any] = {
        name: _DECODERS[name](value) if name in _DECODERS and value is not None else value
        for name, value in document.items()
    }
    return Task(**values)


def _encode_schedule(schedule: Schedule) -> object:
    if isinstance(schedule, IntervalSchedule):
        return _encode_duration(schedule.length)
    return [schedule.expression, schedule.zone]


def _decode_schedule(value: Any) -> Schedule:
    if isinstance(value, int):
        return IntervalSchedule(_decode_duration(value))
    return CronSchedule(*value)


def _encode_duration(length: timedelta) -> int:
    return length // _MICROSECOND


def _decode_duration(microseconds: int) -> timedelta:
    return timedelta(microseconds=microseconds)


def _encode_time(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _decode_time(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _encode_optional_time(moment: datetime | None) -> int | None:
    return None if moment is None else _encode_time(moment)


def _decode_optional_time(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else _decode_time(microseconds)


_ENCODERS: Mapping[str, Callable[[Any], object]] = {
    "predecessors": list,
    "suspended_reason": str,
    "schedule": _encode_schedule,
    "overlap_policy": str,
    "timeout": _encode_duration,
    "trigger_interval": _encode_duration,
    "options": lambda options: [list(option) for option in options],
    "run_within": list,
}
_DECODERS: Mapping[str, Callable[[Any], object]] = {
    "predecessors": tuple,
    "suspended_reason": SuspendedReason,
    "schedule": _decode_schedule,
    "overlap_policy": OverlapPolicy,
    "timeout": _decode_duration,
    "trigger_interval": _decode_duration,
    "options": lambda options: tuple((name, value) for name, value in options),
    "run_within": tuple,
}
