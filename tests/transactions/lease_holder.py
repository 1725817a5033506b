"""A holder of leases: `python lease_holder.py URL WAREHOUSE SECONDS SKEW`.

It answers each line of standard input, a word, with a line of JSON. `lock` begins a transaction and
takes the stream's lock; `move` publishes a move of the stream under it; `reserve` holds a
reservation of the table; `append` publishes an append to it by itself; `lost` tells whether the
lease is known to be lost. `stop` has the process stop itself by a signal, between two renewals: one
that stops within a write transaction of SQLite keeps everybody else waiting for the file.

Leases last SECONDS; the process's own clock is SKEW seconds off.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from icemelt.catalog import reserving
from icemelt.catalog.activity_records import OpenTransactionRecord
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.edits import (
    CommitRequest,
    Edit,
    MoveFrontier,
    MovePointer,
    SourcePosition,
    StreamPosition,
)
from icemelt.catalog.edits import VersionStats as Stats
from icemelt.catalog.outcomes import Ended
from icemelt.catalog.publishing import publish
from icemelt.catalog.queries.finding import find_streams
from icemelt.catalog.records import StreamRecord
from icemelt.errors import IcemeltError
from icemelt.jobs import Lease
from icemelt.transactions import keeping, transaction
from icemelt.transactions.publication import make_ended_error

LOCK_SECONDS = 30


class Holder:
    """The one transaction of this process at a time, and its leases."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.held = ExitStack()
        self.transaction_id = ""
        self.tokens: dict[str, int] = {}
        self.lease: Lease | None = None
        self.renewing = threading.Lock()

    def lock(self) -> dict[str, Any]:
        """Begin a transaction, and take the stream's lock for it."""
        wanted = OpenTransactionRecord(
            str(uuid.uuid4()), "session", str(os.getpid()), None, 0, 0, 0
        )
        record, _, self.lease = keeping.open_with_lease(self.database, wanted)
        self.lease.renew = self._renew_alone(self.lease.renew)
        self.transaction_id = record.transaction_id
        stream_id = self._stream().object_id
        taken = keeping.take_lock(self.database, stream_id, self.transaction_id, LOCK_SECONDS)
        self.tokens = {stream_id: taken.token}
        return {"token": taken.token}

    def move(self) -> dict[str, Any]:
        """Publish a move of the stream under the lock."""
        stream = self._stream()
        (source,) = stream.sources
        place = StreamPosition((SourcePosition(source.record.object_id, source.version),), 1)
        told = self._publish(MoveFrontier(stream.object_id, stream.frontier.move_count, place))
        assert self.lease is not None
        self.lease.end()
        return told

    def reserve(self) -> dict[str, Any]:
        """Reserve the table, and keep the reservation."""
        self.transaction_id = str(uuid.uuid4())
        table_id = self._stream().source.object_id
        self.held.enter_context(
            transaction.hold_reservation(self.database, [table_id], self.transaction_id)
        )
        return {}

    def reserve_alone(self, *given: Any) -> bool:
        """Reserve a table as others do, but not while the process is to stop."""
        with self.renewing:
            return reserving.reserve_tables(*given)

    def append(self) -> dict[str, Any]:
        """Publish an append to the table by itself."""
        table = self._stream().source
        location = f"t/{uuid.uuid4()}"
        stats = Stats(None, "INSERT")
        edit = MovePointer(table.object_id, getattr(table, "known_location", ""), location, stats)
        self.tokens, before = {}, self.transaction_id
        self.transaction_id = before or str(uuid.uuid4())
        return self._publish(edit)

    def stop(self) -> dict[str, Any]:
        """Stop, until somebody sends SIGCONT."""
        with self.renewing:
            os.kill(os.getpid(), signal.SIGSTOP)
        return {}

    def _renew_alone(self, renew: Callable[[], bool]) -> Callable[[], bool]:
        def renew_alone() -> bool:
            with self.renewing:
                return renew()

        return renew_alone

    def lost(self) -> dict[str, Any]:
        """Tell whether the lease is known to be lost."""
        assert self.lease is not None
        self.lease.join(LOCK_SECONDS)
        return {"lost": self.lease.is_lost}

    def _publish(self, edit: Edit) -> dict[str, Any]:
        identity, user = self.transaction_id, str(os.getpid())
        tokens = self.tokens or None
        outcome = publish(
            self.database, CommitRequest(identity, "session", user, (edit,), tokens=tokens)
        )
        if isinstance(outcome, Ended):
            raise make_ended_error(outcome.aborted_by)
        return {"outcome": type(outcome).__name__}

    def _stream(self) -> StreamRecord:
        with self.database.read() as connection:
            return next(
                each for each in find_streams(connection, self.database) if each.name.name == "s"
            )


def _skew_clock(seconds: float) -> None:
    """Have this process believe that it is another time, as a host whose clock is off."""
    read, read_ns = time.time, time.time_ns
    time.time = lambda: read() + seconds
    time.time_ns = lambda: read_ns() + int(seconds * 1e9)


def main(url: str, warehouse: str, seconds: str, skew: str) -> None:
    """Serve until standard input ends."""
    _skew_clock(float(skew))
    keeping.LEASE_SECONDS = float(seconds)
    reserving.LEASE_SECONDS = transaction.LEASE_SECONDS = float(seconds)
    holder = Holder(open_database(url, warehouse))
    transaction.reserve_tables = holder.reserve_alone
    print(json.dumps({"ready": True}), flush=True)  # noqa: T201
    for line in sys.stdin:
        try:
            told = getattr(holder, line.strip())()
        except IcemeltError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
        print(json.dumps(told), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
