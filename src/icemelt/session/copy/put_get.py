"""PUT and GET: copy files of this machine into a stage, and files of a stage to this machine."""

from __future__ import annotations

import contextlib
import gzip
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from icemelt.errors import FileRefused, IcemeltError, LoadFailed, Never, StatementCancelled
from icemelt.jobs import ThreadPool
from icemelt.session.copy.stage_files import PART_ENDING, StageFile, find_stage_files
from icemelt.session.files.byte_streams import open_source
from icemelt.session.files.file_places import find_place
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.stores import hadoop_files, spark_files
from icemelt.sql.statements import GetFiles, PutFiles
from icemelt.storage.locations import local_path
from icemelt.storage.store import ByteSink, ByteStream

__all__ = ["get_files", "put_files"]

_PUT_COLUMNS = (
    "source",
    "target",
    "source_size",
    "target_size",
    "source_compression",
    "target_compression",
    "status",
    "message",
)
_GET_COLUMNS = ("file", "size", "status", "message")
# files that are compressed already, by their endings
_COMPRESSIONS = {
    ".gz": "GZIP",
    ".bz2": "BZ2",
    ".br": "BROTLI",
    ".zst": "ZSTD",
    ".deflate": "DEFLATE",
    ".raw_deflate": "RAW_DEFLATE",
    ".parquet": "PARQUET",
    ".orc": "ORC",
    ".avro": "AVRO",
}
_NONE, _GZIP = "NONE", "GZIP"
_CHUNK_BYTES = 4 * 1024 * 1024
_File = TypeVar("_File")


def put_files(core: Core, statement: PutFiles) -> LocalRows:
    """Run PUT: a row for each file, with Snowflake's columns.

    A file is in the stage whole or not at all. A failed file has the status ERROR, and the others
    are copied. No ROLLBACK removes the files again.

    Args:
        core: the session's parts.
        statement: the parsed statement.

    Raises:
        ObjectNotFound: there is no such stage.
        LoadFailed: there is no such file.
        Never: the session is a guest's.
    """
    _refuse_guests(core, "PUT")
    where = find_place(core, statement.place, is_folder=True)
    target = _Target(where.resolve(core.iceberg).location, is_lakes=where.may_be_missing)
    copy = partial(_put, core, statement, target)
    files = _find_local_files(statement.source)
    return LocalRows(_PUT_COLUMNS, _in_parallel(statement.parallel, files, copy))


def get_files(core: Core, statement: GetFiles) -> LocalRows:
    """Run GET: a row for each file, with Snowflake's columns.

    Files in folders below the place keep their folders: `GET @s/2024 file:///tmp/out/` copies
    `2024/01/a.csv` to `/tmp/out/01/a.csv`. A file that is there is replaced.

    Args:
        core: the session's parts.
        statement: the parsed statement.

    Raises:
        ObjectNotFound: there is no such stage.
        FileRefused: the target is a file.
        Never: the session is a guest's.
    """
    _refuse_guests(core, "GET")
    folder = Path(statement.target)
    if folder.exists() and not folder.is_dir():
        raise FileRefused(f"'{folder}' is a file.", hint="Name a folder: 'file:///tmp/out/'.")
    files = tuple(find_stage_files(core, statement))
    last = statement.place.path.rpartition("/")[2]
    # the path is a folder of the stage, and not the beginning of names
    is_folder = bool(last) and all(file.relative.startswith(f"{last}/") for file in files)
    copy = partial(_get, core, _Target(str(folder)), len(last) + 1 if is_folder else 0)
    return LocalRows(_GET_COLUMNS, _in_parallel(statement.parallel, files, copy))


def _refuse_guests(core: Core, word: str) -> None:
    """Refuse what would read and write the server's files in place of the client's.

    Raises:
        Never: the session is a guest's.
    """
    if core.is_guest:
        raise Never(
            f"{word} copies files of the machine that runs it, which is the server.",
            hint="COPY INTO @stage FROM t writes files, COPY INTO t FROM @stage reads them.",
        )


@dataclass(frozen=True, slots=True)
class _Target:
    """A folder to copy files into; `is_lakes` is true of files that their user alone reads."""

    location: str
    is_lakes: bool = False


def _find_local_files(source: str) -> list[SourceFile]:
    """Return the files of a local path whose name may have `*` and `?`, ordered by name.

    Raises:
        LoadFailed: there is no such file, or the path is a folder.
    """
    path = Path(source)
    if path.is_dir():
        raise LoadFailed(
            f"{source!r} is a folder.",
            hint=f"PUT 'file://{source.rstrip('/')}/*' @stage copies its files.",
        )
    try:
        names = [path.name] if path.exists() else [entry.name for entry in path.parent.iterdir()]
    except OSError as error:
        raise LoadFailed(
            f"Folder {str(path.parent)!r} cannot be read: {error.strerror}.", hint="Check the path."
        ) from error
    matches = _make_matcher(path.name)
    files = []
    for name in sorted(names):
        file = path.parent / name
        if (name == path.name or matches(name)) and file.is_file():
            status = file.stat()
            files.append(SourceFile(str(file), status.st_size, status.st_mtime_ns // 1_000_000))
    if not files:
        raise LoadFailed(f"There is no file at {source!r}.", hint="Check the path.")
    return files


def _make_matcher(pattern: str) -> Callable[[str], object]:
    """Return a test of names by a pattern; as in a shell, `*` leaves hidden files out.

    >>> matches = _make_matcher("a*.cs?")
    >>> bool(matches("a1.csv")), bool(matches("a1.csv.gz")), bool(matches("A.csv"))
    (True, False, False)
    """
    wild = {"*": ".*", "?": "."}
    written = "".join(wild.get(character, re.escape(character)) for character in pattern)
    return re.compile(
        written if pattern.startswith(".") else rf"(?!\.){written}", re.DOTALL
    ).fullmatch


def _in_parallel(
    count: int, files: Sequence[_File], copy: Callable[[_File], tuple[Any, ...]]
) -> tuple[tuple[Any, ...], ...]:
    """Copy files in a few threads; return their rows in the files' order."""
    pool = ThreadPool(max(1, min(count, len(files))), "icemelt-copy")
    try:
        results = [pool.submit(copy, file) for file in files]
        try:
            return tuple(result.result() for result in results)
        except BaseException:
            for result in results:
                result.cancel()
            raise
    finally:
        pool.stop()


def _put(core: Core, statement: PutFiles, folder: _Target, file: SourceFile) -> tuple[Any, ...]:
    """Copy a file into a stage; return the file's row."""
    name = file.path.rpartition("/")[2]
    before = _compression(name, statement.source_compression)
    is_packed = statement.auto_compress and before == _NONE
    after, target = (_GZIP, f"{name}.gz") if is_packed else (before, name)
    location = f"{folder.location.rstrip('/')}/{target}"

    def row(status: str, size: int, message: str = "") -> tuple[Any, ...]:
        return name, target, file.size, size, before, after, status, message

    try:
        with _translated(core):
            if not statement.overwrite and hadoop_files(core.iceberg).exists(location):
                return row("SKIPPED", 0, "A file of the name is there; OVERWRITE = TRUE.")
            with (
                closing(open_source(core, file, unpacks=False)) as source,
                _replacing(core, location, is_lakes=folder.is_lakes) as sink,
            ):
                size = _copy(core, source, sink, is_packed=is_packed)
    except _NotCopiedError as error:
        return row("ERROR", 0, str(error))
    return row("UPLOADED", size)


def _get(core: Core, folder: _Target, length: int, file: StageFile) -> tuple[Any, ...]:
    """Copy a file of a stage to this machine; return the file's row.

    Args:
        core: the session's parts.
        folder: the local folder.
        length: the characters of the file's relative path that are not kept.
        file: the file.
    """
    name = file.relative[length:]
    stored = SourceFile(file.path, file.file.size, file.file.modified_at)
    try:
        with (
            _translated(core),
            closing(open_source(core, stored, unpacks=False)) as source,
            _replacing(core, f"{folder.location}/{name}", is_lakes=False) as sink,
        ):
            size = _copy(core, source, sink, is_packed=False)
    except _NotCopiedError as error:
        return name, 0, "ERROR", str(error)
    return name, size, "DOWNLOADED", ""


class _NotCopiedError(Exception):
    """A file is not copied; the text says why."""


@contextlib.contextmanager
def _translated(core: Core) -> Iterator[None]:
    """Raise the errors of one file as `_NotCopiedError`, and a cancel as it is."""
    try:
        with translated(core.spark):
            try:
                yield
            except OSError as error:
                raise _NotCopiedError(error.strerror or str(error)) from error
    except StatementCancelled:
        raise
    except IcemeltError as error:
        raise _NotCopiedError(error.message) from error


def _compression(name: str, written: str) -> str:
    """Return the compression of a file: as the statement says, or by the ending of its name."""
    if written != "AUTO_DETECT":
        return written
    return _COMPRESSIONS.get(Path(name).suffix.lower(), _NONE)


@contextlib.contextmanager
def _replacing(core: Core, location: str, *, is_lakes: bool) -> Iterator[ByteSink]:
    """Open a file for writing that takes its place when it is whole.

    Args:
        core: the session's parts.
        location: where the file will be.
        is_lakes: whether the file is readable by its user alone, as the lake's files are.
    """
    files, path = spark_files(core.iceberg), local_path(location)
    if path is None:
        try:
            with files.create(location) as sink:
                yield sink
        except BaseException:
            with contextlib.suppress(IcemeltError):
                files.remove_file(location)
            raise
        return
    folder, _, name = path.rpartition("/")
    part = f"{folder}/.{name}.{uuid.uuid4().hex}{PART_ENDING}"
    try:
        if not is_lakes:
            Path(folder).mkdir(parents=True, exist_ok=True)
        with files.create(part) if is_lakes else Path(part).open("xb") as sink:
            yield sink
        # Hadoop's checksum of a file that was here before would refuse the new bytes
        Path(f"{folder}/.{name}.crc").unlink(missing_ok=True)
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _copy(core: Core, source: ByteStream, sink: ByteSink, *, is_packed: bool) -> int:
    """Copy all bytes, compressed by gzip if `is_packed`; return how many were written."""
    counting = _Counting(sink)
    # the same bytes give the same file: gzip would write its time
    packed = gzip.GzipFile(fileobj=counting, mode="wb", mtime=0) if is_packed else None
    while data := source.read(_CHUNK_BYTES):
        core.jobs.raise_if_cancelled()
        (packed or counting).write(data)
    if packed is not None:
        packed.close()
    return counting.size


@dataclass(slots=True)
class _Counting:
    """Counts the bytes that are written."""

    sink: ByteSink
    size: int = 0

    def write(self, data: bytes) -> int:
        self.sink.write(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: the sink is closed when the file is whole."""
