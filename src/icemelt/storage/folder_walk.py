"""Find files in local folders; follow a link once, and stop when the statement is cancelled."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from icemelt.storage.store import NotListed

__all__ = [
    "MAX_DEPTH",
    "MAX_ENTRIES",
    "NULL_PARTITION",
    "FolderWalk",
    "has_pattern",
    "is_hidden",
    "too_many_files",
]

# Each file of a statement is looked at by its path, which takes time for each folder on the way.
MAX_DEPTH = 200
# The files of a statement are in memory.
MAX_ENTRIES = 1_000_000
# to hear a cancel at each entry would take a tenth of the time of a large listing
_ENTRIES_BETWEEN_CHECKS = 64
# Snowflake's name for the folder of rows whose partition is NULL
NULL_PARTITION = "_NULL_"
_PATTERN_SIGNS = re.compile(r"[*?\[]")


def has_pattern(path: str) -> bool:
    """Tell whether a path is a pattern: whether `*`, `?` or `[` is in the path.

    >>> has_pattern("/in/*.csv")
    True
    """
    return _PATTERN_SIGNS.search(path) is not None


def is_hidden(name: str) -> bool:
    """Tell whether readers pass over a file or a folder of this name.

    >>> is_hidden("_manifest.json"), is_hidden(".part.crc"), is_hidden("_NULL_")
    (True, True, False)
    """
    return name.startswith(("_", ".")) and name != NULL_PARTITION


def too_many_files(folder: str) -> NotListed:
    """Return the error about the folder where a search has met more than `MAX_ENTRIES` files.

    >>> too_many_files("/in").reason
    'is beyond the 1,000,000 files and folders of one statement'
    """
    return NotListed(
        folder,
        f"is beyond the {MAX_ENTRIES:,} files and folders of one statement",
        hint="Name a folder with fewer files, or the files: FILES = ('a.csv', …).",
    )


@dataclass(slots=True)
class FolderWalk:
    """One search for files below local folders.

    The walk enters a link to a folder once. Without that, a folder with six links to itself would
    have 6⁴⁰ paths. A folder that cannot be listed ends the search: the rows of its files would be
    missing from a statement that succeeds.

    Folders whose name begins with `_` or `.`, other than `_NULL_`, are hidden: the search does not
    enter them.

    Attributes:
        check: returns the target of a link; raises where the target is outside the allowed places.
        raise_if_cancelled: raises where the statement was cancelled; called for every path.
    """

    check: Callable[[str], str]
    raise_if_cancelled: Callable[[], None]
    _entered: set[str] = field(default_factory=set)
    _entries: int = 0

    def files(self, root: str) -> Iterator[str]:
        """Yield the path of every file in a folder and in all folders below.

        Raises:
            NotListed: a folder cannot be read, or lies deeper than `MAX_DEPTH` folders below the
                root; or the search has met more than `MAX_ENTRIES` files and folders.
        """
        for folder, names in self._folders(root):
            # a `Path` for each of 100,000 files would take longer than to list them
            beginning = f"{folder.rstrip('/')}/"
            for name in names:
                yield beginning + name

    def matching(self, pattern: str) -> list[str]:
        """Return the files and folders that match an absolute pattern.

        `**` matches a folder and every folder below. A hidden name is matched only by a part with
        the same sign at the beginning.

        Raises:
            NotListed: as `files` does.
        """
        paths = ["/"]
        *parts, last = [part for part in pattern.split("/") if part] or [""]
        for part in parts:
            paths = self._distinct(self._step(paths, part))
        # `**` at the end: the folder stands for everything below
        return paths if last == "**" else self._distinct(self._step(paths, last))

    def _step(self, folders: Iterable[str], part: str) -> Iterator[str]:
        """Yield the entries of the folders for one part of a pattern."""
        for folder in folders:
            self.raise_if_cancelled()
            if Path(folder).is_symlink():
                # even whether something is there is told of allowed places only
                self.check(folder)
            if part == "**":
                yield from (path for path, _ in self._folders(folder))
            elif has_pattern(part):
                inner, files = self._list_folder(folder)
                names = fnmatch.filter(sorted([*inner, *files]), part)
                visible = (name for name in names if not is_hidden(name) or name[0] == part[0])
                yield from (str(Path(folder, name)) for name in visible)
            elif os.path.lexists(Path(folder, part)):
                yield str(Path(folder, part))

    def _distinct(self, paths: Iterable[str]) -> list[str]:
        """Return the paths without repeated folders: of several paths to a folder the first."""
        first_paths: dict[object, str] = {}
        for path in paths:
            self.raise_if_cancelled()
            first_paths.setdefault(_identity(path), path)
        return list(first_paths.values())

    def _folders(self, root: str) -> Iterator[tuple[str, list[str]]]:
        """Yield a folder and every folder below, with the names of the files in the folder."""
        waiting = [(root, 0)]
        while waiting:
            folder, depth = waiting.pop()
            inner, names = self._list_folder(folder)
            wanted = sorted(name for name in inner if not is_hidden(name))
            entered = [str(Path(folder, name)) for name in wanted if self._may_enter(folder, name)]
            if entered and depth == MAX_DEPTH:
                raise NotListed(
                    entered[0],
                    f"lies more than {MAX_DEPTH} folders below the place",
                    hint="Name a folder that is nearer to the files.",
                )
            waiting += [(path, depth + 1) for path in reversed(entered)]
            yield folder, names

    def _list_folder(self, folder: str) -> tuple[list[str], list[str]]:
        """Return the names of the folders and of the files in a folder, in no order.

        Of a path that is no folder, or is gone meanwhile, nothing.
        """
        inner: list[str] = []
        names: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._count_entry(folder)
                    (inner if _is_folder(entry) else names).append(entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return [], []
        except OSError as error:
            # of a folder outside of the allowed places nothing is told
            self.check(folder)
            raise NotListed(
                folder,
                f"cannot be read: {error.strerror}",
                hint="Give the right to read it, or name folders or FILES that can be read.",
            ) from error
        return inner, names

    def _count_entry(self, folder: str) -> None:
        if self._entries % _ENTRIES_BETWEEN_CHECKS == 0:
            self.raise_if_cancelled()
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise too_many_files(folder)

    def _may_enter(self, folder: str, name: str) -> bool:
        """Tell whether to enter a folder: a link only once, and never a link to a parent folder."""
        path = str(Path(folder, name))
        if not Path(path).is_symlink():
            return True
        real = self.check(os.path.realpath(path))
        if real in self._entered or Path(os.path.realpath(folder)).is_relative_to(real):
            return False
        self._entered.add(real)
        return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # a link that leads in a circle, or to where nobody may look
        return False


def _identity(path: str) -> object:
    """Return what is equal for all paths of a folder; of a file the path itself."""
    try:
        status = Path(path).stat()
    except OSError:
        return path
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else path
