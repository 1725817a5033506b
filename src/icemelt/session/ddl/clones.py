"""CREATE TABLE … CLONE: a table that begins with the files of another, none of them copied."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace

from icemelt.catalog.clone_edits import ShareFiles
from icemelt.catalog.edits import Edit, MakeTable, Options
from icemelt.catalog.parameters import find_own_options
from icemelt.catalog.queries.reading import tracking_spans
from icemelt.catalog.records import TableRecord
from icemelt.engine.relations import require_readable_types
from icemelt.errors import DefinitionRefused, Never
from icemelt.names import QualifiedName
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    create_object,
)
from icemelt.session.ddl.tables import make_error_table, table_location
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.table_folders import has_own_folder
from icemelt.session.timeline.points import Timeline
from icemelt.sql.statements import CreateClone, Existing
from icemelt.tables.metadata.document import COLLECTION_PROPERTY, TableMetadata
from icemelt.tables.scans.collapsed_state import remove_later_files
from icemelt.tables.writes.cloning import (
    ClonedTable,
    find_foreign_place,
    write_clone,
    write_kept_files,
)
from icemelt.transactions.pending import Attempt
from icemelt.transactions.stats import version_stats

__all__ = ["ClonePlace", "CloneSource", "TableClone", "clone_table", "make_clone"]

_OPERATION = "CLONE"


@dataclass(frozen=True, slots=True)
class CloneSource:
    """A table to clone, and the state that the clone begins with.

    Attributes:
        table: the table.
        metadata: the table's metadata of today, with the snapshot.
        snapshot_id: the snapshot; None for the empty table.
        shared: the table's newest metadata, which keeps the files from now on. It is another one in
            an open transaction, which sees the table as of its beginning, with its own writes.
        own_ids: the row id from which on the ids are the clone's own: a transaction's rows get
            others when it commits.
    """

    table: TableRecord
    metadata: TableMetadata
    snapshot_id: int | None
    shared: TableMetadata
    own_ids: int


@dataclass(frozen=True, slots=True)
class ClonePlace:
    """Where a clone of a table goes.

    Attributes:
        name: the clone's full name.
        schema_id: the id of the clone's schema.
        options: the clone's own parameters.
        session_id: the session of a temporary clone, None for a permanent clone.
        object_id: the clone's id, None for a new one.
    """

    name: QualifiedName
    schema_id: str
    options: Options
    session_id: str | None = None
    object_id: str | None = None


@dataclass(frozen=True, slots=True)
class TableClone:
    """A clone with its first metadata file, not published yet.

    Attributes:
        sharing: the edit that keeps the source's files; it comes before the source is replaced.
        creation: the edit that makes the clone.
    """

    sharing: ShareFiles
    creation: MakeTable


def clone_table(core: Core, statement: CreateClone, history: History) -> str:
    """Run CREATE TABLE … CLONE; return a sentence about what happened.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: there is no such table to clone.
        PointError: the point is before the table, past retention, or in the future.
        DefinitionRefused: a permanent table would be the clone of a temporary one, or an open
            transaction has made the table.
        Never: another engine looks after the table's files, or its rows have no ids at the point.
    """

    def make(attempt: Attempt, place: CreatePlace) -> CreatePlan:
        source = _find_source(core, statement)
        session_id = core.session_id if statement.temporary else None
        edits: tuple[Edit, ...] = ()
        if source.metadata.logs_errors and not statement.temporary:
            edits = make_error_table(core, attempt, place.name, temporary=False)
        options = _find_options(core, source.table, place.schema_id)
        target = ClonePlace(place.name, place.schema_id, options, session_id)
        clone = make_clone(core, attempt, source, target)
        rows = clone.creation.stats.total_rows or 0
        return CreatePlan((*edits, clone.creation), rows, first=(clone.sharing,))

    def alter(_attempt: Attempt, _table: TableRecord) -> AlterPlan:
        return AlterPlan(DONE)  # the grammar refuses CREATE OR ALTER … CLONE

    return create_object(core, statement, history, TableRecord, make, alter)


def make_clone(core: Core, attempt: Attempt, source: CloneSource, place: ClonePlace) -> TableClone:
    """Write the first metadata file of a clone.

    Args:
        core: the session's parts.
        attempt: the attempt in which the clone is made.
        source: the table to clone, and its state.
        place: where the clone goes.

    Raises:
        Never: another engine made the table, files may be outside of the table's folder, or the
            rows have no ids.
    """
    table, base = source.table, source.metadata
    _require_own_files(core, source)
    require_readable_types(base, source.snapshot_id)
    object_id = place.object_id or new_id()
    folder = table_location(core, place.name, object_id)
    logs_errors = place.session_id is None
    with translated(core.spark):
        metadata = _write_files(core, attempt, source, (object_id, folder), logs_errors=logs_errors)
        kept = write_kept_files(core.iceberg, source.shared)
    stats = version_stats(None, metadata, _OPERATION)
    stats = replace(stats, inserted=None, updated=None, deleted=None)
    creation = MakeTable(
        object_id=object_id,
        parent_id=place.schema_id,
        name=place.name,
        namespace=place.name.namespace,
        table_uuid=metadata.table_uuid,
        location=metadata.location,
        stats=stats,
        tracked=_is_tracked(core, table),
        session_id=place.session_id,
        options=place.options,
    )
    collection = source.shared.properties.get(COLLECTION_PROPERTY)
    sharing = ShareFiles(
        table.object_id,
        source.shared.location,
        kept.location,
        table.folder,
        object_id,
        folder,
        collection,
    )
    return TableClone(sharing, creation)


def _write_files(
    core: Core,
    attempt: Attempt,
    source: CloneSource,
    target: tuple[str, str],
    *,
    logs_errors: bool,
) -> TableMetadata:
    """Write the metadata file of a clone, and manifests where its snapshot has left the log.

    Args:
        core: the session's parts.
        attempt: the attempt, whose workspace gets such a clone.
        source: the table to clone, and its state.
        target: the clone's object id and folder.
        logs_errors: whether the clone keeps rejected rows, if the source does.
    """
    object_id, folder = target
    base, snapshot = source.metadata, None
    if source.snapshot_id is not None:
        snapshot = base.snapshots[source.snapshot_id]
    stored_id = None if snapshot is None else snapshot.stored_id
    table_uuid = str(uuid.uuid4())
    plan = ClonedTable(base, stored_id, source.own_ids, logs_errors=logs_errors)
    metadata = write_clone(core.iceberg, plan, folder, table_uuid)
    if snapshot is None or snapshot.surviving_snapshot_id is None:
        return metadata
    attempt.workspace.add(object_id, metadata.location)
    java = core.iceberg.table(attempt.workspace.namespace, object_id)
    remove_later_files(core.iceberg, java, base, snapshot)
    return attempt.workspace.current(object_id)


def _find_source(core: Core, statement: CreateClone) -> CloneSource:
    """Return the table to clone, and its state at the statement's point."""
    state = core.resolve([core.full(statement.source)])
    table = core.table_in(state, statement.source)
    if table.session_id is not None and not statement.temporary:
        raise DefinitionRefused(
            f"Table {str(table.name)!r} is temporary: a permanent clone would outlive its files.",
            hint=f"{_head(statement, 'TEMPORARY ')} CLONE {statement.source}, or "
            f"{_head(statement)} AS SELECT * FROM {statement.source}",
        )
    if statement.point is None:
        return _open_source(core, table, statement)
    now = _open_source(core, table, statement).shared
    timeline = Timeline(core, state)
    commit, _ = timeline.place([table], statement.point)
    metadata, version = timeline.version(table, now, commit)
    return CloneSource(table, metadata, version.snapshot_id, now, metadata.next_row_id)


def _head(statement: CreateClone, manner: str = "") -> str:
    """Return how a statement begins that makes the table; `manner` is TEMPORARY or empty."""
    replaced = "OR REPLACE " if statement.existing is Existing.REPLACED else ""
    kept = "IF NOT EXISTS " if statement.existing is Existing.KEPT else ""
    return f"CREATE {replaced}{manner}TABLE {kept}{statement.name}"


def _open_source(core: Core, table: TableRecord, statement: CreateClone) -> CloneSource:
    """Return a table as the statement sees it, as the source of a clone.

    Raises:
        DefinitionRefused: the open transaction has made the table, or others have dropped it since.
    """
    metadata = core.iceberg.metadata(table.known_location)
    transaction, shared, own_ids = core.settings.transaction, metadata, metadata.next_row_id
    if transaction is not None:
        newest = core.newest.resolve([table.name]).objects.get(table.name)
        if not isinstance(newest, TableRecord) or newest.object_id != table.object_id:
            raise DefinitionRefused(
                f"Table {str(table.name)!r} has no files to share: this transaction has made it, "
                "or it was dropped or renamed since.",
                hint=f"{_head(statement, 'TEMPORARY ')} AS SELECT * FROM {statement.source}",
            )
        shared = core.iceberg.metadata(newest.known_location)
        own_ids = core.iceberg.metadata(transaction.pin_table(table).known_location).next_row_id
    return CloneSource(table, metadata, metadata.current_snapshot_id, shared, own_ids)


def _require_own_files(core: Core, source: CloneSource) -> None:
    """Refuse a table whose files icemelt does not look after.

    Whatever a clone would name of such a table, a program that has never seen the clone may remove:
    the table may be in another catalog too, its files may be those of a third table that another
    engine has given to it, and another table's orphan files may be looked for in the same folder.
    No guard on the table's own row and properties reaches that program.

    Raises:
        Never: another engine made the table, its files may be elsewhere, or its rows have no ids at
            the point.
    """
    table, metadata = source.table, source.metadata
    copy = f"CREATE TABLE … AS SELECT * FROM {table.name}"
    if not has_own_folder(core, table) or metadata.document["location"] != table.folder:
        raise Never(
            f"Table {str(table.name)!r} was made by another engine, which looks after its files "
            "and may remove what a clone names.",
            hint=f"{copy} copies it.",
        )
    place = find_foreign_place(metadata)
    if place is not None:
        raise Never(
            f"Table {str(table.name)!r} has the property {place}: its files may be where those of "
            "other tables are, and whoever removes orphan files there knows no clone.",
            hint=f"{copy} copies it.",
        )
    snapshot = None if source.snapshot_id is None else metadata.snapshots[source.snapshot_id]
    if not metadata.has_row_ids or (snapshot is not None and snapshot.first_row_id is None):
        raise Never(
            f"Rows of table {str(table.name)!r} have no ids at the point, and a clone shares ids.",
            hint=f"{copy} AT (…) copies them; ALTER TABLE {table.name} SET CHANGE_TRACKING = TRUE "
            "gives ids from now on.",
        )


def _find_options(core: Core, table: TableRecord, schema_id: str) -> Options:
    """Return the parameters of a clone: the source's, those of its schema and database included."""
    with core.database.read() as connection:
        own = find_own_options(connection, table.object_id)
    schema = core.schema_of(table.name.database, table.name.schema)
    if schema.object_id == schema_id:
        return own
    return replace(own, retention_days=table.retention_days, extension_days=table.extension_days)


def _is_tracked(core: Core, table: TableRecord) -> bool:
    with core.database.read() as connection:
        spans = tracking_spans(connection, table.object_id)
    return any(span.until_commit is None for span in spans)
