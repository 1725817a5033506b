"""`FileStore`: what is asked of files, wherever the files are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = [
    "ByteSink",
    "ByteStream",
    "FileStore",
    "FolderEntry",
    "NotListed",
    "NothingThere",
    "StoredFile",
]


class NothingThere(Exception):
    """Neither a file nor a folder is at a location; who asked says so in the statement's words."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


class NotListed(Exception):
    """The files of a folder that is there are not all listed.

    Who asked says so in the statement's words.

    Attributes:
        location: the folder.
        reason: what goes on after the folder's name in a sentence: `cannot be read: …`.
        hint: the next thing to type.
    """

    def __init__(self, location: str, reason: str, *, hint: str) -> None:
        super().__init__(location, reason)
        self.location, self.reason, self.hint = location, reason, hint


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as a store lists the file.

    Attributes:
        path: the local path, or the location in another store.
        size: the size in bytes.
        modified_at: the time of the last change, in milliseconds since 1970.
        etag: the store's tag of the content; of a file of this machine its size and the time of its
            last change in nanoseconds. Empty where the store has none.
        obstacle: why the file cannot be read, as it goes on after the file's name in a sentence;
            empty where nothing is known against it. Size and time are then 0.
        is_link: whether the path of a file of this machine is a link.
    """

    path: str
    size: int
    modified_at: int
    etag: str = ""
    obstacle: str = ""
    is_link: bool = False


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A file or a folder by the name in its folder; of a folder `size` says nothing."""

    name: str
    size: int
    is_folder: bool


class ByteStream(Protocol):
    """Bytes that are read in order."""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next `size` bytes, fewer at the end; all that are left for -1."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class ByteSink(Protocol):
    """Bytes that are written in order."""

    def write(self, data: bytes, /) -> Any:
        """Write bytes."""
        ...


class FileStore(Protocol):
    """Files by their locations.

    A method raises OSError about files of this machine, and Java's error about files elsewhere.
    """

    def list_files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files in a folder and in all folders below."""
        ...

    def list_folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, none of a missing folder."""
        ...

    def count_files(self, folder: str) -> int:
        """Return how many files `list_files` yields."""
        ...

    def open(self, location: str) -> ByteStream:
        """Open a file for reading."""
        ...

    def read(self, location: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `offset` on; all of them for None."""
        ...

    def create(self, location: str) -> AbstractContextManager[ByteSink]:
        """Open a new file for writing, in a folder that is made where it is missing.

        An existing file is replaced.
        """
        ...

    def write(self, location: str, content: bytes) -> None:
        """Write a whole file, as `create` does."""
        ...

    def remove_file(self, location: str) -> None:
        """Remove a file."""
        ...

    def remove_folder(self, folder: str) -> None:
        """Remove a folder with everything in it."""
        ...
