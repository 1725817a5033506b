"""A sensor of Dagster that looks whether a stream has rows, and a job that consumes the stream.

    pip install dagster dagster-webserver
    ICEMELT_URL=http://127.0.0.1:8787 ICEMELT_KEY=… dagster dev -f dagster_definitions.py

The run key is the position of the stream. So one run is launched for what is unread, however often
the sensor looks meanwhile, and the next one only once a run has moved the stream. Dagster reads the
annotations of an op, so `from __future__ import annotations` is not for this file.
"""

from dagster import (
    DefaultSensorStatus,
    Definitions,
    OpExecutionContext,
    RetryPolicy,
    RunRequest,
    SkipReason,
    job,
    op,
    sensor,
)
from icemelt_sql import attempt_id, run
from keep_copy import MERGE, has_changes, read_position


@op(retry_policy=RetryPolicy(max_retries=3, delay=10))
def merge(context: OpExecutionContext) -> None:
    """Carry the changes on."""
    run(MERGE, attempt_id(context.run_id, context.retry_number))


@job
def keep_copy() -> None:
    """Keep the copy in step with the orders."""
    merge()


@sensor(job=keep_copy, minimum_interval_seconds=30, default_status=DefaultSensorStatus.RUNNING)
def new_orders() -> RunRequest | SkipReason:
    """Ask for a run where the stream has rows."""
    if not has_changes():
        return SkipReason("The stream new_orders has no rows.")
    return RunRequest(run_key=read_position())


definitions = Definitions(jobs=[keep_copy], sensors=[new_orders])
