"""State of a stream from metadata alone: is the stream readable, which versions are unread."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.queries.listings import listings_between
from icemelt.catalog.queries.retention import stream_stale_after
from icemelt.catalog.queries.versions import version_at, versions_between
from icemelt.catalog.records import (
    APPEND_ONLY,
    DEFAULT,
    SINGDATA,
    FileOwner,
    StreamRecord,
    UnreadVersions,
    VersionRecord,
    ViewRecord,
)
from icemelt.errors import FileDamaged, StreamBroken, StreamStale
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.points import may_change_rows
from icemelt.sql.dialect.written_names import full_name
from icemelt.times import format_time
from icemelt.transactions.collapsing import with_history

__all__ = [
    "changes_rows",
    "count_unread_rows",
    "find_unread_versions",
    "invalid_reason",
    "is_stale",
    "recreate_statement",
    "refuse_broken",
    "refuse_stale",
    "singdatas_mode",
    "stale_error",
]


def invalid_reason(stream: StreamRecord) -> tuple[str, str] | None:
    """Return why a stream cannot be read and the remedy; None for a readable stream."""
    for record in (stream.source, *(each.record for each in stream.sources)):
        if record.dropped_at is not None:
            kind = record.kind
            role = kind if record is stream.source and kind != "table" else f"base {kind}"
            reason = f"its {role} {str(record.name)!r} was dropped or replaced."
            undrop = f"UNDROP {kind.upper()} {full_name(record.name)}"
            return reason, f"{undrop}; or {recreate_statement(stream)}"
    views = [(stream.source, stream.source_version, "view")]
    views += [(each.record, each.version, "base view") for each in stream.sources]
    for record, version, role in views:
        if isinstance(record, ViewRecord) and record.version != version:
            reason = f"its {role} {str(record.name)!r} was altered to mean something else."
            return reason, recreate_statement(stream)
    return None


def refuse_broken(stream: StreamRecord) -> None:
    """Require that a stream can be read.

    Raises:
        StreamBroken: the source was dropped or replaced, or the view was altered.
    """
    reason = invalid_reason(stream)
    if reason is not None:
        raise StreamBroken(
            f"Stream {str(stream.name)!r} cannot be read: {reason[0]}", hint=reason[1]
        )


def refuse_stale(core: Core, stream: StreamRecord, until: int) -> None:
    """Require that what a stream has not read is still there.

    No file is opened for a stream that was consumed in time.

    Args:
        core: the session's parts.
        stream: the stream.
        until: the commit number up to which the stream is to be read.

    Raises:
        StreamStale: a version that the stream has not read has expired.
    """
    stale_after = stream_stale_after(stream)
    if stale_after is None or core.now() <= stale_after:
        return
    behind = find_unread_versions(core, stream, until)
    if any(each.versions for each in behind) and _has_lost_snapshot(core, behind):
        raise stale_error(stream, stale_after, "a version that it has not read has expired.")


def stale_error(stream: StreamRecord, stale_after: int, gone: str) -> StreamStale:
    """Return the error of a stale stream.

    Args:
        stream: the stream.
        stale_after: until when its changes were kept, in milliseconds since 1970.
        gone: what is gone, as a sentence.
    """
    since = format_time(stream.frontier.moved_at, "seconds")
    until = format_time(stale_after, "seconds")
    return StreamStale(
        f"Stream {str(stream.name)!r}, last consumed {since}, is stale: {gone} "
        f"Its changes were kept for it until {until}.",
        hint=f"{recreate_statement(stream, later=True)} starts it at a later point.",
    )


def find_unread_versions(core: Core, stream: StreamRecord, until: int) -> list[UnreadVersions]:
    """Return the versions between a stream's frontier and a commit number, by table or stage."""
    after, source = stream.frontier.commit_number, stream.source
    with core.database.read() as connection:
        if isinstance(source, FileOwner):
            found = listings_between(connection, source.object_id, after, until)
            return [UnreadVersions(source, found)]
        return [
            UnreadVersions(
                table,
                versions_between(connection, table.object_id, after, until),
                version_at(connection, table.object_id, after),
            )
            for table in stream.tables
        ]


def _has_lost_snapshot(core: Core, behind: Sequence[UnreadVersions]) -> bool:
    """Tell whether a read of a stream may need a snapshot that is lost.

    `behind` are the unread versions.
    """
    return any(_is_snapshot_lost(core, each) for each in behind)


def is_stale(core: Core, now: int, stream: StreamRecord, behind: Sequence[UnreadVersions]) -> bool:
    """Tell whether a stream cannot be read any more, or soon.

    Args:
        core: the session's parts.
        now: the time, in milliseconds since 1970.
        stream: the stream.
        behind: the unread versions.
    """
    if invalid_reason(stream) is not None:
        return True
    stale_after = stream_stale_after(stream)
    if stale_after is None:
        return False
    is_late = now > stale_after and any(each.versions for each in behind)
    return is_late or _has_lost_snapshot(core, behind)


def changes_rows(stream: StreamRecord, version: VersionRecord, before: int | None) -> bool:
    """Tell whether a version may show in the stream; `before` is the snapshot it started from."""
    if not may_change_rows(version, before):
        return False
    return stream.mode != APPEND_ONLY or version.inserted != 0


def count_unread_rows(stream: StreamRecord, unread: Sequence[UnreadVersions]) -> int | None:
    """Return how many rows the unread versions of a stream changed, None where unknown.

    Args:
        stream: the stream.
        unread: the unread versions of each of its tables.
    """
    of_files = isinstance(stream.source, FileOwner)
    versions = [version for table in unread for version in table.versions]
    changing = [each for each in versions if of_files or may_change_rows(each, None)]
    counts = [count for each in changing for count in (each.inserted, each.updated, each.deleted)]
    known_counts = [count for count in counts if count is not None]
    return sum(known_counts) if len(known_counts) == len(counts) else None


def recreate_statement(stream: StreamRecord, *, later: bool = False) -> str:
    """Return the CREATE OR REPLACE statement of a stream, from a `later` point or from now."""
    name, source = full_name(stream.name), full_name(stream.source.name)
    if stream.dialect == SINGDATA:
        point = " TIMESTAMP AS OF '…'" if later else ""
        properties = f"'TABLE_STREAM_MODE' = '{singdatas_mode(stream)}'"
        statement = f"CREATE OR REPLACE TABLE STREAM {name} ON TABLE {source}{point}"
        return f"{statement} WITH PROPERTIES ({properties})"
    point = " AT (TIMESTAMP => '…')" if later else ""
    mode = f" {stream.mode} = TRUE" if stream.mode != DEFAULT else ""
    return f"CREATE OR REPLACE STREAM {name} ON {stream.source_kind.upper()} {source}{point}{mode}"


def singdatas_mode(stream: StreamRecord) -> str:
    """Return a stream's mode as Singdata calls it."""
    return "STANDARD" if stream.mode == DEFAULT else stream.mode


def _is_snapshot_lost(core: Core, behind: UnreadVersions) -> bool:
    """Tell whether a table has lost a snapshot from a stream's frontier to the last version."""
    table, first = behind.source, behind.start
    if isinstance(table, FileOwner):
        return False
    if first is None:
        return True
    needed = {first.snapshot_id}
    for version in behind.versions:
        needed |= {version.snapshot_id, *(each.snapshot_id for each in version.snapshots)}
    try:
        metadata = core.metadata(table)
    except FileDamaged:
        return True
    snapshots = with_history(metadata, [first, *behind.versions]).snapshots
    return any(each is not None and each not in snapshots for each in needed)
