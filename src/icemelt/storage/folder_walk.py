"""Find files in local folders; follow a link once, and stop when the statement is cancelled."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FolderWalk", "has_pattern"]

_PATTERN_SIGNS = re.compile(r"[*?\[]")


def has_pattern(path: str) -> bool:
    """Tell whether a path is a pattern: whether `*`, `?` or `[` is in the path.

    >>> has_pattern("/in/*.csv")
    True
    """
    return _PATTERN_SIGNS.search(path) is not None


@dataclass(frozen=True, slots=True)
class FolderWalk:
    """One search for files below local folders.

    The walk enters a link to a folder once. Without that, a folder with six links to itself would
    have 6⁴⁰ paths.

    Attributes:
        check: returns the target of a link; raises where the target is outside the allowed places.
        raise_if_cancelled: raises where the statement was cancelled; called for every path.
    """

    check: Callable[[str], str]
    raise_if_cancelled: Callable[[], None]
    _entered: set[str] = field(default_factory=set)

    def files(self, root: str) -> Iterator[str]:
        """Yield the path of every file in a folder and in all folders below."""
        for folder, names in self._folders(root, with_hidden=True):
            for name in names:
                self.raise_if_cancelled()
                yield str(Path(folder, name))

    def matching(self, pattern: str) -> list[str]:
        """Return the files and folders that match an absolute pattern.

        `**` matches a folder and every folder below. A hidden name, with a dot at the beginning, is
        matched only by a part with a dot at the beginning.
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
            if part == "**":
                yield from (path for path, _ in self._folders(folder, with_hidden=False))
            elif has_pattern(part):
                names = fnmatch.filter(_names(folder), part)
                is_dotted = part.startswith(".")
                visible = (name for name in names if is_dotted or not name.startswith("."))
                yield from (str(Path(folder, name)) for name in visible)
            elif os.path.lexists(Path(folder, part)):
                yield str(Path(folder, part))

    def _distinct(self, paths: Iterable[str]) -> list[str]:
        """Return the paths without repeated folders: of several paths to a folder the first."""
        first_paths: dict[str, str] = {}
        for path in paths:
            self.raise_if_cancelled()
            first_paths.setdefault(os.path.realpath(path) if Path(path).is_dir() else path, path)
        return list(first_paths.values())

    def _folders(self, root: str, *, with_hidden: bool) -> Iterator[tuple[str, list[str]]]:
        """Yield a folder and every folder below, with the names of the files in the folder."""
        for folder, inner, names in os.walk(root, followlinks=True):
            self.raise_if_cancelled()
            wanted = sorted(name for name in inner if with_hidden or not name.startswith("."))
            inner[:] = [name for name in wanted if self._may_enter(folder, name)]
            yield folder, names

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


def _names(folder: str) -> list[str]:
    try:
        return sorted(path.name for path in Path(folder).iterdir())
    except OSError:
        return []
