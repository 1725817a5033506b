"""Find the files of COPY INTO, locally or through Hadoop, and choose by FILES and PATTERN."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from icemelt.errors import FileDamaged, FileRefused, IcemeltError, LoadFailed, NotYet, QueryError
from icemelt.observe.emitting import tolerate
from icemelt.patterns import compile_matcher
from icemelt.session.copy.folder_walk import FolderWalk, has_pattern
from icemelt.session.runtime.path_policy import (
    Hadoop,
    PathPolicy,
    ResolvedPath,
    has_no_link,
    remove_file,
)
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import hadoop_configuration
from icemelt.sql.statements import CopyInto
from icemelt.tables.iceberg import Iceberg

__all__ = [
    "SourceFile",
    "find_files",
    "remove_files",
    "spark_name",
    "spark_paths",
    "validate_unchanged",
]

_PATTERN_SIGNS = re.compile(r"[*?\[{]")
_SIGNS_TO_ESCAPE = re.compile(r"([\\*?\[\]{},])")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to load.

    Attributes:
        path: the path to open, also the key in the load history.
        size: the size in bytes.
        modified_at: the time of the last change, in milliseconds since 1970.
        shown: a guest's path in results and errors; empty for other sessions.
        mark: device, inode, size and times of a guest's file, which change when another file takes
            the path; else empty.
    """

    path: str
    size: int
    modified_at: int
    shown: str = ""
    mark: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The path of the file in results and errors."""
        return self.shown or self.path


def _never() -> None:
    """Do nothing: the check for a cancel where nobody can cancel."""


def find_files(
    iceberg: Iceberg,
    statement: CopyInto,
    reach: PathPolicy,
    raise_if_cancelled: Callable[[], None] = _never,
) -> list[SourceFile]:
    """Return the files that COPY INTO names, ordered by path.

    A path is a file, a folder (with all folders below) or a pattern. A relative path starts at the
    working directory. Files and folders whose name starts with `_` or `.` are skipped.

    Args:
        iceberg: the connection to Iceberg, and through it to Hadoop.
        statement: the parsed statement.
        reach: which paths the session may read.
        raise_if_cancelled: raises where the statement was cancelled; called often, as large folders
            take long.

    Raises:
        LoadFailed: the path or a file of FILES does not exist.
        FileRefused: the session may not read a file.
    """
    path = statement.path
    if path.startswith("@"):
        raise NotYet(
            f"Stage {path!r}: stages are not built yet.", hint="COPY INTO t FROM '/path/of/files'"
        )
    hadoop = Hadoop(iceberg)
    place = reach.resolve(path, hadoop)

    def check(path: str) -> str:
        """Return where a path leads; a guest's path must lead below an allowed place."""
        raise_if_cancelled()
        if not place.is_guarded:
            return path
        real = os.path.realpath(path) if place.is_local else path
        reach.validate_inside(real, place.given, hadoop)
        return real

    for name in statement.files:
        reach.validate_no_steps_up(name)
    named = [_below(place.path, _not_hidden(name)) for name in statement.files]
    for path in named:
        check(path)
    store = (
        _LocalFiles(place, check, raise_if_cancelled)
        if place.is_local
        else _HadoopFiles(iceberg, place, raise_if_cancelled)
    )
    files = _list_files(store, named)
    if not place.is_local:
        # all files, before PATTERN: the error must not reveal files outside
        for file in files:
            check(file.path)
    matching = _filter_by_pattern(files, place.path, statement.pattern)
    if place.is_local:
        _validate_names(place, matching)
    if place.is_guarded:
        matching = [_resolve_guest_file(place, file, check) for file in matching]
    chosen = {file.path: file for file in matching}
    return [chosen[path] for path in sorted(chosen)]


def _list_files(store: _LocalFiles | _HadoopFiles, named: Sequence[str]) -> list[SourceFile]:
    """Return the files of FILES, or all files of the place that are not hidden."""
    place = store.place
    try:
        if named:
            return [store.one(path) for path in named]
        below = store.below(place.path)
        return [file for file in below if not _is_hidden(file.path, place.path)]
    except (FileDamaged, QueryError) as error:
        raise LoadFailed(
            f"Path {place.given!r} cannot be listed: {error.message}",
            hint="Check it, and that Spark has the store's files: icemelt.connect(packages=…).",
        ) from error


def validate_unchanged(files: Iterable[SourceFile]) -> None:
    """Refuse files that changed on this machine between the check and the end of reading.

    Raises:
        LoadFailed: another file or a link has taken the path of a checked file.
    """
    for file in files:
        if file.mark and _mark(file) != file.mark:
            raise LoadFailed(
                f"File {file.name!r} changed while it was read; nothing was loaded.",
                hint="Run the statement again once the file is whole.",
            )


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


def remove_files(iceberg: Iceberg, files: Iterable[SourceFile]) -> None:
    """Remove loaded files; a file that cannot be removed stays, as in Snowflake."""
    for file in files:
        to = "remove a file that was loaded"
        with contextlib.suppress(OSError), tolerate(IcemeltError, to=to):
            if file.mark:
                remove_file(file.path)
            elif file.path.startswith("/"):
                Path(file.path).unlink()
            else:
                _remove(iceberg, file.path)


class _LocalFiles:
    """Files of this machine; `check` refuses a path that leads out of a guest's places."""

    def __init__(
        self,
        place: ResolvedPath,
        check: Callable[[str], str],
        raise_if_cancelled: Callable[[], None],
    ) -> None:
        self.place, self._walk = place, FolderWalk(check, raise_if_cancelled)

    def below(self, base: str) -> Iterator[SourceFile]:
        """Yield the file at a path, the files of a folder, or the files that match a pattern."""
        if os.path.lexists(base):
            roots = [base]
        else:
            roots = self._filter_by_pattern(base) if has_pattern(base) else []
        if not roots:
            raise _nothing_at(self.place)
        for root in roots:
            self._walk.check(root)
            if not Path(root).is_dir():
                yield self.one(root)
                continue
            for path in self._walk.files(root):
                yield self.one(path)

    def _filter_by_pattern(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern with at most one `**`.

        A second multiplies the work.

        Raises:
            FileRefused: the pattern has `**` more than once.
        """
        if pattern.count("**") > 1:
            raise FileRefused(
                f"Path {self.place.given!r} has '**' more than once.",
                hint="Name a folder: the files of all folders in it are loaded. PATTERN chooses.",
            )
        return FolderWalk(self._walk.check, self._walk.raise_if_cancelled).matching(pattern)

    def one(self, path: str) -> SourceFile:
        """Return the file at a path."""
        try:
            status = Path(path).stat()
        except OSError as error:
            raise _nothing_at(self.place, path) from error
        return SourceFile(path, status.st_size, status.st_mtime_ns // 1_000_000)


class _HadoopFiles:
    """Files of any store that Spark reads through Hadoop."""

    def __init__(
        self, iceberg: Iceberg, place: ResolvedPath, raise_if_cancelled: Callable[[], None]
    ) -> None:
        self.place, self._raise_if_cancelled = place, raise_if_cancelled
        self._spark: SparkSession = iceberg.spark
        self._path_class = iceberg.functions.java_class("org.apache.hadoop.fs.Path")
        self._conf = hadoop_configuration(iceberg.spark)

    def below(self, base: str) -> Iterator[SourceFile]:
        """Yield the file at a path, the files of a folder, or the files that match a pattern."""
        with translated(self._spark):
            path = self._path_class(base)
            system = path.getFileSystem(self._conf)
            if system.exists(path):
                roots = [system.getFileStatus(path)]
            else:
                roots = list(system.globStatus(path) or ())
            if not roots:
                raise _nothing_at(self.place)
            for root in roots:
                yield from self._inside(system, root)

    def _inside(self, system: Any, root: Any) -> Iterator[SourceFile]:
        if not root.isDirectory():
            yield _source_file(root)
            return
        listed = system.listFiles(root.getPath(), True)  # noqa: FBT003 - Java has no keywords
        while listed.hasNext():
            self._raise_if_cancelled()
            yield _source_file(listed.next())

    def one(self, path: str) -> SourceFile:
        """Return the file at a path."""
        with translated(self._spark):
            java_path = self._path_class(path)
            system = java_path.getFileSystem(self._conf)
            if not system.exists(java_path):
                raise _nothing_at(self.place, path)
            return _source_file(system.getFileStatus(java_path))


def _remove(iceberg: Iceberg, path: str) -> None:
    with translated(iceberg.spark):
        java_path = iceberg.functions.java_class("org.apache.hadoop.fs.Path")(path)
        conf = hadoop_configuration(iceberg.spark)
        java_path.getFileSystem(conf).delete(java_path, False)  # noqa: FBT003 - Java has no keywords


def _source_file(status: Any) -> SourceFile:
    return SourceFile(
        str(status.getPath().toString()), status.getLen(), status.getModificationTime()
    )


def _below(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/{name.lstrip('/')}"


def _is_hidden(path: str, base: str) -> bool:
    """Tell whether Spark's reader would skip a file: the file or a folder on the way is hidden."""
    parts = _relative(path, base).split("/")
    return any(part.startswith(("_", ".")) for part in (*parts, path.rsplit("/", 1)[-1]))


def _relative(path: str, base: str) -> str:
    """Return a path relative to a base.

    To the folder of the base, where that is a file or pattern.
    """
    pattern = _PATTERN_SIGNS.search(base)
    if pattern is not None and not path.startswith(f"{base}/"):
        base = base[: base.rfind("/", 0, pattern.start())]
    if path.startswith(f"{base.rstrip('/')}/"):
        return path[len(base.rstrip("/")) + 1 :]
    return path.rsplit("/", 1)[-1]


def _not_hidden(path: str) -> str:
    if path.rsplit("/", 1)[-1].startswith(("_", ".")):
        raise LoadFailed(
            f"File {path!r} is hidden: its name starts with '_' or '.', and readers pass it over.",
            hint="Rename the file.",
        )
    return path


def _filter_by_pattern(
    files: Iterable[SourceFile], base: str, pattern: str | None
) -> list[SourceFile]:
    if pattern is None:
        return list(files)
    matches = compile_matcher(pattern)
    return [file for file in files if matches(_relative(file.path, base))]


def _validate_names(place: ResolvedPath, files: Iterable[SourceFile]) -> None:
    """Refuse file names that Spark cannot open.

    Raises:
        NotYet: a name is not UTF-8, which Java needs, or has a colon, with which Hadoop cannot name
            the file's checksum file.
    """
    for file in files:
        path = _path_as_written(place, file.path)
        shown = path.encode(errors="surrogateescape").decode(errors="replace")
        if ":" in path.rsplit("/", 1)[-1] or shown != path:
            raise NotYet(
                f"File {shown!r} has a name that Spark does not open: one with a colon, or that is "
                "no UTF-8.",
                hint="Rename the file, or leave it out with PATTERN or FILES.",
            )


def _resolve_guest_file(
    place: ResolvedPath, file: SourceFile, check: Callable[[str], str]
) -> SourceFile:
    """Return a guest's file with the checked path, the path to show, and the file's mark."""
    if not place.is_local:
        return replace(file, shown=_path_as_written(place, file.path))
    opened = replace(file, path=check(file.path), shown=_path_as_written(place, file.path))
    mark = _mark(opened)
    if not mark:
        raise LoadFailed(f"There is no file at {opened.name!r}.", hint="Name a file of data.")
    return replace(opened, mark=mark)


def _mark(file: SourceFile) -> tuple[int, ...]:
    """Return the identity and times of the file at a path, empty for a missing file or a link."""
    try:
        status = os.lstat(file.path)
    except OSError:
        return ()
    if not stat.S_ISREG(status.st_mode) or not has_no_link(file.path):
        return ()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _path_as_written(place: ResolvedPath, path: str) -> str:
    """Return the path of a file, relative to the path in the statement."""
    if not place.is_guarded:
        return path
    if path == place.path:
        return place.given
    given, pattern = place.given, _PATTERN_SIGNS.search(place.given)
    if pattern is not None and not path.startswith(f"{place.path}/"):
        given = given[: given.rfind("/", 0, pattern.start()) + 1]
    relative = _relative(path, place.path)
    return _below(given, relative) if given else relative


def _nothing_at(place: ResolvedPath, path: str = "") -> LoadFailed:
    hint = "Check the path, and the right to read it."
    if place.is_local and not place.is_guarded:
        hint = f"A relative path starts at the working directory, {str(Path.cwd())!r}."
    return LoadFailed(
        f"There is no file at {_path_as_written(place, path or place.path)!r}.", hint=hint
    )
