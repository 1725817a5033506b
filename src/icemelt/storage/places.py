"""Files of a place that a statement names: links are followed once, and checked for guests."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from icemelt.errors import FileRefused
from icemelt.storage.folder_walk import MAX_ENTRIES, FolderWalk, has_pattern, too_many_files
from icemelt.storage.hadoop import HadoopFiles
from icemelt.storage.links import FileMark, has_no_link, mark_of
from icemelt.storage.local import stored_file
from icemelt.storage.store import NothingThere, StoredFile

__all__ = ["PlaceChecks", "PlaceFiles", "ResolvedPath", "open_place"]

_NOTHING = "is a link that leads to nothing"
_NO_FILE = "is no file of data: a pipe, a socket or a device"


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A location in a statement, and the path to open for the location.

    Attributes:
        given: the location in the statement.
        path: the local path, or the location, to open.
        is_local: whether the path is of this machine.
        is_guarded: whether the path was checked for a session with access to some places only. Then
            the path has no links, and files below the path are checked again when opened.
    """

    given: str
    path: str
    is_local: bool
    is_guarded: bool

    @property
    def location(self) -> str:
        """The path as Hadoop and Spark write paths."""
        return f"file://{self.path}" if self.is_local else self.path or "/"

    @property
    def is_from_working_directory(self) -> bool:
        """Whether a relative path starts at the working directory, and a user may know that."""
        return self.is_local and not self.is_guarded

    def is_in_place(self, name: str) -> bool:
        """Tell whether a file or folder of the place is where the check has found the place.

        False where a link has come into a guarded path of this machine. Other stores resolve their
        links themselves.
        """
        is_watched = self.is_local and self.is_guarded
        return not is_watched or has_no_link(f"{self.path.rstrip('/')}/{name}")


@dataclass(frozen=True, slots=True)
class PlaceChecks:
    """What is asked while the files of a place are looked for.

    Attributes:
        validate_inside: refuses a path, its links resolved, that is not below an allowed place.
        raise_if_cancelled: raises where the statement was cancelled; called often, as large folders
            take long.
    """

    validate_inside: Callable[[str], None]
    raise_if_cancelled: Callable[[], None]


class PlaceFiles(Protocol):
    """The files of a place.

    A guarded place is one of a session with access to some places only: its files must lie below an
    allowed place, links resolved.
    """

    def check(self, path: str) -> str:
        """Return where a path leads; refuse a path that leads out of a guarded place."""
        ...

    def find_file(self, path: str) -> StoredFile:
        """Return the file at a path.

        Raises:
            NothingThere: there is nothing, or a folder.
        """
        ...

    def list_matching(self, path: str) -> Iterator[StoredFile]:
        """Yield the file at a path, the files of a folder, or the files that match a pattern.

        A file below a folder that cannot be read, as a link that leads to nothing, has an obstacle.

        Raises:
            NothingThere: there is nothing.
            NotListed: a folder cannot be read or lies too deep, or there are too many files.
            FileRefused: the pattern or a folder may not be entered.
        """
        ...

    def list_folder(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files in a folder and in all folders below; no sign in the path is a pattern.

        Raises:
            NothingThere: there is no such folder.
            NotListed: as `list_matching` does.
            FileRefused: a folder may not be entered.
        """
        ...

    def check_listed(self, files: Iterable[StoredFile]) -> None:
        """Refuse listed files outside a guarded place, where listing itself follows links."""
        ...

    def can_open(self, path: str) -> bool:
        """Tell whether Spark can open a file of this name."""
        ...

    def real_path(self, file: StoredFile) -> str:
        """Return the path of a file with all links resolved: it has one, and many paths."""
        ...

    def fix(self, path: str) -> tuple[str, FileMark] | None:
        """Return the path to open for a file of a guarded place, and the file's mark.

        The mark is empty where the store has none. None for a missing file, and for what is no
        file.
        """
        ...


def open_place(place: ResolvedPath, hadoop: HadoopFiles, checks: PlaceChecks) -> PlaceFiles:
    """Return the files of a place.

    Args:
        place: the place.
        hadoop: the files of stores elsewhere.
        checks: what is asked meanwhile.
    """
    return _LocalPlace(place, checks) if place.is_local else _HadoopPlace(place, hadoop, checks)


@dataclass(frozen=True, slots=True)
class _LocalPlace:
    """A place of this machine: links to folders are followed once, each after a check."""

    place: ResolvedPath
    checks: PlaceChecks
    _real_folders: dict[str, str] = field(default_factory=dict)

    def check(self, path: str) -> str:
        self.checks.raise_if_cancelled()
        if not self.place.is_guarded:
            return path
        real = os.path.realpath(path)
        self.checks.validate_inside(real)
        return real

    def find_file(self, path: str) -> StoredFile:
        try:
            status, is_link = _look(path)
        except OSError as error:
            raise NothingThere(path) from error
        if stat.S_ISDIR(status.st_mode):
            raise NothingThere(path)
        return stored_file(path, status, is_link=is_link)

    def list_matching(self, path: str) -> Iterator[StoredFile]:
        if os.path.lexists(path):
            roots = [path]
        else:
            roots = self._filter_by_pattern(path) if has_pattern(path) else []
        if not roots:
            raise NothingThere(path)
        walk = self._new_walk()
        for root in roots:
            self.check(root)
            if os.path.isdir(root):  # noqa: PTH112 - Path raises where a folder may not be read
                yield from _look_at(walk.files(root))
            elif root == path:
                yield self.find_file(root)
            else:
                yield from _look_at([root])

    def list_folder(self, folder: str) -> Iterator[StoredFile]:
        self.check(folder)
        if not os.path.isdir(folder):  # noqa: PTH112 - Path raises where a folder may not be read
            raise NothingThere(folder)
        for file in _look_at(self._new_walk().files(folder)):
            if file.obstacle != _NOTHING:
                yield file

    def _filter_by_pattern(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern with at most one `**`.

        A second multiplies the work.
        """
        if pattern.count("**") > 1:
            raise FileRefused(
                f"Path {self.place.given!r} has '**' more than once.",
                hint="Name a folder: the files of all folders in it are loaded. PATTERN chooses.",
            )
        return self._new_walk().matching(pattern)

    def _new_walk(self) -> FolderWalk:
        return FolderWalk(self.check, self.checks.raise_if_cancelled)

    def check_listed(self, files: Iterable[StoredFile]) -> None:
        """Check nothing: no folder outside was entered, and `fix` checks each file."""

    def can_open(self, path: str) -> bool:
        """Tell whether a name is UTF-8, which Java needs, and has no colon.

        With a colon Hadoop cannot name the file's checksum file.
        """
        is_text = path == path.encode(errors="surrogateescape").decode(errors="replace")
        return is_text and ":" not in path.rsplit("/", 1)[-1]

    def real_path(self, file: StoredFile) -> str:
        if file.is_link:
            return os.path.realpath(file.path)
        folder, _, name = file.path.rpartition("/")
        return f"{self._real_folder(folder).rstrip('/')}/{name}"

    def _real_folder(self, folder: str) -> str:
        """Return a folder with its links resolved: one look at each folder, and none at files."""
        known = self._real_folders.get(folder)
        if known is not None:
            return known
        parent, _, name = folder.rpartition("/")
        if name in {"", ".", ".."} or os.path.islink(folder):  # noqa: PTH114
            real = os.path.realpath(folder or "/")
        else:
            real = f"{self._real_folder(parent).rstrip('/')}/{name}"
        self._real_folders[folder] = real
        return real

    def fix(self, path: str) -> tuple[str, FileMark] | None:
        if not self.place.is_guarded:
            return path, ()
        real = self.check(path)
        mark = mark_of(real)
        return (real, mark) if mark else None


def _look(path: str) -> tuple[os.stat_result, bool]:
    """Return the status of what a path leads to, and whether the path is a link."""
    # a `Path` for each of 100,000 files would take longer than to list them
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return os.stat(path), True  # noqa: PTH116
    return status, False


def _look_at(paths: Iterable[str]) -> Iterator[StoredFile]:
    """Yield the files at paths that folders have; a file that cannot be read has its obstacle."""
    for path in paths:
        try:
            status, is_link = _look(path)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                yield StoredFile(path, 0, 0, obstacle=f"cannot be looked at: {error.strerror}")
            elif os.path.islink(path):  # noqa: PTH114
                yield StoredFile(path, 0, 0, obstacle=_NOTHING)
            # else gone since the folder was read, as a file that is renamed
            continue
        if stat.S_ISREG(status.st_mode):
            yield stored_file(path, status, is_link=is_link)
        elif not stat.S_ISDIR(status.st_mode):
            yield StoredFile(path, 0, 0, obstacle=_NO_FILE)


@dataclass(frozen=True, slots=True)
class _HadoopPlace:
    """A place of another store, whose own links Hadoop follows while the store is listed."""

    place: ResolvedPath
    hadoop: HadoopFiles
    checks: PlaceChecks

    def check(self, path: str) -> str:
        self.checks.raise_if_cancelled()
        if self.place.is_guarded:
            self.checks.validate_inside(path)
        return path

    def find_file(self, path: str) -> StoredFile:
        return self.hadoop.find_file(path)

    def list_matching(self, path: str) -> Iterator[StoredFile]:
        return self._count(path, self.hadoop.list_matching(path))

    def list_folder(self, folder: str) -> Iterator[StoredFile]:
        self.check(folder)
        return self._count(folder, self.hadoop.list_files(folder))

    def _count(self, path: str, found: Iterator[StoredFile]) -> Iterator[StoredFile]:
        for count, file in enumerate(found, start=1):
            self.checks.raise_if_cancelled()
            if count > MAX_ENTRIES:
                raise too_many_files(path)
            yield file

    def check_listed(self, files: Iterable[StoredFile]) -> None:
        """Check all files before any is chosen: an error must not reveal files outside."""
        for file in files:
            self.check(file.path)

    def can_open(self, path: str) -> bool:  # noqa: ARG002
        return True

    def real_path(self, file: StoredFile) -> str:
        return file.path

    def fix(self, path: str) -> tuple[str, FileMark] | None:
        return path, ()
