"""Questions to the registry about the versions of a table."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.model import objects, sequences, versions
from icemelt.catalog.records import Moment, SnapshotRecord, VersionRecord, VersionSequence

__all__ = [
    "first_version",
    "hourly_versions",
    "last_of_hours",
    "last_versions",
    "metadata_files",
    "own_snapshots",
    "unread_versions",
    "version_at",
    "version_at_time",
    "version_numbered",
    "version_sequences",
    "versions_between",
    "versions_from",
]

# Building a query takes longer than its answer from SQLite: every query is built once.
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
_SEQUENCES = (
    sa.select(sequences)
    .where(sequences.c.table_id == sa.bindparam("table_id"))
    .order_by(sequences.c.last_sequence, sequences.c.version)
)
_HOUR = 3_600_000
# fetch this many rows at a time, so that a long history need not fit in memory
_SOME = {"yield_per": 1_000}
_EARLIER = versions.alias("earlier")
# the subquery reads one row of each table: versions are read from the newest back
_LAST_VERSIONS = (
    sa.select(versions)
    .join(objects, objects.c.object_id == versions.c.table_id)
    .where(
        objects.c.object_id.in_(sa.bindparam("table_ids", expanding=True)),
        versions.c.version
        == sa.select(_EARLIER.c.version)
        .where(
            _EARLIER.c.table_id == objects.c.object_id,
            _EARLIER.c.commit_number <= sa.bindparam("until"),
        )
        .order_by(_EARLIER.c.version.desc())
        .limit(1)
        .scalar_subquery(),
    )
)
# each table of a batch has conditions of its own
_UNREAD_BATCH = 100
_NUMBERED = sa.select(versions).where(_OF_TABLE, versions.c.version == sa.bindparam("version"))


def version_at(
    connection: sa.Connection, table_id: str, commit_number: int
) -> VersionRecord | None:
    """Return the table's version at a commit number, None before the table's first version.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        commit_number: the version is the newest with this commit number or a lower number.
    """
    values = {"table_id": table_id, "until": commit_number}
    row = connection.execute(_VERSION_AT, values).first()
    return None if row is None else _version_record(row)


def last_versions(
    connection: sa.Connection, table_ids: Sequence[str], commit_number: int
) -> dict[str, VersionRecord]:
    """Return the versions of tables at a commit number, by the tables' ids, in few queries.

    Args:
        connection: a connection to the catalog's database.
        table_ids: the tables' object ids; a table without a version by then is left out.
        commit_number: a version is the table's newest with this commit number or a lower number.
    """
    found: dict[str, VersionRecord] = {}
    for part in split_values(table_ids):
        values = {"table_ids": [*part], "until": commit_number}
        for row in connection.execute(_LAST_VERSIONS, values):
            found[row.table_id] = _version_record(row)
    return found


def unread_versions(
    connection: sa.Connection, after: Mapping[str, int], until: int
) -> dict[str, list[VersionRecord]]:
    """Return the versions of tables from a commit number on, in few queries.

    Args:
        connection: a connection to the catalog's database.
        after: by the tables' ids, a commit number. The table's version at the number is included,
            if the registry has one.
        until: the last commit number.

    Returns:
        The versions of every table with versions, oldest first, by the table's id.
    """
    found: dict[str, list[VersionRecord]] = {}
    for part in split_values(list(after.items()), _UNREAD_BATCH):
        values: dict[str, str | int] = {"until": until}
        for place, (table_id, commit_number) in enumerate(part):
            values |= {f"table_{place}": table_id, f"after_{place}": commit_number}
        for row in connection.execute(_unread_versions(len(part)), values):
            found.setdefault(row.table_id, []).append(_version_record(row))
    return found


def versions_between(
    connection: sa.Connection, table_id: str, after: int, until: int | None = None
) -> list[VersionRecord]:
    """Return the versions whose commit number is in (`after`, `until`], oldest first.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        after: a commit number, not included.
        until: a commit number, included; None for no end.
    """
    values = {
        "table_id": table_id,
        "after": after,
        "until": _LAST_COMMIT if until is None else until,
    }
    return [_version_record(row) for row in connection.execute(_VERSIONS_BETWEEN, values)]


def versions_from(
    connection: sa.Connection, table_id: str, first: int, before: int = _LAST_COMMIT
) -> Iterator[VersionRecord]:
    """Yield the versions with `first` <= version number < `before`, oldest first.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        first: the lowest version number.
        before: the first version number not wanted; by default there is no end.
    """
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id, versions.c.version >= first)
        .where(versions.c.version < before)
        .order_by(versions.c.version)
    )
    for row in connection.execute(query, execution_options=_SOME):
        yield _version_record(row)


def snapshots_backwards(connection: sa.Connection, table_id: str) -> Iterator[int]:
    """Yield the ids of the snapshots made by the versions of a table, newest first."""
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id)
        .order_by(versions.c.version.desc())
    )
    for row in connection.execute(query, execution_options=_SOME):
        yield from (snapshot.snapshot_id for snapshot in reversed(_version_record(row).snapshots))


def version_at_time(connection: sa.Connection, table_id: str, time: int) -> VersionRecord | None:
    """Return the table's last version at a time, None before the table's first version.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        time: in milliseconds since 1970; a version committed at this very time counts.
    """
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id, versions.c.committed_at <= time)
        .order_by(versions.c.version.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else _version_record(row)


def hourly_versions(connection: sa.Connection, table_id: str) -> list[VersionRecord]:
    """Return the last version of every hour with a version, oldest first."""
    query = (
        sa.select(versions)
        .where(versions.c.table_id == table_id, versions.c.version.in_(last_of_hours(table_id)))
        .order_by(versions.c.version)
    )
    return [_version_record(row) for row in connection.execute(query)]


def last_of_hours(table_id: str) -> sa.Select[tuple[int]]:
    """Return a query of the number of the last version of every hour."""
    return (
        sa.select(sa.func.max(versions.c.version))
        .where(versions.c.table_id == table_id)
        .group_by(versions.c.committed_at // _HOUR)
    )


def metadata_files(
    connection: sa.Connection, table_id: str, first: int, before: int = _LAST_COMMIT
) -> list[str]:
    """Return the metadata files of the versions with `first` <= version number < `before`.

    The registry has forgotten the metadata files of most versions superseded long ago.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        first: the lowest version number.
        before: the first version number not wanted; by default there is no end.
    """
    query = sa.select(versions.c.location).where(
        versions.c.table_id == table_id,
        versions.c.version >= first,
        versions.c.version < before,
        versions.c.location.is_not(None),
    )
    return [*connection.scalars(query)]


def own_snapshots(connection: sa.Connection, table_id: str, sequence_number: int) -> set[int]:
    """Return the ids of the snapshots made by icemelt's own versions, from a sequence number on.

    A version of RESTORE or ALTER makes no snapshot and stands at a snapshot of another version. The
    snapshot under a RESTORE or ALTER is left out.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        sequence_number: the lowest sequence number of the versions to look at.
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


def version_sequences(connection: sa.Connection, table_id: str) -> list[VersionSequence]:
    """Return the sequence numbers given out by the versions of a table, in ascending order.

    Expired versions are included: a row written by an expired version may still be in the table.
    """
    rows = connection.execute(_SEQUENCES, {"table_id": table_id})
    return [VersionSequence(row.last_sequence, row.version, row.committed_at) for row in rows]


def first_version(connection: sa.Connection, table_id: str) -> int:
    """Return the number of the oldest version in the registry: 1 as long as no version expired."""
    query = sa.select(sa.func.min(versions.c.version)).where(versions.c.table_id == table_id)
    return connection.scalar(query) or 0


def version_numbered(connection: sa.Connection, table_id: str, number: int) -> VersionRecord | None:
    """Return a version by number, None where the version has expired or is still to come.

    Args:
        connection: a connection to the catalog's database.
        table_id: the table's object id.
        number: the version's number, counted from 1.
    """
    row = connection.execute(_NUMBERED, {"table_id": table_id, "version": number}).first()
    return None if row is None else _version_record(row)


@functools.cache
def _unread_versions(tables: int) -> sa.Select[Any]:
    """Return the query of the versions of some tables, each from a commit number of its own on."""
    wanted = sa.or_(*(_is_from(f"table_{place}", f"after_{place}") for place in range(tables)))
    return (
        sa.select(versions).where(wanted, _UNTIL).order_by(versions.c.table_id, versions.c.version)
    )


def _is_from(table_id: str, after: str) -> sa.ColumnElement[bool]:
    """Return the condition for a version of a table to stand at a commit number, or after it.

    Args:
        table_id: the name of the parameter with the table's object id.
        after: the name of the parameter with the commit number.
    """
    last = (
        sa.select(_EARLIER.c.version)
        .where(
            _EARLIER.c.table_id == sa.bindparam(table_id),
            _EARLIER.c.commit_number <= sa.bindparam(after),
        )
        .order_by(_EARLIER.c.version.desc())
        .limit(1)
        .scalar_subquery()
    )
    is_of_table = versions.c.table_id == sa.bindparam(table_id)
    return sa.and_(is_of_table, versions.c.version >= sa.func.coalesce(last, 0))


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
