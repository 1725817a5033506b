"""One store of files here and elsewhere: the location of a file says which."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from icemelt.storage.locations import local_path
from icemelt.storage.store import ByteSink, ByteStream, FileStore, StoredFile

__all__ = ["FilesByLocation"]


@dataclass(frozen=True, slots=True)
class FilesByLocation:
    """A `FileStore` that gives each location to the store that has it.

    Attributes:
        elsewhere: the store of locations that are not of this machine.
        here: the store of this machine's locations: Python reads and writes them without Java.
    """

    elsewhere: FileStore
    here: FileStore

    def list_files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files in a folder and in all folders below."""
        return self._store_of(folder).list_files(folder)

    def list_folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, none of a missing folder."""
        return self._store_of(folder).list_folders(folder)

    def count_files(self, folder: str) -> int:
        """Return how many files `list_files` yields."""
        return self._store_of(folder).count_files(folder)

    def open(self, location: str) -> ByteStream:
        """Open a file for reading."""
        return self._store_of(location).open(location)

    def read(self, location: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `offset` on; all of them for None."""
        return self._store_of(location).read(location, offset, size)

    def create(self, location: str) -> AbstractContextManager[ByteSink]:
        """Open a file for writing, new or replaced, in a folder that is made if missing."""
        return self._store_of(location).create(location)

    def write(self, location: str, content: bytes) -> None:
        """Write a whole file, as `create` does."""
        self._store_of(location).write(location, content)

    def remove_file(self, location: str) -> None:
        """Remove a file."""
        self._store_of(location).remove_file(location)

    def remove_folder(self, folder: str) -> None:
        """Remove a folder with everything in it."""
        self._store_of(folder).remove_folder(folder)

    def _store_of(self, location: str) -> FileStore:
        return self.elsewhere if local_path(location) is None else self.here
