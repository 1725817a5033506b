"""Rows that cannot be written: the owner is found first, then the channel, and others do not wait.

Rows of several owners that failed together are tried again in halves of their owners, until rows of
one owner fail alone. From then on rows of that owner are written apart, in turns with the rows of
everybody else, and in halves of the channels, until a channel is given up. The patience is counted
for each owner: no failure of one owner's rows counts for the rows of another owner.

Example: channels a1 and a2 are Ann's, b is Bob's, and no file can hold the rows of a2.

    flush of     outcome   next
    a1, a2, b    fails     the halves Ann and Bob
    a1, a2       fails     Ann's rows are apart; Bob's turn
    b            written   Ann's halves, a1 and a2, in turns with what Bob appends meanwhile
    a1           written
    a2           fails     channel a2 is given up; Ann's rows stay apart for ten minutes
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from icemelt.ingest.writer.flush import Chunk

__all__ = ["FIRST_PAUSE", "FailingOwners"]

# seconds before the second try; each further pause takes twice as long
FIRST_PAUSE = 0.5
# a failure for an unknown reason will not pass after so many tries
_TRIES = 3
# after so many failures in a row, single channels are not the reason for an owner's failures
_MOST_FAILURES = 64
# seconds for which rows of an owner are written apart after a channel of the owner was given up
_APART_SECONDS = 600.0

_Handle = tuple[str, int]


@dataclass(slots=True)
class _FailingOwner:
    """An owner whose rows failed alone.

    `groups` are the halves of channels, by handle, to be tried one after the other. `tries` counts
    the failures since the last rows were written, `patience` the failures that are still borne.
    Nothing is tried before the monotonic time `not_before`. `gave_up_at` is the time at which a
    channel was given up last, None for never. `error` is the reason of the last failure.
    """

    groups: list[set[_Handle]] = field(default_factory=list)
    tries: int = 0
    patience: int = _MOST_FAILURES
    not_before: float = 0.0
    gave_up_at: float | None = None
    error: str = ""

    def find_group(self, handle: _Handle) -> set[_Handle] | None:
        """Return the half of a channel; None for a channel in no half."""
        return next((group for group in self.groups if handle in group), None)

    def remove(self, handles: Collection[_Handle]) -> None:
        """Remove channels from the halves; without halves, failures are counted anew."""
        left = (group.difference(handles) for group in self.groups)
        self.groups = [group for group in left if group]
        if not self.groups:
            self.tries, self.patience, self.error = 0, _MOST_FAILURES, ""

    def is_over(self, now: float) -> bool:
        """Tell whether rows of the owner may be written with those of others again."""
        is_apart = self.gave_up_at is not None and now < self.gave_up_at + _APART_SECONDS
        return not (self.tries or self.groups or is_apart)


@dataclass(slots=True)
class FailingOwners:
    """The owners of a table's rows of which some could not be written.

    >>> import pyarrow as pa
    >>> rows = pa.table({"n": [1]})
    >>> ann, bob = (Chunk(name, 1, 1, rows, None, owner=name) for name in ("ann", "bob"))
    >>> failing = FailingOwners()
    >>> failing.note_failure([ann, bob], "Too long", is_permanent=True, now=0.0)
    []
    >>> [chunk.owner for chunk in failing.take([ann, bob], now=0.0)]
    ['ann']
    >>> failing.note_failure([ann], "Too long", is_permanent=True, now=0.0)
    [('ann', 1)]
    >>> [chunk.owner for chunk in failing.take([bob], now=0.0)]
    ['bob']
    """

    # the halves of owners whose rows failed together
    _shared: list[set[str]] = field(default_factory=list)
    _apart: dict[str, _FailingOwner] = field(default_factory=dict)
    _is_turn_of_apart: bool = False

    def __bool__(self) -> bool:
        """Whether some rows must not be written together."""
        return bool(self._shared or self._apart)

    def take(self, waiting: Sequence[Chunk], now: float) -> list[Chunk]:
        """Return the appends to write next; of each channel, the first waiting appends.

        Owners written apart and all others take turns; the owners apart take turns, too.

        Args:
            waiting: the waiting appends of the table, in order.
            now: the monotonic time.
        """
        self._forget({chunk.owner for chunk in waiting}, now)
        shared = next((chunk for chunk in waiting if chunk.owner not in self._apart), None)
        apart = self._find_apart(waiting, now)
        first = apart if apart and (self._is_turn_of_apart or not shared) else shared
        if first is None:
            return []
        self._is_turn_of_apart = first is not apart
        if first is apart:
            # behind the other owners apart
            self._apart[first.owner] = self._apart.pop(first.owner)
        return self.select_with_first(first, waiting)

    def select_with_first(self, first: Chunk, waiting: Sequence[Chunk]) -> list[Chunk]:
        """Return the appends that may be written together with the first of them."""
        owner = self._apart.get(first.owner)
        if owner is None:
            group = self._find_shared(first.owner)
            return [
                chunk
                for chunk in waiting
                if chunk.owner not in self._apart and self._find_shared(chunk.owner) is group
            ]
        half = owner.find_group(first.handle)
        return [
            chunk
            for chunk in waiting
            if chunk.owner == first.owner and owner.find_group(chunk.handle) is half
        ]

    def ready_at(self, owners: Collection[str]) -> float:
        """Return the monotonic time at which rows of some of the owners may be written."""
        times = (self._apart[o].not_before if o in self._apart else 0.0 for o in owners)
        return min(times, default=0.0) if self._apart else 0.0

    def error_of(self, owner: str) -> str:
        """Return why rows of an owner wait; empty if they did not fail alone."""
        return self._apart[owner].error if owner in self._apart else ""

    def note_failure(
        self, chunks: Sequence[Chunk], reason: str, *, is_permanent: bool, now: float
    ) -> list[_Handle]:
        """Note that appends could not be written; return the channels to give up, by handle.

        Args:
            chunks: the appends of one flush.
            reason: the reason, for the owner.
            is_permanent: whether the reason is known not to pass.
            now: the monotonic time.
        """
        owners = list(dict.fromkeys(chunk.owner for chunk in chunks))
        self._forget_shared(owners)
        if len(owners) > 1:
            middle = len(owners) // 2
            self._shared[:0] = [set(owners[:middle]), set(owners[middle:])]
            return []
        # others have waited for this failure
        self._is_turn_of_apart = False
        owner = self._apart.setdefault(owners[0], _FailingOwner())
        handles = list(dict.fromkeys(chunk.handle for chunk in chunks))
        owner.tries, owner.error = owner.tries + 1, reason
        is_half = owner.find_group(handles[0]) is not None
        if not (is_permanent or is_half) and owner.tries < _TRIES:
            owner.not_before = now + FIRST_PAUSE * 2 ** (owner.tries - 1)
            return []
        owner.patience -= 1
        if len(handles) == 1 or owner.patience < 0:
            owner.remove(handles)
            owner.gave_up_at = now
            return handles
        left = (group.difference(handles) for group in owner.groups)
        middle = len(handles) // 2
        halves = [set(handles[:middle]), set(handles[middle:])]
        owner.groups = halves + [group for group in left if group]
        return []

    def note_success(self, chunks: Sequence[Chunk]) -> None:
        """Note that appends were written."""
        self._forget_shared({chunk.owner for chunk in chunks})
        for chunk in chunks:
            owner = self._apart.get(chunk.owner)
            if owner is not None:
                owner.patience = _MOST_FAILURES
                owner.remove([chunk.handle])

    def _find_shared(self, owner: str) -> set[str] | None:
        return next((group for group in self._shared if owner in group), None)

    def _forget_shared(self, owners: Collection[str]) -> None:
        left = (group.difference(owners) for group in self._shared)
        self._shared = [group for group in left if group]

    def _find_apart(self, waiting: Sequence[Chunk], now: float) -> Chunk | None:
        """Return the first append of the next owner apart whose pause is over."""
        first: dict[str, Chunk] = {}
        for chunk in waiting if self._apart else ():
            first.setdefault(chunk.owner, chunk)
        ready = (
            first[name]
            for name, owner in self._apart.items()
            if name in first and owner.not_before <= now
        )
        return next(ready, None)

    def _forget(self, owners: Collection[str], now: float) -> None:
        """Forget halves of which nothing waits, and owners that are apart no longer."""
        self._shared = [group for group in self._shared if not group.isdisjoint(owners)]
        for name, owner in self._apart.items():
            if name not in owners:
                owner.remove(set().union(*owner.groups))
        self._apart = {name: owner for name, owner in self._apart.items() if not owner.is_over(now)}
