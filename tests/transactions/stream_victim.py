"""A program that is killed: `python stream_victim.py URL WAREHOUSE NAME SEED LAPSE`.

For each line of standard input, a JSON plan, it writes a stream's source, consumes the streams,
rolls back and maintains, in random order, and tells each operation before and after. Where the plan
wants it, it says so and kills Python, Spark's Java process, or both. With Java alone gone it goes
on: what runs then ends by itself, the next statement is refused, the session is opened again.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from failpoints import around, at_edits, at_sql
from pyspark import SparkContext
from pyspark.sql import DataFrame

import icemelt
from icemelt import Session
from icemelt.catalog.queries import retention
from icemelt.errors import IcemeltError
from icemelt.session import maintenance, sweeping
from icemelt.session.dml import data_frames, row_level
from icemelt.session.dml import writing as dml
from icemelt.session.transaction import Transaction
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.writes import rebase as rebasing
from icemelt.transactions import expiry, keeping, publication
from icemelt.transactions import open as many

__all__ = ["AUDIT", "CONSUME", "FAMILIES", "FOLLOW", "INSERT", "KINDS", "MERGE", "UPDATE"]

KINDS = ("python", "java", "both", "job")
# where a kill is wanted, and the operations that get there
FAMILIES: dict[str, Sequence[str]] = {
    "sql": ("insert", "update", "delete", "consume", "each", "copy", "undo", "follow"),
    "workspace": ("insert", "update", "delete", "consume", "each", "copy", "follow"),
    "rebase": ("insert", "update", "delete", "insert"),
    "lock": ("copy", "undo", "each"),
    "maintain": ("insert", "delete", "maintain", "maintain"),
}
# what running statements of others may need stays so long; the lake itself keeps an hour
GRACE = 20_000
SAFE_AGE = 60.0
# a Java that is killed after some statements gains nothing from compiling them well
SHORT_LIVED = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    f"-Djava.io.tmpdir='{tempfile.gettempdir()}'",
    "spark.sql.codegen.wholeStage": "false",
}
# Java lives on for so long after Python
LIVES_ON = "2"
END_SECONDS = 30

INSERT = "INSERT INTO t SELECT '{name}', {n}, part, 0 FROM (SELECT 0 AS part UNION ALL SELECT 1)"
UPDATE = "UPDATE t SET v = v + 1 WHERE writer = '{name}' AND n = {n}"
DELETE = "DELETE FROM t WHERE writer = '{name}' AND n = {n}"
CONSUME = "INSERT INTO sink SELECT writer, n, part FROM s"
MERGE = """MERGE INTO replica r
USING (SELECT * FROM s2 WHERE METADATA$ACTION = 'INSERT' OR NOT METADATA$ISUPDATE) c
ON r.writer = c.writer AND r.n = c.n AND r.part = c.part
WHEN MATCHED AND c.METADATA$ACTION = 'DELETE' THEN DELETE
WHEN MATCHED AND c.METADATA$ISUPDATE THEN UPDATE SET v = c.v
WHEN NOT MATCHED AND c.METADATA$ACTION = 'INSERT'
THEN INSERT (writer, n, part, v) VALUES (c.writer, c.n, c.part, c.v)"""
FOLLOW = """MERGE INTO followed f
USING (SELECT *, METADATA$ROW_ID AS row_id FROM s3
WHERE METADATA$ACTION = 'INSERT' OR NOT METADATA$ISUPDATE) c
ON f.row_id = c.row_id
WHEN MATCHED AND c.METADATA$ACTION = 'DELETE' THEN DELETE
WHEN MATCHED AND c.METADATA$ISUPDATE THEN UPDATE SET v = c.v, total = c.total, audits = c.audits
WHEN NOT MATCHED AND c.METADATA$ACTION = 'INSERT'
THEN INSERT (row_id, writer, n, part, v, total, audits)
VALUES (c.row_id, c.writer, c.n, c.part, c.v, c.total, c.audits)"""
AUDIT = "INSERT INTO audit VALUES ('{name}', {n})"
STATEMENTS = {
    "insert": INSERT,
    "update": UPDATE,
    "delete": DELETE,
    "consume": CONSUME,
    "follow": FOLLOW,
}


@dataclass
class Plan:
    """What to kill, and at which step of which family; for a job, at which.

    After `patience` operations any step will do.
    """

    kind: str
    family: str
    steps: int
    patience: int
    operations: int = 0


@dataclass
class Victim:
    """The program's one session, on the way to its end."""

    url: str
    warehouse: str
    name: str
    choose: random.Random
    plan: Plan | None = None
    highest: int = 0
    place: list[str] = field(default_factory=list)
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> None:
        """Open the session, starting Spark where none runs."""
        self.session: Session = icemelt.connect(
            catalog=self.url,
            warehouse=self.warehouse,
            user=self.name,
            master="local[1]",
            memory="1g",
            conf=SHORT_LIVED,
            maintain_every=None,
        )
        at_sql(self.session._core.database.engine, lambda name: self.step("sql", name))
        self.java = SparkContext._gateway.proc
        _tell({"ready": self.session.session_id, "java": self.java.pid})

    def serve(self) -> None:
        """Carry out plan after plan."""
        self.open()
        for line in sys.stdin:
            self.plan = Plan(**json.loads(line))
            # the other plans run small queries in the driver
            in_jobs = self.plan.kind == "job" or self.choose.random() < 0.5
            self.session.spark.conf.set("spark.icemelt.driverRuns", str(not in_jobs).lower())
            if self.plan.kind == "job":
                wanted = self.plan.steps
                threading.Thread(target=self.kill_in_a_job, args=[wanted], daemon=True).start()
            while self.plan is not None:
                self.operate()
            self.go_on_without_java()

    def operate(self) -> None:
        """Do one operation, and tell its end: whether it was done, else the error's code."""
        assert self.plan is not None
        family = "sql" if self.plan.kind == "job" else self.plan.family
        operation = self.choose.choice(FAMILIES[family])
        if operation in {"insert", "copy", "undo"}:
            self.highest += 1
        number = self.highest
        if operation in {"update", "delete"}:
            number = self.choose.randint(1, self.highest + 1)
        self.plan.operations += 1
        _tell({"operation": operation, "n": number})
        with self.at(operation):
            try:
                self.run(operation, number)
            except IcemeltError as error:
                _tell({"done": False, "code": error.code})
            else:
                _tell({"done": True})

    def run(self, operation: str, number: int) -> None:
        """Run the statements of an operation."""
        if operation in STATEMENTS:
            self.session.sql(STATEMENTS[operation].format(name=self.name, n=number))
        elif operation == "each":
            self.session.for_each_change("s", _append)
        elif operation == "maintain":
            self.session.maintain(safe_age=SAFE_AGE)
        else:
            self.consume_in_a_transaction(operation, number)

    def consume_in_a_transaction(self, operation: str, number: int) -> None:
        """Merge the changes into the copy, note it, and commit or roll back."""
        self.session.sql("BEGIN")
        try:
            self.session.sql(MERGE)
            self.session.sql(AUDIT.format(name=self.name, n=number))
            self.session.sql("COMMIT" if operation == "copy" else "ROLLBACK")
        except IcemeltError as error:
            if error.code != "spark-died":
                self.session.sql("ROLLBACK")
            raise

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Say where the program is, for the names of its steps."""
        self.place.append(place)
        try:
            yield
        finally:
            self.place.pop()

    def step(self, origin: str, name: str) -> None:
        """Kill what the plan wants killed, if this is where."""
        with self.one_at_a_time:
            plan = self.plan
            if plan is None or plan.kind == "job" or not self.place:
                return
            family = self.family(origin)
            if family != plan.family and plan.operations <= plan.patience:
                return
            plan.steps -= 1
            if plan.steps <= 0:
                thread = threading.current_thread()
                is_main = thread is threading.main_thread()
                self.kill(": ".join((*(self.place if is_main else (thread.name,)), name)))

    def family(self, origin: str) -> str:
        """Return the family of a step here."""
        if self.place[0] == "maintain":
            return "maintain"
        return next((each for each in ("rebase", "lock") if each in self.place), origin)

    def kill(self, place: str) -> None:
        """Tell the place, and kill; come back where Java alone was wanted."""
        plan, self.plan = self.plan, None
        assert plan is not None
        _tell({"killed_at": place})
        if plan.kind == "java":
            self.java.kill()
            self.java.wait(END_SECONDS)
            return
        java_first = self.choose.random() < 0.5
        if plan.kind == "both" and java_first:
            self.java.kill()
        if plan.kind == "both" and not java_first:
            subprocess.run(["kill", "-9", str(os.getpid()), str(self.java.pid)], check=True)
        _die()

    def kill_in_a_job(self, wanted: int) -> None:
        """Kill Python while a job of Spark's runs, and let Java go on with it for a while."""
        session, seen = self.session, set[int]()
        later = self.choose.uniform(0, 0.1)
        while True:
            running = session.running_jobs()
            seen.update(running)
            place = self.place[:1]
            if running and len(seen) >= wanted and place:
                # Java ends when nobody has the other end of its standard input any more
                holder = {"stdin": self.java.stdin, "stdout": subprocess.DEVNULL}
                subprocess.Popen(["sleep", LIVES_ON], **holder)
                time.sleep(later)
                _tell({"killed_at": f"{place[0]}: a job runs"})
                _die()
            time.sleep(0.002)

    def go_on_without_java(self) -> None:
        """Be told that Java is gone, close the session, and open another."""
        try:
            self.session.sql("SELECT count(*) FROM t").fetchall()
        except IcemeltError as error:
            _tell({"refused": error.code})
        self.session.close()
        _tell({"closed": True})
        self.open()

    def install(self) -> None:
        """Make the steps that are not the catalog's."""
        at_edits(lambda name: self.step("sql", name))

        def workspace(name: str) -> None:
            self.step("workspace", name)

        for owner, names in (
            (Iceberg, ("register", "current", "forget")),
            (dml, ("append", "append_few")),
            (data_frames, ("append",)),
            (row_level, ("_carry_out",)),
            (many, ("squash_snapshots",)),
            (rebasing, ("_net_changes", "_row_delta", "_rewrite")),
            (maintenance, ("expire_versions", "compact", "_compact_table")),
            (sweeping, ("find_unnamed_files",)),
            (expiry, ("expire_and_list_files", "write_expired_metadata")),
        ):
            for name in names:
                around(owner, name, workspace)
        self.enter("rebase", publication, "rebase_changes")
        self.enter("lock", many, "take_lock")
        self.enter("lock", keeping, "take_lock")
        for module in (sweeping, expiry):
            self.remove_in_two_steps(module)

    def enter(self, place: str, module: Any, name: str) -> None:
        """Let the steps of a module's function be at a place of their own."""
        function = getattr(module, name)

        def inside(*arguments: Any, **named: Any) -> Any:
            with self.at(place):
                self.step("workspace", "begin")
                result = function(*arguments, **named)
                self.step("workspace", "end")
                return result

        setattr(module, name, inside)

    def remove_in_two_steps(self, module: Any) -> None:
        """Let files be removed with a step between them."""
        remove = module.remove_files

        def remove_half_first(iceberg: Iceberg, locations: Sequence[str]) -> int:
            half = len(locations) // 2
            self.step("workspace", "before files are removed")
            count = remove(iceberg, locations[:half])
            if locations:
                self.step("workspace", "half of the files are removed")
            count += remove(iceberg, locations[half:])
            self.step("workspace", "after files are removed")
            return int(count)

        module.remove_files = remove_half_first


def _append(rows: DataFrame, transaction: Transaction) -> None:
    transaction.append(rows.select("writer", "n", "part"), "sink")


def _tell(value: dict[str, Any]) -> None:
    os.write(1, (json.dumps(value) + "\n").encode())


def _die() -> NoReturn:
    while True:
        os.kill(os.getpid(), signal.SIGKILL)


def main(url: str, warehouse: str, name: str, seed: str, lapse: str) -> None:
    """Serve until killed, or until standard input ends."""
    keeping.LEASE_SECONDS = int(lapse)
    retention.GRACE = GRACE
    victim = Victim(url, warehouse, name, random.Random(seed))  # noqa: S311 - chance is wanted
    victim.install()
    victim.serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
