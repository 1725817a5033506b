"""Where compactions put the rows of small files, to read the rows there in few files.

A compaction keeps of every row the sequence number of the commit that wrote the row. So the rows
appended by some commits can be read from the compacted files, by their sequence numbers. Two
conditions hold: the compaction took all files of those commits, and none of their rows had been
deleted by then. For the appends 1 to 4, each one row in a file of its own:

    compaction 5 takes files of commits 1, 2, 3; row 1 had been deleted     makes file x
    rows of 2 and 3 are in x, with the sequence numbers 2 and 3
    rows of 1 and 4 are in their own files
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Any

from icemelt.storage.java_streams import SHOWN
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import FILE_NUMBER, LOCATION, RECORD_COUNT, FileImage
from icemelt.tables.manifests.file_changes import OPEN_COST
from icemelt.tables.manifests.reader import ManifestReader, RewrittenFiles
from icemelt.tables.metadata.snapshots import Snapshot

__all__ = ["CompactedRows", "Compaction", "locate_compacted_rows", "read_compactions", "to_spans"]

# of a filter: more take Spark long to plan
_MOST_SPANS = 200
# what the manifests of a compaction say of a file is read in this part of the time to open one
_READ_SOONER = 20


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction of files.

    Args:
        number: the sequence number of the compaction.
        files_taken: the number of files taken, by the sequence number of the files' commit.
        commits_with_deletes: the commits of which rows had been deleted.
        files: the files made by the compaction.
    """

    number: int
    files_taken: Mapping[int, int]
    commits_with_deletes: frozenset[int]
    files: Sequence[FileImage]


@dataclass(frozen=True, slots=True)
class CompactedRows:
    """Files of a compaction, and the commits with all their rows there, as first written."""

    files: Sequence[FileImage]
    commits: frozenset[int]

    @property
    def cost(self) -> int:
        """The bytes to read, plus the cost of opening each file, as Spark estimates it."""
        return sum(image.size + OPEN_COST for image in self.files)


def locate_compacted_rows(
    appended: Mapping[int, int], rewritten: Iterable[Compaction]
) -> list[CompactedRows]:
    """Return where the rows of commits are, after some compactions.

    A compaction may take files of an earlier one. Then the rows are located in the last compaction
    with all of them.

    Args:
        appended: the number of files written by each commit, by sequence number.
        rewritten: the compactions, oldest first.

    >>> once = Compaction(4, {1: 1, 2: 1, 3: 1}, commits_with_deletes=frozenset({1}), files=())
    >>> twice = Compaction(6, {4: 0, 5: 1}, commits_with_deletes=frozenset(), files=())
    >>> [each.commits for each in locate_compacted_rows({2: 1, 3: 2, 5: 1}, [once, twice])]
    [frozenset({2, 5})]
    """
    found: dict[int, CompactedRows] = {}
    for rewrite in rewritten:
        whole = {
            number
            for number, count in rewrite.files_taken.items()
            if number not in rewrite.commits_with_deletes
            and count == (len(found[number].files) if number in found else appended.get(number))
        }
        commits = whole & appended.keys()
        for number in whole & found.keys():
            commits |= found.pop(number).commits
        if commits:
            found[rewrite.number] = CompactedRows(rewrite.files, frozenset(commits))
    return [replace(each, commits=_longest_spans(each.commits)) for each in found.values()]


def _longest_spans(numbers: Collection[int]) -> frozenset[int]:
    """Return the numbers in the longest spans, as many spans as a filter may have."""
    spans = sorted(to_spans(numbers), key=itemgetter(1), reverse=True)[:_MOST_SPANS]
    return frozenset(chain.from_iterable(range(first, first + count) for first, count in spans))


def to_spans(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return spans of successive numbers: the first number of a span, and how many there are.

    >>> to_spans({3, 5, 4, 9})
    ((3, 3), (9, 1))
    """
    spans: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if spans and sum(spans[-1]) == number:
            spans[-1] = spans[-1][0], spans[-1][1] + 1
        else:
            spans.append((number, 1))
    return tuple(spans)


def read_compactions(
    iceberg: Iceberg, table: Any, snapshots: Sequence[Snapshot], appended: Mapping[int, int]
) -> Iterator[Compaction]:
    """Yield the compactions that may have taken files of some commits, oldest first.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        snapshots: the compactions' snapshots, oldest first.
        appended: the number of files written by each commit, by sequence number.

    Raises:
        FileDamaged: a manifest cannot be read.
    """
    numbers = sorted(number for number, count in appended.items() for _ in range(count))
    reader = ManifestReader(iceberg, table)
    for snapshot in snapshots:
        taken = bisect_left(numbers, snapshot.sequence_number)
        if taken * _READ_SOONER < snapshot.count("deleted-data-files"):
            continue
        rewrite = _read_compaction(iceberg, snapshot, reader.read_rewrite(snapshot))
        if rewrite is not None:
            yield rewrite


def _read_compaction(
    iceberg: Iceberg, snapshot: Snapshot, replaced: RewrittenFiles
) -> Compaction | None:
    """Return a compaction, None if its rows may differ from the rows of the files taken."""
    strings, removed = iceberg.functions.strings, replaced.removed
    hidden, added = replaced.vectors, replaced.added
    if hidden is None or any(image.inserted_rows for image in added.values()):
        return None
    # that of files of old writers is not told
    told = strings(removed, FILE_NUMBER, SHOWN)
    commits = [-1 if number == "null" else int(number) for number in told]
    names = strings(removed, LOCATION) if hidden else []
    places = {name: place for place, name in enumerate(names)}
    torn = hidden.keys() & places.keys()
    gone = sum(hidden[name].rows for name in torn)
    rows = sum(image.rows for image in added.values())
    if iceberg.functions.total(removed, RECORD_COUNT) - gone != rows:
        return None
    files = tuple(added.values())
    of = frozenset(commits[places[name]] for name in torn)
    return Compaction(snapshot.sequence_number, Counter(commits), of, files)
