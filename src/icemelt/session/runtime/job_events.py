"""Emit the finished Spark jobs of a statement as events."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from icemelt.observe.emitting import emit, is_wanted
from icemelt.observe.events import SparkJobRan
from icemelt.spark_java import java_context

__all__ = ["emit_jobs"]

# how long to wait for the queue from which Spark's job store learns of ended jobs
_QUEUE_MILLISECONDS = 500


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
        context = java_context(spark)
        with contextlib.suppress(Py4JError):
            context.listenerBus().waitUntilEmpty(_QUEUE_MILLISECONDS)
        store = context.statusStore()
        for job_id in sorted(spark.sparkContext.statusTracker().getJobIdsForGroup(group)):
            emit(_event_of(store.job(job_id), job_id, statement_id))


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
