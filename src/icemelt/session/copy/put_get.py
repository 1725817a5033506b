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
from icemelt.observe.emitting import tolerate
from icemelt.session.files.byte_streams import open_source
from icemelt.session.files.file_places import find_place
from icemelt.session.files.source_files import SourceFile
from icemelt.session.files.stage_listing import PART_ENDING, StageFile, find_stage_files
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
_ENDINGS = {name: ending for ending, name in _COMPRESSIONS.items()}
# the first bytes of compressed files
_MAGIC = {
    b"\x1f\x8b": "GZIP",
    b"BZh": "BZ2",
    b"\x28\xb5\x2f\xfd": "ZSTD",
    b"PAR1": "PARQUET",
    b"ORC": "ORC",
    b"Obj\x01": "AVRO",
}
_MAGIC_BYTES = 4
_NONE, _GZIP = "NONE", "GZIP"
_IS_THERE = "A file of the name is there; OVERWRITE = TRUE replaces it."
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
    files = [_make_upload(core, statement, file) for file in _find_local_files(statement.source)]
    _require_different_targets(files)
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
    files = tuple(find_stage_files(core, statement.place, statement.pattern))
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


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file to copy into a stage, and its compression before and after.

    Attributes:
        file: the local file.
        target: the name in the stage.
        before: the file's own compression.
        after: the compression in the stage.
    """

    file: SourceFile
    target: str
    before: str
    after: str

    @property
    def name(self) -> str:
        """The name of the local file."""
        return self.file.path.rpartition("/")[2]


def _make_upload(core: Core, statement: PutFiles, file: SourceFile) -> _Upload:
    name = file.path.rpartition("/")[2]
    before = statement.source_compression
    if before == "AUTO_DETECT":
        before = _detect_compression(core, file)
    after = _GZIP if statement.auto_compress and before == _NONE else before
    # a file is unpacked by the ending of its name
    ending = _ENDINGS.get(after, "")
    target = name if name.lower().endswith(ending) else f"{name}{ending}"
    return _Upload(file, target, before, after)


def _require_different_targets(files: Sequence[_Upload]) -> None:
    """Refuse files that would be one file in the stage.

    Raises:
        LoadFailed: two files have the same target.
    """
    met: dict[str, str] = {}
    for upload in files:
        if upload.target in met:
            raise LoadFailed(
                f"Files {met[upload.target]!r} and {upload.name!r} would both be "
                f"{upload.target!r} in the stage.",
                hint="PUT them one by one, into paths of their own: @stage/path.",
            )
        met[upload.target] = upload.name


def _put(core: Core, statement: PutFiles, folder: _Target, upload: _Upload) -> tuple[Any, ...]:
    """Copy a file into a stage; return the file's row."""
    location = f"{folder.location.rstrip('/')}/{upload.target}"

    def row(status: str, size: int, message: str = "") -> tuple[Any, ...]:
        sizes = (upload.file.size, size)
        compressions = (upload.before, upload.after)
        return upload.name, upload.target, *sizes, *compressions, status, message

    try:
        with _translated(core):
            if not statement.overwrite and hadoop_files(core.iceberg).exists(location):
                return row("SKIPPED", 0, _IS_THERE)
            with (
                closing(open_source(core, upload.file, unpacks=False)) as source,
                _replacing(core, location, folder, overwrites=statement.overwrite) as sink,
            ):
                size = _copy(core, source, sink, is_packed=upload.before != upload.after)
    except _IsThereError:
        return row("SKIPPED", 0, _IS_THERE)
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
            _replacing(core, f"{folder.location}/{name}", folder) as sink,
        ):
            size = _copy(core, source, sink, is_packed=False)
    except _NotCopiedError as error:
        return name, 0, "ERROR", str(error)
    return name, size, "DOWNLOADED", ""


class _NotCopiedError(Exception):
    """A file is not copied; the text says why."""


class _IsThereError(Exception):
    """Another file has taken the place of a file that replaces none."""


@contextlib.contextmanager
def _translated(core: Core) -> Iterator[None]:
    """Raise the errors of one file as `_NotCopiedError` or `_IsThereError`, a cancel as it is."""
    try:
        with translated(core.spark):
            try:
                yield
            except FileExistsError as error:
                raise _IsThereError from error
            except OSError as error:
                raise _NotCopiedError(error.strerror or str(error)) from error
    except StatementCancelled:
        raise
    except IcemeltError as error:
        raise _NotCopiedError(error.message) from error


def _detect_compression(core: Core, file: SourceFile) -> str:
    """Return the compression of a file, by the ending of its name, else by its first bytes."""
    by_name = _COMPRESSIONS.get(Path(file.path).suffix.lower())
    if by_name is not None:
        return by_name
    first = b""
    # the copy of the file tells why it cannot be read
    with (
        contextlib.suppress(OSError),
        tolerate(IcemeltError, to="look into a file"),
        closing(open_source(core, file, unpacks=False)) as source,
    ):
        first = source.read(_MAGIC_BYTES)
    return next((name for magic, name in _MAGIC.items() if first.startswith(magic)), _NONE)


@contextlib.contextmanager
def _replacing(
    core: Core, location: str, folder: _Target, *, overwrites: bool = True
) -> Iterator[ByteSink]:
    """Open a file for writing that takes its place when it is whole.

    Args:
        core: the session's parts.
        location: where the file will be.
        folder: the folder that is written.
        overwrites: whether a file that has taken the place meanwhile is replaced.

    Raises:
        FileExistsError: another file has taken the place.
    """
    files, path = spark_files(core.iceberg), local_path(location)
    if path is None:
        try:
            with files.create(location) as sink:
                yield sink
        except BaseException:
            with tolerate(IcemeltError, to="remove a file that is not whole"):
                files.remove_file(location)
            raise
        return
    place = Path(path)
    part = place.parent / f".{place.name}.{uuid.uuid4().hex}{PART_ENDING}"
    try:
        if not folder.is_lakes:
            place.parent.mkdir(parents=True, exist_ok=True)
        with files.create(str(part)) if folder.is_lakes else part.open("xb") as sink:
            yield sink
        if not overwrites:
            # unlike a replacement, a link fails where a file is
            place.hardlink_to(part)
            return
        # Hadoop's checksum of a file that was here before would refuse the new bytes
        (place.parent / f".{place.name}.crc").unlink(missing_ok=True)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


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
