"""The snapshots of a table: those of its log, and those that were collapsed out of it.

A long run of appends is kept in the log as its last snapshot alone. Nothing was removed inside the
run, so that one has the files of all: which of them a collapsed snapshot had is told by their
sequence numbers. The sequence numbers of a run have no gap; what else has such a number is of it.
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
    """A run of appends that collapsed: it comes after a sequence number, and after a snapshot."""

    since: int
    parent_id: int | None


@dataclass(frozen=True, slots=True)
class CollapsedSnapshot:
    """A snapshot as whoever noted it knows it: a metadata file has nothing of it any more.

    `rows` and `size`, in bytes, are of the table at it.
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
    """One snapshot; `first_row_id` is None before format version 3.

    One of a `run` may be collapsed: then its files are in the manifests of its `surviving_snapshot_id`. One that
    stands for several has what all did after the sequence number `since`.
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
        """The snapshot of the log whose manifests have its files."""
        return (
            self.snapshot_id if self.surviving_snapshot_id is None else self.surviving_snapshot_id
        )

    @property
    def key(self) -> tuple[int, int | None, int]:
        """What tells what it did, together with those that it stands for."""
        return self.stored_id, self.since, self.sequence_number

    @property
    def previous_sequence_number(self) -> int:
        """The sequence number after which its own files have theirs."""
        return self.sequence_number - 1 if self.since is None else self.since

    @property
    def manifests_written(self) -> int:
        """How many manifests it wrote: those that say what it did."""
        return self.count("manifests-created")

    @property
    def may_add_rows(self) -> bool:
        """Whether it added rows, or its summary does not tell."""
        return self.summary.get("added-records") != "0"

    def count(self, key: str) -> int:
        """Return a number of the summary, 0 where it is absent."""
        return int(self.summary.get(key, 0))

    def with_changes_since(self, earlier: Snapshot | None, run: CollapsedRun) -> Snapshot:
        """Return it with what it and those of its run did since an earlier one, or since nothing.

        `run` says from where on.
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
    """Snapshots by id, each read when asked for: a file has thousands, a statement needs few.

    Collapsed snapshots are found too in what `with_collapsed` returns; they are not iterated.
    """

    def __init__(self, documents: Iterable[Mapping[str, Any]]) -> None:
        """Keep the documents of a metadata file."""
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
        """Return these snapshots and some that may have been collapsed into one of them.

        Args:
            collapsed: what is known of them; one that is in the log, or in no run, stays as it is.
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
        """Return the snapshot of the log that has the files of one: itself, or its carrier."""
        if snapshot_id in self._documents:
            return snapshot_id
        carrier = self._surviving_snapshot(sequence_number)
        return snapshot_id if carrier is None else carrier.snapshot_id

    def is_successor_of(self, snapshot_id: int, sequence_number: int, before: int | None) -> bool:
        """Tell whether a snapshot's parent is the one `previous_sequence_number` it, which has the number before its.

        Inside a run that is all it takes.
        """
        document = self._documents.get(snapshot_id)
        if document is not None:
            return bool(document.get("parent-snapshot-id") == before)
        carrier = self._surviving_snapshot(sequence_number)
        if carrier is None or carrier.run is None:
            return False
        return sequence_number - 1 > carrier.run.since or carrier.run.parent_id == before

    def include_run(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot with what those did that collapsed before it."""
        run = snapshot.run
        if run is None:
            return snapshot
        return snapshot.with_changes_since(
            None if run.parent_id is None else self.get(run.parent_id), run
        )

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        """The last sequence number of each run, in their order, and its last snapshot."""
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
        """Return the last snapshot of the run that has a sequence number, None where none has."""
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
