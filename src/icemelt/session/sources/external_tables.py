"""External tables as sources: records of registered files, and those that a stream has not read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from icemelt.algebra.nodes import Pin
from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.catalog.listing_records import ListedFile
from icemelt.catalog.queries.listings import listed_files_at, unread_files
from icemelt.catalog.records import INSERT_ONLY, SKIP, SNOWFLAKE, StreamRecord
from icemelt.engine.resources import StatementResources
from icemelt.errors import FileGone, WrongObjectKind
from icemelt.names import fold
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.session.files.external_files import (
    find_external_options,
    find_registered,
    find_stage_of,
    look_at,
    name_files,
    validate_as_listed,
)
from icemelt.session.files.partition_pruning import partition_files
from icemelt.session.files.refused_records import locate_record
from icemelt.session.files.unreadable_files import find_readable
from icemelt.session.files.virtual_rows import ROW_ID, VirtualRows, virtual_rows
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.stream_columns import own_columns
from icemelt.session.sources.directories import require_existed
from icemelt.session.sources.source import SourceRead
from icemelt.session.timeline.points import Timeline
from icemelt.spark_sql.own_columns import FILE_METADATA_COLUMNS
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import Changes, Point, TableReference
from icemelt.storage.store import StoredFile

__all__ = ["ExternalTableChanges", "ExternalTableSource"]


@dataclass(frozen=True, slots=True)
class ExternalTableSource:
    """An external table, as a statement or a stream reads it.

    Args:
        timeline: the points of the statement.
        table: the external table.
        reference: the external table's or the stream's name in the statement.
        resources: get the views of rows, and the check that the files stayed as they were.
        stream: the stream that reads the external table, None for a statement.
        has_rows: whether the rows are asked for; a query that is only analysed has none.
    """

    timeline: Timeline
    table: ExternalTableRecord
    reference: TableReference
    resources: StatementResources
    stream: StreamRecord | None = None
    has_rows: bool = True

    @property
    def columns(self) -> Sequence[Column]:
        """VALUE, and the columns that are computed of it."""
        return self.table.columns

    def relation_at(self, point: Point | None) -> str:
        """Return the relation of the rows of the files at a point; None for the statement's moment.

        Inside a transaction the files of now are those of its own last listing.

        Raises:
            FileGone: a file is not there any more.
            FileChanged: a file was written since it was registered.
            PointError: the point is before the external table, or in the future.
        """
        if point is not None:
            return self.relation_at_commit(*self.timeline.place([self.table], point))
        core = self.timeline.core
        files = self._files_at(self.timeline.state.moment.commit_number)
        own = None
        if core.settings.transaction is not None:
            own = core.settings.transaction.find_own_listing(self.table.object_id)
        return self._read(files if own is None else own.apply(files))

    def relation_at_commit(self, commit: int, time: int) -> str:
        """Return the relation of the rows of the files at a point.

        Args:
            commit: the commit number of the point.
            time: the time of the point, in milliseconds since 1970.

        Raises:
            FileGone: a file is not there any more.
            FileChanged: a file was written since it was registered.
            BeforeTableExisted: the point is before the external table.
        """
        require_existed(self.table, time)
        return self._read(self._files_at(commit))

    def _files_at(self, commit: int) -> Sequence[ListedFile]:
        with self.timeline.core.database.read() as connection:
            return listed_files_at(connection, self.table.object_id, commit)

    def _read(self, files: Sequence[ListedFile]) -> str:
        files = files if self.has_rows else []
        wanted = WantedFiles(self.table, files, self.names(self.columns), self.reference.conditions)
        return read_files(self.timeline.core, wanted, self.resources)

    def names(self, columns: Sequence[Column]) -> frozenset[str]:
        """Return the folded names of the columns that the statement may mean.

        These are some of `columns`, and the pseudo columns that the statement names.
        """
        known = frozenset(fold(column.name) for column in columns)
        asked = self.reference.columns
        return known if asked is None else (known | FILE_METADATA_COLUMNS.keys()) & asked

    def require_states(self) -> None:
        """Refuse changes: only what is new in the files is known, to a stream.

        Raises:
            WrongObjectKind: always.
        """
        raise WrongObjectKind(
            f"External table {str(self.table.name)!r} has no changes: of a file that was written "
            "again nobody knows what it was.",
            hint=f"CREATE STREAM s ON EXTERNAL TABLE {full_name(self.table.name)} INSERT_ONLY = "
            "TRUE gives the rows of new files.",
        )

    def ends(self, changes: Changes) -> tuple[int, int]:
        """Return the commit numbers `(start, end]` that CHANGES asks for."""
        return self.timeline.ends([self.table], changes)

    def between(self, commits: tuple[int, int], *, whole: bool = False) -> ExternalTableChanges:
        """Return the external table between two commit numbers, as an insert-only stream reads."""
        # every interval is whole: before the external table was made there were no files
        del whole
        return ExternalTableChanges(self, commits)


@dataclass(slots=True)
class ExternalTableChanges:
    """The files of an external table that a stream has not read between two commits `(start, end]`.

    Args:
        source: the external table.
        commits: the commit numbers.
        skipped: the files that were passed over as they are gone, once the rows are asked for.
    """

    source: ExternalTableSource
    commits: tuple[int, int]
    skipped: tuple[ListedFile, ...] = ()

    @property
    def versions(self) -> Mapping[str, int]:
        """The commit at the end, by the external table's id."""
        return {self.source.table.object_id: self.commits[1]}

    def changes(
        self, resources: StatementResources, *, append_only: bool = False, carried: str = ""
    ) -> SourceRead:
        """Return the records of the files that are new or written again, as inserts."""
        del append_only
        assert not carried, "files have no sequence numbers"  # noqa: S101
        return SourceRead(self._rows(resources))

    def inserts(self, pin: Pin, resources: StatementResources, *, carried: str = "") -> str:
        """Return the records of all files at the end as inserts."""
        assert not carried, "files have no sequence numbers"  # noqa: S101
        assert pin is Pin.NEW, "files of the past are gone"  # noqa: S101
        return self._rows(resources, initial=True)

    def redo_log(
        self, resources: StatementResources, *, initial: bool = False, raw: bool = False
    ) -> SourceRead:
        """Refuse the redo log, as all changes but inserts."""
        del resources, initial, raw
        self.source.require_states()
        raise AssertionError

    def known_by_values(self, log: SourceRead, resources: StatementResources) -> str | None:
        """Return None: a row is known by its file and its number."""
        del log, resources
        return None

    def _rows(self, resources: StatementResources, *, initial: bool = False) -> str:
        table, core = self.source.table, self.source.timeline.core
        with core.database.read() as connection:
            unread = unread_files(connection, table.object_id, *self.commits, initial=initial)
        stage = find_stage_of(core, table)
        seen = look_at(core, table, stage, unread.given) if unread.given else {}
        missing = [file for file in unread.given if seen[file.path] is None]
        lost = [*unread.lost, *missing]
        stream = self.source.stream
        assert stream is not None, "a statement asks for no changes of files"  # noqa: S101
        if lost and stream.on_missing != SKIP:
            raise _lost_error(stream, table, lost)
        self.skipped = tuple(lost)
        if lost:
            are, named = "is" if len(lost) == 1 else "are", name_files(file.path for file in lost)
            core.scope.skip_files(
                stream.object_id,
                [file.path for file in lost],
                f"Stream {str(stream.name)!r} passes over {named}, which {are} gone, or written "
                "again since.",
            )
        there = [file for file in unread.given if seen[file.path] is not None]
        own = own_columns(SNOWFLAKE, INSERT_ONLY)
        names = self.source.names((*table.columns, *own))
        wanted = WantedFiles(table, there, names, self.source.reference.conditions, seen)
        relation = read_files(core, wanted, resources)
        action, is_update, row_id = (quote(column.name) for column in own)
        identity = quote(ROW_ID) if ROW_ID in names else "CAST(NULL AS STRING)"
        kept = f"* EXCEPT ({quote(ROW_ID)})" if ROW_ID in names else "*"
        return (
            f"(SELECT {kept}, 'INSERT' AS {action}, false AS {is_update}, {identity} AS {row_id} "
            f"FROM {relation})"
        )


def _lost_error(
    stream: StreamRecord, table: ExternalTableRecord, lost: Sequence[ListedFile]
) -> FileGone:
    are, named = "is" if len(lost) == 1 else "are", name_files(file.path for file in lost)
    name = full_name(stream.name)
    return FileGone(
        f"Stream {str(stream.name)!r} has not read {named} of external table "
        f"{str(table.name)!r}, which {are} gone, or written again since.",
        hint=f"ALTER STREAM {name} SET ON_MISSING = SKIP passes over such files; ALTER STREAM "
        f"{name} ADVANCE passes over all that is unread.",
    )


@dataclass(frozen=True, slots=True)
class WantedFiles:
    """What is read of an external table.

    Attributes:
        table: the external table.
        files: the files.
        names: the folded names of the columns, pseudo columns included.
        conditions: conditions on partition columns and file names that every row has to meet, as
            Spark SQL.
        seen: what was found at the files' paths in this statement, None where nobody has looked.
    """

    table: ExternalTableRecord
    files: Sequence[ListedFile]
    names: Collection[str]
    conditions: Sequence[str]
    seen: Mapping[str, StoredFile | None] | None = None


def read_files(core: Core, wanted: WantedFiles, resources: StatementResources) -> str:
    """Return the relation of the records of registered files.

    Args:
        core: the session's parts.
        wanted: the files and the columns.
        resources: get the relation's view, and the check that the files stayed as they were.

    Raises:
        FileGone: a file is not there any more.
        FileChanged: a file was written since it was registered.
    """
    table = wanted.table
    partitions = partition_files(core, table, wanted.files, wanted.names, wanted.conditions)
    stage = find_stage_of(core, table)
    files = [file for partition in partitions for file in partition]
    found = iter(find_registered(core, table, stage, files, wanted.seen))
    registered = [[next(found) for _ in partition] for partition in partitions]
    rows = VirtualRows(table, find_external_options(core, table), registered, wanted.names)
    core.scope.locators.append(partial(locate_record, core, rows))
    if table.skips_files:
        rows = find_readable(core, rows)
        read = {file.listed.path for file in rows.files}
        skipped = [file for file in files if file.path not in read]
        if skipped:
            named = name_files(file.path for file in skipped)
            core.scope.skip_files(
                table.object_id,
                [file.path for file in skipped],
                f"External table {str(table.name)!r} leaves out {named}, in which a record cannot "
                "be read.",
            )
    if files:
        resources.checks.append(partial(validate_as_listed, core, table, stage, files))
    return virtual_rows(core, rows, resources)
