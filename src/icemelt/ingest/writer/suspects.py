"""Appends under which Spark died: written in ever smaller groups, down to single appends.

An append may be larger than Java's memory, and nobody knows which append: Java ends at once when
its memory is full.

Example: append 2 is too large, and Spark dies while appends 1 to 16 are written together.

    flush of   outcome       suspects, in groups          next flush
    1 to 16    Spark dies    1 to 16                      an eighth: 1 and 2
    1 and 2    Spark dies    1 to 16, within it 1 and 2   1
    1          committed     2 to 16, within it 2         2
    2          Spark dies    2 to 16, within it 2         2
    2          Spark dies    2 to 16, within it 2         2
    2          Spark dies    3 to 16                      the channel of append 2 is given up
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from icemelt.ingest.writer.flush import Chunk

__all__ = ["MOST_DEATHS", "SuspectAppends", "count_together", "why_given_up"]

# an append is not tried again after so many deaths of Spark under the append alone
MOST_DEATHS = 3
# the next try writes an eighth of a group under which Spark died: a death costs seconds
_FEWER = 8

_Key = tuple[str, int, int]


@dataclass(slots=True)
class _SuspectGroup:
    """Appends written together when Spark died; at most `most` appends are tried at once."""

    keys: set[_Key]
    most: int


@dataclass(slots=True)
class SuspectAppends:
    """The uncommitted appends of a table under which Spark died.

    A smaller group, under which Spark died again, lies within an earlier group and is tried first.

    >>> import pyarrow as pa
    >>> waiting = [Chunk("c", 1, number, pa.table({"n": [number]}), None) for number in range(20)]
    >>> suspects = SuspectAppends()
    >>> suspects.note_death(waiting, spark="the first")
    0
    >>> first, rest = suspects.take(waiting)
    >>> len(first), len(rest)
    (2, 18)
    """

    _groups: list[_SuspectGroup] = field(default_factory=list)
    _deaths: Counter[_Key] = field(default_factory=Counter)
    _last: object = None

    def __bool__(self) -> bool:
        """Whether there are suspects."""
        return bool(self._groups)

    def take(self, waiting: list[Chunk]) -> tuple[list[Chunk], list[Chunk]]:
        """Return the waiting appends to write next, and the appends to keep waiting.

        If there are suspects, the next appends are the first appends of the smallest group.
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
        """Note a death of Spark during a flush; return the number of deaths caused by the append.

        Args:
            chunks: the appends written together.
            spark: identifies the dead Spark: several errors of one Spark are one death.
            is_alone: whether nothing else ran in the Spark: no statement, no flush of another
                table.

        Returns:
            the number of deaths caused by the only append, this death included; 0 if another cause
            is possible. An append with an earlier death alone is the cause of a later death in
            company.
        """
        is_new, self._last = spark is not self._last, spark
        keys = {_key(chunk) for chunk in chunks}
        if self._groups and self._groups[-1].keys == keys:
            # what is left of a group is no larger than one of its tries
            self._groups.pop()
        self._groups.append(_SuspectGroup(keys, max(1, len(chunks) // _FEWER)))
        if len(chunks) != 1 or not is_new:
            return 0
        key = _key(chunks[0])
        if not (is_alone or self._deaths[key]):
            return 0
        self._deaths[key] += 1
        return self._deaths[key]

    def clear(self, chunks: Sequence[Chunk]) -> None:
        """Note the commit of appends."""
        committed = {_key(chunk) for chunk in chunks}
        self._keep(set().union(*(group.keys for group in self._groups)) - committed)

    def _keep(self, keys: set[_Key]) -> None:
        """Forget all appends other than `keys`."""
        for group in self._groups:
            group.keys &= keys
        self._groups = [group for group in self._groups if group.keys]
        for key in [*self._deaths]:
            if key not in keys:
                del self._deaths[key]


def count_together(owners: Sequence[str], is_suspect: Callable[[str], bool]) -> int:
    """Return how many first appends may be written together: those of a suspect, or of no suspect.

    Args:
        owners: the owners of the appends, in order.
        is_suspect: whether an owner is a suspect.

    >>> count_together(["ann", "ann", "bob"], lambda owner: owner == "ann")
    2
    >>> count_together(["bob", "cay", "ann", "bob"], lambda owner: owner == "ann")
    2
    """
    groups = [owner if is_suspect(owner) else None for owner in owners]
    for count, group in enumerate(groups):
        if group != groups[0]:
            return count
    return len(groups)


def why_given_up(chunk: Chunk) -> str:
    """Return the reason for giving up the channel of an append under which Spark died."""
    return (
        f"Spark died {MOST_DEATHS} times while append {chunk.number:,} of it, "
        f"{max(1, chunk.size >> 20):,} MiB, was written: append fewer rows at once"
    )


def _key(chunk: Chunk) -> _Key:
    return (*chunk.handle, chunk.number)
