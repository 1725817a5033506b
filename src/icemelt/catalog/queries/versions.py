"""Questions to the registry about the versions of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.model import sequences, versions
from icemelt.catalog.records import CommitMark, Moment, SnapshotRecord, VersionRecord

__all__ = [
    "commit_marks",
    "first_version",
    "hourly_versions",
    "last_of_hours",
    "metadata_files",
    "own_snapshots",
    "version_at",
    "version_at_time",
    "version_numbered",
    "versions_between",
    "versions_from",
]

# Building a query costs more than SQLite takes to answer it: each is built once.
_LAST_COMMIT = (1 << 63) - 1
_OF_TABLE = versions.c.table_id == sa.bindparam("table_id")
_UNTIL = versions.c.commit_number <= sa.bindparam("until")
_VERSION_AT = (
    sa.select(versions).where(_OF_TABLE, _UNTIL).order_by(versions.c.version.desc()).limit(1)
)
_VERSIONS_BETWEEN = (
    sa.select(versions)
    .where(_OF_TABLE, _UNTIL, versions.c.commit_number > sa.bindparam("after"))
    .order_by(versions.c.version)
)
_MARKS = (
    sa.select(sequences)
    .where(sequences.c.table_id == sa.bindparam("table_id"))
    .order_by(sequences.c.last_sequence, sequences.c.version)
)
_HOUR = 3_600_000
# rows at a time, of a history that need not be in memory
_SOME = {"yield_per": 1_000}
_NUMBERED = sa.select(versions).where(_OF_TABLE, versions.c.version == sa.bindparam("version"))


def version_at(
    connection: sa.Connection, table_id: str, commit_number: int
) -> VersionRecord | None:
    """Return the table's version at a commit number, None where it had none yet."""
    values = {"table_id": table_id, "until": commit_number}
    row = connection.execute(_VERSION_AT, values).first()
    return None if row is None else _version_record(row)


def versions_between(
    connection: sa.Connection, table_id: str, after: int, until: int | None = None
) -> list[VersionRecord]:
    """Return the versions with `after` < commit number <= `until` (None: no end), oldest first."""
    values = {
        "table_id": table_id,
        "after": after,
        "until": _LAST_COMMIT if until is None else until,
    }
    return [_version_record(row) for row in connection.execute(_VERSIONS_BETWEEN, values)]


def versions_from(
    connection: sa.Connection, table_id: str, first: int, before: int = _LAST_COMMIT
) -> Iterator[VersionRecord]:
    """Yield the versions with `first` <= number < `before`, oldest first."""
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id, versions.c.version >= first)
        .where(versions.c.version < before)
        .order_by(versions.c.version)
    )
    for row in connection.execute(query, execution_options=_SOME):
        yield _version_record(row)


def snapshots_backwards(connection: sa.Connection, table_id: str) -> Iterator[int]:
    """Yield the ids of the snapshots that versions made, the newest first."""
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id)
        .order_by(versions.c.version.desc())
    )
    for row in connection.execute(query, execution_options=_SOME):
        yield from (snapshot.snapshot_id for snapshot in reversed(_version_record(row).snapshots))


def version_at_time(connection: sa.Connection, table_id: str, time: int) -> VersionRecord | None:
    """Return the table's last version that is not after a time, None where it had none yet."""
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id, versions.c.committed_at <= time)
        .order_by(versions.c.version.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else _version_record(row)


def hourly_versions(connection: sa.Connection, table_id: str) -> list[VersionRecord]:
    """Return the last version of each hour in which there is one, oldest first."""
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id, versions.c.version.in_(last_of_hours(table_id)))
        .order_by(versions.c.version)
    )
    return [_version_record(row) for row in connection.execute(query)]


def last_of_hours(table_id: str) -> sa.Select[tuple[int]]:
    """Return a query of the numbers of those versions."""
    return (
        sa.select(sa.func.max(versions.c.version))
        .where(versions.c.table_id == table_id)
        .group_by(versions.c.committed_at // _HOUR)
    )


def metadata_files(
    connection: sa.Connection, table_id: str, first: int, before: int = _LAST_COMMIT
) -> list[str]:
    """Return the metadata files of the versions with `first` <= number < `before`.

    Those of versions that were superseded for long are forgotten.
    """
    query = sa.select(versions.c.location).where(
        versions.c.table_id == table_id,
        versions.c.version >= first,
        versions.c.version < before,
        versions.c.location.is_not(None),
    )
    return [*connection.scalars(query)]


def own_snapshots(connection: sa.Connection, table_id: str, sequence_number: int) -> set[int]:
    """Return the snapshots of a table from a sequence number on that versions of ours made.

    None that another version is at, which made none itself, as RESTORE and ALTER make.
    """
    first = sa.select(sa.func.min(sequences.c.version)).where(
        sequences.c.table_id == table_id, sequences.c.last_sequence >= sequence_number
    )
    query = sa.select(versions.c.snapshots, versions.c.snapshot_id, versions.c.from_foreign).where(
        versions.c.table_id == table_id, versions.c.version >= first.scalar_subquery()
    )
    ours: set[int] = set()
    others: set[int] = set()
    for made, snapshot_id, is_foreign in connection.execute(query):
        if not made:
            others.add(snapshot_id)
        elif not is_foreign:
            ours.update(snapshot[0] for snapshot in made)
    return ours - others


def commit_marks(connection: sa.Connection, table_id: str) -> list[CommitMark]:
    """Return the versions of a table that gave out sequence numbers, in order of these.

    They are all there, also of versions that have expired: a row that such a one wrote may live on.
    """
    rows = connection.execute(_MARKS, {"table_id": table_id})
    return [CommitMark(row.last_sequence, row.version, row.committed_at) for row in rows]


def first_version(connection: sa.Connection, table_id: str) -> int:
    """Return the number of the oldest version that the registry has: 1 as long as none expired."""
    query = sa.select(sa.func.min(versions.c.version)).where(versions.c.table_id == table_id)
    return connection.scalar(query) or 0


def version_numbered(connection: sa.Connection, table_id: str, number: int) -> VersionRecord | None:
    """Return a version by its number, None where it has expired or is still to come."""
    row = connection.execute(_NUMBERED, {"table_id": table_id, "version": number}).first()
    return None if row is None else _version_record(row)


def _version_record(row: Any) -> VersionRecord:
    return VersionRecord(
        table_id=row.table_id,
        version=row.version,
        moment=Moment(row.commit_number, row.committed_at),
        snapshot_id=row.snapshot_id,
        operation=row.operation,
        snapshots=tuple(SnapshotRecord(*snapshot) for snapshot in row.snapshots),
        user=row.user,
        statement_id=row.statement_id,
        transaction_id=row.transaction_id,
        foreign=row.from_foreign,
        total_rows=row.total_rows,
        total_bytes=row.total_bytes,
        inserted=row.inserted,
        updated=row.updated,
        deleted=row.deleted,
        location=row.location,
    )
