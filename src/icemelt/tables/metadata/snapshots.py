"""The snapshots of a table: those in the snapshot log, and those collapsed out of the log.

A long run of appends is kept in the log as its last snapshot, the surviving snapshot. A run removes
no rows, so the surviving snapshot has the files of all snapshots of the run. Files keep the
sequence number of their commit, and the sequence numbers of a run have no gap. So the files of a
collapsed snapshot are the files up to its sequence number. Four commits, of which 2 to 4 are
appends:

    before the collapse             after the collapse, in the log
    snapshot  number  files         snapshot  number  files         summary
    s1        1       a             s1        1       a
    s2        2       a b
    s3        3       a b c
    s4        4       a b c d       s4        4       a b c d       icemelt.run-since: 1

`snapshots[s3]` is rebuilt from s4: it has the files up to number 3, and it added the files after
its previous sequence number, 2. In a chain from s1, s4 stands for the run: it added the files after
number 1.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

__all__ = ["RUN_PARENT", "RUN_SINCE", "CollapsedRun", "CollapsedSnapshot", "Snapshot", "Snapshots"]

# in the summary of a run's last snapshot: the sequence number that the run comes after, and the
# snapshot with it, if there is one
RUN_SINCE, RUN_PARENT = "icemelt.run-since", "icemelt.run-parent"
_COUNTED = ("data-files", "records", "files-size")


@dataclass(frozen=True, slots=True)
class CollapsedRun:
    """A collapsed run of appends: it follows a sequence number, and a parent snapshot.

    Args:
        since: the sequence number before the run.
        parent_id: the snapshot before the run, None if the run begins the table.
    """

    since: int
    parent_id: int | None


@dataclass(frozen=True, slots=True)
class CollapsedSnapshot:
    """What the registry knows of a collapsed snapshot, of which no metadata file has anything left.

    Args:
        snapshot_id: the snapshot.
        sequence_number: the sequence number of the snapshot's commit.
        timestamp: the time of the commit, in milliseconds since 1970.
        first_row_id: the first row id given out by the commit.
        added_rows: the number of rows added by the commit.
        rows: the number of rows of the table at the snapshot.
        size: the size of the table's files at the snapshot, in bytes.
    """

    snapshot_id: int
    sequence_number: int
    timestamp: int
    first_row_id: int | None
    added_rows: int
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot of a table.

    Args:
        snapshot_id: the snapshot's id.
        parent_id: the id of the snapshot before, None for the first.
        sequence_number: the sequence number of the commit.
        timestamp: the time of the commit, in milliseconds since 1970.
        operation: append, replace, overwrite or delete.
        summary: the summary in the metadata file (Iceberg spec, *Snapshots*).
        first_row_id: the first row id given out by the commit; None before format version 3.
        added_rows: the number of row ids given out.
        schema_id: the schema of the table at the snapshot.
        run: the collapsed run that the snapshot belongs to, if any.
        surviving_snapshot_id: of a collapsed snapshot, the snapshot whose manifests have its files.
        since: of a snapshot that stands for several, the sequence number before the first of them.
    """

    snapshot_id: int
    parent_id: int | None
    sequence_number: int
    timestamp: int
    operation: str
    summary: Mapping[str, str]
    first_row_id: int | None = None
    added_rows: int | None = None
    schema_id: int | None = None
    run: CollapsedRun | None = None
    surviving_snapshot_id: int | None = None
    since: int | None = None

    @property
    def stored_id(self) -> int:
        """The id of the snapshot in the log whose manifests have this snapshot's files."""
        return (
            self.snapshot_id if self.surviving_snapshot_id is None else self.surviving_snapshot_id
        )

    @property
    def key(self) -> tuple[int, int | None, int]:
        """A key for the files added and removed by the snapshot, or by all snapshots of its run."""
        return self.stored_id, self.since, self.sequence_number

    @property
    def previous_sequence_number(self) -> int:
        """The sequence number before the snapshot's own files: all of them have a higher number.

        In the example above it is 2 for s3 and 3 for s4. If s4 stands for the run, it is 1.
        """
        return self.sequence_number - 1 if self.since is None else self.since

    @property
    def manifests_written(self) -> int:
        """The number of manifests written by the commit: manifests with the commit's changes."""
        return self.count("manifests-created")

    @property
    def may_add_rows(self) -> bool:
        """Whether the commit added rows; True if the summary does not say."""
        return self.summary.get("added-records") != "0"

    def count(self, key: str) -> int:
        """Return a number from the summary, 0 if it is absent."""
        return int(self.summary.get(key, 0))

    def with_changes_since(self, earlier: Snapshot | None, run: CollapsedRun) -> Snapshot:
        """Return the snapshot with all additions of the run since an earlier snapshot.

        Args:
            earlier: the earlier snapshot, None for the empty table.
            run: the part of the run to stand for.
        """
        added = {
            f"added-{what}": str(
                self.count(f"total-{what}")
                - (0 if earlier is None else earlier.count(f"total-{what}"))
            )
            for what in _COUNTED
        }
        summary = {**self.summary, **added}
        return replace(self, since=run.since, parent_id=run.parent_id, summary=summary)


class Snapshots(Mapping[int, Snapshot]):
    """Snapshots by id, parsed on demand: a file has thousands, and a statement needs few.

    Collapsed snapshots can be looked up in the result of `with_collapsed`, but are not iterated.
    """

    def __init__(self, documents: Iterable[Mapping[str, Any]]) -> None:
        """Keep the snapshots' documents from a metadata file."""
        self._documents = {document["snapshot-id"]: document for document in documents}
        self._read: dict[int, Snapshot] = {}
        self._collapsed: Mapping[int, CollapsedSnapshot] = {}

    def __getitem__(self, snapshot_id: int) -> Snapshot:
        document = self._documents.get(snapshot_id)
        if document is None:
            return self._rebuild(self._collapsed[snapshot_id])
        if snapshot_id not in self._read:
            self._read[snapshot_id] = _parse_snapshot(document)
        return self._read[snapshot_id]

    def __iter__(self) -> Iterator[int]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)

    def with_collapsed(self, collapsed: Iterable[CollapsedSnapshot]) -> Snapshots:
        """Return these snapshots, and snapshots that may have been collapsed.

        Args:
            collapsed: the registry's knowledge of snapshots. Snapshots in the log, and snapshots of
                no run, are not changed.
        """
        if not self._runs:
            return self
        more = Snapshots(())
        more._documents, more._read = self._documents, self._read
        more._runs = self._runs
        added = {each.snapshot_id: each for each in collapsed}
        more._collapsed = {**self._collapsed, **added}
        return more

    def stored_id(self, snapshot_id: int, sequence_number: int) -> int:
        """Return the id of the snapshot in the log that has a snapshot's files.

        For a snapshot in the log this is the snapshot itself, otherwise the surviving snapshot.
        """
        if snapshot_id in self._documents:
            return snapshot_id
        carrier = self._surviving_snapshot(sequence_number)
        return snapshot_id if carrier is None else carrier.snapshot_id

    def is_successor_of(self, snapshot_id: int, sequence_number: int, before: int | None) -> bool:
        """Return whether a snapshot's parent is the snapshot `before`.

        Inside a collapsed run, snapshots with successive numbers are parent and child.

        Args:
            snapshot_id: the snapshot.
            sequence_number: the snapshot's sequence number.
            before: the snapshot with the previous sequence number; None for the empty table.
        """
        document = self._documents.get(snapshot_id)
        if document is not None:
            return bool(document.get("parent-snapshot-id") == before)
        carrier = self._surviving_snapshot(sequence_number)
        if carrier is None or carrier.run is None:
            return False
        return sequence_number - 1 > carrier.run.since or carrier.run.parent_id == before

    def include_run(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot with the additions of its collapsed run."""
        run = snapshot.run
        if run is None:
            return snapshot
        return snapshot.with_changes_since(
            None if run.parent_id is None else self.get(run.parent_id), run
        )

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        """The last sequence number and the last snapshot of every run, in order."""
        return sorted(
            (document["sequence-number"], snapshot_id)
            for snapshot_id, document in self._documents.items()
            if RUN_SINCE in document.get("summary", {})
        )

    def _rebuild(self, collapsed: CollapsedSnapshot) -> Snapshot:
        carrier = self._surviving_snapshot(collapsed.sequence_number)
        if carrier is None or carrier.run is None:
            raise KeyError(collapsed.snapshot_id)
        return _rebuild_snapshot(collapsed, carrier, carrier.run)

    def _surviving_snapshot(self, sequence_number: int) -> Snapshot | None:
        """Return the last snapshot of the run with a sequence number, None without such a run."""
        place = bisect_left(self._runs, (sequence_number, -(2**63)))
        if place == len(self._runs):
            return None
        carrier = self[self._runs[place][1]]
        is_inside = carrier.run is not None and carrier.run.since < sequence_number
        return carrier if is_inside else None


def _rebuild_snapshot(known: CollapsedSnapshot, carrier: Snapshot, run: CollapsedRun) -> Snapshot:
    before = known.sequence_number - 1
    # what was deleted before the run stays so inside it
    records = known.rows + carrier.count("total-position-deletes")
    # a commit of a run adds a file as a rule
    later = carrier.sequence_number - known.sequence_number
    totals = {
        "total-data-files": max(carrier.count("total-data-files") - later, 0),
        "total-records": records,
        "total-files-size": known.size,
        "added-data-files": 1,
        "added-records": known.added_rows,
        "manifests-created": 1,
    }
    return Snapshot(
        snapshot_id=known.snapshot_id,
        parent_id=run.parent_id if before == run.since else None,
        sequence_number=known.sequence_number,
        timestamp=known.timestamp,
        operation="append",
        summary={**carrier.summary, **{name: str(count) for name, count in totals.items()}},
        first_row_id=known.first_row_id,
        added_rows=known.added_rows,
        schema_id=carrier.schema_id,
        run=run,
        surviving_snapshot_id=carrier.snapshot_id,
        since=before,
    )


def _parse_snapshot(document: Mapping[str, Any]) -> Snapshot:
    summary = document.get("summary", {})
    parent_id, run = document.get("parent-snapshot-id"), None
    if RUN_SINCE in summary:
        parent = summary.get(RUN_PARENT)
        run = CollapsedRun(int(summary[RUN_SINCE]), None if parent is None else int(parent))
    return Snapshot(
        snapshot_id=document["snapshot-id"],
        parent_id=parent_id,
        sequence_number=document.get("sequence-number", 0),
        timestamp=document["timestamp-ms"],
        operation=summary.get("operation", "append"),
        summary=summary,
        first_row_id=document.get("first-row-id"),
        added_rows=document.get("added-rows"),
        schema_id=document.get("schema-id"),
        run=run,
    )
