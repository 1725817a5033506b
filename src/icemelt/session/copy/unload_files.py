"""The folder of files that COPY INTO a location writes, locally or in a store of Hadoop's."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from icemelt.catalog.open_transactions import list_open_transactions
from icemelt.catalog.queries.leftovers import remembered_since
from icemelt.catalog.queries.reading import statement
from icemelt.errors import FileRefused, IcemeltError
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.path_policy import Hadoop, ResolvedPath, has_no_link
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import hadoop_configuration
from icemelt.storage.locations import local_path
from icemelt.tables.iceberg import Iceberg

__all__ = ["UnloadFolder", "open_folder"]

MANIFEST = "_manifest.json"
# bytes: the manifest of 40,000 files
_MAX_MANIFEST_BYTES = 4 * 1024 * 1024
_FOLDER_NAME = re.compile(r"data_([0-9a-f-]{36})(_\d+)?")
_HADOOP_PATH = "org.apache.hadoop.fs.Path"


@dataclass(frozen=True, slots=True)
class UnloadFolder:
    """The folder of a statement, below the location in the statement.

    Attributes:
        iceberg: the connection to Iceberg, and through Iceberg to Hadoop.
        place: the location.
        name: the folder's name: `data_` and the statement's id.
        outdated: the names of the folders to remove when this folder is kept, for OVERWRITE.
    """

    iceberg: Iceberg
    place: ResolvedPath
    name: str
    outdated: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The folder's path, as Spark writes paths."""
        return f"{_base(self.place)}/{self.name}"

    @property
    def written_path(self) -> str:
        """The folder's path, relative to the location that the statement names."""
        return f"{self.place.given.rstrip('/')}/{self.name}"

    def validate_in_place(self) -> None:
        """Refuse a written folder that is not below the checked location.

        Raises:
            FileRefused: a link has come into the path of the folder.
        """
        if self.place.is_guarded and self.place.is_local and not self._is_in_place():
            raise FileRefused(
                f"Location {self.place.given!r} changed while it was written.",
                hint="Run the statement again, or name a folder that nobody else changes.",
            )

    def _is_in_place(self) -> bool:
        return has_no_link(f"{self.place.path.rstrip('/')}/{self.name}")

    def files(self) -> dict[str, int]:
        """Return the size in bytes of each data file, by name."""
        with translated(self.iceberg.spark):
            return {
                status.getPath().getName(): status.getLen()
                for status in _below(self.iceberg, self.path)
                if not status.isDirectory()
                and not str(status.getPath().getName()).startswith(("_", "."))
            }

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        """Write the manifest after all files: a reader of the manifest finds every file."""
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        with translated(self.iceberg.spark):
            system, path = _store(self.iceberg, f"{self.path}/{MANIFEST}")
            stream = system.create(path)
            try:
                stream.write(bytearray(text.encode()))
            finally:
                stream.close()

    def commit(self) -> None:
        """Remove the folders that this folder replaces."""
        is_watched = self.place.is_guarded and self.place.is_local
        if self.outdated and is_watched and not self._is_in_place():
            # a new link in the path would have folders of somebody else removed
            return
        for name in self.outdated:
            self._remove(f"{_base(self.place)}/{name}")

    def rollback(self) -> None:
        """Remove the folder and all its files."""
        self._remove(self.path)

    def _remove(self, path: str) -> None:
        """Remove a folder; a folder that cannot be removed stays."""
        with tolerate(IcemeltError, to="remove a folder"), translated(self.iceberg.spark):
            system, java_path = _store(self.iceberg, path)
            system.delete(java_path, True)  # noqa: FBT003 - Java has no keywords


def open_folder(core: Core, location: str, name: str, *, overwrite: bool) -> UnloadFolder:
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
    place = core.reach.resolve(location, Hadoop(core.iceberg))
    base = _base(place)
    try:
        with translated(core.spark):
            system, path = _store(core.iceberg, base)
            exists = system.exists(path)
            is_file = exists and system.getFileStatus(path).isFile()
    except IcemeltError as error:
        raise FileRefused(
            f"Location {location!r} cannot be reached: {error.message}",
            hint="Check it, and that Spark has the store's files: icemelt.connect(packages=…).",
        ) from error
    if is_file:
        raise FileRefused(
            f"Location {location!r} is a file, expected a folder.",
            hint="Name a folder: each COPY INTO makes another one below it.",
        )
    outdated = _find_outdated_folders(core, base) if overwrite and exists else ()
    if place.is_guarded and place.is_local:
        outdated = tuple(
            folder_name for folder_name in outdated if has_no_link(f"{place.path}/{folder_name}")
        )
    return UnloadFolder(core.iceberg, place, name, outdated)


def _base(place: ResolvedPath) -> str:
    """Return the path of a location, as Hadoop and Spark write paths."""
    return f"file://{place.path}" if place.is_local else place.path or "/"


def _find_outdated_folders(core: Core, base: str) -> tuple[str, ...]:
    """Return the folders of finished statements, without the folders of open transactions."""
    with translated(core.spark):
        names = [str(record.getPath().getName()) for record in _below(core.iceberg, base)]
    ids = {name: record.group(1) for name in names if (record := _FOLDER_NAME.fullmatch(name))}
    with core.database.read() as connection:
        records = {name: statement(connection, statement_id) for name, statement_id in ids.items()}
    done = [name for name, record in records.items() if record and record.status == "succeeded"]
    unknown = {name: ids[name] for name, record in records.items() if record is None}
    return (*done, *_find_forgotten_folders(core, base, unknown))


def _find_forgotten_folders(core: Core, base: str, ids: Mapping[str, str]) -> list[str]:
    """Return the folders of this lake's statements that the history no longer has.

    The manifest names the lake and the statement, as a location may have folders of several lakes.
    Two kinds of statements may be missing in the history because they are about to be published:
    statements younger than the history, and statements of an open transaction, however old. Any
    other missing statement was published and then pruned from the history, or was killed.

    Args:
        core: the session's parts.
        base: the path of the location.
        ids: the id of the statement, by the name of its folder.
    """
    manifests = {name: _read_manifest(core, f"{base}/{name}") for name in ids}
    with core.database.read() as connection:
        since = remembered_since(connection, core.database)
        still_open = {
            transaction.transaction_id for transaction in list_open_transactions(connection)
        }
        return [
            name
            for name, manifest in manifests.items()
            if manifest.get("lake_id") == core.database.lake_id
            and manifest.get("statement_id") == ids[name]
            and manifest.get("transaction_id") not in still_open
            and _is_before(manifest.get("started_at"), since)
            and statement(connection, ids[name]) is None
        ]


def _is_before(time: object, since: int) -> bool:
    return isinstance(time, int) and time < since


def _read_manifest(core: Core, folder: str) -> Mapping[str, Any]:
    """Return the content of a folder's manifest, empty for a missing or foreign manifest."""
    core.jobs.raise_if_cancelled()
    path = f"{folder}/{MANIFEST}"
    local = local_path(path)
    if local is not None and not _is_plain_file(local):
        return {}
    # anybody who may write into the folder may have replaced the manifest
    to = "read the manifest of a folder"
    unreadable = contextlib.suppress(ValueError, RecursionError)
    with unreadable, tolerate(IcemeltError, to=to), translated(core.spark):
        system, java_path = _store(core.iceberg, path)
        stream = system.open(java_path)
        try:
            text = bytes(stream.readNBytes(_MAX_MANIFEST_BYTES + 1))
        finally:
            stream.close()
        content = json.loads(text) if len(text) <= _MAX_MANIFEST_BYTES else {}
        return content if isinstance(content, dict) else {}
    return {}


def _is_plain_file(path: str) -> bool:
    """Tell whether a path is a regular file: no link, and no pipe that waits for a writer."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _below(iceberg: Iceberg, path: str) -> list[Any]:
    system, java_path = _store(iceberg, path)
    return list(system.listStatus(java_path))


def _store(iceberg: Iceberg, path: str) -> tuple[Any, Any]:
    """Return Hadoop's file system for a path, and Hadoop's Path object."""
    java_path = iceberg.functions.java_class(_HADOOP_PATH)(path)
    conf = hadoop_configuration(iceberg.spark)
    return java_path.getFileSystem(conf), java_path
