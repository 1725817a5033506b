"""A DAG of Airflow: a sensor that waits until a stream has rows, and a task that consumes it.

The folder of this file is a part of Airflow's dags folder; ICEMELT_URL and ICEMELT_KEY are in the
environment of Airflow's workers. The DAG runs again and again: when a run is over, the next one
begins and waits. Between two looks the sensor takes no worker.
"""

from __future__ import annotations

import datetime

from airflow.sdk import Context, dag, get_current_context, task
from icemelt_sql import attempt_id, run
from keep_copy import MERGE, has_changes


@dag(
    schedule="@continuous",
    start_date=datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
    catchup=False,
    max_active_runs=1,
)
def keep_copy() -> None:
    """Keep the copy in step with the orders."""

    @task.sensor(poke_interval=30, timeout=86_400, mode="reschedule", soft_fail=True)
    def new_orders() -> bool:
        return has_changes()

    @task(retries=3, retry_delay=datetime.timedelta(seconds=10))
    def merge() -> None:
        context: Context = get_current_context()
        run(MERGE, attempt_id(context["run_id"], context["ti"].try_number))

    new_orders() >> merge()


kept = keep_copy()
