"""Write the edits of one commit into the registry and into Iceberg's catalog tables."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, assert_never

import sqlalchemy as sa

from icemelt.catalog.channels import move_tokens
from icemelt.catalog.clone_edits import EndSharing, ShareFiles, SwapObjects
from icemelt.catalog.database import Database
from icemelt.catalog.definition_writer import insert_definition, update_definition
from icemelt.catalog.edits import (
    AddLoads,
    CommitRequest,
    DropObject,
    Edit,
    ForgetLoads,
    LoadQueuedFiles,
    MakeContainer,
    MakeDefined,
    MakeStream,
    MakeTable,
    MakeView,
    MoveFrontier,
    MoveObject,
    MovePointer,
    MoveTokens,
    QueueFiles,
    RedefineObject,
    RedefineView,
    ReplaceMetadata,
    RestoreObject,
    SetObjectOptions,
    SetOnMissing,
    SetTracking,
    VersionStats,
)
from icemelt.catalog.listing_edits import RegisterFiles
from icemelt.catalog.listing_writer import register_files
from icemelt.catalog.load_writer import add_loads, forget_loads
from icemelt.catalog.model import iceberg_tables, objects, sequences, tracking, versions
from icemelt.catalog.outcomes import (
    NotPublishedError,
    TableChanged,
    TableReserved,
    YieldedToTransaction,
)
from icemelt.catalog.parts import avoid_nested_loops, drop_parts, restore_parts
from icemelt.catalog.pipe_writer import load_queued_files, queue_files
from icemelt.catalog.pointers import (
    KINDS_WITH_POINTER,
    add_dropped,
    add_namespace,
    add_pointer,
    forget_dropped,
    match_pointer,
    swap_pointer,
)
from icemelt.catalog.queries.retention import live_transactions, needed_from
from icemelt.catalog.records import Moment
from icemelt.catalog.reserving import is_reserved
from icemelt.catalog.sharing_writer import add_clone, remove_sharing
from icemelt.catalog.stream_writer import make_stream, move_frontier, set_on_missing
from icemelt.catalog.swap_writer import swap_objects
from icemelt.catalog.task_edits import ApplyTaskEvent, RequireTasks
from icemelt.catalog.task_ends import RunKey
from icemelt.catalog.task_graph_writer import ChangedTasks
from icemelt.catalog.task_writer import require_tasks
from icemelt.catalog.view_writer import insert_view_row, update_view_row
from icemelt.errors import ObjectNotFound
from icemelt.names import find_name_space, fold

__all__ = ["Writer"]

# Building a statement takes SQLAlchemy longer than running it: the statements of every publication
# are built once.
_LIVE_OBJECT = sa.select(objects).where(
    objects.c.object_id == sa.bindparam("of_object"), objects.c.dropped_at.is_(None)
)
_NEXT_VERSION = (
    objects.update()
    .where(objects.c.object_id == sa.bindparam("of_object"))
    .values(version=objects.c.version + 1)
    .returning(objects.c.version)
)
_ADD_VERSION = versions.insert()
_ADD_SEQUENCE = sequences.insert()


@dataclass(frozen=True, slots=True)
class Writer:
    """Applies the edits of one commit on a connection in the publication's SQL transaction.

    Args:
        connection: the connection, in a write transaction.
        database: the catalog's database.
        commit: the transaction to publish.
        moment: the commit number and the time.
    """

    connection: sa.Connection
    database: Database
    commit: CommitRequest
    moment: Moment
    _changed_tasks: ChangedTasks = field(default_factory=ChangedTasks)

    def finish(self) -> list[RunKey]:
        """Write what follows from all edits together: the graphs of tasks that were changed.

        Returns:
            the runs of tasks that the transaction has ended, to be told of after its commit.
        """
        self._changed_tasks.write_graphs(self.connection, self.database.clock)
        return self._changed_tasks.ends

    def apply(self, edit: Edit) -> None:
        """Apply one edit."""
        match edit:
            case MakeContainer() | MakeTable() | MakeStream() | MakeView() | MakeDefined():
                self._make(edit)
            case MovePointer() | ReplaceMetadata() | ShareFiles() | EndSharing():
                self._point(edit)
            case MoveFrontier() | MoveTokens():
                self._move(edit)
            case DropObject() | RestoreObject():
                self._drop_or_restore(edit)
            case MoveObject() | SwapObjects():
                self._rename(edit)
            case RequireTasks() | ApplyTaskEvent():
                self._look_at_tasks(edit)
            case SetObjectOptions() | RedefineView() | RedefineObject() | SetOnMissing():
                self._alter(edit)
            case SetTracking():
                self._set_tracking(edit)
            case AddLoads() | ForgetLoads() | QueueFiles() | LoadQueuedFiles() | RegisterFiles():
                self._note_files(edit)
            case _:
                assert_never(edit)

    def _make(self, edit: MakeContainer | MakeTable | MakeStream | MakeView | MakeDefined) -> None:
        match edit:
            case MakeContainer():
                self._make_container(edit)
            case MakeTable():
                self._make_table(edit)
            case MakeStream():
                values = {"kind": "stream", "parent_id": edit.parent_id}
                self._add_object(edit.object_id, edit.name, values | _option_values(edit))
                make_stream(self.connection, self.moment, edit)
            case MakeView():
                self._make_view(edit)
            case MakeDefined():
                space = find_name_space(edit.kind)
                values = {"kind": edit.kind, "parent_id": edit.parent_id, "space": space}
                values |= {} if edit.session_id is None else {"session_id": edit.session_id}
                self._add_object(edit.object_id, edit.name, values | _option_values(edit))
                insert_definition(self.connection, edit)
                self._changed_tasks.note_object(edit.kind, edit.object_id, edit.parent_id)

    def _alter(self, edit: SetObjectOptions | RedefineView | RedefineObject | SetOnMissing) -> None:
        match edit:
            case RedefineView():
                self._alter_view(edit)
            case RedefineObject():
                update_definition(self.connection, edit)
                self._changed_tasks.note_definition(self.connection, edit.object_id)
            case SetOnMissing():
                set_on_missing(self.connection, edit)
            case SetObjectOptions():
                self._update_object(edit.object_id, _option_values(edit))

    def _look_at_tasks(self, edit: RequireTasks | ApplyTaskEvent) -> None:
        if isinstance(edit, RequireTasks):
            require_tasks(self.connection, edit)
        else:
            self._changed_tasks.apply_event(self.connection, self.database.clock, edit)

    def _move(self, edit: MoveFrontier | MoveTokens) -> None:
        if isinstance(edit, MoveTokens):
            move_tokens(self.connection, self.moment, edit)
        else:
            move_frontier(self.connection, self.database, self.commit, self.moment, edit)

    def _make_view(self, edit: MakeView) -> None:
        """Add a view's object, its pointer for other engines, and its definition."""
        values = {
            "kind": "view",
            "parent_id": edit.parent_id,
            "namespace": edit.namespace,
            "catalog_table_name": edit.name,
            "known_location": edit.location,
        }
        self._add_object(edit.object_id, edit.name, values | _option_values(edit))
        if edit.location is not None:
            pointer = (edit.namespace, edit.name)
            add_pointer(self.connection, self.database, pointer, edit.location, "view")
        insert_view_row(self.connection, edit)

    def _alter_view(self, edit: RedefineView) -> None:
        """Alter a view; end the attempt if the view was dropped or has a new meaning meanwhile."""
        definition = edit.definition
        row = self.connection.execute(
            sa.select(objects).where(
                objects.c.object_id == definition.object_id,
                objects.c.dropped_at.is_(None),
                sa.func.coalesce(objects.c.version, 0) == edit.version,
            )
        ).first()
        if row is None:
            raise NotPublishedError(TableChanged(definition.object_id))
        values: dict[str, Any] = {"comment": definition.options.comment}
        if edit.is_other:
            values |= {"known_location": definition.location, "version": edit.version + 1}
            pointer = (row.namespace, row.catalog_table_name)
            present = iceberg_tables.delete().where(*match_pointer(self.database, *pointer))
            self.connection.execute(present)
            if definition.location is not None:
                add_pointer(self.connection, self.database, pointer, definition.location, "view")
        self._update_object(definition.object_id, values)
        update_view_row(self.connection, definition)

    def _make_container(self, edit: MakeContainer) -> None:
        kind = "database" if edit.parent_id is None else "schema"
        values = {"kind": kind, "parent_id": edit.parent_id, "namespace": edit.namespace}
        self._add_object(edit.object_id, edit.name, values | _option_values(edit))
        add_namespace(self.connection, self.database, edit.namespace)

    def _make_table(self, edit: MakeTable) -> None:
        """Add a table's object, pointer and first version, and begin change tracking."""
        values = {
            "kind": "table",
            "parent_id": edit.parent_id,
            "namespace": edit.namespace,
            "catalog_table_name": edit.name.name,
            "table_uuid": edit.table_uuid,
            "known_location": edit.location,
            "session_id": edit.session_id,
            "version": 0,
        }
        self._add_object(edit.object_id, edit.name.name, values | _option_values(edit))
        if edit.session_id is None:
            pointer = (edit.namespace, edit.name.name)
            add_pointer(self.connection, self.database, pointer, edit.location)
        self.add_version(edit.object_id, edit.location, edit.stats)
        if edit.tracked:
            self._set_tracking(SetTracking(edit.object_id, on=True))

    def _point(self, edit: MovePointer | ReplaceMetadata | ShareFiles | EndSharing) -> None:
        """Swap a table's pointer, for a new version or for a new file of the same version."""
        if isinstance(edit, ReplaceMetadata):
            self._replace_metadata(edit)
            return
        if isinstance(edit, ShareFiles | EndSharing):
            self._share(edit)
            return
        if edit.yields:
            for other in live_transactions(self.connection, self.database):
                raise NotPublishedError(YieldedToTransaction(other.transaction_id, other.user))
        self._swap(edit)
        self.add_version(edit.table_id, edit.location, edit.stats)

    def _share(self, edit: ShareFiles | EndSharing) -> None:
        """Begin or end the sharing of a table's files; end the attempt if the table has moved."""
        self._replace_metadata(ReplaceMetadata(edit.table_id, edit.base, edit.location))
        if isinstance(edit, ShareFiles):
            add_clone(self.connection, edit)
        else:
            remove_sharing(self.connection, edit)

    def _replace_metadata(self, edit: ReplaceMetadata) -> None:
        """Swap the metadata file of the last version, and remove the rows of expired versions.

        The attempt ends if a version below the edit's floor is needed meanwhile.
        """
        row = self._swap(edit)
        if edit.floor and edit.floor > needed_from(self.connection, self.database, edit.table_id):
            raise NotPublishedError(TableChanged(edit.table_id))
        self._update_object(edit.table_id, {"known_location": edit.location})
        of_table = versions.c.table_id == edit.table_id
        self.connection.execute(
            versions.update()
            .where(of_table, versions.c.version == row.version)
            .values(location=edit.location)
        )
        self.connection.execute(versions.delete().where(of_table, versions.c.version < edit.first))

    def _swap(self, edit: MovePointer | ReplaceMetadata) -> Any:
        """Swap a table's pointer, unless moved or reserved meanwhile; return the object's row."""
        self._check_reservation(edit.table_id)
        row = self.connection.execute(_LIVE_OBJECT, {"of_object": edit.table_id}).first()
        if row is None or row.known_location != edit.base:
            raise NotPublishedError(TableChanged(edit.table_id))
        if row.session_id is None:
            pointer = (row.namespace, row.catalog_table_name)
            location = edit.location
            if not swap_pointer(self.connection, self.database, pointer, edit.base, location):
                raise NotPublishedError(TableChanged(edit.table_id))
        return row

    def _check_reservation(self, table_id: str) -> None:
        """End the attempt if another transaction has reserved the table.

        A transaction with locks does not wait: the holder of the reservation may wait for a lock.
        """
        if self.commit.tokens:
            return
        mine = self.commit.transaction_id
        if is_reserved(self.connection, self.database, [table_id], mine):
            raise NotPublishedError(TableReserved(table_id))

    def add_version(self, table_id: str, location: str, stats: VersionStats) -> None:
        """Add the next version of a table, with `location` as the registry's metadata file.

        Args:
            table_id: the table's object id.
            location: the version's metadata file.
            stats: the version's statistics.
        """
        pointed = {
            "of_object": table_id,
            "known_location": location,
            "snapshot_id": stats.snapshot_id,
        }
        version = self.connection.execute(_NEXT_VERSION, pointed).scalar_one()
        snapshots = [
            [s.snapshot_id, s.sequence_number, s.operation, s.first_row_id, s.added_rows]
            for s in stats.snapshots
        ]
        statement_id = stats.statement_id or self._statement_id
        values = {
            "table_id": table_id,
            "version": version,
            "commit_number": self.moment.commit_number,
            "committed_at": self.moment.time,
            "snapshot_id": stats.snapshot_id,
            "operation": stats.operation,
            "snapshots": snapshots,
            "user": self.commit.user,
            "statement_id": statement_id,
            "transaction_id": self.commit.transaction_id,
            "from_foreign": stats.foreign,
            "total_rows": stats.total_rows,
            "total_bytes": stats.total_bytes,
            "inserted": stats.inserted,
            "updated": stats.updated,
            "deleted": stats.deleted,
            "location": location,
        }
        self.connection.execute(_ADD_VERSION, values)
        if stats.snapshots:
            self._add_sequence(table_id, version, stats.snapshots[-1].sequence_number)

    def _add_sequence(self, table_id: str, version: int, last: int) -> None:
        """Record the last sequence number given out by a version."""
        values = {"table_id": table_id, "version": version, "last_sequence": last}
        self.connection.execute(_ADD_SEQUENCE, {"committed_at": self.moment.time, **values})

    @property
    def _statement_id(self) -> str | None:
        return self.commit.statements[-1].statement_id if self.commit.statements else None

    def _drop_or_restore(self, edit: DropObject | RestoreObject) -> None:
        if isinstance(edit, DropObject):
            self._drop(edit)
        else:
            self._restore(edit.object_id)

    def _drop(self, edit: DropObject) -> None:
        """Drop an object and all its parts; end the attempt at an unexpected version of a table."""
        live = objects.c.object_id == edit.object_id, objects.c.dropped_at.is_(None)
        root = self.connection.execute(sa.select(objects).where(*live)).first()
        if root is None:
            return
        if edit.version not in {None, root.version}:
            raise NotPublishedError(TableChanged(root.object_id))
        self._changed_tasks.note_object(root.kind, root.object_id, root.parent_id)
        drop_id = str(uuid.uuid4())
        avoid_nested_loops(self.connection, root)
        drop_parts(self.connection, root, drop_id, self.moment.time)
        forget_dropped(self.connection, self.database, drop_id)

    def _restore(self, object_id: str) -> None:
        """Restore an object and the parts dropped with it, with pointers and namespaces."""
        root = self.connection.execute(
            sa.select(objects).where(objects.c.object_id == object_id)
        ).one()
        self._require_live_container(root.parent_id)
        if root.drop_id is None:
            return
        avoid_nested_loops(self.connection, root)
        add_dropped(self.connection, self.database, root.drop_id)
        restore_parts(self.connection, root.drop_id)
        self._changed_tasks.note_object(root.kind, root.object_id, root.parent_id)

    def _rename(self, edit: MoveObject | SwapObjects) -> None:
        if isinstance(edit, SwapObjects):
            swap_objects(self.connection, self.database, edit)
        else:
            self._move_object(edit)

    def _move_object(self, edit: MoveObject) -> None:
        """Rename an object or move it to another schema, also in Iceberg's tables."""
        self._require_live_container(edit.parent_id)
        row = self.connection.execute(
            sa.select(objects).where(objects.c.object_id == edit.object_id)
        ).one()
        moved = {"parent_id": edit.parent_id, "name": edit.name, "folded": fold(edit.name)}
        if row.kind in KINDS_WITH_POINTER:
            moved |= {"namespace": edit.namespace, "catalog_table_name": edit.name}
        # the object first: no pointer of a shared table is renamed without its object
        self._update_object(edit.object_id, moved)
        if row.kind in KINDS_WITH_POINTER and row.session_id is None:
            self.connection.execute(
                iceberg_tables.update()
                .where(*match_pointer(self.database, row.namespace, row.catalog_table_name))
                .values(table_namespace=edit.namespace, table_name=edit.name)
            )

    def _set_tracking(self, edit: SetTracking) -> None:
        """Begin a span of change tracking, unless one is open; or end the open span."""
        table_id = edit.table_id
        is_open = sa.and_(tracking.c.table_id == table_id, tracking.c.until_commit.is_(None))
        if edit.on:
            if self.connection.execute(sa.select(tracking).where(is_open)).first() is None:
                since = (
                    self.moment.commit_number if edit.since_commit is None else edit.since_commit
                )
                values = {"table_id": table_id, "since_commit": since}
                self.connection.execute(tracking.insert().values(values))
            return
        until = {"until_commit": self.moment.commit_number}
        self.connection.execute(tracking.update().where(is_open).values(until))

    def _note_files(
        self, edit: AddLoads | ForgetLoads | QueueFiles | LoadQueuedFiles | RegisterFiles
    ) -> None:
        match edit:
            case RegisterFiles():
                register_files(self.connection, self.commit, self.moment, edit)
            case QueueFiles():
                queue_files(self.connection, self.moment, edit)
            case LoadQueuedFiles():
                statement_id = self._statement_id or ""
                load_queued_files(self.connection, self.moment, statement_id, edit)
            case ForgetLoads():
                forget_loads(self.connection, self.moment, edit.table_id)
            case AddLoads():
                add_loads(self.connection, self.moment, self._statement_id or "", edit)

    def _add_object(self, object_id: str, name: str, values: dict[str, Any]) -> None:
        """Add an object's row; schema and database around the object have to be live."""
        self._require_live_container(values["parent_id"])
        self.connection.execute(
            objects.insert().values(
                object_id=object_id,
                name=name,
                folded=fold(name),
                owner=self.commit.user,
                created_at=self.moment.time,
                **values,
            )
        )

    def _update_object(self, object_id: str, values: dict[str, Any]) -> None:
        self.connection.execute(
            objects.update().where(objects.c.object_id == object_id).values(values)
        )

    def _require_live_container(self, container_id: str | None) -> None:
        """Require a live schema and database: an object in a dropped schema could not be found."""
        while container_id is not None:
            row = self.connection.execute(
                sa.select(objects).where(objects.c.object_id == container_id)
            ).one()
            if row.dropped_at is not None:
                raise ObjectNotFound(
                    f"{row.kind.capitalize()} {row.name!r} was dropped meanwhile.",
                    hint=f"Nothing was changed. UNDROP {row.kind.upper()} {row.name}, "
                    "or name another.",
                )
            container_id = row.parent_id


def _option_values(
    edit: MakeContainer | MakeTable | MakeStream | MakeView | MakeDefined | SetObjectOptions,
) -> dict[str, Any]:
    return {
        "comment": edit.options.comment,
        "retention_days": edit.options.retention_days,
        "extension_days": edit.options.extension_days,
    }
