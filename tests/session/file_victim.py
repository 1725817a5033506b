"""Sessions that are killed while they work with files: `file_victim.py URL WAREHOUSE FOLDER`.

One Spark serves all victims: for each line of standard input, a JSON plan, the program forks a
session that works on one family of operations until it dies by SIGKILL, at the plan's step or, by
the parent's hand, at the plan's moment. A step is before or after an SQL statement of a write
transaction, an edit, a file's listing, writing or removal. Java lives on, and may end what nobody
publishes any more.

A session writes files, each with numbers that no other file has, into FOLDER/in, and tells what it
begins and what it has done.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forking import connect_anew
from pyspark.sql import SparkSession
from transactions.failpoints import around, at_edits, at_sql

from icemelt import Session
from icemelt.catalog import reserving
from icemelt.catalog.database import open_database
from icemelt.catalog.queries import retention
from icemelt.engine.start.launch import LaunchOptions, launch_spark
from icemelt.errors import IcemeltError
from icemelt.session import maintenance, sweeping
from icemelt.session.copy import pipe_batches, pipe_runs
from icemelt.session.ddl import clones, external_tables, stages
from icemelt.session.dml import writing
from icemelt.session.opening import open_session
from icemelt.session.sources import external_tables as external_sources
from icemelt.transactions import expiry, keeping, transaction

__all__ = ["FAMILIES", "GRACE", "LATEST_SECONDS", "LATEST_STEPS"]

GRACE = 0
# a dead session's leases and locks live on for so long, in seconds
LAPSE = 2
# the steps of two or three operations of a family
LATEST_STEPS = {
    "refresh": 40,
    "consume": 55,
    "transaction": 75,
    "pipe": 150,
    "clone": 55,
    "swap": 50,
}
FAMILIES = tuple(LATEST_STEPS)
# a moment is so many seconds at most after the first operation began
LATEST_SECONDS = 1.5
PLACES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (stages, ("find_listing",)),
    (external_tables, ("find_listing",)),
    (external_sources, ("find_registered", "virtual_rows")),
    (writing, ("append",)),
    (pipe_batches, ("load_files",)),
    (clones, ("write_clone", "write_kept_files")),
    (sweeping, ("find_unnamed_files", "remove_files", "write_metadata")),
    (maintenance, ("remove_folder", "expire_versions")),
    (expiry, ("write_expired_metadata", "remove_files")),
)


@dataclass
class Victim:
    """A session that works until it is killed.

    `steps_left` is None where the parent kills it. Steps count in operations of the family alone.
    """

    session: Session
    folder: Path
    choose: random.Random
    steps_left: int | None
    on_begin: Callable[[], None]
    is_armed: bool = False

    def work(self, family: str) -> None:
        """Do operations of a family for ever."""
        while True:
            try:
                getattr(self, family)()
            except IcemeltError as error:
                tell({"refused": error.code, "message": error.message})
                with contextlib.suppress(IcemeltError):
                    self.session.sql("ROLLBACK")
            finally:
                self.is_armed = False

    def refresh(self) -> None:
        """List the files of the stage and of the external table, alone or in a transaction."""
        self.write_files()
        is_open = self.choose.random() < 0.5
        with self.armed():
            if is_open:
                self.session.sql("BEGIN")
            self.list_files(is_open=is_open)
            if is_open:
                self.session.sql("COMMIT")
                tell({"done": "listing"})

    def consume(self) -> None:
        """Consume the streams by single statements."""
        self.write_files()
        self.list_files()
        for statement, stream in CONSUMPTIONS:
            with self.armed():
                self.session.sql(statement)
                tell({"done": stream})

    def transaction(self) -> None:
        """Consume the streams in a transaction, which is committed or rolled back."""
        self.write_files()
        self.list_files()
        with self.armed():
            self.session.sql("BEGIN")
            for statement, _ in CONSUMPTIONS:
                self.session.sql(statement)
            word = self.choose.choice(["COMMIT", "COMMIT", "ROLLBACK"])
            self.session.sql(word)
            if word == "COMMIT":
                for _, stream in CONSUMPTIONS:
                    tell({"done": stream})

    def pipe(self) -> None:
        """Load new files by a pipe, two in a batch."""
        self.write_files(5)
        with self.armed():
            self.session.sql("ALTER PIPE p REFRESH")
            tell({"done": "pipe", "files": self.files()})

    def clone(self) -> None:
        """Clone tables and schemas, drop and maintain."""
        number = self.choose.randrange(1_000_000)
        tables = [row[1] for row in self.session.sql("SHOW TABLES IN SCHEMA main.work").fetchall()]
        statements = [
            f"CREATE TABLE work.c{number} CLONE work.{self.choose.choice(tables)}",
            f"CREATE SCHEMA s{number} CLONE main.work",
            f"DROP TABLE IF EXISTS work.{self.choose.choice(['none', *tables[3:]])}",
            "maintain",
        ]
        statement = self.choose.choice(statements)
        with self.armed():
            if statement == "maintain":
                self.session.maintain(safe_age=0)
            else:
                self.session.sql(statement)
            tell({"done": statement})

    def swap(self) -> None:
        """Swap two tables, one of them a clone's model."""
        with self.armed():
            self.session.sql("ALTER TABLE work.a SWAP WITH work.b")
            tell({"done": "swap"})

    def write_files(self, count: int = 2) -> None:
        """Write files whose numbers nobody has."""
        first = 10 * (1 + max((int(name[:-5]) for name in self.files()), default=0) // 10)
        for number in range(first, first + 10 * self.choose.randint(1, count), 10):
            rows = range(number, number + self.choose.randint(1, 3))
            text = "".join(json.dumps({"n": n}) + "\n" for n in rows)
            # whole, whenever a kill comes: half a file is another test's
            written = self.folder.with_name("written.json")
            written.write_text(text)
            written.rename(self.folder / f"{number}.json")

    def list_files(self, *, is_open: bool = False) -> None:
        """Register the files of the stage and of the external table."""
        tell({"listing": self.files()})
        self.session.sql("ALTER STAGE landing REFRESH")
        self.session.sql("ALTER EXTERNAL TABLE e REFRESH")
        if not is_open:
            tell({"done": "listing"})

    def files(self) -> list[str]:
        """Return the names of the files."""
        return sorted(path.name for path in self.folder.iterdir())

    @contextlib.contextmanager
    def armed(self) -> Iterator[None]:
        """Let a kill be in the block."""
        self.is_armed = True
        self.on_begin()
        yield
        self.is_armed = False

    def step(self, place: str) -> None:
        """Die here, where this is the plan's step."""
        if self.is_armed and self.steps_left is not None:
            self.steps_left -= 1
            if self.steps_left <= 0:
                tell({"killed_at": place})
                os.kill(os.getpid(), signal.SIGKILL)


CONSUMPTIONS = (
    ("INSERT INTO copied SELECT n FROM st", "st"),
    ("INSERT INTO paths SELECT relative_path FROM ds WHERE METADATA$ACTION = 'INSERT'", "ds"),
)


def tell(value: dict[str, Any]) -> None:
    os.write(1, (json.dumps(value) + "\n").encode())


def main(warehouse_url: str, warehouse: str, folder: str) -> None:
    """Fork a victim for each plan, until standard input ends."""
    retention.GRACE = GRACE
    keeping.LEASE_SECONDS = LAPSE
    reserving.LEASE_SECONDS = transaction.LEASE_SECONDS = LAPSE
    pipe_runs._BATCH_FILES = 2
    spark = launch_spark(LaunchOptions(master="local[2]", memory="1g"))
    tell({"ready": True})
    for line in sys.stdin:
        plan = json.loads(line)
        begun, begin = os.pipe()
        process_id = os.fork()
        if process_id == 0:
            _run(spark, (warehouse_url, warehouse, folder), plan, begin)
        os.close(begin)
        if plan["seconds"] is not None:
            os.read(begun, 1)
            time.sleep(plan["seconds"])
            tell({"killed_at": "a moment"})
            os.kill(process_id, signal.SIGKILL)
        os.close(begun)
        tell({"end": os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1])})


def _run(
    spark: SparkSession, place: tuple[str, str, str], plan: dict[str, Any], begin: int
) -> None:
    """Work as planned, in a forked process; a fault ends the process with 1."""
    try:
        connect_anew(spark)
        url, warehouse, folder = place
        database = open_database(url, warehouse)
        session = open_session(spark, database, user="victim", scratch=f"{folder}/scratch")
        choose = random.Random(plan["seed"])  # noqa: S311 - chance is what is wanted

        def on_begin() -> None:
            os.write(begin, b".")

        victim = Victim(session, Path(folder) / "in", choose, plan["step"], on_begin)
        at_sql(database.engine, victim.step)
        at_edits(victim.step)
        for owner, names in PLACES:
            for name in names:
                around(owner, name, victim.step)
        victim.work(plan["family"])
    except BaseException:  # noqa: BLE001 - the test is told by the exit code
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
