"""Maintain a lake: expire old versions, compact small files, remove leftovers.

Maintenance yields to all other work. Versions that a stream, an open transaction or retention needs
stay, and a table whose writers are first is left for the next run. An example with a retention of
one day and no stream:

    before  table t: versions 1 to 40, of which 1 to 25 are past retention; 12 small files
            folder of t: 3 files of a statement that was killed two days ago
    after   table t: versions 26 to 41; 1 file of all rows, written by the compaction (version 41)
            folder of t: the 3 files are removed, and the files that only versions 1 to 25 named
    result  Maintained(versions_expired=25, files_removed=…, tables_compacted=1)

The 12 small files stay until the versions that name them are past retention as well.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

from icemelt.catalog.channels import forget_idle_channels
from icemelt.catalog.defined_records import DefinedRecord, StageRecord
from icemelt.catalog.edits import DropObject
from icemelt.catalog.queries import leftovers
from icemelt.catalog.queries.reading import tables
from icemelt.catalog.queries.retention import DAY, live_transactions
from icemelt.catalog.queries.sharing import family_ids
from icemelt.catalog.records import SchemaObject, TableRecord
from icemelt.errors import (
    CatalogError,
    Conflict,
    FileDamaged,
    FileRefused,
    IcemeltError,
    QueryError,
    SparkDied,
    StatementCancelled,
)
from icemelt.names import QualifiedName
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import TableCompacted
from icemelt.session.dml.writing import WriteTarget, compact
from icemelt.session.files.file_places import stage_folder
from icemelt.session.runtime.core import Core, new_id
from icemelt.session.runtime.maintenance_runs import RUNS
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.table_folders import has_own_folder
from icemelt.session.sweeping import (
    age_of_leftovers,
    remove_folder,
    settle_family,
    sweep_family,
    sweep_table,
)
from icemelt.tables.maintenance.compacting import files_since_compaction
from icemelt.tables.maintenance.folders import is_old_folder, table_folders
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.locations import folder_of
from icemelt.transactions.expiry import expire_versions, publish_alone
from icemelt.transactions.pending import OPTIMIZE, Attempt, TableWrite
from icemelt.transactions.publication import LostRaceError, Publication
from icemelt.transactions.workspace import open_workspace

__all__ = ["SAFE_AGE", "Maintained", "Skipped", "maintain"]

SAFE_AGE = DAY // 1000
_MIN_SMALL_FILES = 8
# seconds to wait for an open transaction, or for the holder of the table's reservation
_LOCK_TIMEOUT_SECONDS = 1.0
_FILE_ERRORS = (FileDamaged, FileRefused, QueryError)
# errors that are not about one table: the next table would fail as well
_FATAL_ERRORS = (CatalogError, SparkDied, StatementCancelled)
_MAX_DELETED_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Skipped:
    """A table that was left for the next run, and the reason."""

    table: str
    reason: str


@dataclass(frozen=True, slots=True)
class Maintained:
    """The counts of a run of maintenance.

    `skipped` are the tables that writers kept busy, or that could not be maintained, for example
    because a file is missing. Work on a skipped table before the failure is counted.
    """

    versions_expired: int = 0
    files_removed: int = 0
    tables_compacted: int = 0
    objects_removed: int = 0
    unregistered_tables_removed: int = 0
    temporary_tables_removed: int = 0
    transactions_closed: int = 0
    scratch_folders_removed: int = 0
    history_rows_pruned: int = 0
    channels_removed: int = 0
    skipped: tuple[Skipped, ...] = ()

    def __add__(self, other: Maintained) -> Maintained:
        """Return the sum of both counts."""
        names = [field.name for field in fields(self)]
        return Maintained(*(getattr(self, name) + getattr(other, name) for name in names))


def maintain(core: Core, *, safe_age: float = SAFE_AGE) -> Maintained:
    """Maintain a lake once, and return the counts.

    After a failure of a table the next table follows. If Spark dies under a table, the run ends;
    later runs of the process skip the table for a day, and so come to the tables behind it.

    Args:
        core: the session's parts.
        safe_age: the age in seconds from which files and tables' folders without a name in the lake
            are removed. Younger files may belong to a running statement.
    """
    try:
        with RUNS.run_in(core.spark.sparkContext.applicationId), translated(core.spark):
            return sum(_run_steps(core, safe_age), Maintained())
    finally:
        # Java keeps the objects that Python refers to, some of a hundred megabytes, until Python
        # collects cycles, which happens by itself when Python's own objects are a quarter more
        gc.collect()


def _run_steps(core: Core, safe_age: float) -> Iterator[Maintained]:
    yield Maintained(transactions_closed=leftovers.close_lapsed(core.database))
    yield Maintained(scratch_folders_removed=core.relations.scratch.sweep_beside())
    yield from _drop_leftover_tables(core)
    yield from _remove_dropped(core)
    yield from _remove_unregistered(core, safe_age)
    with core.database.read() as connection:
        live_tables = tables(connection, core.database)
    for table in live_tables:
        if RUNS.is_deadly(table.object_id):
            reason = "Spark died under the table's maintenance less than a day ago."
            yield Maintained(skipped=(Skipped(str(table.name), reason),))
            continue
        with RUNS.work_on(table.object_id, str(table.name)):
            yield from _skip_on_failure(
                core, table.name, _maintain_table(core, table.name, safe_age)
            )
    yield from _maintain_families(core, safe_age)
    yield Maintained(history_rows_pruned=leftovers.prune_history(core.database))
    yield Maintained(channels_removed=forget_idle_channels(core.database))


def _skip_on_failure(
    core: Core, name: QualifiedName | str, work: Iterator[Maintained]
) -> Iterator[Maintained]:
    """Do the work on one table; after a failure, give the table as skipped in place of the rest.

    Raises:
        CatalogError: the catalog is away, or cannot be written.
        SparkDied: no table can be maintained any more in this Spark.
        StatementCancelled: the session is wanted for another statement.
    """
    try:
        with translated(core.spark):
            yield from work
    except _FATAL_ERRORS:
        raise
    except IcemeltError as error:
        yield Maintained(skipped=(Skipped(str(name), error.message),))


def _maintain_table(core: Core, name: QualifiedName, safe_age: float) -> Iterator[Maintained]:
    """Maintain one table.

    A foreign engine's table is left alone, unless a stream needs the table's history.
    """
    table = core.newest.resolve([name]).tables.get(name)
    if table is None or not (has_own_folder(core, table) or core.metadata(table).keeps_history):
        return
    expired = expire_versions(core.newest, core.author, name)
    if expired is None:
        yield Maintained(skipped=(Skipped(str(name), "Other writers were first each time."),))
        return
    yield Maintained(versions_expired=expired.versions, files_removed=expired.files)
    yield Maintained(files_removed=sweep_table(core, name, safe_age))
    yield Maintained(tables_compacted=int(_compact_table(core, name)))


def _compact_table(core: Core, name: QualifiedName) -> bool:
    """Compact a table if needed, unless somebody is at work; tell whether the table was compacted.

    A transaction of many statements would lose to the compaction, so the table waits for a time
    without open transactions. Appending writers do not conflict. If writers have changed rows of
    the same files, the compaction is dropped.
    """
    table = core.newest.resolve([name]).tables.get(name)
    if table is None or not _needs_compaction(core.metadata(table)):
        return False
    with core.database.read() as connection:
        if live_transactions(connection, core.database):
            return False
    base = core.metadata(table)
    with open_workspace(core.iceberg) as workspace:
        attempt = Attempt(workspace, new_id(), 1)
        target = WriteTarget(table, base, workspace.add(table.object_id, table.known_location))
        counts = compact(core, attempt, target)
        write = TableWrite(table, base, workspace.current(table.object_id), OPTIMIZE)
        if write.mine.location == base.location:
            return False
        author = replace(core.author, lock_timeout=_LOCK_TIMEOUT_SECONDS)
        publication = Publication(
            core.newest, author, workspace, attempt.transaction_id, [write], (), lambda: ()
        )
        try:
            publication.run()
        except (LostRaceError, Conflict):
            return False
    emit(TableCompacted(str(name), *counts))
    return True


def _needs_compaction(metadata: TableMetadata) -> bool:
    """Tell from the snapshots' summaries whether many small files or deletions have gathered."""
    current = metadata.current
    if current is None:
        return False
    gathered, _ = files_since_compaction(metadata)
    deleted = current.count("total-position-deletes")
    rows = current.count("total-records")
    return gathered >= _MIN_SMALL_FILES or deleted > rows * _MAX_DELETED_SHARE


def _maintain_families(core: Core, safe_age: float) -> Iterator[Maintained]:
    """Sweep the folders of tables that share files, each family by itself."""
    with core.database.read() as connection:
        families = family_ids(connection)
    for family_id in families:
        name = f"files shared by clones ({family_id})"
        if RUNS.is_deadly(family_id):
            reason = "Spark died under the sweep less than a day ago."
            yield Maintained(skipped=(Skipped(name, reason),))
            continue
        with RUNS.work_on(family_id, name):
            yield from _skip_on_failure(core, name, _maintain_family(core, family_id, safe_age))


def _maintain_family(core: Core, family_id: str, safe_age: float) -> Iterator[Maintained]:
    yield Maintained(files_removed=sweep_family(core, family_id, safe_age))
    settle_family(core, family_id)


def _drop_leftover_tables(core: Core) -> Iterator[Maintained]:
    with core.database.read() as connection:
        left = leftovers.left_temporary_objects(connection, core.database)
    for record in left:
        yield from _skip_on_failure(core, record.name, _drop_leftover(core, record))


def _drop_leftover(core: Core, record: SchemaObject) -> Iterator[Maintained]:
    if publish_alone(core.newest, core.author, (DropObject(record.object_id),)):
        yield Maintained(temporary_tables_removed=int(isinstance(record, TableRecord)))
        yield Maintained(files_removed=_remove_files_of(core, record))


def _remove_dropped(core: Core) -> Iterator[Maintained]:
    """Remove the dropped objects that UNDROP can no longer restore."""
    yield Maintained(objects_removed=leftovers.forget_streams(core.database))
    with core.database.read() as connection:
        defined = leftovers.dropped_defined(connection, core.database)
        dropped = leftovers.dropped_tables(connection, core.database)
        views = leftovers.dropped_views(connection, core.database)
    for view_id, location in views:
        files = 0 if location is None else _remove_files_below(core, folder_of(location))
        forgotten = leftovers.forget_view(core.database, view_id)
        yield Maintained(files_removed=files, objects_removed=int(forgotten))
    for table in dropped:
        yield from _skip_on_failure(core, table.name, _forget_table(core, table))
    for record in defined:
        yield from _skip_on_failure(core, record.name, _forget_defined(core, record))
    yield Maintained(objects_removed=leftovers.forget_containers(core.database))


def _forget_defined(core: Core, record: DefinedRecord) -> Iterator[Maintained]:
    """Remove a dropped file format, or a stage with its files in the warehouse."""
    yield Maintained(files_removed=_remove_files_of(core, record))
    forgotten = leftovers.forget_defined(core.database, record.object_id)
    yield Maintained(objects_removed=int(forgotten))


def _remove_files_of(core: Core, record: SchemaObject) -> int:
    """Remove the files that belong to an object that no longer exists; return how many."""
    if isinstance(record, TableRecord):
        return remove_folder(core, record)
    if isinstance(record, StageRecord) and record.url is None:
        return _remove_files_below(core, stage_folder(core, record))
    return 0


def _forget_table(core: Core, table: TableRecord) -> Iterator[Maintained]:
    """Remove the files of a dropped table, then the record, which alone has their location."""
    yield Maintained(files_removed=remove_folder(core, table))
    forgotten = leftovers.forget_table(core.database, table.object_id)
    yield Maintained(objects_removed=int(forgotten))


def _remove_unregistered(core: Core, safe_age: float) -> Iterator[Maintained]:
    """Remove the folders of unpublished tables, whose statements failed or were killed.

    The age is checked before the registry is asked again: a table that was published in between is
    found then. If the warehouse cannot be listed, or a folder not read or removed, the folders
    stay.
    """
    age = age_of_leftovers(core, safe_age)
    folders: dict[str, str] = {}
    with tolerate(*_FILE_ERRORS, to="list the warehouse"), translated(core.spark):
        folders = table_folders(core.iceberg, core.database.warehouse)
    for table_id in _find_unregistered(core, folders):
        # another maintenance may remove the folder at the same time
        to = "remove the folder of a table that was never published"
        with tolerate(*_FILE_ERRORS, to=to), translated(core.spark):
            is_old = is_old_folder(core.iceberg, folders[table_id], core.database.lake_id, age)
            if is_old and _find_unregistered(core, [table_id]):
                files = _remove_files_below(core, folders[table_id])
                yield Maintained(unregistered_tables_removed=1, files_removed=files)


def _find_unregistered(core: Core, table_ids: Iterable[str]) -> list[str]:
    with core.database.read() as connection:
        return leftovers.unnamed_tables(connection, table_ids)


def _remove_files_below(core: Core, folder: str) -> int:
    files = core.iceberg.files
    with translated(core.spark):
        count = files.count_files(folder)
        files.remove_folder(folder)
    return count
