"""Run the DAG of Airflow's example once, and tell as JSON how it and its tasks ended.

It runs in an environment with Airflow, whose metadata are an SQLite file below AIRFLOW_HOME; the
examples' folder is its argument.
"""

from __future__ import annotations

import json
import sys


def main(examples: str) -> None:
    sys.path.insert(0, examples)
    import airflow_dag as example  # noqa: PLC0415 - of that environment
    from airflow.utils.db import initdb  # noqa: PLC0415

    initdb()
    run = example.kept.test()
    tasks = {each.task_id: str(each.state) for each in run.get_task_instances()}
    print(json.dumps({"state": str(run.state), "tasks": tasks}))  # noqa: T201 - its answer


if __name__ == "__main__":
    main(*sys.argv[1:])
