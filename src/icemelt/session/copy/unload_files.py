"""The folder of files that COPY INTO a location writes, locally or in a store of Hadoop's."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.open_transactions import list_open_transactions
from icemelt.catalog.queries.leftovers import remembered_since
from icemelt.catalog.queries.reading import statement
from icemelt.errors import FileRefused, IcemeltError
from icemelt.names import QualifiedName
from icemelt.observe.emitting import tolerate
from icemelt.session.copy.partition_paths import FOLDER_NAME, is_partition
from icemelt.session.files.file_places import find_place
from icemelt.session.files.source_files import path_below
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.stores import hadoop_files, spark_files
from icemelt.sql.statements import StagePath
from icemelt.storage.folder_walk import is_hidden
from icemelt.storage.hadoop import HadoopFiles
from icemelt.storage.links import is_plain_file
from icemelt.storage.locations import plain_form
from icemelt.storage.places import ResolvedPath
from icemelt.storage.written_folders import list_written, remove_empty_folder

__all__ = ["UnloadFolder", "UnloadedFile", "open_folder", "validate_in_place"]

MANIFEST = "_manifest.json"
# bytes: the manifest of 80,000 files with PARTITION BY
_MAX_MANIFEST_BYTES = 16 * 1024 * 1024
_ID_LENGTH = 36
_HAS_PARTITIONS = re.compile(r"\bPARTITION\s+BY\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UnloadedFile:
    """A written file: name, number of rows, and size in bytes after compression."""

    name: str
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class UnloadFolder:
    """The folder of a statement, below the location in the statement.

    Attributes:
        store: the files of the location.
        place: the location.
        name: the folder's name: `data_` and the statement's id.
        outdated: the folders to remove when this folder is kept, for OVERWRITE, by their paths
            below the location.
        temporary_stage: the temporary stage that has the location; None for a location that lasts.
    """

    store: HadoopFiles
    place: ResolvedPath
    name: str
    outdated: tuple[str, ...] = ()
    temporary_stage: QualifiedName | None = None
    takes_files: ClassVar[bool] = False

    @property
    def path(self) -> str:
        """The folder's path, as Spark writes paths."""
        return f"{self.place.location}/{self.name}"

    @property
    def written_path(self) -> str:
        """The folder's path, relative to the location that the statement names."""
        return f"{self.place.given.rstrip('/')}/{self.name}"

    def validate_in_place(self) -> None:
        """Refuse a written folder that is not below the checked location.

        Raises:
            FileRefused: a link has come into the path of the folder.
        """
        validate_in_place(self.place, [self.name])

    def files(self) -> dict[str, int]:
        """Return the size in bytes of each data file, by the file's path below the folder."""
        names = (
            (file.path.rpartition(f"/{self.name}/")[2], file.size)
            for file in list_written(self.store, self.path)
        )
        return {name: size for name, size in names if not is_hidden(name.rpartition("/")[2])}

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        """Write the manifest after all files: a reader of the manifest finds every file."""
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        self.store.write(f"{self.path}/{MANIFEST}", text.encode())

    def commit(self) -> None:
        """Remove the folders that this folder replaces."""
        if self.outdated and not self.place.is_in_place(self.name):
            # a new link in the path would have folders of somebody else removed
            return
        self.remove_folders(self.outdated)

    def rollback(self) -> None:
        """Remove the folder and all its files."""
        self.remove_folders([self.name])

    def remove_folders(self, names: Iterable[str]) -> None:
        """Remove folders, and the folders on the way to them in which nothing is left.

        A folder that cannot be removed stays.

        Args:
            names: the folders' paths below the location.
        """
        parents: set[str] = set()
        for name in names:
            with tolerate(IcemeltError, to="remove a folder"):
                self.store.remove_folder(f"{self.place.location}/{name}")
            parents.update(_parents(name))
        for parent in sorted(parents, key=lambda path: path.count("/"), reverse=True):
            with tolerate(IcemeltError, to="remove a folder"):
                if self.place.is_in_place(parent):
                    remove_empty_folder(self.store, f"{self.place.location}/{parent}")


def validate_in_place(place: ResolvedPath, names: Iterable[str]) -> None:
    """Refuse folders that are not below the checked location.

    Args:
        place: the location.
        names: the folders' paths below the location.

    Raises:
        FileRefused: a link has come into the path of a folder.
    """
    if not all(map(place.is_in_place, names)):
        raise FileRefused(
            f"Location {place.given!r} changed while it was written.",
            hint="Run the statement again, or name a folder that nobody else changes.",
        )


def _parents(name: str) -> Iterator[str]:
    """Yield the folders on the way to a folder.

    >>> list(_parents("a/b/c"))
    ['a/b', 'a']
    """
    while name := name.rpartition("/")[0]:
        yield name


def open_folder(
    core: Core, location: str | StagePath, name: str, *, overwrite: bool
) -> UnloadFolder:
    """Return the folder of one statement, which is not created yet.

    Args:
        core: the session's parts.
        location: the location in the statement.
        name: the folder's name.
        overwrite: whether the folder replaces the folders that earlier statements of this lake
            wrote.

    Raises:
        FileRefused: the location is empty, is a file, or the session may not write there.
    """
    if not location:
        raise FileRefused("The location is empty.", hint="COPY INTO './folder' FROM …")
    place = find_place(core, location, is_folder=True).resolve(core.iceberg)
    store, base = hadoop_files(core.iceberg), place.location
    try:
        exists = store.exists(base)
        is_file = exists and store.is_file(base)
    except IcemeltError as error:
        raise FileRefused(
            f"Location {str(location)!r} cannot be reached: {error.message}",
            hint="Check it, and that Spark has the store's files: icemelt.connect(packages=…).",
        ) from error
    if is_file:
        raise FileRefused(
            f"Location {str(location)!r} is a file, expected a folder.",
            hint="Name a folder: each COPY INTO makes another one below it.",
        )
    paths = _find_outdated_folders(core, store, base) if overwrite and exists else ()
    outdated = tuple(filter(place.is_in_place, paths))
    return UnloadFolder(store, place, name, outdated, _find_temporary_stage(core, location))


def _find_temporary_stage(core: Core, location: str | StagePath) -> QualifiedName | None:
    if isinstance(location, str):
        return None
    stage = core.object_of(StageRecord, location.stage)
    return None if stage.session_id is None else stage.name


def _find_outdated_folders(core: Core, store: HadoopFiles, base: str) -> tuple[str, ...]:
    """Return the folders of finished statements by their paths below a location, partitions first.

    Also the folders of earlier statements of the session's own transaction; those of other open
    transactions are left out.
    """
    own = {entry.name for entry in store.list_folder(base) if FOLDER_NAME.fullmatch(entry.name)}
    nested = _find_nested_folders(core, base)
    ids = {name: name.removeprefix("data_")[:_ID_LENGTH] for name in (*own, *nested)}
    with core.database.read() as connection:
        records = {name: statement(connection, statement_id) for name, statement_id in ids.items()}
    done = {
        name: record for name, record in records.items() if record and record.status == "succeeded"
    }
    unknown = {name: ids[name] for name in own if records[name] is None}
    outdated = [name for name in done if name in own]
    outdated += _find_forgotten_folders(core, store, base, unknown)
    partitions = {
        path for name in outdated for path in _partitions(core, store, base, name, nested)
    }
    for name, record in done.items():
        # a statement whose folder with the manifest is gone
        if name not in own and _HAS_PARTITIONS.search(record.text):
            partitions |= nested[name]
    # the manifests last: until then another OVERWRITE finds the partitions
    return (*sorted(partitions), *sorted(outdated))


def _partitions(
    core: Core, store: HadoopFiles, base: str, name: str, nested: Mapping[str, set[str]]
) -> Iterator[str]:
    """Yield the folders of the partitions of a statement, by their paths below the location.

    Args:
        core: the session's parts.
        store: the files of the location.
        base: the path of the location.
        name: the name of the statement's folder.
        nested: the folders of that name further below, for a manifest that cannot be read.
    """
    manifest = _read_manifest(core, store, f"{base}/{name}")
    if not manifest:
        yield from nested.get(name, ())
        return
    files = manifest.get("files")
    if manifest.get("lake_id") != core.database.lake_id or not isinstance(files, list):
        return
    paths = {str(file.get("name")) for file in files if isinstance(file, dict)}
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        partition, _, last = folder.rpartition("/")
        # anybody who may write into the folder may have replaced the manifest
        if last == name and is_partition(partition):
            yield folder


def _find_nested_folders(core: Core, base: str) -> dict[str, set[str]]:
    """Return the folders that statements made below folders of a location, by their names.

    A folder with a manifest is that of a statement on a location further below, and none of its
    folders is returned.
    """
    folders: dict[str, set[str]] = {}
    elsewhere = set()
    # by Python on this machine, where Hadoop starts a process for each file
    for file in spark_files(core.iceberg).list_files(base):
        core.jobs.raise_if_cancelled()
        *path, last = path_below(plain_form(file.path), plain_form(base)).split("/")
        depth = next((at for at, name in enumerate(path) if FOLDER_NAME.fullmatch(name)), 0)
        if depth and is_partition("/".join(path[:depth])):
            folders.setdefault(path[depth], set()).add("/".join(path[: depth + 1]))
            if last == MANIFEST:
                elsewhere.add(path[depth])
    return {name: paths for name, paths in folders.items() if name not in elsewhere}


def _find_forgotten_folders(
    core: Core, store: HadoopFiles, base: str, ids: Mapping[str, str]
) -> list[str]:
    """Return the folders of this lake's statements that the history does not have.

    The manifest names the lake and the statement, as a location may have folders of several lakes.
    Statements of the session's own open transaction are among them. Of other sessions, two kinds
    of statements may be missing because they are about to be published: statements younger than
    the history, and statements of an open transaction, however old. Any other missing statement
    was published and then pruned from the history, or was killed.

    Args:
        core: the session's parts.
        store: the files of the location.
        base: the path of the location.
        ids: the id of the statement, by the name of its folder.
    """
    manifests = {name: _read_manifest(core, store, f"{base}/{name}") for name in ids}
    with core.database.read() as connection:
        since = remembered_since(connection, core.database)
        still_open = {
            transaction.transaction_id for transaction in list_open_transactions(connection)
        }
        own = core.settings.transaction
        return [
            name
            for name, manifest in manifests.items()
            if manifest.get("lake_id") == core.database.lake_id
            and manifest.get("statement_id") == ids[name]
            and statement(connection, ids[name]) is None
            and (
                (own is not None and manifest.get("transaction_id") == own.transaction_id)
                or (
                    manifest.get("transaction_id") not in still_open
                    and _is_before(manifest.get("started_at"), since)
                )
            )
        ]


def _is_before(time: object, since: int) -> bool:
    return isinstance(time, int) and time < since


def _read_manifest(core: Core, store: HadoopFiles, folder: str) -> Mapping[str, Any]:
    """Return the content of a folder's manifest, empty for a missing or foreign manifest."""
    core.jobs.raise_if_cancelled()
    path = f"{folder}/{MANIFEST}"
    if not is_plain_file(path):
        return {}
    # anybody who may write into the folder may have replaced the manifest
    to = "read the manifest of a folder"
    with contextlib.suppress(ValueError, RecursionError), tolerate(IcemeltError, to=to):
        text = store.read(path, size=_MAX_MANIFEST_BYTES + 1)
        content = json.loads(text) if len(text) <= _MAX_MANIFEST_BYTES else {}
        return content if isinstance(content, dict) else {}
    return {}
