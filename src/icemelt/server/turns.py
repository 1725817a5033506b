"""The order of waiting work: keys take turns, and no key keeps another key out."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Turns"]

Item = TypeVar("Item")


@dataclass(slots=True)
class Turns(Generic[Item]):
    """Waiting items and the number of running items, by key; a key may run `each` items at once.

    If at most `spare` of the `at_once` places are free, only a key without running items may begin
    an item. So a new key begins at once beside busy keys. Keys that are `suspected` run one item
    together, and none while `holds` are in force.

    The item of a suspect ends after a while if other suspects wait (`keeps_suspects_waiting`). To
    let the others in beside the item would be no help: a culprit could wait for them, and all of
    them would get the strike for its next end of Spark.

    >>> turns = Turns(at_once=4, each=2, spare=1)
    >>> for item in ("a1", "a2", "a3", "b1", "b2"):
    ...     turns.add(item[0], item)
    >>> [turns.begin() for _ in range(4)]
    ['a1', 'b1', 'a2', None]
    >>> turns.add("c", "c1")
    >>> turns.begin()
    'c1'
    >>> turns.end("a")
    >>> turns.begin() is None
    True
    >>> turns.end("a")
    >>> turns.begin()
    'a3'
    """

    at_once: int = 16
    each: int = 8
    spare: int = 4
    suspected: Callable[[str], bool] = lambda _key: False
    holds: int = 0
    _waiting: dict[str, deque[Item]] = field(default_factory=dict)
    _running: Counter[str] = field(default_factory=Counter)

    def add(self, key: str, item: Item) -> None:
        """Let an item of a key wait for its turn."""
        self._waiting.setdefault(key, deque()).append(item)

    def remove(self, key: str, item: Item) -> None:
        """Remove an item that still waits."""
        waiting = self._waiting.get(key)
        if waiting is not None and item in waiting:
            waiting.remove(item)
            if not waiting:
                del self._waiting[key]

    def waiting(self, key: str) -> int:
        """Return the number of waiting items of a key."""
        return len(self._waiting.get(key, ()))

    def begin(self) -> Item | None:
        """Return the item to run next, None if no item may run.

        The next item is of the key with the fewest running items; among equals, of the key whose
        turn was longest ago.
        """
        may_run = [key for key in self._waiting if self._may_run(key)]
        if not may_run:
            return None
        key = min(may_run, key=lambda candidate: self._running[candidate])
        waiting = self._waiting.pop(key)
        item = waiting.popleft()
        if waiting:
            # to the end of the line: the key had its turn
            self._waiting[key] = waiting
        self._running[key] += 1
        return item

    @property
    def runs_suspect(self) -> bool:
        """Whether an item of a suspect runs."""
        return any(map(self.suspected, self._running))

    def keeps_suspects_waiting(self, key: str) -> bool:
        """Tell whether other suspects wait for the item of a suspect to end."""
        waits = any(self.suspected(other) for other in self._waiting if other != key)
        return self.suspected(key) and (waits or self.holds > 0)

    def end(self, key: str) -> None:
        """Note the end of an item of a key."""
        self._running[key] -= 1
        if not self._running[key]:
            del self._running[key]

    def put_back(self, key: str, item: Item) -> None:
        """Let an item that could not run wait again, before the other items of the key."""
        self.end(key)
        self._waiting.setdefault(key, deque()).appendleft(item)

    def _may_run(self, key: str) -> bool:
        if self.suspected(key) and (self.holds or self.runs_suspect):
            return False
        free = self.at_once - self._running.total()
        if self._running[key] == 0:
            return free > 0
        return self._running[key] < self.each and free > self.spare
