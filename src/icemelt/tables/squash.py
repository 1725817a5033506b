"""A transaction's inner snapshots, out of the log that time travel by Iceberg's clients reads.

They stay in the metadata, where changes find the row ids they gave out.
"""

from __future__ import annotations

import json
import uuid

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata import TableMetadata

__all__ = ["squashed"]


def squashed(iceberg: Iceberg, base: TableMetadata, mine: TableMetadata) -> TableMetadata:
    """Return the metadata of a table that has been written several times since `base`.

    A new metadata file is written where there is more than one snapshot between the two.
    """
    chain = mine.chain(base.current_snapshot_id, mine.current_snapshot_id)
    if chain is None or len(chain) < 2:  # noqa: PLR2004 - one snapshot hides nothing
        return mine
    inner = {snapshot.snapshot_id for snapshot in chain[:-1]}
    document = dict(mine.document)
    document["snapshot-log"] = [
        entry for entry in document.get("snapshot-log", []) if entry["snapshot-id"] not in inner
    ]
    folder, name = mine.location.rsplit("/", 1)
    location = f"{folder}/{name.split('-', 1)[0]}-{uuid.uuid4()}.metadata.json"
    text = json.dumps(document)
    iceberg.write_bytes(location, text.encode())
    return iceberg.remember(location, text)
