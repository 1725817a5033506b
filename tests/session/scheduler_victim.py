"""Schedulers that are killed or stopped while they run tasks: `scheduler_victim.py URL WAREHOUSE`.

One Spark serves all victims: for each line of standard input, a JSON plan, the program forks a
scheduler that runs tasks until it comes to the plan's step. There it dies by SIGKILL; or it stops
by SIGSTOP, past the end of its lease, goes on when the next line of standard input comes, and is
killed a second later. A step is before or after an SQL statement of a write transaction, an edit,
or a function of the scheduler. A victim does not stop within a transaction: SQLite's locks, those
of opening and closing a connection too, would keep out whoever asks.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from forking import connect_anew
from pyspark.sql import SparkSession
from transactions.failpoints import around, at_edits, at_sql

from icemelt.catalog import reserving
from icemelt.catalog.database import Database, open_database
from icemelt.engine.start.launch import LaunchOptions, launch_spark
from icemelt.session.opening import open_session
from icemelt.session.tasks import execution, facts, running, scheduler, turns, webhooks
from icemelt.session.tasks.hosts import SessionHost
from icemelt.transactions import keeping, transaction

__all__ = ["LAPSE", "LATEST_STEP"]

# the leases of runs, and of transactions, live for so long, in seconds
LAPSE = 2
# the steps of a graph of three tasks
LATEST_STEP = 150
# a victim that was stopped goes on for so long
_AFTERWARDS = 1.0
PLACES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (turns.TaskTurns, ("_take_place", "_claim", "_take_due", "execute")),
    (scheduler.Scheduler, ("_begin",)),
    (execution.RunExecution, ("_find_context", "_run", "_apply")),
    (execution, ("evaluate_condition", "run_task_body")),
    (facts, ("evaluate_condition",)),
    (running, ("run_function", "run_statement")),
    (webhooks.WebhookSender, ("_turn", "_note")),
)


@dataclass
class Victim:
    """Counts steps, and dies or stops at the plan's."""

    steps_left: int
    is_stopped: bool
    is_over: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    transactions: int = 0

    def step(self, place: str) -> None:
        """Die or stop here, where this is the plan's step."""
        with self.lock:
            self.steps_left -= 1
            if self.steps_left > 0 or (self.is_stopped and self.transactions):
                return
            if self.steps_left <= 0 and not self.is_over:
                self.is_over = True
                tell({"place": place})
                # no other thread begins to write meanwhile
                os.kill(os.getpid(), signal.SIGSTOP if self.is_stopped else signal.SIGKILL)

    def count_transactions(self) -> None:
        """Count the transactions of the process in the catalog's database."""

        def count(open_transaction: Any) -> Any:
            @contextlib.contextmanager
            def counting(database: Database) -> Iterator[sa.Connection]:
                with self.lock:
                    self.transactions += 1
                try:
                    with open_transaction(database) as connection:
                        yield connection
                finally:
                    with self.lock:
                        self.transactions -= 1

            return counting

        Database.read = count(Database.read)  # type: ignore[method-assign]
        Database.write_unordered = count(Database.write_unordered)  # type: ignore[method-assign]


def tell(value: dict[str, Any]) -> None:
    os.write(1, (json.dumps(value) + "\n").encode())


def main(url: str, warehouse: str) -> None:
    """Fork a victim for each plan, until standard input ends."""
    keeping.LEASE_SECONDS = reserving.LEASE_SECONDS = transaction.LEASE_SECONDS = LAPSE
    spark = launch_spark(LaunchOptions(master="local[2]", memory="1g"))
    tell({"ready": True})
    for line in sys.stdin:
        plan = json.loads(line)
        process_id = os.fork()
        if process_id == 0:
            _run(spark, url, warehouse, plan)
        status = os.waitpid(process_id, os.WUNTRACED)[1]
        if os.WIFSTOPPED(status):
            tell({"stopped": True})
            sys.stdin.readline()
            os.kill(process_id, signal.SIGCONT)
            time.sleep(_AFTERWARDS)
            os.kill(process_id, signal.SIGKILL)
            status = os.waitpid(process_id, 0)[1]
        tell({"end": os.waitstatus_to_exitcode(status)})


def _run(spark: SparkSession, url: str, warehouse: str, plan: dict[str, Any]) -> None:
    """Run tasks in a forked process; a fault ends the process with 1, the end of time with 3."""
    try:
        connect_anew(spark)
        database = open_database(url, warehouse)
        session = open_session(spark, database, user="victim")
        victim = Victim(plan["step"], plan["is_stopped"])
        victim.count_transactions()
        at_sql(database.engine, victim.step)
        at_edits(victim.step)
        for owner, names in PLACES:
            for name in names:
                around(owner, name, victim.step)
        options = scheduler.SchedulerOptions(parallel=2, poll_seconds=0.05, lease_seconds=LAPSE)
        with scheduler.Scheduler(SessionHost(session), options):
            time.sleep(plan["seconds"])
            # a plan beyond the last step
            tell({"place": "the end"})
            os.kill(os.getpid(), signal.SIGKILL)
    except BaseException:  # noqa: BLE001 - the test is told by the exit code
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
