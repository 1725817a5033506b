"""Folders of this machine's user: what is fetched once, and the logs."""

from __future__ import annotations

import getpass
import os
import tempfile
from pathlib import Path

import platformdirs

__all__ = ["cache_folder", "log_folder"]


def cache_folder(name: str) -> Path:
    """Return a folder for what can be fetched or made again; it exists.

    It is in the user's cache, or in the temporary folder where that cannot be written.

    >>> cache_folder("jars").is_dir()
    True
    """
    return _writable(platformdirs.user_cache_path("icemelt") / name, name)


def log_folder() -> Path:
    """Return the folder of Spark's logs; it exists.

    >>> log_folder().is_dir()
    True
    """
    return _writable(platformdirs.user_log_path("icemelt"), "log")


def _writable(wanted: Path, name: str) -> Path:
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError:
        return _temporary(name)
    return wanted if os.access(wanted, os.W_OK) else _temporary(name)


def _temporary(name: str) -> Path:
    folder = Path(tempfile.gettempdir()) / f"icemelt-{_user()}" / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _user() -> str:
    # containers run under user ids that no password file knows
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
