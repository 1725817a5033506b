"""A folder for temporary files: Spark's own, complement vectors, pinned metadata.

A killed process leaves its scratch folder behind. The owner of a scratch folder holds a lock on a
file in the folder for life. The next session on the same machine removes folders with a free lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import platform
import stat
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from icemelt.file_modes import make_folder
from icemelt.names import path_component
from icemelt.storage.local import remove_if_local, remove_tree
from icemelt.storage.locations import local_path

__all__ = ["ScratchFolder", "open_scratch", "sweep"]

_PREFIX = "icemelt-scratch"
_LOCK = "owner.lock"
# the least age of a folder to be removed: the owner of a newer folder may be about to lock a file
_GRACE_SECONDS = 60
# when this process swept each place last: a server opens sessions by the second
_swept: dict[Path, float] = {}


@dataclass(frozen=True, slots=True)
class ScratchFolder:
    """A folder removed with the session; `location` is local or on a shared file system.

    `lock` is the descriptor of the locked file, None on a shared file system. `place` is the parent
    folder chosen by the caller, None for the machine's temporary folder.
    """

    location: str
    lock: int | None = None
    place: str | None = None

    def new_file(self, suffix: str) -> str:
        """Return a fresh location.

        >>> scratch = open_scratch()
        >>> scratch.new_file(".puffin").endswith(".puffin")
        True
        >>> scratch.close()
        """
        return f"{self.location}/{uuid.uuid4()}{suffix}"

    def sweep_beside(self) -> int:
        """Remove abandoned folders beside the folder, if on this machine; return the number."""
        path = local_path(self.location)
        return 0 if path is None else sweep(Path(path).parent)

    def close(self) -> None:
        """Remove the folder if the folder is on this machine, and release the lock."""
        remove_if_local(self.location)
        if self.lock is not None:
            with contextlib.suppress(OSError):
                os.close(self.lock)


def open_scratch(location: str | None = None) -> ScratchFolder:
    """Open a new scratch folder in `location`, or in the machine's temporary folder.

    Executors on other machines need a location readable there. Executors of other users need a
    location writable by their group.
    """
    parent = location.rstrip("/") if location is not None else tempfile.gettempdir()
    folder = f"{parent}/{_prefix()}{uuid.uuid4()}"
    path = local_path(folder)
    if path is None:
        return ScratchFolder(folder, place=location)
    _sweep_now_and_then(Path(path).parent)
    make_folder(Path(path))
    return ScratchFolder(folder, _create_lock(Path(path) / _LOCK), location)


def sweep(parent: Path) -> int:
    """Remove this machine's scratch folders whose owners are gone; return the number removed.

    >>> import tempfile
    >>> sweep(Path(tempfile.mkdtemp()))
    0
    """
    removed = 0
    for folder in parent.glob(f"{glob.escape(_prefix())}*"):
        if _is_own(folder) and _is_abandoned(folder):
            remove_tree(folder)
            removed += 1
    return removed


def _sweep_now_and_then(parent: Path) -> None:
    """Sweep where that was not done for as long as a folder is left alone."""
    now = time.monotonic()
    if now - _swept.get(parent, float("-inf")) >= _GRACE_SECONDS:
        _swept[parent] = now
        sweep(parent)


def _prefix() -> str:
    """Return the machine's prefix: locks on a shared file system may be local to a machine."""
    return f"{_PREFIX}-{path_component(platform.node())}-"


def _is_own(folder: Path) -> bool:
    """Tell whether a folder and its lock file are this user's, and nobody else can change either.

    In a temporary folder shared by all users, somebody may plant a lock file that links to a file
    of ours, as the catalog's database. Opening and closing the database through the link would end
    the locks that SQLite holds on the database: the locks are the process's, and go with the first
    closed descriptor of the file.
    """
    try:
        status, lock = folder.lstat(), (folder / _LOCK).lstat()
    except OSError:
        return False
    is_private = stat.S_ISDIR(status.st_mode) and not status.st_mode & stat.S_IWOTH
    is_file = stat.S_ISREG(lock.st_mode) and lock.st_nlink == 1
    return is_private and is_file and status.st_uid == lock.st_uid == os.getuid()


def _is_abandoned(folder: Path) -> bool:
    try:
        if time.time() - folder.stat().st_mtime < _GRACE_SECONDS:
            return False
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return _try_lock(lock)
    finally:
        os.close(lock)


def _create_lock(file: Path) -> int:
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    _try_lock(lock)
    return lock


def _try_lock(lock: int) -> bool:
    """Take a lock that the operating system releases when the process ends for any reason."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
