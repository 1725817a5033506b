"""Remember files under which Spark died: a repeated COPY INTO must not kill Spark again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

__all__ = ["SuspectFiles"]

# one death may have another cause, as a machine without free memory
_SUSPECT_DEATHS = 2
_MAX_SETS = 100
_SUSPECT_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class _Deaths:
    """How many Sparks died while a set of files was read, the last of them, and when."""

    count: int
    spark: object
    at: float


@dataclass(slots=True, eq=False)
class SuspectFiles:
    """Sets of files that were read when Spark died, with the number of deaths.

    The sessions of a server share one object. A death counts only if the statement `ran_alone`
    in the Spark that died: another statement may have been the cause. A file is given as a key that
    changes when the file changes. A set that nobody reads for an hour is forgotten.

    For example, Spark dies under `{a, b}`, and again under `{a, b, c}`. Then `{a, b}` is suspect,
    as both files were read at both deaths, and `c` is not.
    """

    ran_alone: Callable[[], bool] = lambda: True
    _sets: dict[frozenset[int], _Deaths] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def record_death(self, files: Iterable[Hashable], spark: object) -> None:
        """Record that a Spark died while a set of files was read.

        >>> suspects = SuspectFiles()
        >>> suspects.record_death(["a", "b"], "one")
        >>> suspects.record_death(["a", "b", "c"], "another")
        >>> suspects.find_suspects(["a", "b", "d"]), suspects.find_suspects(["b", "c"])
        (['a', 'b'], [])
        """
        if not self.ran_alone():
            return
        died = frozenset(map(hash, files))
        with self._lock:
            now = time.monotonic()
            again = {
                file_set: deaths for file_set, deaths in self._sets.items() if file_set <= died
            }
            for file_set, deaths in again.items():
                is_new = deaths.spark is not spark
                self._sets[file_set] = _Deaths(deaths.count + is_new, spark, now)
            if died and not again:
                self._sets[died] = _Deaths(1, spark, now)
            for oldest in list(self._sets)[:-_MAX_SETS]:
                del self._sets[oldest]

    def clear(self, files: Iterable[Hashable]) -> None:
        """Record that files were read without a death; the remaining files of a set stay suspect.

        >>> suspects = SuspectFiles()
        >>> for spark in ("one", "another"):
        ...     suspects.record_death(["a", "b"], spark)
        >>> suspects.clear(["a"])
        >>> suspects.find_suspects(["b", "c"])
        ['b']
        """
        read = frozenset(map(hash, files))
        with self._lock:
            for file_set in [file_set for file_set in self._sets if file_set & read]:
                deaths = self._sets.pop(file_set)
                if file_set - read:
                    self._sets[file_set - read] = deaths

    def count_read_together(self, files: Iterable[Hashable]) -> int | None:
        """Return how many files the smallest set had under which Spark died, if some are of it.

        >>> suspects = SuspectFiles()
        >>> suspects.record_death(["a", "b"], "one")
        >>> suspects.count_read_together(["b", "c"]), suspects.count_read_together(["c"])
        (2, None)
        """
        hashes = frozenset(map(hash, files))
        with self._lock:
            begins = time.monotonic() - _SUSPECT_SECONDS
            return min(
                (
                    len(file_set)
                    for file_set, deaths in self._sets.items()
                    if deaths.at > begins and file_set & hashes
                ),
                default=None,
            )

    def find_suspects(self, files: Iterable[Hashable]) -> list[Hashable]:
        """Return the suspect files among some files, if a whole suspect set is there."""
        by_hash = {hash(file): file for file in files}
        with self._lock:
            begins = time.monotonic() - _SUSPECT_SECONDS
            for file_set, deaths in self._sets.items():
                is_suspect = deaths.count >= _SUSPECT_DEATHS and deaths.at > begins
                if is_suspect and file_set <= by_hash.keys():
                    return [file for number, file in by_hash.items() if number in file_set]
        return []
