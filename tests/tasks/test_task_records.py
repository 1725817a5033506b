"""Records of tasks: what the graph of a task knows of its options."""

from __future__ import annotations

from datetime import timedelta

from icemelt.catalog.task_records import TaskRecord
from icemelt.names import QualifiedName
from icemelt.tasks.graph import Task
from icemelt.tasks.schedule import IntervalSchedule
from icemelt.tasks.states import OverlapPolicy, SuspendedReason

NAME = QualifiedName("main", "public", "load", "task")

OWN = {"object_id": "id", "owner": "ann", "body": "SELECT 1"}


def record(**options: str) -> TaskRecord:
    return TaskRecord("id", NAME, "ann", None, 0, "SELECT 1", options)


def test_a_record_without_options_is_a_task_with_the_defaults() -> None:
    assert record().in_graph == Task("load", "main.public", **OWN)


def test_the_options_of_a_record_are_those_of_its_task() -> None:
    options = {
        "CONFIG": "{}",
        "OVERLAP_POLICY": "ALLOW_CHILD_OVERLAP",
        "SCHEDULE": "10 MINUTES",
        "SUSPEND_TASK_AFTER_NUM_FAILURES": "0",
        "TASK_AUTO_RETRY_ATTEMPTS": "0",
        "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS": "1",
        "USER_TASK_TIMEOUT_MS": "1500",
    }
    assert record(**options).in_graph == Task(
        "load",
        "main.public",
        schedule=IntervalSchedule(timedelta(minutes=10)),
        config="{}",
        overlap_policy=OverlapPolicy.ALLOW_CHILD_OVERLAP,
        auto_retry_attempts=0,
        failures_to_suspend=0,
        timeout=timedelta(milliseconds=1500),
        trigger_interval=timedelta(seconds=1),
        **OWN,
    )


def test_options_that_a_graph_does_not_know_are_kept_in_order() -> None:
    task = record(WAREHOUSE="w", TIMEZONE="UTC", CONFIG="{}").in_graph
    assert task.options == (("TIMEZONE", "UTC"), ("WAREHOUSE", "w"))


def test_a_timeout_of_nothing_is_the_longest_one() -> None:
    assert record(USER_TASK_TIMEOUT_MS="0").in_graph.timeout == timedelta(days=7)


def test_a_started_record_is_a_resumed_task() -> None:
    started = TaskRecord(
        *("id", NAME, "ann", None, 0, "SELECT 1"),
        condition="TRUE",
        is_started=True,
        suspended_reason="USER_SUSPENDED",
    )
    assert started.in_graph == Task(
        "load",
        "main.public",
        is_suspended=False,
        suspended_reason=SuspendedReason.USER_SUSPENDED,
        condition="TRUE",
        **OWN,
    )
