"""The finished Spark jobs of a statement: as events, and what they have read."""

from __future__ import annotations

import contextlib
import time
from typing import Any, NamedTuple

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from icemelt.observe.emitting import emit, is_wanted
from icemelt.observe.events import SparkJobRan
from icemelt.spark_java import java_context

__all__ = ["JobWork", "emit_jobs", "measure_jobs"]

# how long to wait for the queue from which Spark's job store learns of ended jobs
_QUEUE_MILLISECONDS = 500


class JobWork(NamedTuple):
    """What Spark jobs have done: their number, and the bytes and rows that they have read."""

    jobs: int
    bytes: int
    rows: int


def measure_jobs(spark: SparkSession, group: str) -> JobWork:
    """Return what the jobs of a job group have done, as far as Spark remembers.

    Args:
        spark: the session that ran the jobs.
        group: the job group.
    """
    job_ids = _find_jobs(spark, group)
    store = java_context(spark).statusStore()
    stages, read, rows = set[int](), 0, 0
    for job_id in job_ids:
        # Spark forgets the oldest jobs and stages of all sessions
        with contextlib.suppress(Py4JError):
            stages |= set(map(int, store.job(job_id).stageIds().mkString(" ").split()))
    # a stage that several jobs share is there once
    for stage_id in sorted(stages):
        with contextlib.suppress(Py4JError):
            stage = store.lastStageAttempt(stage_id)
            read, rows = read + stage.inputBytes(), rows + stage.inputRecords()
    return JobWork(len(job_ids), read, rows)


def emit_jobs(spark: SparkSession, group: str, statement_id: str) -> None:
    """Emit an event for every job of a job group that Spark remembers, if anybody listens.

    Args:
        spark: the session that ran the jobs.
        group: the job group.
        statement_id: the statement that ran the jobs.
    """
    if not is_wanted(SparkJobRan):
        return
    # a dead or busy Spark gives no events; a stopped context raises AttributeError
    with contextlib.suppress(Py4JError, OSError, AttributeError):
        job_ids = _find_jobs(spark, group)
        store = java_context(spark).statusStore()
        for job_id in job_ids:
            emit(_event_of(store.job(job_id), job_id, statement_id))


def _find_jobs(spark: SparkSession, group: str) -> list[int]:
    """Return the ids of the jobs of a group that Spark remembers, with what has ended until now."""
    with contextlib.suppress(Py4JError):
        java_context(spark).listenerBus().waitUntilEmpty(_QUEUE_MILLISECONDS)
    return sorted(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


def _event_of(job: Any, job_id: int, statement_id: str) -> SparkJobRan:
    began, ended = _seconds(job.submissionTime()), _seconds(job.completionTime())
    return SparkJobRan(
        statement_id=statement_id,
        job_id=job_id,
        tasks=job.numTasks(),
        status=job.status().toString().lower(),
        began_at=began,
        seconds=max(0.0, ended - began),
    )


def _seconds(time_of_java: Any) -> float:
    """Return a Scala `Option[Date]` as seconds since 1970; without a date, the current time."""
    return time_of_java.get().getTime() / 1000 if time_of_java.isDefined() else time.time()
