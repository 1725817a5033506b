"""A scheduler in a process of its own: `python claim_runs.py URL WAREHOUSE NAME`.

It waits for a line of standard input, claims all runs that may be claimed, one after the other, and
prints the claims that it was granted: `root run task token`, a line for each.
"""

from __future__ import annotations

import sys
from datetime import timedelta

from icemelt.catalog.database import open_database
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_runs import find_claimable_runs
from icemelt.tasks.events import ClaimGranted, RunClaimed


def main(url: str, warehouse: str, name: str) -> None:
    database = open_database(url, warehouse)
    with database.read() as connection:
        runs = find_claimable_runs(connection, 1_000)
    _tell("ready")
    sys.stdin.readline()
    for run in runs:
        claim = RunClaimed(run.run_id, run.task, name, timedelta(minutes=5))
        for decision in tell_registry(database, run.root_id, claim):
            if isinstance(decision, ClaimGranted):
                _tell(f"{run.root_id} {run.run_id} {run.task} {decision.claim.token}")
    database.close()


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
