"""Sessions that write a stream's source and consume it: `stream_racer.py LAKE SECONDS ROLE …`.

Each role is a session in a thread. No error is forgiven unless `race` is told so: every statement
has to get through.
"""

from __future__ import annotations

import math
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

import icemelt
from icemelt import Session
from icemelt.errors import IcemeltError
from icemelt.session.transaction import Transaction

__all__ = [
    "CONSUME",
    "ROLES",
    "SETUP",
    "SETUP_ON_VIEW",
    "Forgiven",
    "everything_arrived_once",
    "race",
]

SETUP = (
    "CREATE TABLE t (writer VARCHAR, n INT)",
    "CREATE TABLE sink (writer VARCHAR, n INT)",
    "CREATE STREAM s ON TABLE t",
)
# the same rows through a view of two tables
SETUP_ON_VIEW = (
    *SETUP[:2],
    "CREATE TABLE marks (mark INT)",
    "INSERT INTO marks VALUES (1)",
    "CREATE VIEW marked AS SELECT t.writer, t.n FROM t JOIN marks ON marks.mark = 1",
    "CREATE STREAM s ON VIEW marked",
)
CONSUME = "INSERT INTO sink SELECT writer, n FROM s"


def write(session: Session, number: int) -> bool:
    """Insert a row."""
    session.sql("INSERT INTO t VALUES (:writer, :n)", writer=session.session_id, n=number)
    return True


def consume_alone(session: Session, _number: int) -> bool:
    """Consume by a statement by itself."""
    session.sql(CONSUME)
    return True


def consume_in_a_transaction(session: Session, _number: int) -> bool:
    """Consume in a transaction of two statements; it begins anew where others were first."""
    with session.transaction():
        session.sql(CONSUME)
        session.sql("SELECT count(*) FROM sink").fetchall()
    return True


def consume_a_data_frame(session: Session, _number: int) -> bool:
    """Consume with PySpark; tell whether there was something."""

    def copy(rows: DataFrame, transaction: Transaction) -> None:
        transaction.append(rows.select("writer", "n"), "sink")

    return session.for_each_change("s", copy) > 0


ROLES: dict[str, Callable[[Session, int], bool]] = {
    "writer": write,
    "alone": consume_alone,
    "transactions": consume_in_a_transaction,
    "frames": consume_a_data_frame,
}


@dataclass
class Forgiven:
    """Errors of a kind that may be met: they are kept, and what failed is run again."""

    kind: type[IcemeltError]
    errors: list[IcemeltError] = field(default_factory=list)


def race(
    sessions: Sequence[tuple[str, Session]],
    seconds: float,
    enough: float = math.inf,
    *,
    stop: threading.Event | None = None,
    forgiven: Forgiven | None = None,
) -> list[int]:
    """Let each session play its role for a time, or until all have done enough; return how much."""
    stop = stop or threading.Event()
    done = [0] * len(sessions)
    kind = () if forgiven is None else forgiven.kind

    def play(index: int, role: str, session: Session) -> None:
        try:
            while not stop.is_set():
                try:
                    done[index] += ROLES[role](session, done[index])
                except kind as error:
                    forgiven.errors.append(error)
                    stop.wait(0.2)
                if min(done) >= enough:
                    stop.set()
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(len(sessions)) as pool:
        running = [pool.submit(play, index, *each) for index, each in enumerate(sessions)]
        stop.wait(seconds)
        stop.set()
        for each in running:
            each.result()
    return done


def everything_arrived_once(session: Session, written: int | None) -> None:
    """Consume what is left, and check that sink and source have the same rows, each once."""
    session.sql(CONSUME)
    source = Counter(session.sql("SELECT writer, n FROM t").fetchall())
    assert source == Counter(session.sql("SELECT writer, n FROM sink").fetchall())
    assert set(source.values()) == {1}
    assert written is None or len(source) == written
    assert session.sql("SELECT * FROM s").fetchall() == []
    assert session.sql("SHOW LOCKS").fetchall() == []


def main(folder: str, seconds: str, *roles: str) -> None:
    """Race, and say what was done."""
    sessions = [(role, icemelt.connect(folder, master="local[2]", memory="1g")) for role in roles]
    print(list(zip(roles, race(sessions, float(seconds)), strict=True)))  # noqa: T201 - the result
    for _, session in sessions:
        session.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
