"""Turns of the runs of tasks, among the statements of clients.

A run has its turn under the key of the client who wrote the body of the task, as a statement of the
client has. Tasks of who runs the server are as one more key (`OWN_TASKS`). An end of Spark is a
strike for the keys of the runs that it has met, and the runs of a key that is refused wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.database import Database
from icemelt.catalog.keys import find_key_of_client
from icemelt.engine.slots import TaskSlots
from icemelt.server.failures import Busy
from icemelt.server.strikes import OWN_TASKS, Strikes
from icemelt.server.turns import Turns

__all__ = ["HostTurn", "HostTurns"]


@dataclass(slots=True, eq=False)
class HostTurn:
    """A turn of a run of a task.

    Attributes:
        owner: the key under which the run has its turn.
        pool: where the run executes, None while it waits.
        spark: the number of the Spark in which the run executes, None before its beginning.
    """

    owner: KeyRecord
    pool: str | None = None
    spark: int | None = None


@dataclass(slots=True, eq=False)
class HostTurns:
    """Asks for pools for the runs of tasks, one at a time for each key.

    Attributes:
        turns: the turns of all work, guarded by `changed`.
        slots: takes the pools back.
        strikes: the strikes of the keys.
        database: the catalog's database.
        changed: the lock of the statements, told of each end.
        begin: starts what may run now.
        on_turn: called when a pool can be taken.
    """

    turns: Turns[Any]
    slots: TaskSlots
    strikes: Strikes
    database: Database
    changed: threading.Condition
    begin: Callable[[], object]
    on_turn: Callable[[], object] = lambda: None
    _asked: dict[str, HostTurn] = field(default_factory=dict)
    _running: dict[str, HostTurn] = field(default_factory=dict)

    def may_run(self, client: str | None) -> bool:
        """Tell whether a run may wait for its turn; not while the key of its client is refused.

        Args:
            client: the name of the client who wrote the body; None for who runs the server.
        """
        try:
            self.strikes.require_allowed(self._find_owner(client).key_id)
        except Busy:
            return False
        return True

    def take_pool(self, client: str | None) -> str | None:
        """Return a pool for a run; None where others are first: then its key waits for a turn.

        Args:
            client: the name of the client who wrote the body; None for who runs the server.
        """
        owner = self._find_owner(client)
        with self.changed:
            turn = self._asked.get(owner.key_id)
            if turn is None:
                turn = self._asked[owner.key_id] = HostTurn(owner)
                self.turns.add(owner.key_id, turn)
        self.begin()
        with self.changed:
            if turn.pool is None:
                return None
            turn.spark = self.strikes.number
            self._running[turn.pool] = self._asked.pop(owner.key_id)
            return turn.pool

    def give_back(self, pool: str, *, has_spark: bool) -> None:
        """Give a pool back at the end of a run.

        Args:
            pool: the pool.
            has_spark: whether the Spark of the run lives.
        """
        turn = self._running[pool]
        if not has_spark and turn.spark is not None:
            # before the turn is over: who judges the end meanwhile finds it here or there
            self.strikes.note_lost(turn.owner, turn.spark)
        self._end(turn, pool)

    def keep(self, clients: Collection[str | None]) -> None:
        """Wait for the turns of some clients alone; pools that were not taken are given back.

        Args:
            clients: the names of the clients; None for who runs the server.
        """
        names = {OWN_TASKS.name if client is None else client for client in clients}
        with self.changed:
            ceased = [turn for turn in self._asked.values() if turn.owner.name not in names]
            for turn in ceased:
                del self._asked[turn.owner.key_id]
                if turn.pool is None:
                    self.turns.remove(turn.owner.key_id, turn)
        for turn in ceased:
            if turn.pool is not None:
                self._end(turn, turn.pool)

    def grant(self, turn: HostTurn, pool: str) -> None:
        """Give a turn its pool; the lock is held."""
        turn.pool = pool
        self.on_turn()

    def owners_in(self, spark: int) -> Iterator[KeyRecord]:
        """Yield the key of each run that executes in the Spark of a number; the lock is held."""
        return (turn.owner for turn in self._running.values() if turn.spark == spark)

    def __bool__(self) -> bool:
        """Tell whether a run executes; the lock is held."""
        return bool(self._running)

    def _end(self, turn: HostTurn, pool: str) -> None:
        with self.changed:
            self._running.pop(pool, None)
            self.turns.end(turn.owner.key_id)
            self.changed.notify_all()
        self.slots.give_back(pool)
        self.begin()

    def _find_owner(self, client: str | None) -> KeyRecord:
        if client is None:
            return OWN_TASKS
        with self.database.read() as connection:
            found = find_key_of_client(connection, client)
        # a server without keys, or a lake whose keys are another server's
        return KeyRecord(f"client {client}", client, 0) if found is None else found
