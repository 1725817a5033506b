"""A server of a lake, in a process that kills itself at a step of an append's way.

As a program: `python kill_server.py LAKE KEYFILE PORT STEP NUMBER`. It uses the Java of the process
that started it, and dies at the so-manieth time that it comes to the step.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

import icemelt
from icemelt.catalog.keys import create_key
from icemelt.ingest.writer import flush
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.ingest.writer.table_writer import TableWriter
from icemelt.server.run import ServerSettings, open_server
from icemelt.tables.writes import appending
from icemelt.transactions import transaction

__all__ = ["Step"]

LAG = 0.1


class Step(Enum):
    NEVER = "it is not killed"
    ACCEPT = "an append was read"
    BUFFER = "its rows wait"
    REPLY = "its answer is about to be sent"
    WRITE = "the file is written"
    APPEND = "Iceberg has made the snapshot"
    PUBLISH = "the transaction is about to begin"
    COMMIT = "the transaction is about to be committed"
    COMMITTED = "the transaction is committed"
    NOTE = "nobody has been told of the commit"


def main(lake: str, key_file: str, port: int, step: Step, number: int) -> None:
    """Serve until killed."""
    left = number

    def come() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with icemelt.connect(lake, spark=attached(), maintain_every=None) as session:
        engine = session._core.database.engine
        key = Path(key_file)
        if not key.exists():
            key.write_text(create_key(session._core.database, "tests")[1])

        def ready(url: str) -> None:
            # what it does before is for no client
            set_trap(step, come, engine)
            sys.stdout.write(f"{url}\n")
            sys.stdout.flush()

        with open_server(session, ServerSettings(port=port, max_client_lag=LAG)) as server:
            server.run(ready)


def attached() -> SparkSession:
    """Return a session of the Spark that another process has started."""
    gateway = launch_gateway()
    java: Any = gateway.jvm
    SparkContext._ensure_initialized(gateway=gateway)
    context = java.org.apache.spark.SparkContext.getOrCreate()
    own = java.org.apache.spark.api.java.JavaSparkContext(context)
    return SparkSession(
        SparkContext(gateway=gateway, jsc=own, conf=SparkConf(_jconf=own.getConf()))
    )


def set_trap(step: Step, come: Callable[[], None], engine: sa.Engine) -> None:
    """Have `come` called each time that the server comes to the step."""
    match step:
        case Step.ACCEPT:
            before(Ingestor, "append_all", come)
        case Step.BUFFER:
            after(TableWriter, "enqueue", come)
        case Step.REPLY:
            after(Ingestor, "append_all", come)
        case Step.WRITE:
            after(appending.pq, "write_table", come)
        case Step.APPEND:
            after(flush, "append_rows", come)
        case Step.PUBLISH:
            before(transaction.Publication, "run", come)
        case Step.COMMIT:
            sa.event.listen(engine, "commit", lambda _connection: come())
        case Step.COMMITTED:
            after(transaction.Publication, "run", come)
        case Step.NOTE:
            after(flush.Flush, "run", come)


def before(place: Any, name: str, come: Callable[[], None]) -> None:
    work = getattr(place, name)

    def trapped(*arguments: Any, **named: Any) -> Any:
        come()
        return work(*arguments, **named)

    setattr(place, name, trapped)


def after(place: Any, name: str, come: Callable[[], None]) -> None:
    work = getattr(place, name)

    def trapped(*arguments: Any, **named: Any) -> Any:
        done = work(*arguments, **named)
        come()
        return done

    setattr(place, name, trapped)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Step[sys.argv[4]], int(sys.argv[5]))
