"""Directory tables as sources: a row for each file of a stage, a commit for each listing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from icemelt.algebra.nodes import Pin
from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.listing_records import ListedFile
from icemelt.catalog.queries.listings import (
    added_files,
    file_changes,
    listed_files_at,
    listings_between,
    touched_files,
)
from icemelt.catalog.records import DEFAULT, REDO_LOG, SNOWFLAKE, FileOwner, Moment
from icemelt.engine.resources import StatementResources
from icemelt.errors import BeforeTableExisted
from icemelt.schema import Column
from icemelt.session.files.stage_listing import require_directory
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import local_relation
from icemelt.session.runtime.stream_columns import DIRECTORY, own_columns
from icemelt.session.sources.source import SourceRead
from icemelt.session.timeline.points import Timeline
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import Changes, Point
from icemelt.times import format_time

__all__ = ["DirectorySource", "require_existed"]

_MD5 = re.compile("[0-9a-f]{32}")
_CHANGES = (*DIRECTORY, *own_columns(SNOWFLAKE, DEFAULT))
_LOG = (*DIRECTORY, *own_columns(SNOWFLAKE, REDO_LOG))
_INSERT, _DELETE = "INSERT", "DELETE"
_Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class DirectorySource:
    """The directory table of a stage, as a statement or a stream reads it.

    The rows are those of the registry: no file is looked at.

    Args:
        timeline: the points of the statement.
        stage: the stage.
        resources: get the views of rows.
    """

    timeline: Timeline
    stage: StageRecord
    resources: StatementResources

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of every directory table."""
        return DIRECTORY

    def relation_at(self, point: Point | None) -> str:
        """Return the relation of the files at a point; None for the moment of the statement.

        Inside a transaction these are the files of its own last listing.

        Raises:
            WrongObjectKind: the stage has no directory table.
            PointError: the point is before the stage, or in the future.
        """
        require_directory(self.stage)
        if point is not None:
            return self.relation_at_commit(*self.timeline.place([self.stage], point))
        return self._relation(self._files_now())

    def relation_at_commit(self, commit: int, time: int) -> str:
        """Return the relation of the files at a point.

        Args:
            commit: the commit number of the point.
            time: the time of the point, in milliseconds since 1970.

        Raises:
            WrongObjectKind: the stage has no directory table.
            BeforeTableExisted: the point is before the stage.
        """
        require_directory(self.stage)
        require_existed(self.stage, time)
        return self._relation(_files_at(self.timeline.core, self.stage, commit))

    def _relation(self, files: Iterable[ListedFile]) -> str:
        rows = (_values(self.timeline.core, self.stage, file) for file in files)
        return local_relation(self.resources, DIRECTORY, rows)

    def require_states(self) -> None:
        """Require a directory table: its listings are states to compare."""
        require_directory(self.stage)

    def ends(self, changes: Changes) -> tuple[int, int]:
        """Return the commit numbers `(start, end]` that CHANGES asks for."""
        if changes.range is None:
            _, time = self.timeline.place([self.stage], changes.start)
            require_existed(self.stage, time)
        return self.timeline.ends([self.stage], changes)

    def between(self, commits: tuple[int, int], *, whole: bool = False) -> DirectoryChanges:
        """Return the directory table between two commit numbers; it is empty before the stage."""
        # every interval is whole: before the stage was made there were no files
        del whole
        return DirectoryChanges(self.timeline.core, self.stage, commits)

    def _files_now(self) -> Sequence[ListedFile]:
        core, state = self.timeline.core, self.timeline.state
        files = _files_at(core, self.stage, state.moment.commit_number)
        transaction = core.settings.transaction
        if transaction is None:
            return files
        own = transaction.find_own_listing(self.stage.object_id)
        return files if own is None else own.apply(files)


@dataclass(frozen=True, slots=True)
class DirectoryChanges:
    """A directory table between two commits `(start, end]`.

    A file's identity is its path. So a file that was overwritten or touched, or removed and added
    again, is an update.
    """

    core: Core
    stage: StageRecord
    commits: tuple[int, int]

    @property
    def versions(self) -> Mapping[str, int]:
        """The commit at the end, by the stage's id."""
        return {self.stage.object_id: self.commits[1]}

    def changes(
        self, resources: StatementResources, *, append_only: bool = False, carried: str = ""
    ) -> SourceRead:
        """Return the min-delta between the ends, or only the files that listings found new."""
        assert not carried, "files have no sequence numbers"  # noqa: S101
        rows = self._added() if append_only else self._min_delta()
        return SourceRead(local_relation(resources, _CHANGES, rows))

    def inserts(self, pin: Pin, resources: StatementResources, *, carried: str = "") -> str:
        """Return all files at one end as inserts."""
        assert not carried, "files have no sequence numbers"  # noqa: S101
        commit = self.commits[0] if pin is Pin.OLD else self.commits[1]
        files = _files_at(self.core, self.stage, commit)
        return local_relation(resources, _CHANGES, map(self._insert, files))

    def redo_log(
        self, resources: StatementResources, *, initial: bool = False, raw: bool = False
    ) -> SourceRead:
        """Return the changes of every listing in the interval, with its commit and time."""
        # a listing moves no rows: what it wrote is what changed
        del raw
        rows = self._redone(initial=initial)
        return SourceRead(local_relation(resources, _LOG, rows))

    def known_by_values(self, log: SourceRead, resources: StatementResources) -> str | None:
        """Return None: a file is known by its path."""
        del log, resources
        return None

    def _insert(self, file: ListedFile) -> _Row:
        return self._change(_INSERT, file)

    def _change(self, action: str, file: ListedFile, *, is_update: bool = False) -> _Row:
        """Return the columns of a change: the file's, and those of changes."""
        identity = f"{self.stage.object_id}/{file.path}".encode()
        row_id = hashlib.sha1(identity, usedforsecurity=False).hexdigest().upper()
        return (*_values(self.core, self.stage, file), action, is_update, row_id)

    def _min_delta(self) -> Iterable[_Row]:
        with self.core.database.read() as connection:
            found = file_changes(connection, self.stage.object_id, *self.commits)
        for each in found:
            is_update = each.before is not None and each.after is not None
            if each.before is not None:
                yield self._change(_DELETE, each.before, is_update=is_update)
            if each.after is not None:
                yield self._change(_INSERT, each.after, is_update=is_update)

    def _added(self) -> Iterable[_Row]:
        with self.core.database.read() as connection:
            found = added_files(connection, self.stage.object_id, *self.commits)
        return map(self._insert, found)

    def _redone(self, *, initial: bool) -> Iterable[_Row]:
        stage_id, (start, end) = self.stage.object_id, self.commits
        with self.core.database.read() as connection:
            times = {
                each.version: each.moment for each in listings_between(connection, stage_id, 0, end)
            }
            first = listed_files_at(connection, stage_id, start) if initial else []
            touched = touched_files(connection, stage_id, start, end)
        last = max((commit for commit in times if commit <= start), default=0)
        began = times.get(last, Moment(0, self.stage.created_at))
        for file in first:
            yield (*self._insert(file), began.commit_number, began.time * 1_000)
        continued = {(file.path, file.since) for file in touched if file.since != file.added_in}
        for file in touched:
            if file.since > start:
                is_update = file.since != file.added_in
                moment = times[file.since]
                row = self._change(_INSERT, file, is_update=is_update)
                yield (*row, moment.commit_number, moment.time * 1_000)
            if file.until is not None and file.until <= end:
                moment = times[file.until]
                row = self._change(_DELETE, file, is_update=(file.path, file.until) in continued)
                yield (*row, moment.commit_number, moment.time * 1_000)


def _files_at(core: Core, stage: StageRecord, commit: int) -> Sequence[ListedFile]:
    with core.database.read() as connection:
        return listed_files_at(connection, stage.object_id, commit)


def _values(core: Core, stage: StageRecord, file: ListedFile) -> _Row:
    """Return the columns of a file's row; a guest sees no path of the server."""
    md5 = file.etag if _MD5.fullmatch(file.etag) else None
    if stage.url is None or core.is_guest:
        folder = f"@{full_name(stage.name)}"
    else:
        folder = stage.url.rstrip("/")
    location = f"{folder}/{file.path}"
    return file.path, file.size, file.modified_at * 1_000, md5, file.etag or None, location


def require_existed(owner: FileOwner, time: int) -> None:
    """Require that a stage or external table was there at a time, in milliseconds since 1970.

    Raises:
        BeforeTableExisted: it was made later.
    """
    if time < owner.created_at:
        made = format_time(owner.created_at)
        raise BeforeTableExisted(
            f"{owner.kind.capitalize()} {str(owner.name)!r} was made at {made}, which is after the "
            "point.",
            hint=f"Give a point from {made} on.",
        )
