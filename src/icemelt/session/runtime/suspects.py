"""Files under which Spark died: a statement that is run every minute is not to end it each time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

__all__ = ["Suspects"]

# of one, something else may have been the cause, such as the machine's own lack of memory
_DEATHS = 2
_MOST = 100
_LASTS_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class _Deaths:
    """How many Sparks died while some files were read, the last of them, and when."""

    count: int
    spark: object
    at: float


@dataclass(slots=True, eq=False)
class Suspects:
    """Sets of files that were read when Spark died, and how often; a server's sessions share them.

    A death counts only where the statement `ran_alone` in the Spark that died just now: a good file
    is not to be refused for what ran beside it. A file is whatever tells it from another one, and
    from itself when it changes. What nobody reads for an hour is suspected no more.
    """

    ran_alone: Callable[[], bool] = lambda: True
    _sets: dict[frozenset[int], _Deaths] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remember(self, files: Iterable[Hashable], spark: object) -> None:
        """Note that a Spark died while these files were read; it has died once for each set.

        >>> suspects = Suspects()
        >>> suspects.remember(["a", "b"], "one")
        >>> suspects.remember(["a", "b", "c"], "another")
        >>> suspects.among(["a", "b", "d"]), suspects.among(["b", "c"])
        (['a', 'b'], [])
        """
        if not self.ran_alone():
            return
        died = frozenset(map(hash, files))
        with self._lock:
            now = time.monotonic()
            again = {each: seen for each, seen in self._sets.items() if each <= died}
            for each, seen in again.items():
                is_new = seen.spark is not spark
                self._sets[each] = _Deaths(seen.count + is_new, spark, now)
            if died and not again:
                self._sets[died] = _Deaths(1, spark, now)
            for oldest in list(self._sets)[:-_MOST]:
                del self._sets[oldest]

    def clear(self, files: Iterable[Hashable]) -> None:
        """Note that these files were read; what is left of a set is suspected as before.

        >>> suspects = Suspects()
        >>> for spark in ("one", "another"):
        ...     suspects.remember(["a", "b"], spark)
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
            begins = time.monotonic() - _LASTS_SECONDS
            for each, seen in self._sets.items():
                is_suspect = seen.count >= _DEATHS and seen.at > begins
                if is_suspect and each <= by_hash.keys():
                    return [file for number, file in by_hash.items() if number in each]
        return []
