"""Runs the body of a task until it kills itself: `body_victim.py URL WAREHOUSE RUN BODY STEP`.

It dies by SIGKILL at the given step: before or after an SQL statement of a write transaction, an
edit, a statement of the body, the attempt of a publication. It tells each step; at step 0 it lives.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

from session.body_edits import make_edits
from session.task_contexts import context_of, make_task
from transactions.failpoints import around, at_edits, at_sql

import icemelt
from icemelt.session.session import Session, core_of
from icemelt.session.tasks import running
from icemelt.transactions.publication import Publication


class Steps:
    """Counts and tells steps, and dies at one of them."""

    def __init__(self, last: int) -> None:
        self.left = last

    def __call__(self, place: str) -> None:
        tell({"step": place})
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


def tell(value: dict[str, Any]) -> None:
    print(json.dumps(value), flush=True)  # noqa: T201 - to the test


def main(url: str, warehouse: str, run_id: str, body: str, step: str) -> None:
    session = icemelt.connect(
        catalog=url, warehouse=warehouse, user="victim", master="local[2]", maintain_every=None
    )
    edits = make_edits(session)
    steps = Steps(int(step))
    at_sql(core_of(session).database.engine, steps)
    at_edits(steps)
    around(Session, "run", steps)
    around(Publication, "run", steps)
    around(running, "open_task_session", steps)
    context = context_of(make_task("t", body), run_id=int(run_id))
    outcome = running.run_task_body(core_of(session), context, edits)
    tell({"state": outcome.state.value})


if __name__ == "__main__":
    main(*sys.argv[1:])
