"""Where the rows of small files are that compactions moved: to be read there, in few files.

A compaction keeps of each row the sequence number of the commit that wrote it. So the rows that
some commits appended are those of their numbers in the files that it made, if it took all files of
these commits, and no row of them had been deleted by then.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from icemelt.tables.content_files import FILE_NUMBER, FileImage
from icemelt.tables.file_changes import OPEN_COST
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.jvm_functions import SHOWN
from icemelt.tables.manifests import ManifestReader, Step
from icemelt.tables.snapshots import Snapshot

__all__ = ["Moved", "Rewrite", "moved", "rewrites", "spans_of"]

# a filter of more is dearer than the files that it spares
_MOST_SPANS = 200
# what the manifests of a compaction say of a file is read in this part of the time to open one
_READ_SOONER = 20


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A compaction: its sequence number, and how many files of each commit it took.

    Of the commits `torn` rows had been deleted. `files` are those that it made.
    """

    number: int
    taken: Mapping[int, int]
    torn: frozenset[int]
    files: Sequence[FileImage]


@dataclass(frozen=True, slots=True)
class Moved:
    """Files of a compaction, and the commits all of whose rows they have as these wrote them."""

    files: Sequence[FileImage]
    commits: frozenset[int]

    @property
    def cost(self) -> int:
        """Bytes to read, each file opened counted as Spark does."""
        return sum(image.size + OPEN_COST for image in self.files)


def moved(appended: Mapping[int, int], rewritten: Iterable[Rewrite]) -> list[Moved]:
    """Return where the rows of commits went; `appended` is how many files each of them wrote.

    Compactions are given oldest first. What one made, another may have taken: the last is told that
    has the rows as they were.

    >>> once = Rewrite(4, {1: 1, 2: 1, 3: 1}, torn=frozenset({1}), files=())
    >>> twice = Rewrite(6, {4: 0, 5: 1}, torn=frozenset(), files=())
    >>> [each.commits for each in moved({2: 1, 3: 2, 5: 1}, [once, twice])]
    [frozenset({2, 5})]
    """
    found: dict[int, Moved] = {}
    for rewrite in rewritten:
        whole = {
            number
            for number, count in rewrite.taken.items()
            if number not in rewrite.torn
            and count == (len(found[number].files) if number in found else appended.get(number))
        }
        commits = whole & appended.keys()
        for number in whole & found.keys():
            commits |= found.pop(number).commits
        if commits:
            found[rewrite.number] = Moved(rewrite.files, frozenset(commits))
    return [each for each in found.values() if len(spans_of(each.commits)) <= _MOST_SPANS]


def spans_of(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return spans of numbers that follow each other: the first, and how many.

    >>> spans_of({3, 5, 4, 9})
    ((3, 3), (9, 1))
    """
    spans: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if spans and sum(spans[-1]) == number:
            spans[-1] = spans[-1][0], spans[-1][1] + 1
        else:
            spans.append((number, 1))
    return tuple(spans)


def rewrites(
    iceberg: Iceberg, table: Any, snapshots: Sequence[Snapshot], appended: Mapping[int, int]
) -> Iterator[Rewrite]:
    """Yield what compactions did that may have taken the files of commits; oldest first.

    Raises:
        FileDamaged: a manifest cannot be read.
    """
    numbers = sorted(number for number, count in appended.items() for _ in range(count))
    worth = [
        each
        for each in snapshots
        if bisect_left(numbers, each.sequence_number) * _READ_SOONER
        >= each.count("deleted-data-files")
    ]
    reader = ManifestReader(iceberg, table)
    for snapshot, step in zip(worth, reader.steps(worth), strict=True):
        rewrite = None if step is None else _rewrite(iceberg, snapshot, step)
        if rewrite is not None:
            yield rewrite


def _rewrite(iceberg: Iceberg, snapshot: Snapshot, step: Step) -> Rewrite | None:
    """Return what a compaction did, None where it is not sure that its rows are those it took."""
    hidden = {location: vector.rows for location, vector in step.vectors_removed.items()}
    live = sum(image.rows - hidden.get(name, 0) for name, image in step.removed.items())
    fresh = any(image.born for image in step.added.values())
    if fresh or live != sum(image.rows for image in step.added.values()):
        return None
    numbers: dict[int, list[str]] = {}
    commits: dict[str, int] = {}
    for name, image in step.removed.items():
        if id(image.files) not in numbers:
            numbers[id(image.files)] = iceberg.functions.strings(image.files, FILE_NUMBER, SHOWN)
        commits[name] = int(numbers[id(image.files)][image.index])
    torn = frozenset(commits[name] for name in hidden.keys() & commits.keys())
    files = tuple(step.added.values())
    return Rewrite(snapshot.sequence_number, Counter(commits.values()), torn, files)
