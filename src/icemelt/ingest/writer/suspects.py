"""Appends under which Spark died: they are written in ever smaller groups, down to each alone.

One may be more than Java holds, and nobody knows which: an error of Java's memory ends it at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from icemelt.ingest.writer.flush import Chunk

__all__ = ["MOST_DEATHS", "Suspects", "why_given_up"]

# an append that was alone each time when so many Sparks died is not tried once more
MOST_DEATHS = 3
# of a group under which Spark died, an eighth is written at once: each death takes seconds
_FEWER = 8

_Key = tuple[str, int, int]


@dataclass(slots=True)
class _Group:
    """Appends that were written together when Spark died; `most` of them are tried at once."""

    keys: set[_Key]
    most: int


@dataclass(slots=True)
class Suspects:
    """The appends of a table under which Spark died, and that are not committed yet.

    A group of them under which it died again is within an earlier one, and is tried first.

    >>> import pyarrow as pa
    >>> waiting = [Chunk("c", 1, number, pa.table({"n": [number]}), None) for number in range(20)]
    >>> suspects = Suspects()
    >>> suspects.note_death(waiting, spark="the first")
    0
    >>> first, rest = suspects.take(waiting)
    >>> len(first), len(rest)
    (2, 18)
    """

    _groups: list[_Group] = field(default_factory=list)
    _deaths: Counter[_Key] = field(default_factory=Counter)
    _last: object = None

    def __bool__(self) -> bool:
        """Whether there are some."""
        return bool(self._groups)

    def take(self, waiting: list[Chunk]) -> tuple[list[Chunk], list[Chunk]]:
        """Return which of the appends that wait are written next, and which wait on.

        Where there are suspects, some of the smallest group are: they are the first that wait.
        """
        self._keep({_key(chunk) for chunk in waiting})
        if not self._groups:
            return waiting, []
        group, count = self._groups[-1], 1
        most = min(group.most, len(waiting))
        while count < most and _key(waiting[count]) in group.keys:
            count += 1
        return waiting[:count], waiting[count:]

    def note_death(self, chunks: Sequence[Chunk], spark: object, *, is_alone: bool = True) -> int:
        """Take note that Spark died while appends were written; return how often one is to blame.

        Args:
            chunks: the appends that were written together.
            spark: tells that Spark from others: one that is dead has died once, however often it
                is asked.
            is_alone: whether nothing else ran in that Spark: no statement, no other table's flush.

        Returns:
            how many deaths the one append is to blame for, this one among them; 0 where it is not
            known to be the cause. What ran beside it may be, unless it did the same alone before.
        """
        is_new, self._last = spark is not self._last, spark
        keys = {_key(chunk) for chunk in chunks}
        if not self._groups or self._groups[-1].keys != keys:
            self._groups.append(_Group(keys, max(1, len(chunks) // _FEWER)))
        if len(chunks) != 1 or not is_new:
            return 0
        key = _key(chunks[0])
        if not (is_alone or self._deaths[key]):
            return 0
        self._deaths[key] += 1
        return self._deaths[key]

    def clear(self, chunks: Sequence[Chunk]) -> None:
        """Take note that appends are committed."""
        done = {_key(chunk) for chunk in chunks}
        self._keep(set().union(*(group.keys for group in self._groups)) - done)

    def _keep(self, keys: set[_Key]) -> None:
        """Forget all other appends than those."""
        for group in self._groups:
            group.keys &= keys
        self._groups = [group for group in self._groups if group.keys]
        for key in [*self._deaths]:
            if key not in keys:
                del self._deaths[key]


def why_given_up(chunk: Chunk) -> str:
    """Return why the channel of an append under which Spark died is given up."""
    return (
        f"Spark died {MOST_DEATHS} times while append {chunk.number:,} of it, "
        f"{max(1, chunk.size >> 20):,} MiB, was written: append fewer rows at once"
    )


def _key(chunk: Chunk) -> _Key:
    return (*chunk.handle, chunk.number)
