"""Folders of this machine, walked so that links do not multiply the work, and cancels are heard."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FolderWalk", "has_pattern"]

_SIGNS = re.compile(r"[*?\[]")


def has_pattern(path: str) -> bool:
    """Tell whether a path has signs that stand for other characters.

    >>> has_pattern("/in/*.csv")
    True
    """
    return _SIGNS.search(path) is not None


@dataclass(frozen=True, slots=True)
class FolderWalk:
    """One search for files.

    A link leads into a folder once: six links of a folder to itself would be 6⁴⁰ paths.

    Attributes:
        check: refuses where a link leads out of the places that may be read, and returns the path.
        refuse_cancelled: is asked at each folder and file.
    """

    check: Callable[[str], str]
    refuse_cancelled: Callable[[], None]
    _entered: set[str] = field(default_factory=set)

    def files(self, root: str) -> Iterator[str]:
        """Yield the files of a folder and of all below it."""
        for folder, names in self._folders(root, with_hidden=True):
            for name in names:
                self.refuse_cancelled()
                yield str(Path(folder, name))

    def matching(self, pattern: str) -> list[str]:
        """Return the files and folders that an absolute pattern matches.

        `**` stands for a folder and all below it; a name that begins with a dot is matched by a
        part that does.
        """
        found = ["/"]
        *parts, last = [part for part in pattern.split("/") if part] or [""]
        for part in parts:
            found = self._distinct(self._step(found, part))
        # all below a folder is the folder
        return found if last == "**" else self._distinct(self._step(found, last))

    def _step(self, folders: Iterable[str], part: str) -> Iterator[str]:
        """Yield what is in folders under a part of a pattern."""
        for folder in folders:
            self.refuse_cancelled()
            if part == "**":
                yield from (each for each, _ in self._folders(folder, with_hidden=False))
            elif has_pattern(part):
                names = fnmatch.filter(_names(folder), part)
                is_dotted = part.startswith(".")
                kept = (name for name in names if is_dotted or not name.startswith("."))
                yield from (str(Path(folder, name)) for name in kept)
            elif os.path.lexists(Path(folder, part)):
                yield str(Path(folder, part))

    def _distinct(self, paths: Iterable[str]) -> list[str]:
        """Return the paths, of several to one folder the first."""
        kept: dict[str, str] = {}
        for path in paths:
            self.refuse_cancelled()
            kept.setdefault(os.path.realpath(path) if Path(path).is_dir() else path, path)
        return list(kept.values())

    def _folders(self, root: str, *, with_hidden: bool) -> Iterator[tuple[str, list[str]]]:
        """Yield a folder and those below it, each with the names of its files."""
        for folder, inner, names in os.walk(root, followlinks=True):
            self.refuse_cancelled()
            wanted = sorted(name for name in inner if with_hidden or not name.startswith("."))
            inner[:] = [name for name in wanted if self._may_enter(folder, name)]
            yield folder, names

    def _may_enter(self, folder: str, name: str) -> bool:
        """Tell whether a folder is to be entered: by a link once, and never one that it is in."""
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
