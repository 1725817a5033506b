"""PARTITION BY of COPY INTO a location: a folder for the files of each partition.

Spark writes the rows below a folder that readers pass over, under names made of hexadecimal digits.
The folders take the names of their partitions once all rows are written and all names are checked.
With the text `day=1` for some rows, and NULL for others:

    location/data_<id>/_staged/p0=x6461793D31/…/part-0.csv  ->  location/day=1/data_<id>/part-0.csv
    location/data_<id>/_staged/p0=<null>/…/part-0.csv       ->  location/_NULL_/data_<id>/part-0.csv
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from icemelt.errors import FileDamaged, FileRefused, IcemeltError, QueryError
from icemelt.names import QualifiedName
from icemelt.observe.emitting import tolerate
from icemelt.session.copy.partition_paths import folder_of_partition, read_text
from icemelt.session.copy.unload_files import UnloadedFile, UnloadFolder, validate_in_place
from icemelt.storage.locations import shorten
from icemelt.storage.written_folders import move_folder

__all__ = ["PartitionFolders"]

_STAGED = "_staged"


@dataclass(slots=True)
class PartitionFolders:
    """The folders of a statement with PARTITION BY: one for the manifest, and one a partition.

    Attributes:
        root: the folder of the manifest, `location/data_<id>`, and of what Spark writes first.
        raise_if_cancelled: raises where the statement was cancelled.
    """

    root: UnloadFolder
    raise_if_cancelled: Callable[[], None]
    _placed: list[str] = field(default_factory=list)
    takes_files: ClassVar[bool] = False

    @property
    def temporary_stage(self) -> QualifiedName | None:
        """The temporary stage that has the files; None for files that last."""
        return self.root.temporary_stage

    @property
    def staging(self) -> UnloadFolder:
        """The folder that Spark writes, which readers pass over."""
        return replace(self.root, name=f"{self.root.name}/{_STAGED}", outdated=())

    def place_files(self, files: Sequence[UnloadedFile]) -> tuple[UnloadedFile, ...]:
        """Move the written files to their partitions; return the files by their new names.

        No folder is moved before the texts of all partitions are checked.

        Raises:
            ValueRefused: the text of a partition is no path below the location.
            FileRefused: a folder of the location cannot be written, or is a link.
        """
        folders = {
            folder: folder_of_partition(read_text(folder))
            for folder in dict.fromkeys(file.name.rpartition("/")[0] for file in files)
        }
        for staged, partition in folders.items():
            self.raise_if_cancelled()
            self._move(f"{self.staging.path}/{staged}", f"{partition}/{self.root.name}")
        with tolerate(IcemeltError, to="remove a folder"):
            self.root.store.remove_folder(self.staging.path)
        return tuple(
            replace(file, name=f"{folders[folder]}/{self.root.name}/{name}")
            for file in files
            for folder, _, name in (file.name.rpartition("/"),)
        )

    def validate_in_place(self) -> None:
        """Refuse written folders that are not below the checked location.

        Raises:
            FileRefused: a link has come into the path of a folder.
        """
        validate_in_place(self.root.place, [self.root.name, *self._placed])

    def commit(self) -> None:
        """Do nothing: no folder of another statement is replaced."""

    def rollback(self) -> None:
        """Remove the folders of all partitions, and the manifest."""
        self.root.remove_folders(self._placed)
        self._placed.clear()
        self.root.rollback()

    def _move(self, staged: str, name: str) -> None:
        store, place = self.root.store, self.root.place
        target = f"{place.location}/{name}"
        if not place.is_in_place(name):
            raise self._error(name, "a link is on the way.", hint="Remove the link.")
        if store.exists(target):
            raise self._error(name, "something is there.", hint="Remove it, or run it once more.")
        # also a folder that is moved in part is removed by a rollback
        self._placed.append(name)
        try:
            if not move_folder(store, staged, target):
                raise self._error(
                    name, "the store refused.", hint="Check that you may write there."
                )
        except (FileDamaged, QueryError) as error:
            raise self._error(name, error.message, hint=error.hint) from error

    def _error(self, name: str, reason: str, hint: str) -> FileRefused:
        path = f"{self.root.place.given.rstrip('/')}/{name}"
        return FileRefused(f"Folder {shorten(path)} cannot be written: {reason}", hint=hint)
