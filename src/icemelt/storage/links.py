"""Local paths that are opened, looked at and removed without following a link."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from icemelt.storage.locations import local_path

__all__ = [
    "FileMark",
    "LookedAtFile",
    "can_look_at",
    "has_no_link",
    "is_plain_file",
    "look_at",
    "mark_of",
    "open_parent",
    "remove_unlinked",
]

# device, inode, size and times of a file
FileMark = tuple[int, ...]

_PATH_ONLY_FLAG = getattr(os, "O_PATH", None)
_DESCRIPTOR_FOLDER = Path("/proc/self/fd")


def has_no_link(path: str) -> bool:
    """Tell whether a local path has no link.

    A checked path without links still leads to the same file.
    """
    return os.path.realpath(path) == path


def mark_of(path: str) -> FileMark:
    """Return the identity and times of the file at a local path.

    Empty for a missing file, a path with a link, and what is no file.
    """
    try:
        status = os.lstat(path)
    except OSError:
        return ()
    if not stat.S_ISREG(status.st_mode) or not has_no_link(path):
        return ()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def is_plain_file(location: str) -> bool:
    """Tell whether a location may be opened: on this machine only a regular file may.

    A link may lead anywhere, and a pipe waits for a writer. Stores elsewhere have neither.

    >>> is_plain_file("/dev/zero"), is_plain_file("s3a://bucket/a")
    (False, True)
    """
    path = local_path(location)
    if path is None:
        return True
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


@contextlib.contextmanager
def open_parent(path: str) -> Iterator[tuple[int, str]]:
    """Open the folder of a local path without following links.

    Give its descriptor, and the last name.

    Raises:
        OSError: there is no such folder, or a link is in the path.
    """
    how = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
    *folders, name = path.strip("/").split("/")
    folder = os.open("/", how)
    try:
        for folder_name in folders:
            inner = os.open(folder_name, how, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder, name
    finally:
        os.close(folder)


def remove_unlinked(path: str) -> None:
    """Remove a local file without following a link in its path.

    Raises:
        OSError: the file cannot be removed, or a link is in the path.
    """
    with open_parent(path) as (folder, name):
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(f"{name!r} is no file")
        os.unlink(name, dir_fd=folder)


@dataclass(frozen=True, slots=True)
class LookedAtFile:
    """A local file that is held without being open.

    Opening and closing a file of an SQLite database would drop the locks that this process holds on
    the database.

    Attributes:
        descriptor: the descriptor that holds the file.
        status: the file's status.
    """

    descriptor: int
    status: os.stat_result

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode of the file."""
        return (self.status.st_dev, self.status.st_ino)

    @property
    def is_regular(self) -> bool:
        """Whether the file has data, and is no folder, link, pipe or device."""
        return stat.S_ISREG(self.status.st_mode)

    def open(self) -> BinaryIO:
        """Open the held file, whatever its path leads to now."""
        return (_DESCRIPTOR_FOLDER / str(self.descriptor)).open("rb")


def can_look_at(location: str) -> bool:
    """Tell whether `look_at` works: on this machine, where the system can hold an unopened file."""
    is_local = local_path(location) is not None
    return is_local and _PATH_ONLY_FLAG is not None and _DESCRIPTOR_FOLDER.exists()


@contextlib.contextmanager
def look_at(path: str) -> Iterator[LookedAtFile]:
    """Hold the file at a local path without opening the file, and without following a link.

    Raises:
        OSError: there is no such file, or a link is in the path.
    """
    if _PATH_ONLY_FLAG is None:
        raise OSError("this system opens every file that is looked at")
    with open_parent(path) as (folder, name):
        descriptor = os.open(name, _PATH_ONLY_FLAG | os.O_NOFOLLOW, dir_fd=folder)
    try:
        yield LookedAtFile(descriptor, os.fstat(descriptor))
    finally:
        os.close(descriptor)
