"""Files of this machine that icemelt writes: for their user alone, or shared with the group."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from icemelt.file_modes import make_folder, open_file, write_file
from icemelt.storage.locations import local_path, plain_form
from icemelt.storage.store import StoredFile

__all__ = ["LocalFiles", "remove_if_local", "remove_tree"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


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

        No list is built, and the folders may lie as deep as paths can be long.

        Raises:
            OSError: a folder cannot be read.
        """
        return _files_below(plain_form(folder))

    def list_folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, none of a missing folder."""
        path = _path(folder)
        return [entry.name for entry in path.iterdir() if entry.is_dir()] if path.is_dir() else []

    def count_files(self, folder: str) -> int:
        """Return how many files `list_files` yields."""
        return sum(1 for _ in self.list_files(folder))

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
        remove_tree(_path(folder))


def remove_if_local(location: str) -> None:
    """Remove a file or a folder of this machine; leave what is elsewhere.

    What cannot be removed stays.

    >>> remove_if_local("file:/tmp/icemelt-there-is-no-such-file")
    """
    path = local_path(location)
    if path is None:
        return
    if Path(path).is_dir():
        remove_tree(Path(path))
        return
    with contextlib.suppress(OSError):
        Path(path).unlink(missing_ok=True)


def remove_tree(folder: Path) -> None:
    """Remove a folder of this machine with everything in it; what cannot be removed stays.

    No link is followed. The folders may lie deeper than Python can call itself, and than paths can
    be long: one folder is open at a time, and `..` leads back.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> folder.joinpath("a", "b").mkdir(parents=True)
    >>> remove_tree(folder)
    >>> folder.exists()
    False
    """
    with contextlib.suppress(OSError):
        removal = _TreeRemoval(os.open(folder, _FOLDER))
        try:
            removal.run()
        finally:
            os.close(removal.descriptor)
    with contextlib.suppress(OSError):
        folder.rmdir()


def stored_file(path: str, status: os.stat_result, *, is_link: bool = False) -> StoredFile:
    """Return a file of this machine with its size, its time, and both as its tag.

    The tag has no inode: of a restored backup no file has changed.

    Args:
        path: the file's path.
        status: the status of the file, of a link that of what it leads to.
        is_link: whether the path is a link.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"0123456789abcdef")
    ...     file.flush()
    ...     os.utime(file.name, ns=(0, 1_000_000_000))
    ...     stored_file(file.name, os.stat(file.name)).etag
    '10-3b9aca00'
    """
    time, size = status.st_mtime_ns, status.st_size
    return StoredFile(path, size, time // 1_000_000, f"{size:x}-{time:x}", is_link=is_link)


def _path(location: str) -> Path:
    return Path(plain_form(location))


def _files_below(folder: str) -> Iterator[StoredFile]:
    waiting = [folder] if Path(folder).is_dir() else []
    while waiting:
        yield from _files_in(waiting.pop(), waiting)


def _files_in(folder: str, waiting: list[str]) -> Iterator[StoredFile]:
    """Yield the files in a folder; add the folders in there to those that wait to be listed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file():
                yield stored_file(entry.path, entry.stat())


@dataclass(frozen=True, slots=True)
class _Level:
    """A folder on the way to the folder that is being emptied.

    Attributes:
        name: the name in the folder above.
        identity: device and inode.
        folders: the names of the folders in the folder that are still to be removed.
    """

    name: str
    identity: tuple[int, int]
    folders: list[str]


@dataclass(slots=True)
class _TreeRemoval:
    """Removes what is in an open folder.

    Attributes:
        descriptor: the folder that is being emptied, of all folders the only one that is open.
        levels: that folder, last, and the folders above.
    """

    descriptor: int
    levels: list[_Level] = field(default_factory=list)

    def run(self) -> None:
        """Remove all files and folders that can be removed.

        Raises:
            OSError: somebody has moved a folder meanwhile.
        """
        self._empty("")
        while True:
            folders = self.levels[-1].folders
            if folders:
                self._enter(folders.pop())
            elif len(self.levels) > 1:
                self._leave()
            else:
                return

    def _enter(self, name: str) -> None:
        try:
            inner = os.open(name, _FOLDER, dir_fd=self.descriptor)
        except OSError:
            return
        self._hold(inner)
        self._empty(name)

    def _leave(self) -> None:
        """Go back to the folder above, and remove the folder that has been emptied."""
        emptied = self.levels.pop()
        self._hold(os.open("..", _FOLDER, dir_fd=self.descriptor))
        if _identity(self.descriptor) != self.levels[-1].identity:
            raise OSError(f"folder {emptied.name!r} was moved")
        with contextlib.suppress(OSError):
            os.rmdir(emptied.name, dir_fd=self.descriptor)

    def _hold(self, descriptor: int) -> None:
        os.close(self.descriptor)
        self.descriptor = descriptor

    def _empty(self, name: str) -> None:
        """Remove the files of the open folder, and note which folders are in there."""
        folders: list[str] = []
        self.levels.append(_Level(name, _identity(self.descriptor), folders))
        with contextlib.suppress(OSError), os.scandir(self.descriptor) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    continue
                with contextlib.suppress(OSError):
                    os.unlink(entry.name, dir_fd=self.descriptor)


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
