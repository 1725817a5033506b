"""A transaction of many statements: pinned at BEGIN, private until the publication."""

from __future__ import annotations

import contextlib
import uuid
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from icemelt.catalog.activity_records import OpenTransactionRecord, StatementRecord
from icemelt.catalog.database import Database
from icemelt.catalog.edits import AddLoads, DropObject, Edit, ForgetLoads, MakeTable, MoveFrontier
from icemelt.catalog.listing_edits import RegisterFiles
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.open_transactions import (
    find_ending,
    release_lock,
    repin_transaction,
)
from icemelt.catalog.publishing import find_publication, record_statement
from icemelt.catalog.queries.finding import find_objects
from icemelt.catalog.queries.listing import SCHEMA, list_objects
from icemelt.catalog.queries.look_ups import LookUp
from icemelt.catalog.records import (
    CatalogState,
    InformationRecord,
    Listing,
    Moment,
    SchemaObject,
    StreamRecord,
    TableRecord,
    ViewRecord,
    Wanted,
)
from icemelt.errors import CatalogError, Conflict, ObjectExists, ObjectNotFound
from icemelt.jobs import Lease, do_once
from icemelt.names import QualifiedName
from icemelt.observe.emitting import tolerate
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.writes.rewriting import squash_snapshots
from icemelt.transactions.consumption import Consumption, find_consumption
from icemelt.transactions.external_effects import ExternalEffect, commit_if_published
from icemelt.transactions.keeping import close_now_or_later, open_with_lease, take_lock
from icemelt.transactions.own_changes import OwnChanges
from icemelt.transactions.pending import Attempt, Author, FinishedStatement, Pending, TableWrite
from icemelt.transactions.publication import LostRaceError, Publication, make_ended_error
from icemelt.transactions.resolver import Resolver
from icemelt.transactions.workspace import Workspace

__all__ = ["OpenTransaction"]

T = TypeVar("T")


class OpenTransaction:
    """One session's open transaction, and the session's `Resolver` while open.

    Every read sees the tables and streams as of the transaction's beginning, with the writes of the
    transaction's own statements.
    """

    def __init__(self, resolver: Resolver, author: Author, name: str | None = None) -> None:
        """Begin the transaction, after adoption of the foreign engines' commits up to now.

        Args:
            resolver: finds tables as of now, outside of the transaction.
            author: the session, the user and the lock timeout.
            name: the name given by BEGIN NAME, None without a name.
        """
        resolver.adopt_moved()
        self.workspace = Workspace(resolver.iceberg)
        self._newest = resolver
        self._author = author
        self._writes: dict[str, TableWrite] = {}
        self._edits: list[Edit] = []
        self._made: dict[QualifiedName, TableRecord] = {}
        self._seen: dict[QualifiedName, SchemaObject] = {}
        self._dropped: set[str] = set()
        self._external_effects: list[ExternalEffect] = []
        self._statements: list[StatementRecord] = []
        self._frontiers: dict[str, MoveFrontier] = {}
        self._listings: dict[str, RegisterFiles] = {}
        self._tokens: dict[str, int] = {}
        self._used = False
        self._is_checked = False
        wanted = OpenTransactionRecord(
            str(uuid.uuid4()), author.session_id, author.user, name, 0, 0, 0
        )
        self.record, self.moment, self._lease = open_with_lease(resolver.database, wanted)
        self._began_at = self.record.started_at
        # the lease of a garbage-collected session must not be renewed any more
        weakref.finalize(self, _abandon, resolver.database, self.transaction_id, self._lease)

    @property
    def transaction_id(self) -> str:
        """The transaction's id, as in SHOW TRANSACTIONS."""
        return self.record.transaction_id

    @property
    def database(self) -> Database:
        """The catalog's database."""
        return self._newest.database

    @property
    def iceberg(self) -> Iceberg:
        """The session's Iceberg."""
        return self._newest.iceberg

    def begin_statement(self) -> None:
        """Note the start of a statement: the first look-up checks if the transaction is alive."""
        self._is_checked = False

    def resolve(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Return the named objects as seen by the transaction.

        Raises:
            TransactionEnded: the transaction was aborted, or its lease has expired.
        """
        wanted = tuple(names)
        unknown = [name for name in wanted if name not in self._seen]
        if unknown or not self._is_checked:
            self._look_up(unknown)
        objects: dict[QualifiedName, SchemaObject] = {}
        pending = list(dict.fromkeys(wanted))
        for name in pending:
            record = self._made.get(name.folded) or self._seen.get(name)
            if isinstance(record, ViewRecord):
                pending += [source.name for source in record.sources if source.name not in pending]
            elif isinstance(record, TableRecord):
                record = None if record.object_id in self._dropped else self._as_written(record)
            elif isinstance(record, InformationRecord):
                record = replace(record, listing=self._with_own_changes(record.listing))
            if record is not None:
                objects[name] = record
        return CatalogState(self.moment, self._began_at, objects)

    def list_objects(self, wanted: Wanted) -> Listing:
        """Return objects as of the transaction's beginning, with the transaction's own changes.

        Raises:
            TransactionEnded: the transaction was aborted, or its lease has expired.
        """
        # the retention of a table of this transaction may be that of its schema
        kinds = wanted.kinds | {SCHEMA} if self._made else wanted.kinds
        with self._look_up_at_beginning() as look_up:
            listing = list_objects(look_up, replace(wanted, kinds=kinds))
        return self._with_own_changes(listing)

    def forget_look_ups(self) -> None:
        """Forget the objects looked up so far, since a temporary object was made or dropped."""
        self._seen.clear()

    def find_made_table(self, name: QualifiedName) -> TableRecord | None:
        """Return the permanent table with some name, if the transaction itself made the table."""
        table = self._made.get(name.folded)
        return table if table is not None and table.session_id is None else None

    def forget(self, object_id: str) -> bool:
        """Forget all writes to a dropped table; return whether the transaction made the table."""
        self._writes.pop(object_id, None)
        kept = [e for e in self._edits if getattr(e, "object_id", None) != object_id]
        was_made = len(kept) < len(self._edits)
        self._edits = kept
        self._made = {n: t for n, t in self._made.items() if t.object_id != object_id}
        return was_made

    def pin_table(self, table: TableRecord) -> TableRecord:
        """Return a table as of the transaction's beginning, for time travel and changes."""
        write = self._writes.get(table.object_id)
        if write is None:
            return table
        return replace(table, pointer=write.base.location, known_location=write.base.location)

    def loads(self, table_id: str, known: Mapping[str, LoadRecord]) -> dict[str, LoadRecord]:
        """Return the files loaded into a table, by path, including the transaction's own loads.

        Args:
            table_id: the table's object id.
            known: the registry's records of loaded files, by path.
        """
        loads = dict(known)
        for edit in self._edits:
            if isinstance(edit, AddLoads) and edit.table_id == table_id:
                loads |= {
                    load.path: load
                    for load in edit.loads
                    if not load.is_hidden_by(loads.get(load.path))
                }
            elif isinstance(edit, ForgetLoads) and edit.table_id == table_id:
                loads.clear()
        return loads

    def find_own_listing(self, owner_id: str) -> RegisterFiles | None:
        """Return what the transaction's own listings of a stage have found, None without any."""
        return self._listings.get(owner_id)

    def run(self, work: Callable[[Attempt], Pending[T]]) -> FinishedStatement[T]:
        """Run a writing statement in the transaction; keep nothing of a statement that fails."""
        before = {object_id: write.mine.location for object_id, write in self._writes.items()}
        attempt = Attempt(self.workspace, self.transaction_id, 1)
        effects: tuple[ExternalEffect, ...] = ()
        try:
            pending = work(attempt)
            effects = pending.external_effects
            statements = [] if pending.statement is None else [pending.statement()]
        except BaseException:
            self._leave_workspace(before)
            for effect in effects:
                effect.rollback()
            raise
        self._used = True
        for write in pending.changed_tables:
            made_by = statements[0].statement_id if statements else None
            self._add_write(replace(write, statement_id=made_by))
        for edit in pending.edits:
            self._add_edit(edit)
        self._external_effects += pending.external_effects
        self._statements += statements
        return FinishedStatement(pending.outcome, None, 1, open=True)

    def lock(self, stream: StreamRecord) -> None:
        """Take a stream's lock until the end of the transaction, for the first consumption.

        Where the stream was consumed after the beginning, a transaction without any read or write
        yet begins anew.

        Raises:
            LockTimeout: another transaction held the lock for longer than the lock timeout.
            Deadlock: the holder of the lock waits for this transaction.
            Conflict: the stream was consumed since the beginning.
        """
        waiting = self._author.lock_timeout, self._author.raise_if_cancelled
        lock = take_lock(self.database, stream.object_id, self.transaction_id, *waiting)
        if lock.move_count != stream.frontier.move_count:
            self._begin_anew(stream)
        self._tokens[stream.object_id] = lock.token

    def holds_lock(self, stream: StreamRecord) -> bool:
        """Return whether the transaction holds a stream's lock."""
        return stream.object_id in self._tokens

    def mark_used(self) -> None:
        """Note that a statement has read: the transaction's beginning is fixed from now on."""
        self._used = True

    def commit(self, carried: Sequence[Edit] = ()) -> Moment | None:
        """Publish all writes at one instant; return None where there was nothing to publish.

        Args:
            carried: edits that are published with the writes, and not without any.

        Raises:
            Conflict: another transaction was first; nothing was kept, running it again is safe.
            TransactionEnded: the transaction was aborted, or its lease has expired.
        """
        with commit_if_published(self.database, self.transaction_id, self._external_effects):
            return self._publish(carried)

    def find_consumption(self) -> Consumption | None:
        """Return what the transaction's COMMIT would consume; None for nothing."""
        edits = (*self._edits, *self._frontiers.values())
        return find_consumption(self._writes.values(), edits, self._external_effects)

    def rollback(self) -> None:
        """Forget all writes of the transaction, and undo its effects outside of tables."""
        self._close("rolled back")
        for effect in self._external_effects:
            effect.rollback()

    def _publish(self, carried: Sequence[Edit]) -> Moment | None:
        """Publish all writes; roll the transaction back where another transaction was first."""
        try:
            publication = self._make_publication()
            if not publication.writes and not publication.edits:
                self._close("succeeded")
                return None
            publication.edits = (*publication.edits, *carried)
            moment = publication.run()
        except LostRaceError as error:
            self._close("rolled back")
            raise self._make_conflict(error) from error
        except (ObjectExists, ObjectNotFound) as error:
            self._close("rolled back")
            raise Conflict(
                f"{error.message} Transaction {self.transaction_id} was rolled back.",
                hint="Nothing of it was kept. Run the transaction again.",
            ) from error
        except BaseException:
            self._close("rolled back")
            raise
        self._release()
        return moment

    def _make_publication(self) -> Publication:
        """Return the publication of all writes and edits; a new table is only an edit."""
        edits = [self._include_later_writes(edit) for edit in self._edits]
        edits += self._frontiers.values()
        edits += [listing for listing in self._listings.values() if not listing.is_empty]
        new_ids = {edit.object_id for edit in edits if isinstance(edit, MakeTable)}
        writes = [
            replace(write, mine=squash_snapshots(self.iceberg, write.base, write.mine))
            for object_id, write in self._writes.items()
            if object_id not in new_ids
        ]
        return Publication(
            self._newest,
            self._author,
            self.workspace,
            self.transaction_id,
            writes,
            edits,
            lambda: self._statements,
            self._tokens,
        )

    def _look_up(self, names: Sequence[QualifiedName]) -> None:
        """Look names up as of the transaction's beginning; an object found once stays the same."""
        with self._look_up_at_beginning() as look_up:
            if names:
                self._seen |= find_objects(look_up, names)

    @contextlib.contextmanager
    def _look_up_at_beginning(self) -> Iterator[LookUp]:
        """Open a look-up of the transaction's beginning, if the transaction is still alive."""
        then = self.moment
        with self.database.read() as connection:
            ended = find_ending(connection, self.database.clock(connection), self.transaction_id)
            if ended is not None:
                raise make_ended_error(ended.aborted_by)
            self._is_checked = True
            yield LookUp(connection, self.database, self._author.session_id, then, as_of=then)

    def _with_own_changes(self, listing: Listing) -> Listing:
        """Return a listing with the tables and loads of the transaction's own statements."""
        changes = OwnChanges(
            began_at=self._began_at,
            dropped=frozenset(self._dropped),
            written=self._writes,
            made=[
                (self._made[edit.name.folded], edit)
                for edit in map(self._include_later_writes, self._edits)
                if isinstance(edit, MakeTable)
            ],
            edits=self._edits,
        )
        return changes.added_to(listing)

    def _as_written(self, table: TableRecord) -> TableRecord:
        write = self._writes.get(table.object_id)
        if write is None:
            return table
        return replace(table, pointer=write.mine.location, known_location=write.mine.location)

    def _add_write(self, write: TableWrite) -> None:
        object_id = write.table.object_id
        earlier = self._writes.get(object_id)
        self._writes[object_id] = write if earlier is None else earlier.followed_by(write)

    def _add_edit(self, edit: Edit) -> None:
        """Add an edit.

        A frontier's move replaces an earlier move of the same stream. A table made and dropped in
        the transaction leaves no edit.
        """
        match edit:
            case MoveFrontier():
                self._frontiers[edit.stream_id] = edit
            case RegisterFiles():
                earlier = self._listings.get(edit.owner_id)
                both = edit if earlier is None else earlier.followed_by(edit)
                self._listings[edit.owner_id] = both
            case MakeTable():
                self._made[edit.name.folded] = _record_of(edit, self._author.user)
                self._edits.append(edit)
            case DropObject():
                self._dropped.add(edit.object_id)
                if not self.forget(edit.object_id):
                    self._edits.append(edit)
            case _:
                self._edits.append(edit)

    def _include_later_writes(self, edit: Edit) -> Edit:
        """Return an edit; an edit that makes a table gets the writes of later statements."""
        write = self._writes.get(edit.object_id) if isinstance(edit, MakeTable) else None
        if write is None or not isinstance(edit, MakeTable):
            return edit
        snapshots = (*edit.stats.snapshots, *write.stats.snapshots)
        stats = replace(write.stats, operation=edit.stats.operation, snapshots=snapshots)
        return replace(edit, location=write.mine.location, stats=stats)

    def _begin_anew(self, stream: StreamRecord) -> None:
        """Pin the transaction at the newest commit, if no statement has read or written yet.

        A stream has moved since the beginning. Raise `Conflict` in a transaction with reads or
        writes.
        """
        if not self._used:
            self.moment = repin_transaction(self.database, self.transaction_id)
            self._seen.clear()
            self._began_at = max(self._began_at, self.moment.time)
            return
        release_lock(self.database, stream.object_id, self.transaction_id)
        raise Conflict(
            f"Stream {str(stream.name)!r} was consumed or replaced by another transaction "
            f"after this one ({self.transaction_id}) began.",
            hint="ROLLBACK, then run the transaction again.",
        )

    def _make_conflict(self, error: LostRaceError) -> Conflict:
        """Return the error for a lost race, with the statement that wrote the table."""
        what, statement = "What it read", ""
        if error.write is not None:
            what = f"Table {error.write.name!r}"
            texts = {record.statement_id: record.text for record in self._statements}
            text = texts.get(error.write.statement_id or "", "")
            statement = f" after {text[:60]!r} (statement {error.write.statement_id})"
        return Conflict(
            f"{what} was changed by another transaction{statement}: {error.reason}. Transaction "
            f"{self.transaction_id} was rolled back.",
            hint="Nothing of it was kept. Run the transaction again.",
        )

    def _close(self, status: str) -> None:
        """Remove the transaction and its locks, and add unpublished statements to the history."""
        close_now_or_later(self.database, self.transaction_id)
        with tolerate(
            CatalogError, ObjectExists, to="note the statements of a transaction in the history"
        ):
            # the reply to COMMIT may have been lost: the history has published statements already
            is_recorded = (
                not self._statements
                or find_publication(self.database, self.transaction_id) is not None
            )
            for statement in () if is_recorded else self._statements:
                ended = replace(
                    statement,
                    status=status,
                    commit_number=self.moment.commit_number,
                    transaction_id=self.transaction_id,
                    wrote=False,
                )
                record_statement(self.database, ended)
        self._release()

    def _leave_workspace(self, locations: Mapping[str, str]) -> None:
        """Go on in a new workspace, with the tables' pointers from before a failed statement.

        Java may still commit for a cancelled statement. Such a commit lands in the old workspace,
        where nobody looks any more.
        """
        left, self.workspace = self.workspace, Workspace(self.iceberg)
        for object_id, location in locations.items():
            self.workspace.add(object_id, location)
        self.iceberg.forget(left.namespace)

    def _release(self) -> None:
        self._lease.end()
        self.iceberg.forget(self.workspace.namespace)


def _record_of(edit: MakeTable, owner: str) -> TableRecord:
    return TableRecord(
        object_id=edit.object_id,
        name=edit.name,
        namespace=edit.namespace,
        owner=owner,
        comment=edit.options.comment,
        created_at=0,
        table_uuid=edit.table_uuid,
        pointer=edit.location,
        known_location=edit.location,
        version=0,
        snapshot_id=edit.stats.snapshot_id,
        session_id=edit.session_id,
    )


def _abandon(database: Database, transaction_id: str, lease: Lease) -> None:
    """Roll back a transaction left behind by its session.

    Python collects garbage at any moment, even inside a write transaction of the same thread. The
    roll back waits for such a write transaction, and so needs a thread of its own.

    Args:
        database: the catalog's database.
        transaction_id: the transaction of a session that was garbage collected.
        lease: the transaction's lease, ended already after COMMIT or ROLLBACK.
    """
    if lease.is_ended and not lease.is_lost:
        return
    lease.end()
    do_once(
        "icemelt-abandon",
        partial(close_now_or_later, database, transaction_id),
        consequence="the transaction and its locks stay until they lapse",
        is_daemon=False,
    ).try_start()
