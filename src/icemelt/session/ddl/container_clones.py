"""CREATE SCHEMA and DATABASE … CLONE: all objects of a schema or database, as of one commit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from icemelt.catalog.clone_edits import ShareFiles
from icemelt.catalog.defined_records import (
    DefinedRecord,
    ExternalTableRecord,
    FileFormatRecord,
    FunctionRecord,
    PipeRecord,
    SequenceRecord,
    StageRecord,
    TaskRecord,
)
from icemelt.catalog.edits import DropObject, Edit, MakeContainer, MakeTable
from icemelt.catalog.parameters import find_own_options
from icemelt.catalog.queries.listing import SCHEMA
from icemelt.catalog.queries.versions import first_version, version_at
from icemelt.catalog.records import (
    CatalogState,
    ContainerRecord,
    Listing,
    StreamRecord,
    TableRecord,
    ViewRecord,
    Wanted,
)
from icemelt.errors import BeforeTableExisted, Never, ObjectExists
from icemelt.names import QualifiedName
from icemelt.session.ddl.cloned_objects import (
    CloneScope,
    clone_defined,
    clone_stream,
    clone_view,
    describe_unread,
    names_cloned_schema,
)
from icemelt.session.ddl.clones import ClonePlace, CloneSource, make_clone
from icemelt.session.ddl.constraints import map_references
from icemelt.session.ddl.containers import (
    PUBLIC,
    ContainerPlace,
    adopt_tables,
    find_place,
    require_existing,
    validate_new_name,
    within_place,
)
from icemelt.session.ddl.generated_columns import map_sequences
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.task_webhooks import describe_left_out
from icemelt.session.timeline.points import Timeline
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import CreateClone, Existing, PointKind
from icemelt.times import format_time
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["clone_container"]

_COLUMNS = ("status", "notice")
_BOUND = (ExternalTableRecord, PipeRecord)
_RECORDS = (
    *(TableRecord, ViewRecord, StreamRecord, FileFormatRecord, StageRecord),
    *(SequenceRecord, FunctionRecord, TaskRecord),
    *_BOUND,
)
_KINDS = frozenset({SCHEMA, *(record.kind for record in _RECORDS)})


def clone_container(core: Core, statement: CreateClone, history: History) -> LocalRows:
    """Run CREATE SCHEMA or DATABASE … CLONE; return a sentence, and a notice about what differs.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: there is no such schema or database to clone.
        PointError: the point is before the schema or database, or past a table's retention.
        Never: the point is a VERSION, or another engine looks after the files of a table.
    """
    place = find_place(core, statement.kind, statement.name)
    validate_new_name(place)
    if place.found is not None:
        core.refuse_clash(place.word, place.name, place.found.name)
        if statement.existing is Existing.KEPT:
            core.record(history(0))
            said = f"{place.word} {place.full!r} already exists, statement succeeded."
            return LocalRows(_COLUMNS, ((said, None),))
        if statement.existing is Existing.REFUSED:
            keyword = place.word.upper()
            raise ObjectExists(
                f"{place.word} {place.full!r} already exists.",
                hint=f"CREATE OR REPLACE {keyword} replaces it, IF NOT EXISTS keeps it.",
            )

    def work(attempt: Attempt) -> Pending[str]:
        clone = _ContainerClone(core, attempt, statement)
        edits = clone.make_edits()
        return Pending(" ".join(clone.notices), lambda: history(0), edits=edits)

    notice = core.run_alone(work).outcome
    core.settings.database = place.name if place.parent is None else place.parent.name
    core.settings.schema = PUBLIC if place.parent is None else place.name
    said = f"{place.word} {place.full!r} successfully created; it is current now."
    return LocalRows(_COLUMNS, ((said, notice or None),))


@dataclass(slots=True)
class _ContainerClone:
    """A clone of a schema or database on its way.

    Attributes:
        core: the session's parts.
        attempt: the attempt in which the clone is made.
        statement: the parsed statement.
        notices: sentences about what differs from the source.
    """

    core: Core
    attempt: Attempt
    statement: CreateClone
    notices: list[str] = field(default_factory=list)

    def make_edits(self) -> tuple[Edit, ...]:
        """Return the edits of the clone: sources first, then what is replaced, then the clone."""
        core, statement = self.core, self.statement
        place = find_place(core, statement.kind, statement.name)
        source, record = require_existing(core, statement.kind, statement.source)
        adopt_tables(core, source)
        dropped: list[Edit] = []
        if place.found is not None:
            adopt_tables(core, place)
            dropped.append(DropObject(place.found.object_id))
        listing = core.newest.list_objects(Wanted(_KINDS, within_place(source)))
        commit, time = self._find_point(listing, record)
        scope = CloneScope(within_place(source), within_place(place))
        containers = [*self._containers(listing, record, place, time)]
        schemas = {edit.namespace: edit.object_id for edit in containers}
        sharing, tables = self._tables(listing, scope, schemas, commit)
        others = [*self._others(listing, scope, schemas, (commit, time))]
        return (*sharing, *dropped, *containers, *tables, *others)

    def _find_point(self, listing: Listing, record: ContainerRecord) -> tuple[int | None, int]:
        """Return the commit number of the point, None for now, and the time of the point.

        Raises:
            BeforeTableExisted: the schema or database was made after the point.
            Never: the point is a VERSION, which only tables have.
        """
        point, kind = self.statement.point, self.statement.kind.value
        if point is None:
            return None, listing.now
        if point.kind is PointKind.VERSION:
            raise Never(f"A {kind} has no versions: its tables have.", hint="Give a TIMESTAMP.")
        state = CatalogState(listing.moment, listing.now)
        commit, time = Timeline(self.core, state).place([], point)
        if record.created_at > time:
            made = format_time(record.created_at)
            raise BeforeTableExisted(
                f"{kind.capitalize()} {record.name!r} was made at {made}, which is after the "
                "point.",
                hint=f"Give a point from {made} on.",
            )
        return commit, time

    def _containers(
        self, listing: Listing, record: ContainerRecord, place: ContainerPlace, time: int
    ) -> Iterator[MakeContainer]:
        """Yield the edits that make the clone's schemas, and its database first."""
        core = self.core
        parent_id = None if place.parent is None else place.parent.object_id
        with core.database.read() as connection:
            options = find_own_options(connection, record.object_id)
            top = MakeContainer(new_id(), place.name, place.full, parent_id, options)
            yield top
            if place.parent is not None:
                return
            for schema in listing.schemas:
                if schema.created_at <= time:
                    own = find_own_options(connection, schema.object_id)
                    namespace = f"{place.name}.{schema.name}"
                    yield MakeContainer(new_id(), schema.name, namespace, top.object_id, own)

    def _tables(
        self, listing: Listing, scope: CloneScope, schemas: dict[str, str], commit: int | None
    ) -> tuple[list[ShareFiles], list[MakeTable]]:
        """Return the edits that share the files of all tables, and those that make the clones.

        Args:
            listing: the objects of the source, all of one commit.
            scope: gains the ids of the clones.
            schemas: the ids of the clone's schemas, by namespace.
            commit: the commit number of the point, None for now.
        """
        core, sharing, tables = self.core, [], []
        sources = [*self._sources(listing, scope, schemas, commit)]
        ids = {each.table.object_id: scope.add(each.table.object_id) for each in sources}
        for source in sources:
            table, name = source.table, scope.map_name(source.table.name)
            metadata = map_references(map_sequences(source.metadata, scope.map_name), ids)
            with core.database.read() as connection:
                options = find_own_options(connection, table.object_id)
            place = ClonePlace(
                name, schemas[name.namespace], options, object_id=ids[table.object_id]
            )
            clone = make_clone(core, self.attempt, replace(source, metadata=metadata), place)
            sharing.append(clone.sharing)
            tables.append(clone.creation)
        return sharing, tables

    def _sources(
        self, listing: Listing, scope: CloneScope, schemas: dict[str, str], commit: int | None
    ) -> Iterator[CloneSource]:
        """Yield the tables that are cloned, with their states; the arguments are of `_tables`."""
        core = self.core
        timeline = Timeline(core, CatalogState(listing.moment, listing.now))
        for table in (each.table for each in listing.tables):
            is_cloned = scope.map_name(table.name).namespace in schemas
            if table.session_id is not None or not is_cloned:
                continue
            now = core.iceberg.metadata(table.known_location)
            source = CloneSource(table, now, now.current_snapshot_id, now, now.next_row_id)
            if commit is not None:
                if not self._existed(table, commit):
                    continue
                metadata, version = timeline.version(table, now, commit)
                source = replace(source, metadata=metadata, snapshot_id=version.snapshot_id)
            yield source

    def _existed(self, table: TableRecord, commit: int) -> bool:
        """Tell whether a table was made up to a commit; a past that is gone is an error later."""
        with self.core.database.read() as connection:
            if version_at(connection, table.object_id, commit) is not None:
                return True
            return first_version(connection, table.object_id) > 1

    def _others(
        self,
        listing: Listing,
        scope: CloneScope,
        schemas: dict[str, str],
        point: tuple[int | None, int],
    ) -> Iterator[Edit]:
        """Yield the edits that clone all other objects; streams last, as they read the others."""
        core, (commit, time) = self.core, point
        until = listing.moment.commit_number if commit is None else commit

        def schema_of(name: QualifiedName, created_at: int) -> str | None:
            return schemas.get(scope.map_name(name).namespace) if created_at <= time else None

        scope.tasks = frozenset(
            task.name.folded
            for task in listing.of(TaskRecord)
            if schema_of(task.name, task.created_at) is not None
        )
        # what reads a stage, and names a file format, comes behind them
        for record in sorted(listing.defined, key=lambda each: isinstance(each, _BOUND)):
            schema_id = schema_of(record.name, record.created_at)
            is_temporary = isinstance(record, StageRecord) and record.session_id is not None
            if schema_id is not None and not is_temporary:
                self._notice_files(scope, record)
                yield from clone_defined(core, scope, record, schema_id, until)
        for view in listing.views:
            schema_id = schema_of(view.name, view.created_at)
            if schema_id is not None:
                yield clone_view(core, scope, view, schema_id, listing.now)
        for listed in listing.streams:
            stream = listed.stream
            schema_id = schema_of(stream.name, stream.created_at)
            if schema_id is not None:
                self.notices += filter(None, [describe_unread(scope, listed)])
                yield clone_stream(scope, stream, schema_id)

    def _notice_files(self, scope: CloneScope, record: DefinedRecord) -> None:
        if isinstance(record, StageRecord) and record.url is None:
            self.notices.append(
                f"The files of stage {str(record.name)!r} in the warehouse are not cloned."
            )
        if isinstance(record, PipeRecord):
            self.notices.append(
                f"The clone of pipe {str(record.name)!r} is paused; its table has no load history, "
                "so it would load all files again."
            )
        if isinstance(record, TaskRecord):
            self.notices += filter(None, [describe_left_out(self.core, record)])
        if isinstance(record, TaskRecord) and names_cloned_schema(scope, record):
            self.notices.append(
                f"The body of task {str(record.name)!r} names a schema, and its clone reads and "
                f"writes that of the source: ALTER TASK {full_name(scope.map_name(record.name))} "
                "MODIFY AS …."
            )
