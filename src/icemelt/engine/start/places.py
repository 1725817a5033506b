"""Folders of this machine's user: a cache for fetched or computed files, and the logs."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import tempfile
from pathlib import Path

import platformdirs

from icemelt.file_modes import make_folder

__all__ = ["cache_folder", "log_folder", "write_whole"]


def cache_folder(name: str) -> Path:
    """Return an existing folder for files that can be fetched or computed again.

    The folder is in the user's cache, or in the temporary folder if the cache is not writable.

    >>> cache_folder("jars").is_dir()
    True
    """
    return _writable(platformdirs.user_cache_path("icemelt") / name, name)


def log_folder() -> Path:
    """Return the existing folder of Spark's logs.

    >>> log_folder().is_dir()
    True
    """
    return _writable(platformdirs.user_log_path("icemelt"), "log")


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file by an atomic rename: another process may be using the old file.

    Args:
        path: the file to replace.
        content: the bytes.
        mode: the access mode.

    >>> write_whole(cache_folder("java") / "example", b"all or nothing")
    >>> (cache_folder("java") / "example").read_bytes()
    b'all or nothing'
    >>> (cache_folder("java") / "example").unlink()
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    Path(name).chmod(mode)
    Path(name).replace(path)


def _writable(wanted: Path, name: str) -> Path:
    try:
        make_folder(wanted)
    except OSError:
        return _temporary(name)
    return wanted if os.access(wanted, os.W_OK) else _temporary(name)


def _temporary(name: str) -> Path:
    folder = _private_folder(tempfile.gettempdir()) / name
    make_folder(folder)
    return folder


@functools.cache
def _private_folder(parent: str) -> Path:
    """Return a folder of this user inside a shared folder; never a folder of another user."""
    # by number: containers run under user ids without an entry in the password file
    folder = Path(parent) / f"icemelt-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    if is_own and not status.st_mode & 0o022:
        return folder
    return Path(tempfile.mkdtemp(dir=parent, prefix=f"{folder.name}-"))
