"""The collapse of old runs of appends in a table's snapshot log: the metadata file stays small.

An Iceberg metadata file has all snapshots, and every commit writes it anew: at a commit a second it
would be 55 MB after a day. Of a run of appends only the last snapshot stays, with the files of all.
Its parent is not in the log, so no engine takes the snapshot's own additions for those of the run.
Branches protect the snapshot before the run from expiry.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import KEPT_SNAPSHOTS, TableMetadata
from icemelt.tables.metadata.snapshots import RUN_PARENT, RUN_SINCE, CollapsedRun, Snapshot
from icemelt.tables.writes.rewriting import without_snapshots, write_metadata

__all__ = ["CollapsePlan", "is_history", "plan_collapse", "without_history", "write_collapsed"]

_HISTORY = "icemelt-history-"
# a state inside a run is found by leaving out what came later, so runs end now and then
_LONGEST = 1_000
_NEVER = 2**63 - 1
_EQUALITY, _DELETES = "total-equality-deletes", "total-delete-files"


@dataclass(frozen=True, slots=True)
class CollapsePlan:
    """The snapshots that leave the log, and the runs that remaining snapshots stand for."""

    gone: frozenset[int]
    runs: Mapping[int, CollapsedRun]


def plan_collapse(
    metadata: TableMetadata, before: int, kept: Container[int | None]
) -> CollapsePlan:
    """Return the snapshots that can leave the log: appends followed by others before a time.

    Args:
        metadata: the table.
        before: the time, in milliseconds since 1970.
        kept: ids of snapshots that stay. Snapshots named by a branch or a tag stay, too.
    """
    named = {ref["snapshot-id"] for ref in metadata.document.get("refs", {}).values()}
    for kind in ("statistics", "partition-statistics"):
        named.update(each["snapshot-id"] for each in metadata.document.get(kind, ()))
    ancestors = [*metadata.ancestry(metadata.current_snapshot_id)][::-1]
    gone: set[int] = set()
    runs: dict[int, CollapsedRun] = {}
    start: CollapsedRun | None = None
    for snapshot, following in pairwise(ancestors):
        joins = (
            following.timestamp <= before
            and not {snapshot.snapshot_id, following.snapshot_id} & named
            and snapshot.snapshot_id not in kept
            and following.snapshot_id not in kept
            and _is_same_run(snapshot, following)
        )
        start = start or CollapsedRun(snapshot.previous_sequence_number, snapshot.parent_id)
        if not joins or following.sequence_number - start.since > _LONGEST:
            start = None
            continue
        gone.add(snapshot.snapshot_id)
        runs.pop(snapshot.snapshot_id, None)
        runs[following.snapshot_id] = start
    return CollapsePlan(frozenset(gone), runs)


def write_collapsed(
    iceberg: Iceberg, metadata: TableMetadata, collapsing: CollapsePlan
) -> TableMetadata:
    """Write a metadata file without the snapshots that leave the log, and return its content.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the table.
        collapsing: the snapshots that leave the log.
    """
    parts = without_snapshots(metadata.document, collapsing.gone)
    parts["snapshots"] = [
        _mark_run(each, collapsing.runs.get(each["snapshot-id"])) for each in parts["snapshots"]
    ]
    parts["refs"] = dict(metadata.document.get("refs", {}))
    for run in collapsing.runs.values():
        if run.parent_id in metadata.snapshots:
            parts["refs"][f"{_HISTORY}{run.parent_id}"] = {
                "snapshot-id": run.parent_id,
                "type": "branch",
                "min-snapshots-to-keep": KEPT_SNAPSHOTS,
                "max-ref-age-ms": _NEVER,
            }
    return write_metadata(iceberg, metadata, parts)


def is_history(branch: str) -> bool:
    """Return whether a branch protects a snapshot before a collapsed run."""
    return branch.startswith(_HISTORY)


def without_history(refs: Mapping[str, Any], snapshot_ids: Container[int]) -> dict[str, Any]:
    """Return a table's branches and tags, except branches protecting snapshots to expire."""
    return {
        name: ref
        for name, ref in refs.items()
        if not (is_history(name) and ref["snapshot-id"] in snapshot_ids)
    }


def _is_same_run(snapshot: Snapshot, following: Snapshot) -> bool:
    """Return whether two successive snapshots belong to one run."""
    return (
        snapshot.operation == following.operation == "append"
        and following.previous_sequence_number == snapshot.sequence_number
        and following.schema_id == snapshot.schema_id
        and snapshot.first_row_id is not None
        and not following.count(_EQUALITY)
        and following.count(_DELETES) == snapshot.count(_DELETES)
    )


def _mark_run(document: Mapping[str, Any], run: CollapsedRun | None) -> Mapping[str, Any]:
    """Return the document of a run's last snapshot, with the run in the summary."""
    if run is None:
        return document
    summary = {**document["summary"], RUN_SINCE: str(run.since)}
    if run.parent_id is not None:
        summary[RUN_PARENT] = str(run.parent_id)
    return {**document, "summary": summary}
