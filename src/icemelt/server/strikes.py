"""Strikes for keys whose statements end Spark; a key with three strikes has to pause.

If statements of several keys ran, nobody knows which statement has taken the memory: every key of
the running statements gets a strike, and so does every key whose rows Spark wrote. A key with two
strikes is a suspect. No two statements of suspects run at once, nor beside rows of a suspect that
Spark writes, and an end of Spark during a suspect's statement or rows is a strike for the suspect
alone. So a key that only ran beside the culprit gets no third strike.

A run of a task is as a statement of the client who wrote its body. Tasks of who runs the server
have a key of their own, `OWN_TASKS`, which is never refused.

Example: a statement of ann takes all memory, again and again.

    Spark ends while      strikes of ann   strikes of bob
    ann and bob run       1                1
    ann and bob run       2                2: suspects now, one of them runs at a time
    ann runs, bob waits   3: refused       2
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from icemelt.catalog.activity_records import KeyRecord
from icemelt.engine.vitals import Ending
from icemelt.server.failures import Busy

__all__ = ["OWN_TASKS", "Strikes"]

_LOGGER = logging.getLogger("icemelt.server")
_LASTS_SECONDS = 600.0
_SUSPECT, _REFUSED = 2, 3
# no client's key: those have ids of hexadecimal digits
OWN_TASKS = KeyRecord("icemelt-tasks", "icemelt-tasks", 0)


@dataclass(slots=True)
class Strikes:
    """Counts, for each key, the ends of Spark with a part of the key; a strike lapses by itself.

    Without `is_on`, as on a server without keys, nothing is counted. `number` is the number of the
    running Spark, from 0 on.

    >>> from icemelt.catalog.activity_records import KeyRecord
    >>> strikes, ann = Strikes(), KeyRecord("1", "ann", 0)
    >>> for _ in range(3):
    ...     strikes.note_lost(ann, strikes.number)
    ...     strikes.judge(())
    >>> strikes.is_suspect("1"), strikes.refused_keys
    (True, 1)
    """

    is_on: bool = True
    clock: Callable[[], float] = time.monotonic
    number: int = 0
    _given: dict[str, list[float]] = field(default_factory=dict)
    _lost: dict[str, KeyRecord] = field(default_factory=dict)
    _culprits: dict[str, KeyRecord] = field(default_factory=dict)
    _sole_writers: dict[str, KeyRecord] = field(default_factory=dict)
    _writers: dict[str, KeyRecord] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_lost(self, owner: KeyRecord, number: int) -> None:
        """Note a statement of a key that ended together with the Spark of a number."""
        with self._lock:
            if number == self.number:
                self._lost[owner.key_id] = owner

    @property
    def has_lost(self) -> bool:
        """Whether a statement has ended with the dead Spark, while no new Spark has started."""
        with self._lock:
            return bool(self._lost)

    def note_culprit(self, owner: KeyRecord) -> None:
        """Note a key with tasks that hear no cancel, for which Spark is about to be ended."""
        with self._lock:
            self._culprits[owner.key_id] = owner

    def record_sole_writer_at_death(self, owner: KeyRecord) -> None:
        """Record a key whose rows Spark was writing when Spark died, with no other work."""
        with self._lock:
            self._sole_writers[owner.key_id] = owner

    def record_writer_at_death(self, owner: KeyRecord) -> None:
        """Record a key whose rows Spark was writing when Spark died, with or without other work."""
        with self._lock:
            self._writers[owner.key_id] = owner

    def judge(
        self,
        running: Iterable[KeyRecord],
        ending: Ending = Ending.BY_ITSELF,
        *,
        in_maintenance: bool = False,
    ) -> None:
        """Give strikes for the end of a Spark, after another Spark has started.

        Args:
            running: the keys whose statements have not noticed the end yet.
            ending: how Java ended. An end by a signal is no strike for statements. An end by a kill
                is no strike for rows: rows are written at all times, so a kill always meets some
                rows.
            in_maintenance: whether maintenance ran in the Spark that ended. Then only the key of
                tasks that heard no cancel gets a strike.
        """
        with self._lock:
            lost = self._lost | {owner.key_id: owner for owner in running}
            certain, accused = self._culprits, lost
            if in_maintenance or ending is Ending.ASKED:
                accused = {}
            elif ending is Ending.BY_ITSELF:
                certain, accused = certain | self._sole_writers, lost | self._writers
            accused = certain or accused
            self._lost, self._culprits, self._sole_writers, self._writers = {}, {}, {}, {}
            self.number += 1
            if not self.is_on:
                return
            suspects = {
                key: owner for key, owner in accused.items() if self._count(key) >= _SUSPECT
            }
            for key, owner in (suspects or accused).items():
                self._give(key)
                _tell(owner, self._count(key))

    def is_suspect(self, key_id: str) -> bool:
        """Tell whether a key is a suspect: statements of suspects run one at a time."""
        with self._lock:
            return self._count(key_id) >= _SUSPECT

    def has_strikes(self, key_id: str) -> bool:
        """Tell whether a key has a strike in force."""
        with self._lock:
            return self._count(key_id) > 0

    def require_allowed(self, key_id: str) -> None:
        """Raise an error unless a key may run statements, and have rows written by Spark.

        Raises:
            Busy: Spark has ended three times in ten minutes during the key's statements or writes.
        """
        with self._lock:
            if self._count(key_id) < _REFUSED:
                return
            lapses = self._given[key_id][-_REFUSED] + _LASTS_SECONDS - self.clock()
        error = Busy(
            "Spark has ended three times in ten minutes while statements of this key ran, or its "
            "rows were written.",
            hint=f"Send less at once, from {math.ceil(lapses / 60)} minutes from now on.",
        )
        error.again_seconds = math.ceil(lapses)
        raise error

    @property
    def refused_keys(self) -> int:
        """The number of keys refused now."""
        with self._lock:
            return sum(self._count(key) >= _REFUSED for key in tuple(self._given))

    def _give(self, key_id: str) -> None:
        """Give a key a strike, the server's own tasks no third one; the lock is held."""
        given = self._given.setdefault(key_id, [])
        given.append(self.clock())
        if key_id == OWN_TASKS.key_id:
            del given[:-_SUSPECT]

    def _count(self, key_id: str) -> int:
        """Return the number of strikes of a key in force; the lock is held."""
        begins = self.clock() - _LASTS_SECONDS
        holding = [moment for moment in self._given.get(key_id, ()) if moment > begins]
        if holding:
            self._given[key_id] = holding
        else:
            self._given.pop(key_id, None)
        return len(holding)


def _tell(owner: KeyRecord, count: int) -> None:
    what = {_SUSPECT: "they run one at a time now", _REFUSED: "they are refused for some minutes"}
    _LOGGER.error(
        "Spark ended for statements or rows of key %r (%s), %d times in ten minutes: %s.",
        owner.name,
        owner.key_id,
        count,
        what.get(min(count, _REFUSED), "nothing follows yet"),
    )
