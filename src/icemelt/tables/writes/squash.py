"""A transaction's inner snapshots, out of the log that time travel by Iceberg's clients reads.

They stay in the metadata, where changes find the row ids they gave out.
"""

from __future__ import annotations

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.writes.rewriting import rewritten

__all__ = ["squashed"]


def squashed(iceberg: Iceberg, base: TableMetadata, mine: TableMetadata) -> TableMetadata:
    """Return the metadata of a table that has been written several times since `base`.

    A new metadata file is written where there is more than one snapshot between the two.
    """
    chain = mine.chain(base.current_snapshot_id, mine.current_snapshot_id)
    if chain is None or len(chain) < 2:  # noqa: PLR2004 - one snapshot hides nothing
        return mine
    inner = {snapshot.snapshot_id for snapshot in chain[:-1]}
    log = [
        entry
        for entry in mine.document.get("snapshot-log", [])
        if entry["snapshot-id"] not in inner
    ]
    return rewritten(iceberg, mine, {"snapshot-log": log})
