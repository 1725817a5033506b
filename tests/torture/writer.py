"""A writer that is killed: `python writer.py LAKE NAME SEED CHANCE`.

It tells each statement before it runs it, and its end. At each step of a transaction of the
catalog's database it kills itself with the given chance: before an SQL statement, before COMMIT,
and after it when the answer is not told yet.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from typing import Any

import sqlalchemy as sa

import icemelt
from icemelt.errors import Conflict

OPERATIONS = ("insert", "insert", "insert", "update", "merge", "delete", "optimize")
BOTH = "SELECT {n} AS n, 0 AS part UNION ALL SELECT {n}, 1"
STATEMENTS = {
    "insert": "INSERT ALL INTO t VALUES ('{name}', n, part, 0) "
    f"INTO u VALUES ('{{name}}', n, part) {BOTH}",
    "update": "UPDATE t SET v = v + 1 WHERE writer = '{name}' AND n = {n}",
    "delete": "DELETE FROM t WHERE writer = '{name}' AND n = {n}",
    "merge": f"MERGE INTO t USING ({BOTH}) s "
    "ON t.writer = '{name}' AND t.n = s.n AND t.part = s.part "
    "WHEN MATCHED THEN UPDATE SET v = t.v + 1 "
    "WHEN NOT MATCHED THEN INSERT (writer, n, part, v) VALUES ('{name}', s.n, s.part, 0)",
    "optimize": "OPTIMIZE t",
}


def main(folder: str, name: str, seed: str, chance: str) -> None:
    """Write until killed."""
    choose = random.Random(seed)  # noqa: S311 - chance is what is wanted
    session = icemelt.connect(folder, master="local[1]", memory="1g", maintain_every=None)
    _kill_at_steps(session._core.database.engine, choose, float(chance))
    _tell({"ready": os.getpid()})
    highest = 0
    while True:
        operation = choose.choice(OPERATIONS)
        number = highest + 1 if operation == "insert" else choose.randint(1, highest + 1)
        if operation in {"insert", "merge"}:
            # a MERGE may have made the number: an INSERT of it would be a second one
            highest = max(highest, number)
        _tell({"operation": operation, "n": number})
        try:
            session.sql(STATEMENTS[operation].format(name=name, n=number))
        except Conflict:
            _tell({"done": False})
        else:
            _tell({"done": True})


def _kill_at_steps(engine: sa.Engine, choose: random.Random, chance: float) -> None:
    def perhaps(connection: Any, *_step: Any) -> None:
        writes = connection.get_execution_options().get("icemelt_write", False)
        if writes and choose.random() < chance:
            os.kill(os.getpid(), signal.SIGKILL)

    def perhaps_afterwards(*_returned: Any) -> None:
        if choose.random() < chance:
            os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(engine, "before_cursor_execute", perhaps)
    sa.event.listen(engine, "after_cursor_execute", perhaps)
    sa.event.listen(engine, "commit", perhaps)
    sa.event.listen(engine, "checkin", perhaps_afterwards)


def _tell(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
