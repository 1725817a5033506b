"""A line of waiting items in which owners take turns, and no owner keeps another owner out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["FairLine"]

Item = TypeVar("Item", bound=Hashable)


@dataclass(slots=True)
class FairLine(Generic[Item]):
    """Waiting items, and the number of running items by owner; an item may have several owners.

    At most `at_once` items run. If at most `spare` of the places are free, only an item of an owner
    without running items may begin. An item with several owners waits in the turn of each owner,
    and runs once, in the first of the turns: an owner loses no turn by sharing an item.

    >>> line = FairLine(at_once=3, spare=1)
    >>> for item in ("a1", "a2", "a3", "b1"):
    ...     line.add(item, [item[0]])
    >>> [line.begin() for _ in range(4)]
    [('a', 'a1'), ('b', 'b1'), None, None]
    >>> line.end("b")
    >>> line.begin()
    ('a', 'a2')
    """

    at_once: int
    spare: int = 0
    # items in the order of their arrival, as the keys of a dictionary
    _waiting: dict[str, dict[Item, None]] = field(default_factory=dict)
    _owners: dict[Item, set[str]] = field(default_factory=dict)
    _running: Counter[str] = field(default_factory=Counter)

    def occupy(self, owner: str) -> None:
        """Note an item of an owner that runs already, and has not waited here."""
        self._running[owner] += 1

    def __contains__(self, item: Item) -> bool:
        """Whether an item waits."""
        return item in self._owners

    def add(self, item: Item, owners: Collection[str]) -> None:
        """Let an item wait for the turns of its owners; an item that waits gets more owners."""
        known = self._owners.setdefault(item, set())
        for owner in owners:
            if owner not in known:
                known.add(owner)
                self._waiting.setdefault(owner, {})[item] = None

    def remove(self, item: Item) -> None:
        """Remove an item, if it waits."""
        for owner in self._owners.pop(item, ()):
            waiting = self._waiting[owner]
            del waiting[item]
            if not waiting:
                del self._waiting[owner]

    def begin(self) -> tuple[str, Item] | None:
        """Return the item to run next, with the owner whose turn it is; None if no item may run.

        The turn is of the owner with the fewest running items; among equals, of the owner whose
        turn was longest ago.
        """
        may_run = [owner for owner in self._waiting if self._may_run(owner)]
        if not may_run:
            return None
        owner = min(may_run, key=lambda candidate: self._running[candidate])
        item = next(iter(self._waiting[owner]))
        self.remove(item)
        if owner in self._waiting:
            # to the end of the line: the owner had its turn
            self._waiting[owner] = self._waiting.pop(owner)
        self._running[owner] += 1
        return owner, item

    def end(self, owner: str) -> None:
        """Note the end of an item that began in the turn of an owner."""
        self._running[owner] -= 1
        if not self._running[owner]:
            del self._running[owner]

    def _may_run(self, owner: str) -> bool:
        free = self.at_once - self._running.total()
        return free > (self.spare if self._running[owner] else 0)
