"""Files of this machine that icemelt writes: for their user alone, or shared with the group."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from icemelt.file_modes import make_folder, open_file, write_file
from icemelt.storage.locations import local_path, plain_form
from icemelt.storage.store import StoredFile

__all__ = ["LocalFiles", "remove_if_local"]


class LocalFiles:
    """A `FileStore` of this machine; a link to a folder is not entered.

    >>> import tempfile
    >>> files, folder = LocalFiles(), tempfile.mkdtemp()
    >>> files.write(f"file:{folder}/a/b", b"1234")
    >>> files.read(f"{folder}/a/b", 1, 2), files.list_folders(folder)
    (b'23', ['a'])
    >>> files.remove_folder(folder)
    """

    def list_files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files in a folder and in all folders below, none of a missing folder.

        No list is built.
        """
        return _files_below(plain_form(folder))

    def list_folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, none of a missing folder."""
        path = _path(folder)
        return [entry.name for entry in path.iterdir() if entry.is_dir()] if path.is_dir() else []

    def count_files(self, folder: str) -> int:
        """Return how many files are in a folder and in all folders below."""
        return sum(1 for entry in _path(folder).rglob("*") if entry.is_file())

    def open(self, location: str) -> BinaryIO:
        """Open a file for reading."""
        return _path(location).open("rb")

    def read(self, location: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `offset` on; all of them for None."""
        with self.open(location) as file:
            file.seek(offset)
            return file.read(-1 if size is None else size)

    def create(self, location: str) -> AbstractContextManager[BinaryIO]:
        """Open a file for writing, new or replaced, in a folder that is made if missing."""
        path = _path(location)
        make_folder(path.parent)
        return os.fdopen(open_file(path), "wb")

    def write(self, location: str, content: bytes) -> None:
        """Write a whole file, as `create` does."""
        write_file(_path(location), content)

    def remove_file(self, location: str) -> None:
        """Remove a file, or a link."""
        _path(location).unlink()

    def remove_folder(self, folder: str) -> None:
        """Remove a folder with everything in it; what cannot be removed stays."""
        shutil.rmtree(_path(folder), ignore_errors=True)


def remove_if_local(location: str) -> None:
    """Remove a file or a folder of this machine; leave what is elsewhere.

    What cannot be removed stays.

    >>> remove_if_local("file:/tmp/icemelt-there-is-no-such-file")
    """
    path = local_path(location)
    if path is None:
        return
    if Path(path).is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        Path(path).unlink(missing_ok=True)


def _path(location: str) -> Path:
    return Path(plain_form(location))


def _files_below(folder: str) -> Iterator[StoredFile]:
    if not Path(folder).is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path)
            elif entry.is_file():
                status = entry.stat()
                yield StoredFile(entry.path, status.st_size, status.st_mtime_ns // 1_000_000)
