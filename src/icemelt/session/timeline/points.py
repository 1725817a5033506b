"""Points in time: from an expression to a commit number, and from that to a table's version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from icemelt.catalog.database import Connection
from icemelt.catalog.queries.moments import commit_at, time_of_commit
from icemelt.catalog.queries.reading import statement, tracking_spans
from icemelt.catalog.queries.versions import (
    first_version,
    version_at,
    version_numbered,
    versions_between,
)
from icemelt.catalog.records import (
    REWRITES,
    CatalogState,
    FileOwner,
    TableRecord,
    TrackingRecord,
    VersionRecord,
)
from icemelt.errors import (
    BeforeChangeTracking,
    BeforeTableExisted,
    ChangeTrackingGap,
    Never,
    PointInFuture,
    StartAfterEnd,
    StatementUnresolved,
    VersionExpired,
)
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.constants import evaluate_number, evaluate_text, evaluate_time
from icemelt.session.timeline.listing_points import require_listing
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.statements import Changes, Point, PointKind, Side
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.scans.change_scan import Interval
from icemelt.times import format_time
from icemelt.transactions.collapsing import with_history

__all__ = ["TableInterval", "TimedSource", "Timeline", "may_change_rows"]

# what has states of its own: a view has those of its tables
TimedSource = TableRecord | FileOwner

# The end of the year 9999 in milliseconds: no lake's clock goes there, and no calendar of Python's
# goes beyond.
_LAST = 253_402_300_799_999
_MOST_VERSIONS = 2.0**63
_LATER = "Give a later point, and raise DATA_RETENTION_TIME_IN_DAYS for the future."


@dataclass(frozen=True, slots=True)
class TableInterval:
    """The versions of a table at the ends of an interval, and the versions inside.

    Args:
        metadata: the table, with the snapshots of all these versions, also of snapshots that left
            the log.
        start: the version at the start, whose changes are not part of the interval.
        end: the version at the end.
        inside: the versions after the start, up to the end.
        foreign: the snapshots between the ends that other engines made.
    """

    metadata: TableMetadata
    start: VersionRecord
    end: VersionRecord
    inside: tuple[VersionRecord, ...]
    foreign: frozenset[int]

    @property
    def scanned(self) -> Interval:
        """The interval as a change scan reads it."""
        return Interval(self.metadata, self.start.snapshot_id, self.end.snapshot_id, self.foreign)

    @property
    def inserting(self) -> list[list[int]]:
        """The snapshots of each version that inserted rows, or may have."""
        return [
            [snapshot.snapshot_id for snapshot in version.snapshots]
            for version in self.inside
            if version.snapshots and version.inserted != 0
        ]

    @property
    def changes_rows(self) -> bool:
        """Whether the table's rows may differ at the ends: compactions make no difference."""
        return self.start.snapshot_id != self.end.snapshot_id and bool(self.changing)

    @property
    def changing(self) -> list[tuple[int | None, VersionRecord]]:
        """The versions that may have changed rows, each with the snapshot before the version."""
        before = [self.start.snapshot_id, *(version.snapshot_id for version in self.inside)]
        pairs = zip(before, self.inside, strict=False)
        return [(began, version) for began, version in pairs if may_change_rows(version, began)]


@dataclass(frozen=True, slots=True)
class _Place:
    """A point's last commit number, and its time where it is no commit's own.

    `moved_at` is the time of the frontier that the point was taken from.
    """

    commit: int
    time: int | None = None
    moved_at: int | None = None

    def is_after(self, other: _Place) -> bool:
        if self.commit != other.commit or self.time is None or other.time is None:
            return self.commit > other.commit
        return self.time > other.time


@dataclass(frozen=True, slots=True)
class Timeline:
    """Resolves the points of one statement; `state` is its now.

    Points `of_view` are for all the tables under a view, which has no versions of its own.
    """

    core: Core
    state: CatalogState
    of_view: bool = False

    def place(self, sources: Sequence[TimedSource], point: Point) -> tuple[int, int]:
        """Return a point's commit number and time; it is one point for all the sources."""
        with self.core.database.read() as connection:
            place = self._place(connection, sources, point)
            time = place.time if place.moved_at is None else place.moved_at
            if time is None:
                time = time_of_commit(connection, place.commit)
            return place.commit, time

    def ends(self, sources: Sequence[TimedSource], changes: Changes) -> tuple[int, int]:
        """Return the commit numbers of an interval `(start, end]`."""
        with self.core.database.read() as connection:
            after = self._place(connection, sources, changes.start)
            until = _Place(self.state.moment.commit_number)
            if changes.end is not None:
                until = self._place(connection, sources, changes.end)
        if after.is_after(until):
            raise StartAfterEnd(
                "The interval's start is after its end.",
                hint="Swap them: AT (…) names the earlier point, END (…) the later.",
            )
        return after.commit, until.commit

    def version(
        self, table: TableRecord, metadata: TableMetadata, commit: int
    ) -> tuple[TableMetadata, VersionRecord]:
        """Return the version that a table had at a commit number; its files are there.

        With it comes the table's metadata, which has the version's snapshot also where that has
        left the log.
        """
        with self.core.database.read() as connection:
            version = self._version(connection, table, commit)
        metadata = with_history(metadata, [version])
        self._present(table, metadata, version)
        return metadata, version

    def since(self, table: TableRecord, metadata: TableMetadata, commit: int) -> TableInterval:
        """Return the versions after a commit number up to the statement's own state."""
        return self.between(table, metadata, (commit, self.state.moment.commit_number))

    def between(
        self,
        table: TableRecord,
        metadata: TableMetadata,
        commits: tuple[int, int],
        *,
        whole: bool = False,
    ) -> TableInterval:
        """Return the versions between two commit numbers; the `whole` history has a start, too.

        That is the empty table before the first version.
        """
        start, end = commits
        with self.core.database.read() as connection:
            created = version_numbered(connection, table.object_id, 1) if whole else None
            if created is not None and start < created.moment.commit_number:
                first = replace(created, version=0, snapshot_id=None, snapshots=())
                self._tracked(connection, table, created.moment.commit_number, end)
            else:
                first = self._version(connection, table, start)
                self._tracked(connection, table, start, end)
            inside = versions_between(connection, table.object_id, start, end)
            if inside:
                last = inside[-1]
            else:
                last = first if created is None else self._version(connection, table, end)
            on_the_way = inside
            metadata = with_history(metadata, (first, last, *inside))
            if _leaves(metadata, first.snapshot_id, inside):
                # the way leads over snapshots of versions before the start, too
                on_the_way = versions_between(connection, table.object_id, -1, end)
                metadata = with_history(metadata, on_the_way)
        self._present(table, metadata, first)
        self._present(table, metadata, last)
        return TableInterval(metadata, first, last, tuple(inside), _foreign(on_the_way))

    def _place(
        self, connection: Connection, sources: Sequence[TimedSource], point: Point
    ) -> _Place:
        """Return the last commit number that the point includes, and its time."""
        match point.kind:
            case PointKind.TIMESTAMP:
                time = evaluate_time(self.core, point.expression)
                return self._place_at(connection, time - (point.side is Side.BEFORE))
            case PointKind.OFFSET:
                seconds = evaluate_number(self.core, point.expression)
                # before it is rounded: as a double, milliseconds may be infinite
                milliseconds = round(min(max(seconds * 1000, -_LAST), _LAST))
                return self._place_at(connection, self.state.now + milliseconds)
            case PointKind.STATEMENT:
                return self._place_of_statement(connection, point)
            case PointKind.STREAM:
                return self._place_of_stream(connection, sources, point)
            case PointKind.VERSION:
                return self._place_of_version(connection, sources, point)
            case _:
                assert_never(point.kind)

    def _place_at(self, connection: Connection, written: int) -> _Place:
        time = min(max(written, 0), _LAST)
        if time > self.state.now:
            now = format_time(self.state.now)
            raise PointInFuture(
                f"The point {format_time(time)} is in the future: it is now {now}.",
                hint="Give an earlier timestamp, or a negative OFFSET: OFFSET => -60.",
            )
        commit = min(commit_at(connection, time), self.state.moment.commit_number)
        return _Place(commit, time)

    def _place_of_statement(self, connection: Connection, point: Point) -> _Place:
        statement_id = evaluate_text(self.core, point.expression)
        # no id has a NUL, and PostgreSQL takes none in a question
        found = None if "\0" in statement_id else statement(connection, statement_id)
        if found is None:
            raise StatementUnresolved(
                f"Statement {statement_id!r} is not in the history.",
                hint="LAST_QUERY_ID() and session.history() give the ids of statements.",
            )
        if found.status != "succeeded" or found.commit_number is None:
            raise StatementUnresolved(
                f"Statement {statement_id!r} did not commit: it {found.status}.",
                hint="Give the id of a statement that succeeded.",
            )
        if found.wrote:
            return _Place(found.commit_number - (point.side is Side.BEFORE))
        return _Place(found.commit_number, found.started_at)

    def _place_of_stream(
        self, connection: Connection, sources: Sequence[TimedSource], point: Point
    ) -> _Place:
        """Return the frontier of a stream; for sources that the stream does not read, its time."""
        stream = self.core.stream(written_name(evaluate_text(self.core, point.expression)))
        read = {each.record.object_id for each in stream.sources}
        if any(source.object_id in read for source in sources):
            return _Place(stream.frontier.commit_number, moved_at=stream.frontier.moved_at)
        return self._place_at(connection, stream.frontier.moved_at)

    def _place_of_version(
        self, connection: Connection, sources: Sequence[TimedSource], point: Point
    ) -> _Place:
        """Return the commit that made a version of a table, or that was a listing of files."""
        number = evaluate_number(self.core, point.expression)
        if self.of_view:
            raise Never(
                "A view has no versions of its own: its tables have.",
                hint="Give a TIMESTAMP, or the STATEMENT that made a table's version.",
            )
        table, found = sources[0], None
        if isinstance(table, FileOwner):
            listed = require_listing(connection, table, number, self.state.moment.commit_number)
            return _Place(listed - (point.side is Side.BEFORE))
        # the registry numbers versions by 64 bits
        if number == int(number) and abs(number) < _MOST_VERSIONS:
            found = version_numbered(connection, table.object_id, int(number))
        if number < 1:
            raise BeforeTableExisted(
                f"Table {str(table.name)!r} has no version {number:g}: its first is 1.",
                hint=f"DESC HISTORY {table.name} lists its versions.",
            )
        if found is None and number < first_version(connection, table.object_id):
            raise VersionExpired(
                f"Version {number:g} of table {str(table.name)!r} is past retention.", hint=_LATER
            )
        if found is None or found.moment.commit_number > self.state.moment.commit_number:
            raise PointInFuture(
                f"Table {str(table.name)!r} has no version {number:g}: its last is "
                f"{table.version}.",
                hint=f"DESC HISTORY {table.name} lists its versions.",
            )
        return _Place(found.moment.commit_number - (point.side is Side.BEFORE))

    def _version(self, connection: Connection, table: TableRecord, commit: int) -> VersionRecord:
        version = version_at(connection, table.object_id, commit)
        if version is None and first_version(connection, table.object_id) > 1:
            raise VersionExpired(
                f"The point is past retention of table {str(table.name)!r}: "
                "its versions then are gone.",
                hint=_LATER,
            )
        if version is None:
            raise BeforeTableExisted(
                f"Table {str(table.name)!r} was made at {format_time(table.created_at)}, "
                "which is after the point.",
                hint=f"Give a point from {format_time(table.created_at)} on.",
            )
        return version

    def _tracked(self, connection: Connection, table: TableRecord, start: int, end: int) -> None:
        spans = tracking_spans(connection, table.object_id)
        if any(_is_within(start, end, span) for span in spans):
            return
        hint = f"ALTER TABLE {table.name} SET CHANGE_TRACKING = TRUE; then ask for later changes."
        if not any(span.since_commit <= start for span in spans):
            raise BeforeChangeTracking(
                f"Change tracking of table {str(table.name)!r} was not on yet at the start.",
                hint=hint,
            )
        raise ChangeTrackingGap(
            f"Change tracking of table {str(table.name)!r} was off for a part of the interval.",
            hint="Ask for an interval wholly before or after the gap.",
        )

    def _present(self, table: TableRecord, metadata: TableMetadata, version: VersionRecord) -> None:
        if version.snapshot_id is None or version.snapshot_id in metadata.snapshots:
            return
        raise VersionExpired(
            f"Version {version.version} of table {str(table.name)!r}, of "
            f"{format_time(version.moment.time)}, is past retention and its files are gone.",
            hint=_LATER,
        )


def _is_within(start: int, end: int, span: TrackingRecord) -> bool:
    last = end if span.until_commit is None else span.until_commit
    return span.since_commit <= start and end <= last


def may_change_rows(version: VersionRecord, before: int | None) -> bool:
    """Tell whether a version may have changed rows; `before` is the snapshot it started from."""
    if version.snapshot_id == before or version.operation in REWRITES:
        return False
    return not version.snapshots or any(each.operation != "replace" for each in version.snapshots)


def _leaves(metadata: TableMetadata, start: int | None, versions: Sequence[VersionRecord]) -> bool:
    """Tell whether a version went to snapshots of other versions, as RESTORE and rollbacks do."""
    before = None if start is None else metadata.snapshots.get(start)
    last = None if before is None else before.sequence_number
    for version in versions:
        if not _follows(metadata, version, start, last):
            chain = metadata.chain(start, version.snapshot_id)
            own = {snapshot.snapshot_id for snapshot in version.snapshots}
            if chain is None or any(snapshot.snapshot_id not in own for snapshot in chain):
                return True
        start = version.snapshot_id
        made = version.snapshots[-1] if version.snapshots else None
        last = made.sequence_number if made and made.snapshot_id == start else None
    return False


def _follows(
    metadata: TableMetadata, version: VersionRecord, start: int | None, last: int | None
) -> bool:
    """Tell whether a version of ours made all snapshots since one with a sequence number.

    That is much sooner told than by the chain of its snapshots.
    """
    if version.foreign or not version.snapshots or last is None:
        return False
    numbers = [snapshot.sequence_number for snapshot in version.snapshots]
    first = version.snapshots[0].snapshot_id
    return (
        version.snapshots[-1].snapshot_id == version.snapshot_id
        and numbers == [*range(last + 1, last + 1 + len(numbers))]
        and metadata.snapshots.is_successor_of(first, last + 1, start)
    )


def _foreign(versions: Iterable[VersionRecord]) -> frozenset[int]:
    return frozenset(
        snapshot.snapshot_id
        for version in versions
        if version.foreign
        for snapshot in version.snapshots
    )
