"""The files of COPY INTO: found on this machine or through Hadoop, chosen by FILES and PATTERN."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from icemelt.errors import FileDamaged, IcemeltError, LoadFailed, NotYet, QueryError
from icemelt.session.reach import Reach, is_local
from icemelt.session.spark_errors import translated
from icemelt.sql.statements import CopyInto
from icemelt.tables.iceberg import Iceberg, local_path

__all__ = ["SourceFile", "find_files", "for_spark", "remove_files", "spark_name"]

_GLOB = re.compile(r"[*?\[{]")
_SPECIAL = re.compile(r"([\\*?\[\]{},])")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to load; `path` is what the load history knows it by."""

    path: str
    size: int
    modified_at: int


def find_files(iceberg: Iceberg, statement: CopyInto, reach: Reach) -> list[SourceFile]:
    """Return the files a COPY INTO names, in order of their paths.

    A path is a file, a folder (with all below it) or a pattern; a relative one starts at the
    working directory. Files and folders whose name starts with `_` or `.` are passed over.

    Raises:
        LoadFailed: the path or a file of FILES does not exist.
        FileRefused: a file is out of the session's reach.
    """
    path = statement.path
    if path.startswith("@"):
        raise NotYet(
            f"Stage {path!r}: stages are not built yet.", hint="COPY INTO t FROM '/path/of/files'"
        )
    store = _LocalFiles() if is_local(path) else _HadoopFiles(iceberg)
    base = store.base(path)
    named = [_not_hidden(_below(base, name)) for name in statement.files]
    for each in (base, *named):
        reach.refuse_outside(each)
    try:
        if named:
            found = [store.one(each) for each in named]
        else:
            found = [file for file in store.below(base) if not _is_hidden(file.path, base)]
    except (FileDamaged, QueryError) as error:
        raise LoadFailed(
            f"Path {path!r} cannot be listed: {error.message}",
            hint="Check it, and that Spark has the store's files: icemelt.connect(packages=…).",
        ) from error
    chosen = {file.path: file for file in _matching(found, base, statement.pattern)}
    for each in chosen:
        reach.refuse_outside(each)
    return [chosen[path] for path in sorted(chosen)]


def for_spark(files: Iterable[SourceFile]) -> list[str]:
    r"""Return the files' paths for Spark's reader, which takes them for patterns.

    >>> for_spark([SourceFile("/tmp/a[1].csv", 0, 0), SourceFile("s3a://b/c.csv", 0, 0)])
    ['file:///tmp/a\\[1\\].csv', 's3a://b/c.csv']
    """
    return [
        ("file://" if file.path.startswith("/") else "") + _SPECIAL.sub(r"\\\1", file.path)
        for file in files
    ]


def spark_name(file: SourceFile) -> str:
    """Return a file's name as its rows carry it.

    >>> spark_name(SourceFile("/tmp/a.csv", 0, 0))
    'file:/tmp/a.csv'
    """
    return f"file:{file.path}" if file.path.startswith("/") else file.path


def remove_files(iceberg: Iceberg, files: Iterable[SourceFile]) -> None:
    """Remove loaded files; one that cannot be removed stays, as in Snowflake."""
    for file in files:
        with contextlib.suppress(OSError, IcemeltError):
            if file.path.startswith("/"):
                Path(file.path).unlink()
            else:
                _HadoopFiles(iceberg).remove(file.path)


class _LocalFiles:
    """This machine's files."""

    def base(self, path: str) -> str:
        """Return the path as an absolute one."""
        return os.path.abspath(local_path(path) or path)  # noqa: PTH100 - keeps links as they are

    def below(self, base: str) -> Iterator[SourceFile]:
        """Yield the file, the files of the folder, or those the pattern matches."""
        if os.path.lexists(base):
            roots = [base]
        else:
            roots = glob.glob(base, recursive=True) if _GLOB.search(base) else []  # noqa: PTH207
        if not roots:
            raise _nothing_at(base)
        for root in roots:
            if not Path(root).is_dir():
                yield self.one(root)
                continue
            for folder, _, names in os.walk(root, followlinks=True):
                for name in names:
                    yield self.one(str(Path(folder, name)))

    def one(self, path: str) -> SourceFile:
        """Return one file."""
        try:
            status = Path(path).stat()
        except OSError as error:
            raise _nothing_at(path) from error
        return SourceFile(path, status.st_size, status.st_mtime_ns // 1_000_000)


class _HadoopFiles:
    """Files of any store that Spark's Hadoop reads."""

    def __init__(self, iceberg: Iceberg) -> None:
        self._spark: SparkSession = iceberg.spark
        self._path_class = iceberg.functions.named("org.apache.hadoop.fs.Path")
        self._conf = iceberg.spark._jsparkSession.sessionState().newHadoopConf()

    def base(self, path: str) -> str:
        """Return the path as it is written, without a slash at its end."""
        return path.rstrip("/")

    def below(self, base: str) -> Iterator[SourceFile]:
        """Yield the file, the files of the folder, or those the pattern matches."""
        with translated(self._spark):
            path = self._path_class(base)
            system = path.getFileSystem(self._conf)
            if system.exists(path):
                roots = [system.getFileStatus(path)]
            else:
                roots = list(system.globStatus(path) or ())
            if not roots:
                raise _nothing_at(base)
            for root in roots:
                yield from self._inside(system, root)

    def _inside(self, system: Any, root: Any) -> Iterator[SourceFile]:
        if not root.isDirectory():
            yield _source_file(root)
            return
        listed = system.listFiles(root.getPath(), True)  # noqa: FBT003 - Java has no keywords
        while listed.hasNext():
            yield _source_file(listed.next())

    def one(self, path: str) -> SourceFile:
        """Return one file."""
        with translated(self._spark):
            java_path = self._path_class(path)
            system = java_path.getFileSystem(self._conf)
            if not system.exists(java_path):
                raise _nothing_at(path)
            return _source_file(system.getFileStatus(java_path))

    def remove(self, path: str) -> None:
        """Remove one file."""
        with translated(self._spark):
            java_path = self._path_class(path)
            java_path.getFileSystem(self._conf).delete(java_path, False)  # noqa: FBT003 - Java


def _source_file(status: Any) -> SourceFile:
    return SourceFile(
        str(status.getPath().toString()), status.getLen(), status.getModificationTime()
    )


def _below(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/{name.lstrip('/')}"


def _is_hidden(path: str, base: str) -> bool:
    """Tell whether a file is one that Spark's reader would pass over, or lies in such a folder."""
    parts = _relative(path, base).split("/")
    return any(part.startswith(("_", ".")) for part in (*parts, path.rsplit("/", 1)[-1]))


def _relative(path: str, base: str) -> str:
    """Return a path relative to the one given: to its folder, where that is a file or pattern."""
    pattern = _GLOB.search(base)
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


def _matching(files: Iterable[SourceFile], base: str, pattern: str | None) -> list[SourceFile]:
    if pattern is None:
        return list(files)
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise QueryError(
            f"PATTERN {pattern!r} is not a regular expression: {error}.",
            hint="PATTERN = '.*[.]csv'",
        ) from error
    return [file for file in files if compiled.fullmatch(_relative(file.path, base))]


def _nothing_at(path: str) -> LoadFailed:
    hint = "Check the path, and the right to read it."
    if is_local(path):
        hint = f"A relative path starts at the working directory, {str(Path.cwd())!r}."
    return LoadFailed(f"There is no file at {path!r}.", hint=hint)
