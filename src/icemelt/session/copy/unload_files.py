"""The folder that one COPY INTO a location writes, on this machine or in a store of Hadoop's."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from icemelt.catalog.open_transactions import open_list
from icemelt.catalog.queries.leftovers import remembered_since
from icemelt.catalog.queries.reading import statement
from icemelt.errors import FileRefused, IcemeltError
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.reach import Hadoop, Place, has_no_link
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import hadoop_configuration
from icemelt.tables.iceberg import Iceberg, local_path

__all__ = ["UnloadFolder", "open_folder"]

MANIFEST = "_manifest.json"
# of 40,000 files
_LONGEST_MANIFEST = 4 * 1024 * 1024
_FOLDER = re.compile(r"data_([0-9a-f-]{36})(_\d+)?")
_PATH = "org.apache.hadoop.fs.Path"


@dataclass(frozen=True, slots=True)
class UnloadFolder:
    """A folder of its own below a place; `outdated` are those it replaces once it is kept."""

    iceberg: Iceberg
    place: Place
    name: str
    outdated: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The folder as Spark names it."""
        return f"{_base(self.place)}/{self.name}"

    @property
    def shown(self) -> str:
        """The folder in the words of the statement."""
        return f"{self.place.given.rstrip('/')}/{self.name}"

    def refuse_moved(self) -> None:
        """Let the folder pass where it stands below the place that was checked, now that it is.

        Raises:
            FileRefused: a link came in the way to it.
        """
        if self.place.is_guarded and self.place.is_local and not self._is_in_place():
            raise FileRefused(
                f"Location {self.place.given!r} changed while it was written.",
                hint="Run the statement again, or name a folder that nobody else changes.",
            )

    def _is_in_place(self) -> bool:
        return has_no_link(f"{self.place.path.rstrip('/')}/{self.name}")

    def files(self) -> dict[str, int]:
        """Return the bytes of each data file by its name."""
        with translated(self.iceberg.spark):
            return {
                found.getPath().getName(): found.getLen()
                for found in _below(self.iceberg, self.path)
                if not found.isDirectory()
                and not str(found.getPath().getName()).startswith(("_", "."))
            }

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        """Write what the folder holds; a reader that finds it finds all the files."""
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        with translated(self.iceberg.spark):
            system, path = _store(self.iceberg, f"{self.path}/{MANIFEST}")
            stream = system.create(path)
            try:
                stream.write(bytearray(text.encode()))
            finally:
                stream.close()

    def keep(self) -> None:
        """Remove the folders that this one replaces."""
        is_watched = self.place.is_guarded and self.place.is_local
        if self.outdated and is_watched and not self._is_in_place():
            # a link that has come since would have others' folders removed
            return
        for name in self.outdated:
            self._remove(f"{_base(self.place)}/{name}")

    def take_back(self) -> None:
        """Remove the folder with all that is in it."""
        self._remove(self.path)

    def _remove(self, path: str) -> None:
        """Remove a folder; one that cannot be removed stays."""
        with tolerate(IcemeltError, to="remove a folder"), translated(self.iceberg.spark):
            system, java_path = _store(self.iceberg, path)
            system.delete(java_path, True)  # noqa: FBT003 - Java has no keywords


def open_folder(core: Core, location: str, name: str, *, overwrite: bool) -> UnloadFolder:
    """Return a folder for one statement; it is not made yet.

    With `overwrite` it replaces those of the location that earlier statements of this lake wrote.

    Raises:
        FileRefused: the location is empty, is a file, or out of reach.
    """
    if not location:
        raise FileRefused("The location is empty.", hint="COPY INTO './folder' FROM …")
    place = core.reach.place(location, Hadoop(core.iceberg))
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
    outdated = _outdated(core, base) if overwrite and exists else ()
    if place.is_guarded and place.is_local:
        outdated = tuple(each for each in outdated if has_no_link(f"{place.path}/{each}"))
    return UnloadFolder(core.iceberg, place, name, outdated)


def _base(place: Place) -> str:
    """Return a place as Hadoop and Spark are told it."""
    return f"file://{place.path}" if place.is_local else place.path or "/"


def _outdated(core: Core, base: str) -> tuple[str, ...]:
    """Return the folders of statements that are done; one of an open transaction is let be."""
    with translated(core.spark):
        names = [str(found.getPath().getName()) for found in _below(core.iceberg, base)]
    ids = {name: found.group(1) for name in names if (found := _FOLDER.fullmatch(name))}
    with core.database.read() as connection:
        known = {name: statement(connection, each) for name, each in ids.items()}
    done = [name for name, found in known.items() if found and found.status == "succeeded"]
    unknown = {name: ids[name] for name, found in known.items() if found is None}
    return (*done, *_forgotten(core, base, unknown))


def _forgotten(core: Core, base: str, ids: Mapping[str, str]) -> list[str]:
    """Return the folders of this lake's statements that are older than its history.

    The manifest says whose they are: a location may have folders of several lakes. A younger
    statement that the history does not have may be about to be published, and so may one of an
    open transaction, however old. Any other was published and pruned, or was killed.
    """
    manifests = {name: _read_manifest(core, f"{base}/{name}") for name in ids}
    with core.database.read() as connection:
        since = remembered_since(connection, core.database)
        still_open = {each.transaction_id for each in open_list(connection)}
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
    """Return what a folder's manifest says; nothing where it is missing or is none of ours."""
    core.jobs.refuse_cancelled()
    path = f"{folder}/{MANIFEST}"
    local = local_path(path)
    if local is not None and not _is_plain_file(local):
        return {}
    # whoever writes there may have put anything in its place
    to = "read the manifest of a folder"
    unreadable = contextlib.suppress(ValueError, RecursionError)
    with unreadable, tolerate(IcemeltError, to=to), translated(core.spark):
        system, java_path = _store(core.iceberg, path)
        stream = system.open(java_path)
        try:
            text = bytes(stream.readNBytes(_LONGEST_MANIFEST + 1))
        finally:
            stream.close()
        content = json.loads(text) if len(text) <= _LONGEST_MANIFEST else {}
        return content if isinstance(content, dict) else {}
    return {}


def _is_plain_file(path: str) -> bool:
    """Tell whether there is a file, and no link or what waits for a writer."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _below(iceberg: Iceberg, path: str) -> list[Any]:
    system, java_path = _store(iceberg, path)
    return list(system.listStatus(java_path))


def _store(iceberg: Iceberg, path: str) -> tuple[Any, Any]:
    """Return Hadoop's file system for a path, and the path as Hadoop's."""
    java_path = iceberg.functions.named(_PATH)(path)
    conf = hadoop_configuration(iceberg.spark)
    return java_path.getFileSystem(conf), java_path
