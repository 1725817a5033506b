"""Look by the sensor of Dagster's example, run what the sensor asks for, and tell of it as JSON.

It runs in an environment with Dagster; the examples' folder is its argument.
"""

from __future__ import annotations

import json
import sys


def main(examples: str) -> None:
    sys.path.insert(0, examples)
    import dagster_definitions as example  # noqa: PLC0415 - of that environment
    from dagster import DagsterInstance, RunRequest, build_sensor_context  # noqa: PLC0415

    instance = DagsterInstance.ephemeral()
    looks = [example.new_orders.evaluate_tick(build_sensor_context(instance)) for _ in range(2)]
    asked = [request for look in looks for request in look.run_requests]
    assert all(isinstance(request, RunRequest) for request in asked)
    runs = [example.keep_copy.execute_in_process(instance=instance) for _ in asked]
    last = example.new_orders.evaluate_tick(build_sensor_context(instance))
    told = {
        "run_keys": [request.run_key for request in asked],
        "succeeded": [run.success for run in runs],
        "skipped": last.skip_message,
    }
    print(json.dumps(told))  # noqa: T201 - its answer


if __name__ == "__main__":
    main(*sys.argv[1:])
