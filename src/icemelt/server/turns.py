"""Whose statement runs next: keys take turns, and none keeps the others out."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Turns"]

Item = TypeVar("Item")


@dataclass(slots=True)
class Turns(Generic[Item]):
    """What waits and how much runs, by key; `each` of one key may run at once.

    Where no more than `spare` of `at_once` are left, only a key may begin that runs nothing: so
    one that comes new begins at once beside others that run all they may. Keys that are
    `suspected` run one item together.

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
    _waiting: dict[str, deque[Item]] = field(default_factory=dict)
    _running: Counter[str] = field(default_factory=Counter)

    def add(self, key: str, item: Item) -> None:
        """Have an item of a key wait for its turn."""
        self._waiting.setdefault(key, deque()).append(item)

    def remove(self, key: str, item: Item) -> None:
        """Let an item wait no longer, where it still does."""
        waiting = self._waiting.get(key)
        if waiting is not None and item in waiting:
            waiting.remove(item)
            if not waiting:
                del self._waiting[key]

    def waiting(self, key: str) -> int:
        """Return how many items of a key wait."""
        return len(self._waiting.get(key, ()))

    def begin(self) -> Item | None:
        """Return the item that runs next, None where none may.

        It is of the key that runs least; among equals the one whose turn was longest ago is first.
        """
        may_run = [key for key in self._waiting if self._may_run(key)]
        if not may_run:
            return None
        key = min(may_run, key=lambda each: self._running[each])
        waiting = self._waiting.pop(key)
        item = waiting.popleft()
        if waiting:
            # to the end: it had its turn
            self._waiting[key] = waiting
        self._running[key] += 1
        return item

    def end(self, key: str) -> None:
        """Take note that an item of a key runs no longer."""
        self._running[key] -= 1
        if not self._running[key]:
            del self._running[key]

    def _may_run(self, key: str) -> bool:
        if self.suspected(key) and any(map(self.suspected, self._running)):
            return False
        free = self.at_once - self._running.total()
        if self._running[key] == 0:
            return free > 0
        return self._running[key] < self.each and free > self.spare
