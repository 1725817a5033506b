"""How CSV files begin: what ends their records, and how many records the lines to skip are.

Spark takes the first line break of a file for the end of its records, also one inside quotes, and
writes all others anew as a newline, unless it is told the end; and it skips records, not lines.
"""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from icemelt.session.copy.load_files import SourceFile
from icemelt.session.copy.load_options import LoadOptions
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import hadoop_configuration
from icemelt.tables.iceberg import local_path

__all__ = ["Start", "read_start", "starts", "without_lines"]

_COMPRESSED = (".gz", ".bz2", ".zst", ".deflate", ".snappy", ".lz4")
_HEAD, _LONGEST_HEAD = 64 * 1024, 64 * 1024 * 1024
_CHUNK = 4 * 1024 * 1024
_MARK = "\ufeff"
_NEWLINES = (None, "\n", "\r\n")


@dataclass(frozen=True, slots=True)
class Start:
    """How a file begins.

    `ending` ends its records, `records` are those that the lines to skip make, None where the last
    of these lines ends inside of quotes; `length` is how many characters they have.
    """

    ending: str
    records: int | None = 0
    length: int = 0


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _JavaStream:
    """A stream of Java as one of Python."""

    stream: Any

    def read(self, size: int, /) -> bytes:
        return bytes(self.stream.readNBytes(size))

    def close(self) -> None:
        self.stream.close()


def starts(
    core: Core, options: LoadOptions, files: Sequence[SourceFile]
) -> Iterator[tuple[Start, list[SourceFile]]]:
    """Yield the files that begin alike, each group with its start; only what is needed is read."""
    ending = options.record_delimiter
    if not options.skip_header and (ending not in _NEWLINES or not options.in_quotes):
        yield Start(ending or "\n"), list(files)
        return
    found = [(_start(core, options, file), file) for file in files]
    alone = [(start, [file]) for start, file in found if start.records is None]
    others: dict[Start, list[SourceFile]] = {}
    for start, file in found:
        if start.records is not None:
            others.setdefault(replace(start, length=0), []).append(file)
    yield from itertools.chain(others.items(), alone)


def without_lines(core: Core, options: LoadOptions, file: SourceFile, start: Start) -> SourceFile:
    """Return a copy of a file in the scratch folder, without the characters of its start."""
    copy = core.relations.scratch.new_file(".csv")
    encoding = _codec(options.encoding)
    path = local_path(copy)
    with translated(core.spark), closing(_opened(core, file.path)) as stream:
        decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
        encoder = codecs.getincrementalencoder(encoding)("surrogateescape")
        left = start.length
        with closing(_created(core, copy) if path is None else Path(path).open("wb")) as written:
            while data := stream.read(_CHUNK):
                text = decoder.decode(data)
                kept, left = text[left:], max(left - len(text), 0)
                written.write(encoder.encode(kept))
    return SourceFile(path or copy, file.size, file.modified_at)


def read_start(text: str, options: LoadOptions, *, is_whole: bool = False) -> Start | None:
    r"""Return how a file begins, of its first characters; None where these do not tell.

    `is_whole` says that the file has no others.

    >>> from icemelt.session.copy.load_options import LoadOptions, Matching, OnError, OnErrorKind
    >>> from icemelt.sql.statements import FileFormat
    >>> csv = LoadOptions(FileFormat.CSV, OnError(OnErrorKind.ABORT), Matching.NONE, quote='"')
    >>> read_start('1,"a\nb"\r\n', csv)
    Start(ending='\r\n', records=0, length=0)
    """
    endings: tuple[str, ...] = ("\n",)
    if options.record_delimiter is not None and options.record_delimiter not in _NEWLINES:
        endings = (options.record_delimiter,)
    elif "\r" in text and (is_whole or "\n" not in text):
        endings = ("\n", "\r")
    for ending in endings:
        start = _start_by(text, ending, options)
        if start is not None:
            return start
    if not is_whole:
        return None
    closed = text if text.endswith(endings[0]) else text + endings[0]
    return _start_by(closed, endings[0], options, is_whole=True)


def _start_by(
    text: str, ending: str, options: LoadOptions, *, is_whole: bool = False
) -> Start | None:
    places = [found.end() for found in re.finditer(re.escape(ending), text)]
    if len(places) < options.skip_header and not is_whole:
        return None
    length = max(itertools.islice(places, options.skip_header), default=0)
    lines = list(_records(text[:length], ending, options))
    later = next(_records(text[length:], ending, options), None)
    if (later is None or later.is_open) and not is_whole:
        return None
    known = [later] if later is not None and not later.is_open else lines
    records = sum(line.is_full for line in lines)
    is_open = bool(lines) and lines[-1].is_open
    return Start(known[-1].ending if known else ending, None if is_open else records, length)


@dataclass(frozen=True, slots=True)
class _Record:
    """A record of a CSV file: what ends it, whether there is anything in it or quotes are open."""

    ending: str
    is_full: bool
    is_open: bool


def _records(text: str, ending: str, options: LoadOptions) -> Iterator[_Record]:
    """Yield the records of a text that have an end, and the last one where quotes are open."""
    quote = re.escape(options.quote) if options.in_quotes and options.quote else None
    blank = r"[ \t]*" if options.trim else ""
    delimiter, end = re.escape(options.delimiter), re.escape(ending)
    plain = rf"(?:(?!{delimiter}|{end}).)*"
    has_escape = options.escape not in {None, options.quote}
    pair = re.escape(options.escape or "") + "." if has_escape else f"{quote}{quote}"
    inside = rf"(?:{pair}|(?!{quote}).)*+" if quote else ""
    quoted = rf"{blank}{quote}{inside}(?:{quote}{plain}|(?P<open>\Z))|" if quote else ""
    field = re.compile(rf"(?:{quoted}{plain})(?P<end>{delimiter}|{end}|\Z)", re.DOTALL)
    begin = place = 0
    while place < len(text):
        found = field.match(text, place)
        assert found is not None  # noqa: S101 - it matches no characters, too
        place = found.end()
        if quote and found["open"] is not None:
            yield _Record(ending, is_full=True, is_open=True)
            return
        if found["end"] == ending:
            line = text[begin : found.start("end")]
            is_pair = ending == "\n" and line.endswith("\r")
            body = line[:-1] if is_pair else line
            is_full = bool(body if options.in_quotes and not options.trim else body.strip())
            yield _Record("\r\n" if is_pair else ending, is_full, is_open=False)
            begin = place


def _start(core: Core, options: LoadOptions, file: SourceFile) -> Start:
    encoding = _codec(options.encoding)
    with translated(core.spark), closing(_opened(core, file.path)) as stream:
        data = b""
        while True:
            more = stream.read(max(_HEAD, len(data)))
            data += more
            text = codecs.getincrementaldecoder(encoding)("surrogateescape").decode(data)
            is_whole = not more or len(data) >= _LONGEST_HEAD
            start = read_start(text.removeprefix(_MARK), options, is_whole=is_whole)
            if start is not None:
                return replace(start, length=start.length + text.startswith(_MARK))


def _codec(encoding: str) -> str:
    """Return Python's name of an encoding, or of one that keeps bytes where Python has it not."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "latin-1"


def _opened(core: Core, path: str) -> _Stream:
    """Open a file, decompressed where its name says that it is."""
    local = local_path(path)
    if local is not None and not local.endswith(_COMPRESSED):
        return Path(local).open("rb")
    named = core.iceberg.functions.named
    conf = hadoop_configuration(core.spark)
    java_path = named("org.apache.hadoop.fs.Path")(path)
    stream = java_path.getFileSystem(conf).open(java_path)
    codec = named("org.apache.hadoop.io.compress.CompressionCodecFactory")(conf).getCodec(java_path)
    return _JavaStream(stream if codec is None else codec.createInputStream(stream))


def _created(core: Core, location: str) -> Any:
    conf = hadoop_configuration(core.spark)
    path = core.iceberg.functions.named("org.apache.hadoop.fs.Path")(location)
    return path.getFileSystem(conf).create(path)
