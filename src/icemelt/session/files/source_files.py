"""Find the files of a place, locally or through Hadoop, and choose by FILES and PATTERN."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from icemelt.errors import FileDamaged, IcemeltError, LoadFailed, QueryError
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import ErrorTolerated
from icemelt.patterns import compile_matcher
from icemelt.session.files.file_places import FilePlace, open_files
from icemelt.session.runtime.stores import hadoop_files, spark_files
from icemelt.storage.folder_walk import is_hidden
from icemelt.storage.hadoop import HadoopFiles
from icemelt.storage.links import FileMark, mark_of, remove_unlinked
from icemelt.storage.local import stored_file
from icemelt.storage.locations import shorten
from icemelt.storage.places import PlaceFiles, ResolvedPath
from icemelt.storage.store import NothingThere, NotListed, StoredFile
from icemelt.tables.iceberg import Iceberg

__all__ = [
    "LONGEST_PATH",
    "NOT_OPENED",
    "SourceFile",
    "distinct_files",
    "filter_by_pattern",
    "find_files",
    "list_place",
    "make_sources",
    "path_below",
    "remove_files",
    "require_readable",
    "spark_name",
    "spark_paths",
    "validate_unchanged",
]

# as the column `path` of `icemelt_loads`
LONGEST_PATH = 2_048
# as a file's name in a sentence goes on
NOT_OPENED = "has a name that Spark does not open: one with a colon, or that is no UTF-8"
_TOO_LONG = (
    f"has a path of more than {LONGEST_PATH:,} characters, the most that the history of loads keeps"
)
_PATTERN_SIGNS = re.compile(r"[*?\[{]")
_SIGNS_TO_ESCAPE = re.compile(r"([\\*?\[\]{},])")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to load.

    Attributes:
        path: the path to open.
        size: the size in bytes.
        modified_at: the time of the last change, in milliseconds since 1970.
        shown: a guest's path in results and errors; empty for other sessions.
        mark: device, inode, size and times of a guest's file, which change when another file takes
            the path; else empty.
        etag: the store's tag of the content, as in `StoredFile`.
        real: the path with all links resolved, where it is another one.
        obstacle: why the file cannot be read, None where nothing is known against it. Then `path`
            is a text for the load history alone.
    """

    path: str
    size: int
    modified_at: int
    shown: str = ""
    mark: FileMark = ()
    etag: str = ""
    real: str = ""
    obstacle: IcemeltError | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """The path in the load history: a file has one, however many paths lead to it."""
        return self.real or self.path

    @property
    def content_key(self) -> Hashable | None:
        """What differs once the file is written again; None where nothing tells."""
        if not self.etag or self.mark:
            return None
        return self.path, self.size, self.modified_at, self.etag

    @property
    def name(self) -> str:
        """The path of the file in results and errors."""
        return self.shown or self.path


def _never() -> None:
    """Do nothing: the check for a cancel where nobody can cancel."""


def find_files(
    iceberg: Iceberg,
    where: FilePlace,
    names: Sequence[str] = (),
    pattern: str | None = None,
    raise_if_cancelled: Callable[[], None] = _never,
) -> list[SourceFile]:
    """Return the files that a statement names, ordered by path.

    A path is a file, a folder (with all folders below) or a pattern. A relative path starts at the
    working directory. Of a stage, these are the files whose path begins with the place's. Files and
    folders whose name starts with `_` or `.` are skipped, but for `_NULL_`. Files that cannot be
    read are among the files, each with its obstacle; `require_readable` refuses them.

    Args:
        iceberg: the connection to Iceberg, and through it to Hadoop.
        where: the place of the files.
        names: the names of FILES.
        pattern: the pattern of PATTERN.
        raise_if_cancelled: raises where the statement was cancelled; called often, as large folders
            take long.

    Raises:
        LoadFailed: the path or a file of FILES does not exist, a folder cannot be read or lies too
            deep, or there are too many files.
        FileRefused: the session may not read a file.
    """
    place, files = open_files(iceberg, where, raise_if_cancelled)
    for name in names:
        where.validate_name(name)
    named = [_below(where.base(place), _not_hidden(name)) for name in names]
    for path in named:
        files.check(path)
    listed = list_place(files, place, where, named)
    if not named:
        listed = [file for file in listed if not _is_hidden(file.path, place.path)]
    files.check_listed(listed)
    chosen = make_sources(files, place, filter_by_pattern(listed, place.path, pattern))
    by_path = {file.path: file for file in chosen}
    return [by_path[path] for path in sorted(by_path)]


def make_sources(
    files: PlaceFiles, place: ResolvedPath, chosen: Sequence[StoredFile]
) -> list[SourceFile]:
    """Return files of a place as files to read, in order; some may have an obstacle.

    Raises:
        LoadFailed: a file of a guarded place is gone.
    """
    return [_to_source(files, place, file) for file in chosen]


def distinct_files(files: Sequence[SourceFile]) -> list[SourceFile]:
    """Return each file once, where a folder has a file and links to it: the file before the links.

    >>> target, link = SourceFile("/in/b", 0, 0), SourceFile("/in/a", 0, 0, real="/in/b")
    >>> [file.path for file in distinct_files([link, target])]
    ['/in/b']
    """
    by_key: dict[str, SourceFile] = {}
    for file in files:
        if file.key not in by_key or not file.real:
            by_key[file.key] = file
    return sorted(by_key.values(), key=attrgetter("path"))


def require_readable(files: Sequence[SourceFile]) -> Sequence[SourceFile]:
    """Return the files, none of which has an obstacle.

    Raises:
        IcemeltError: the first obstacle.
    """
    for file in files:
        if file.obstacle is not None:
            raise file.obstacle
    return files


def list_place(
    files: PlaceFiles,
    place: ResolvedPath,
    where: FilePlace,
    named: Sequence[str] = (),
    *,
    first_only: bool = False,
) -> list[StoredFile]:
    """Return the files of some paths, or all files of a place.

    Args:
        files: the files of the place.
        place: the path to open.
        where: the place in the statement.
        named: the paths of files; none for all files.
        first_only: whether one file of a stage is enough.

    Raises:
        LoadFailed: there is nothing, a folder cannot be read or lies too deep, or there are too
            many files.
    """
    try:
        if named:
            return [files.find_file(path) for path in named]
        if where.prefix is None:
            return list(files.list_matching(place.path))
        below = files.list_folder(place.path)
        if first_only:
            return list(itertools.islice(below, 1))
        if not where.prefix:
            return list(below)
        return [
            file for file in below if path_below(file.path, place.path).startswith(where.prefix)
        ]
    except NothingThere as error:
        if where.may_be_missing and not named:
            return []
        raise _nothing_at(place, error.location) from error
    except NotListed as error:
        folder = shorten(_path_as_written(place, error.location))
        raise LoadFailed(f"Folder {folder} {error.reason}.", hint=error.hint) from error
    except (FileDamaged, LoadFailed, QueryError) as error:
        own = error.hint if isinstance(error, LoadFailed) else None
        raise LoadFailed(
            f"Path {place.given!r} cannot be listed: {error.message}",
            hint=own
            or "Check it, and that Spark has the store's files: icemelt.connect(packages=…).",
        ) from error


def validate_unchanged(files: Iterable[SourceFile]) -> None:
    """Refuse files that changed on this machine between the look at them and the end of reading.

    Raises:
        LoadFailed: a file was written meanwhile, or another file or a link has taken its path.
    """
    for file in files:
        if _is_changed(file):
            raise LoadFailed(
                f"File {file.name!r} changed while it was read; nothing was loaded.",
                hint="Run the statement again once the file is whole.",
            )


def _is_changed(file: SourceFile) -> bool:
    if file.mark:
        return mark_of(file.path) != file.mark
    if not file.path.startswith("/"):
        return False
    try:
        # a `Path` for each of 100,000 files would take longer than to look at them
        now = stored_file(file.path, os.stat(file.path))  # noqa: PTH116
    except OSError:
        return True
    return _differs(now, file)


def _differs(now: StoredFile, file: SourceFile) -> bool:
    return (now.size, now.modified_at, now.etag) != (file.size, file.modified_at, file.etag)


def spark_paths(files: Iterable[SourceFile]) -> list[str]:
    r"""Return the paths of the files for Spark's reader, with the signs of patterns escaped.

    >>> spark_paths([SourceFile("/tmp/a[1].csv", 0, 0), SourceFile("s3a://b/c.csv", 0, 0)])
    ['file:///tmp/a\\[1\\].csv', 's3a://b/c.csv']
    """
    return [
        ("file://" if file.path.startswith("/") else "") + _SIGNS_TO_ESCAPE.sub(r"\\\1", file.path)
        for file in files
    ]


def spark_name(file: SourceFile) -> str:
    """Return the name of a file in its rows.

    >>> spark_name(SourceFile("/tmp/a.csv", 0, 0))
    'file:/tmp/a.csv'
    """
    return f"file:{file.path}" if file.path.startswith("/") else file.path


def remove_files(iceberg: Iceberg, files: Iterable[SourceFile]) -> list[SourceFile]:
    """Remove loaded files, each if it is still the file that was loaded; return those that are not.

    A file that was written again since has rows that nobody has loaded. Its path is looked at right
    before the removal, as no store removes a file under the condition that it is unchanged. A file
    that cannot be removed stays, as in Snowflake, and is not returned.
    """
    store, hadoop = spark_files(iceberg), hadoop_files(iceberg)
    written_again = []
    for file in files:
        remove = remove_unlinked if file.mark else store.remove_file
        action = "remove a file that was loaded"
        with contextlib.suppress(OSError, NothingThere), tolerate(IcemeltError, to=action):
            if _is_written_again(hadoop, file):
                written_again.append(file)
                said = f"File {file.name!r} was written again after it was loaded."
                emit(ErrorTolerated(action, LoadFailed.code, said))
            else:
                remove(file.path)
    return written_again


def _is_written_again(hadoop: HadoopFiles, file: SourceFile) -> bool:
    """Tell whether another file, or other content, is at the path of a file.

    Raises:
        NothingThere: nothing is at the path, which is in another store.
    """
    if file.mark or file.path.startswith("/"):
        return os.path.lexists(file.path) and _is_changed(file)
    return _differs(hadoop.find_file(file.path), file)


def _below(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/{name.lstrip('/')}"


def _is_hidden(path: str, base: str) -> bool:
    """Tell whether Spark's reader would skip a file: the file or a folder on the way is hidden."""
    parts = path_below(path, base).split("/")
    return any(map(is_hidden, (*parts, path.rsplit("/", 1)[-1])))


def path_below(path: str, base: str) -> str:
    """Return a path relative to a base, or to the folder of a base that is a file or a pattern."""
    pattern = _PATTERN_SIGNS.search(base)
    if pattern is not None and not path.startswith(f"{base}/"):
        base = base[: base.rfind("/", 0, pattern.start())]
    if path.startswith(f"{base.rstrip('/')}/"):
        return path[len(base.rstrip("/")) + 1 :]
    return path.rsplit("/", 1)[-1]


def _not_hidden(path: str) -> str:
    if is_hidden(path.rsplit("/", 1)[-1]):
        raise LoadFailed(
            f"File {path!r} is hidden: its name starts with '_' or '.', and readers pass it over.",
            hint="Rename the file.",
        )
    return path


def filter_by_pattern(
    files: Iterable[StoredFile], base: str, pattern: str | None
) -> list[StoredFile]:
    """Return the files whose path below a place matches PATTERN; all files without a pattern."""
    if pattern is None:
        return list(files)
    matches = compile_matcher(pattern)
    return [file for file in files if matches(path_below(file.path, base))]


def _to_source(files: PlaceFiles, place: ResolvedPath, file: StoredFile) -> SourceFile:
    """Return a file to load: of a guest with the checked path, the path to show, and the mark."""
    written = _path_as_written(place, file.path)
    obstacle = file.obstacle or ("" if files.can_open(written) else NOT_OPENED)
    if len(file.path) > LONGEST_PATH:
        obstacle = _TOO_LONG
    if obstacle:
        files.check(file.path)
        return _unreadable_source(file, written, obstacle)
    if not place.is_guarded:
        real = files.real_path(file)
        real = "" if real == file.path or len(real) > LONGEST_PATH else real
        return SourceFile(file.path, file.size, file.modified_at, etag=file.etag, real=real)
    fixed = files.fix(file.path)
    if fixed is None:
        raise LoadFailed(f"There is no file at {written!r}.", hint="Name a file of data.")
    path, mark = fixed
    return SourceFile(path, file.size, file.modified_at, written, mark)


def _unreadable_source(file: StoredFile, written: str, obstacle: str) -> SourceFile:
    """Return a file that is not opened, under a path that the load history can keep."""
    path, shown = _as_text(file.path), _as_text(written)
    if len(path) > LONGEST_PATH:
        key = hashlib.sha256(path.encode()).hexdigest()[:32]
        path = f"{path[: LONGEST_PATH // 2]}…{key}"
    error = LoadFailed(
        f"File {repr(shown) if obstacle == NOT_OPENED else shorten(shown)} {obstacle}.",
        hint="Mend or rename it, or leave it out with PATTERN or FILES; ON_ERROR = SKIP_FILE of "
        "COPY INTO loads the others.",
    )
    return SourceFile(path, file.size, file.modified_at, shown, obstacle=error)


def _as_text(path: str) -> str:
    r"""Return a path with the bytes that are no UTF-8 as `\xff`."""
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _path_as_written(place: ResolvedPath, path: str) -> str:
    """Return the path of a file, relative to the path in the statement."""
    if not place.is_guarded:
        return path
    if path == place.path:
        return place.given
    given, pattern = place.given, _PATTERN_SIGNS.search(place.given)
    if pattern is not None and not path.startswith(f"{place.path}/"):
        given = given[: given.rfind("/", 0, pattern.start()) + 1]
        if _PATTERN_SIGNS.search(place.path[len(path) :]) and place.path.startswith(f"{path}/"):
            return given
    relative = path_below(path, place.path)
    return _below(given, relative) if given else relative


def _nothing_at(place: ResolvedPath, path: str = "") -> LoadFailed:
    hint = "Check the path, and the right to read it."
    if place.is_from_working_directory and not Path(place.given).is_absolute():
        hint = f"A relative path starts at the working directory, {str(Path.cwd())!r}."
    return LoadFailed(
        f"There is no file at {_path_as_written(place, path or place.path)!r}.", hint=hint
    )
