"""Files under which Spark died: a statement that is run every minute is not to end it each time."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

__all__ = ["Suspects"]

# the first time others' statements may have been to blame, which ran beside it
_DEATHS = 2
_MOST = 100


@dataclass(frozen=True, slots=True)
class Suspects:
    """Sets of files that were read when Spark died, and how often; a server's sessions share them.

    A file is whatever tells it from another one, and from itself when it changes.
    """

    _sets: dict[frozenset[int], int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remember(self, files: Iterable[Hashable]) -> None:
        """Note that Spark died while these files were read.

        >>> suspects = Suspects()
        >>> suspects.remember(["a", "b"])
        >>> suspects.remember(["a", "b", "c"])
        >>> suspects.among(["a", "b", "d"]), suspects.among(["b", "c"])
        (['a', 'b'], [])
        """
        died = frozenset(map(hash, files))
        with self._lock:
            again = [each for each in self._sets if each <= died]
            for each in again:
                self._sets[each] += 1
            if died and not again:
                self._sets[died] = 1
            for oldest in list(self._sets)[:-_MOST]:
                del self._sets[oldest]

    def clear(self, files: Iterable[Hashable]) -> None:
        """Note that these files were read; what is left of a set is suspected as before.

        >>> suspects = Suspects()
        >>> for _ in range(2):
        ...     suspects.remember(["a", "b"])
        >>> suspects.clear(["a"])
        >>> suspects.among(["b", "c"])
        ['b']
        """
        read = frozenset(map(hash, files))
        with self._lock:
            for each in [each for each in self._sets if each & read]:
                deaths = self._sets.pop(each)
                if each - read:
                    self._sets[each - read] = deaths

    def among(self, files: Iterable[Hashable]) -> list[Hashable]:
        """Return those of the files under which Spark died twice, none where not all are there."""
        by_hash = {hash(file): file for file in files}
        with self._lock:
            for each, deaths in self._sets.items():
                if deaths >= _DEATHS and each <= by_hash.keys():
                    return [file for number, file in by_hash.items() if number in each]
        return []
