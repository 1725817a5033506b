"""A cache of values read from immutable files, bounded by weight."""

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
    """A thread-safe cache of values by key; the least recently used value is evicted first.

    Args:
        room: the most that all values may weigh together.
        gone: called with every evicted value.

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
        """Return the value of a key, None if it is absent."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def keep(self, key: K, value: V, weight: int = 1) -> None:
        """Put a value; others are evicted if room is short.

        Args:
            key: the key.
            value: the value.
            weight: the weight of the value. A value heavier than the room is not kept.
        """
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
