"""What was read of files that never change, kept for as long as there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["WeightedLRUCache"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(slots=True)
class WeightedLRUCache(Generic[K, V]):
    """Values by key, of any thread; what was not asked for the longest goes first.

    `room` is how much the values may weigh together; `gone` is told of each that had to go.

    >>> known = WeightedLRUCache[str, str](room=2)
    >>> known.keep("a", "A"), known.keep("b", "B", weight=2), known.get("a"), known.get("b")
    (None, None, None, 'B')
    """

    room: int
    gone: Callable[[V], None] | None = None
    _values: OrderedDict[K, tuple[V, int]] = field(default_factory=OrderedDict)
    _weight: int = 0
    _lock: Lock = field(default_factory=Lock)

    def get(self, key: K) -> V | None:
        """Return what is kept of a key, None where nothing is."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def keep(self, key: K, value: V, weight: int = 1) -> None:
        """Keep a value; others go where there is no room, unless it has none for itself."""
        if weight > self.room:
            return
        with self._lock:
            _, old = self._values.pop(key, (value, 0))
            self._values[key] = value, weight
            self._weight += weight - old
            while self._weight > self.room:
                _, (left, its_weight) = self._values.popitem(last=False)
                self._weight -= its_weight
                if self.gone is not None:
                    self.gone(left)
