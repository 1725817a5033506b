"""Sweep folders of tables: remove the old files that no metadata names.

Tables that share files, one being a clone of the other, are a family. Their folders are swept
together: a file stays as long as any table of the family names the file, or may name it again after
UNDROP. The folder of a table that is gone stays until nobody names a file in the folder.
"""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.clone_edits import EndSharing
from icemelt.catalog.edits import Edit, ReplaceMetadata
from icemelt.catalog.queries import leftovers
from icemelt.catalog.queries.retention import GRACE, live_transactions
from icemelt.catalog.queries.sharing import (
    SharedFolder,
    TableFamily,
    find_family,
    is_shared,
    tables_in_folders,
)
from icemelt.catalog.queries.versions import hourly_versions, metadata_files, version_at_time
from icemelt.catalog.records import TableRecord
from icemelt.catalog.sharing_writer import forget_folder
from icemelt.errors import FileDamaged, FileRefused
from icemelt.names import QualifiedName
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.table_folders import has_own_folder
from icemelt.tables.maintenance.retention import (
    SweptTable,
    find_unnamed_files,
    remove_files,
)
from icemelt.tables.writes.cloning import with_collection
from icemelt.tables.writes.rewriting import write_metadata
from icemelt.transactions.expiry import publish_alone

__all__ = ["age_of_leftovers", "remove_folder", "settle_family", "sweep_family", "sweep_table"]

# no statement reads longer than this the metadata file with which it began
_READING_SECONDS = GRACE // 1000


def sweep_table(core: Core, name: QualifiedName, safe_age: float) -> int:
    """Remove the old files of a table's folder that no metadata names; return how many.

    The files of a table that shares files are left to `sweep_family`.

    Args:
        core: the session's parts.
        name: the table's full name.
        safe_age: the age in seconds from which files are removed.
    """
    table = core.newest.resolve([name]).tables.get(name)
    if table is None or not has_own_folder(core, table):
        return 0
    with core.database.read() as connection:
        if is_shared(connection, table.object_id):
            return 0
    folder = core.iceberg.metadata(table.known_location).document["location"]
    return _sweep(core, [table], [folder], safe_age)


def sweep_family(core: Core, family_id: str, safe_age: float) -> int:
    """Remove the old files in a family's folders that no table of it names; return how many.

    Args:
        core: the session's parts.
        family_id: the family's id.
        safe_age: the age in seconds from which files are removed.

    Raises:
        FileRefused: a table outside of the family has its metadata in a folder of the family.
        FileDamaged: the metadata of a table cannot be read: nobody knows what it names.
    """
    core.newest.adopt_tables()
    with core.database.read() as connection:
        tables = find_family(connection, core.database, family_id).tables
    core.newest.resolve([table.name for table in tables if table.dropped_at is None])
    with core.database.read() as connection:
        family = find_family(connection, core.database, family_id)
        others = tables_in_folders(connection, family.folders)
    if others:
        raise FileRefused(
            f"Table {others[0]!r} of another engine has its files among those of clones.",
            hint="Drop the table in that engine without PURGE; its clones in icemelt stay.",
        )
    folders = [each.folder for each in family.folders]
    removed = _sweep(core, family.tables, folders, safe_age)
    present = {table.object_id for table in family.tables}
    for folder in family.folders:
        if folder.table_id not in present:
            _remove_empty_folder(core, folder)
    return removed


def settle_family(core: Core, family_id: str) -> None:
    """Let other engines remove files of a table that shares them no more, and of no other table.

    A table that another engine let remove files meanwhile is protected again.

    Args:
        core: the session's parts.
        family_id: the family's id.
    """
    with core.database.read() as connection:
        family = find_family(connection, core.database, family_id)
    for table in family.tables:
        edit = _settling_edit(core, family, table) if table.dropped_at is None else None
        if edit is not None:
            publish_alone(core.newest, core.author, (edit,))


def age_of_leftovers(core: Core, safe_age: float) -> float:
    """Return the age in seconds from which no statement can still publish a file.

    A file of an open transaction is younger than the transaction, and stays.
    """
    with core.database.read() as connection:
        clock = core.database.clock(connection)
        open_since = [
            transaction.started_at for transaction in live_transactions(connection, core.database)
        ]
    return max(safe_age, *((clock - time) / 1000 for time in open_since), 0)


def remove_folder(core: Core, table: TableRecord) -> int:
    """Remove the folder of a table that no longer exists; return the number of files.

    A folder with files that clones may name is left to `sweep_family`.
    """
    with core.database.read() as connection:
        if is_shared(connection, table.object_id) or not has_own_folder(core, table):
            return 0
    files = core.iceberg.files
    with translated(core.spark):
        count = files.count_files(table.folder)
        files.remove_folder(table.folder)
    return count


def _sweep(
    core: Core, tables: Sequence[TableRecord], folders: Sequence[str], safe_age: float
) -> int:
    """Remove the old files in folders that none of some tables names; return how many."""
    swept, first = [], {}
    for table in tables:
        files, first[table.object_id] = _find_named_files(core, table, safe_age)
        swept.append(files)
    with translated(core.spark):
        unnamed = find_unnamed_files(core.iceberg, swept, folders, core.relations.scratch)
    removed = remove_files(core.iceberg, unnamed)
    for table_id, version in first.items():
        leftovers.forget_metadata_files(core.database, table_id, version)
    return removed


def _find_named_files(core: Core, table: TableRecord, safe_age: float) -> tuple[SweptTable, int]:
    """Return which files stay for a table, and the first version whose metadata file stays.

    A file missing in today's metadata may still be read by a statement that began with older
    metadata. Therefore the files named by the metadata of `safe_age` ago are kept as well. A
    metadata file is removed once no running statement can have begun with this file. The last
    metadata file of every hour stays longer: the next run finds there the files named at the time.

    Args:
        core: the session's parts.
        table: the table.
        safe_age: the age in seconds from which files are removed.
    """
    age, soon = (
        age_of_leftovers(core, seconds) for seconds in (safe_age, min(safe_age, _READING_SECONDS))
    )
    with core.database.read() as connection:
        clock = core.database.clock(connection)
        hourly = hourly_versions(connection, table.object_id)
        then, recent = (
            version_at_time(connection, table.object_id, clock - round(seconds * 1000))
            for seconds in (age, soon)
        )
        first = 0 if recent is None else recent.version
        superseded = metadata_files(connection, table.object_id, 0, first)
        kept_files = metadata_files(connection, table.object_id, first)
    kept_files += [version.location for version in hourly if version.location is not None]
    known_version = next((v for v in reversed(hourly) if then and v.version <= then.version), None)
    before, between = None, (0.0, 0.0)
    if then is not None and known_version is not None and known_version.location is not None:
        between = ((clock - then.moment.time) / 1000, (clock - known_version.moment.time) / 1000)
        with tolerate(FileDamaged, to=f"read what table {table.name} named a day ago"):
            before = core.iceberg.metadata(known_version.location)
    metadata = core.iceberg.metadata(table.known_location)
    return SweptTable(metadata, before, kept_files, superseded, age, between), first


def _remove_empty_folder(core: Core, folder: SharedFolder) -> None:
    """Remove the folder of a table that is gone, if no file is left there."""
    files = core.iceberg.files
    with translated(core.spark):
        if files.count_files(folder.folder):
            return
        files.remove_folder(folder.folder)
    with core.database.write() as connection:
        forget_folder(connection, folder.table_id)


def _settling_edit(core: Core, family: TableFamily, table: TableRecord) -> Edit | None:
    """Return the edit that a table of a family needs, None for none."""
    metadata = core.iceberg.metadata(table.known_location)
    folder = next(each for each in family.folders if each.table_id == table.object_id)
    is_alone = len(family.tables) == 1
    collection = folder.collection if is_alone else "false"
    properties = with_collection(metadata, collection)
    is_as_wanted = properties == dict(metadata.properties)
    if is_as_wanted and not (is_alone and len(family.folders) == 1):
        return None
    settled = metadata
    if not is_as_wanted:
        settled = write_metadata(core.iceberg, metadata, {"properties": properties})
    change = (table.object_id, table.known_location, settled.location)
    return EndSharing(*change) if is_alone else ReplaceMetadata(*change)
