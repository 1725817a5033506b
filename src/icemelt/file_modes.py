"""Permissions of the files and folders made by icemelt: for their user alone, whatever the umask.

A folder writable by its group, as after `chmod g+w`, shares new files and folders with the group:
several users can share a lake. An existing folder keeps its mode.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["create_file", "make_folder", "open_file", "umask_in", "write_file"]

_OWN, _SHARED = 0o077, 0o007


def umask_in(folder: Path) -> int:
    """Return the mode bits to take away from new files in a folder.

    A folder writable by everybody, such as `/tmp`, does not count as shared by a group.

    >>> umask_in(Path("/tmp")) == umask_in(Path("/there is none")) == 0o077
    True
    """
    try:
        mode = folder.stat().st_mode
    except OSError:
        return _OWN
    is_shared = mode & stat.S_IWGRP and not mode & (stat.S_ISVTX | stat.S_IWOTH)
    return _SHARED if is_shared else _OWN


def make_folder(folder: Path) -> None:
    """Make a folder, and missing folders above.

    Raises:
        OSError: the folder cannot be made.

    >>> made = Path(tempfile.mkdtemp()) / "a" / "b"
    >>> make_folder(made)
    >>> oct(made.stat().st_mode), oct(made.parent.stat().st_mode)
    ('0o40700', '0o40700')
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    umask = umask_in(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        # another process has made the folder meanwhile, or the path is no folder
        if not folder.is_dir():
            raise
        return
    if umask == _SHARED:
        # keep the bit by which new files get the folder's group
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXG)


def open_file(path: Path, flags: int = os.O_TRUNC) -> int:
    """Open a file for writing, new or existing; return the descriptor.

    Raises:
        OSError: the file cannot be opened.
    """
    is_new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600)
    if is_new and umask_in(path.parent) == _SHARED:
        # of another user's file the mode stays
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, 0o660)
    return descriptor


def write_file(path: Path, content: bytes) -> None:
    """Write a file, and make missing folders above.

    Raises:
        OSError: the file cannot be written.
    """
    make_folder(path.parent)
    with os.fdopen(open_file(path), "wb") as file:
        file.write(content)


def create_file(path: Path) -> None:
    """Make an empty file; leave an existing file unopened.

    Opening and closing an SQLite database would release the locks of this process on the database.

    Raises:
        OSError: the file cannot be made.

    >>> path = Path(tempfile.mkdtemp()) / "catalog.db"
    >>> create_file(path)
    >>> oct(path.stat().st_mode), path.stat().st_size
    ('0o100600', 0)
    """
    if path.exists():
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        if umask_in(path.parent) == _SHARED:
            os.fchmod(descriptor, 0o660)
        os.close(descriptor)
        with contextlib.suppress(FileExistsError):
            _link(name, path)
    finally:
        Path(name).unlink()


def _link(name: str, path: Path) -> None:
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:
        # a file system without links of this kind
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
