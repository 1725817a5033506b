"""Find how a CSV file begins: the end of a record, and the records in the lines to skip.

Spark takes the first line break of a file for the end of a record, even inside quotes, and rewrites
all other line breaks as a newline, unless the reader sets the text. Spark skips records where
SKIP_HEADER counts lines.
"""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeVar

from icemelt.engine.resources import StatementScratch
from icemelt.errors import LoadFailed
from icemelt.session.files.byte_streams import is_packed, open_source
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.stores import spark_files
from icemelt.storage.local import remove_if_local
from icemelt.storage.locations import plain_form
from icemelt.storage.store import ByteStream

__all__ = [
    "FileStart",
    "copy_without_start",
    "count_columns",
    "group_by_header",
    "group_by_start",
    "read_start",
]

_FIRST_READ_BYTES, _MAX_START_BYTES = 64 * 1024, 16 * 1024 * 1024
_CHUNK_BYTES = 4 * 1024 * 1024
# limits for the copy of a packed file: a zip bomb unpacks to a thousand times its size
_MIN_COPY_LIMIT_BYTES, _MAX_UNPACKED_RATIO = 256 * 1024 * 1024, 50
_BYTE_ORDER_MARK = "\ufeff"
# what Spark takes off the ends of a line before it asks whether the line is blank: String.trim
_BLANKS = "".join(map(chr, range(ord(" ") + 1)))
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class FileStart:
    """How a file begins.

    Attributes:
        ending: the text that ends a record.
        records: how many records are in the lines to skip, None where the last of these lines ends
            inside quotes.
        length: how many characters the lines to skip have.
    """

    ending: str
    records: int | None = 0
    length: int = 0


def group_by_start(
    core: Core, options: ReadOptions, files: Sequence[SourceFile]
) -> Iterator[tuple[FileStart, list[SourceFile]]]:
    """Group files by how they begin; yield every start with the files. Open files only if needed.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files.
    """
    if not options.skip_header and not (options.ends_at_newlines and options.in_quotes):
        yield FileStart(options.record_delimiter or "\n"), list(files)
        return
    file_starts = [(_find_start(core, options, file), file) for file in files]
    single = [(start, [file]) for start, file in file_starts if start.records is None]
    groups: dict[FileStart, list[SourceFile]] = {}
    for start, file in file_starts:
        if start.records is not None:
            groups.setdefault(replace(start, length=0), []).append(file)
    yield from itertools.chain(groups.items(), single)


def group_by_header(
    core: Core, options: ReadOptions, files: Sequence[SourceFile]
) -> list[list[SourceFile]]:
    """Group files whose first records are the same text, for PARSE_HEADER.

    Files without a record are in the first group.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files, at least one.
    """
    if len(files) == 1:
        return [list(files)]

    def read(text: str, is_whole: bool) -> str | None:  # noqa: FBT001
        return _first_record(text, options, is_whole=is_whole)

    groups: dict[str, list[SourceFile]] = {}
    empty = []
    for file in files:
        record = _read_beginning(core, options, file, read) if file.size else ""
        if record:
            groups.setdefault(record, []).append(file)
        else:
            empty.append(file)
    first, *others = groups.values() if groups else [[]]
    return [[*first, *empty], *others]


def count_columns(core: Core, options: ReadOptions, files: Sequence[SourceFile]) -> int:
    """Return how many columns the widest first record of some files has.

    The lines to skip are looked at, too, as the names of the columns may be there.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files.
    """

    def read(text: str, is_whole: bool) -> int | None:  # noqa: FBT001
        return _count_widest(text, options, is_whole=is_whole)

    counts = [_read_beginning(core, options, file, read) for file in files if file.size]
    return max(counts, default=1)


def copy_without_start(
    core: Core, options: ReadOptions, file: SourceFile, start: FileStart, scratch: StatementScratch
) -> SourceFile:
    """Return a copy of a file, in the scratch folder, without the lines to skip.

    Args:
        core: the session's parts.
        options: the options of the file format.
        file: the file to copy.
        start: how the file begins.
        scratch: where the copy is, until the statement ends.

    Raises:
        LoadFailed: the file unpacks to far more bytes than its size lets expect.
    """
    copy = scratch.new_file(".csv")
    try:
        with (
            translated(core.spark, reading=file.path),
            closing(open_source(core, file)) as stream,
            spark_files(core.iceberg).create(copy) as written,
        ):
            for data in _without_start(stream, options, start, most=_bytes_of_copy(file)):
                core.jobs.raise_if_cancelled()
                written.write(data)
    except _TooMuchError as error:
        remove_if_local(copy)
        raise LoadFailed(
            f"File {file.name!r} unpacks to more than {_bytes_of_copy(file) >> 20} MiB, and is to "
            "be copied, for a skipped line of it has an open quote.",
            hint="Unpack it first, or leave FIELD_OPTIONALLY_ENCLOSED_BY out.",
        ) from error
    except BaseException:
        remove_if_local(copy)
        raise
    return SourceFile(plain_form(copy), file.size, file.modified_at)


class _TooMuchError(Exception):
    """A file unpacks to more bytes than allowed."""


def _bytes_of_copy(file: SourceFile) -> int:
    return max(_MIN_COPY_LIMIT_BYTES, file.size * (_MAX_UNPACKED_RATIO if is_packed(file) else 1))


def _without_start(
    stream: ByteStream, options: ReadOptions, start: FileStart, *, most: int
) -> Iterator[bytes]:
    """Yield the bytes after the characters of a start; raise after `most` bytes."""
    encoding = _codec(options.encoding)
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    encoder = codecs.getincrementalencoder(encoding)("surrogateescape")
    left, size = start.length, 0
    while data := stream.read(_CHUNK_BYTES):
        size += len(data)
        if size > most:
            raise _TooMuchError
        text = decoder.decode(data)
        kept, left = text[left:], max(left - len(text), 0)
        yield encoder.encode(kept)


def read_start(text: str, options: ReadOptions, *, is_whole: bool = False) -> FileStart | None:
    r"""Return how a file begins, given its first characters; None where more characters are needed.

    Args:
        text: the first characters of the file.
        options: the options of the file format.
        is_whole: whether `text` is the whole file.

    >>> from icemelt.session.files.read_options import ReadOptions
    >>> from icemelt.sql.statements import FileFormat
    >>> csv = ReadOptions(FileFormat.CSV, quote='"')
    >>> read_start('1,"a\nb"\r\n', csv)
    FileStart(ending='\r\n', records=0, length=0)
    """
    endings: tuple[str, ...] = ("\n",)
    if options.record_delimiter is not None and not options.ends_at_newlines:
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
    text: str, ending: str, options: ReadOptions, *, is_whole: bool = False
) -> FileStart | None:
    """Return how a file begins if `ending` ends its records, None where more characters are needed.

    With SKIP_HEADER = 2, `a,"b` / `c",d` / `1,2` (three lines) has one record in the lines to skip.
    """
    ends = re.finditer(re.escape(ending), text)
    places = [match.end() for match in itertools.islice(ends, options.skip_header)]
    if len(places) < options.skip_header and not is_whole:
        return None
    length = places[-1] if places else 0
    lines = list(_records(text[:length], ending, options))
    later = next(_records(text[length:], ending, options), None)
    if (later is None or later.is_open) and not is_whole:
        return None
    complete = [later] if later is not None and not later.is_open else lines
    records = sum(line.is_full for line in lines)
    is_open = bool(lines) and lines[-1].is_open
    return FileStart(
        complete[-1].ending if complete else ending, None if is_open else records, length
    )


@dataclass(frozen=True, slots=True)
class _CsvRecord:
    """The text and the end of a CSV record, and whether the record has content or an open quote."""

    text: str
    ending: str
    is_full: bool
    is_open: bool


def _records(text: str, ending: str, options: ReadOptions) -> Iterator[_CsvRecord]:
    """Yield the complete records of a text, and the last record where a quote is open."""
    quote = options.quote if options.in_quotes else None
    field = _field(quote, ending, options)
    begin = place = 0
    while place < len(text):
        match = field.match(text, place)
        assert match is not None  # noqa: S101 - it matches no characters, too
        place = match.end()
        if quote and match["open"] is not None:
            yield _CsvRecord(text[begin:], ending, is_full=True, is_open=True)
            return
        if match["end"] == ending:
            line = text[begin : match.start("end")]
            is_pair = ending == "\n" and line.endswith("\r")
            body = line[:-1] if is_pair else line
            is_full = bool(body if options.in_quotes and not options.trim else body.strip(_BLANKS))
            yield _CsvRecord(body, "\r\n" if is_pair else ending, is_full, is_open=False)
            begin = place


def _count_widest(text: str, options: ReadOptions, *, is_whole: bool) -> int | None:
    r"""Return the most columns of a first record and of the lines to skip before it.

    None where more characters are needed.

    >>> from icemelt.sql.statements import FileFormat
    >>> csv = ReadOptions(FileFormat.CSV, quote='"', skip_header=1)
    >>> _count_widest('report\na,"b,b",c\n', csv, is_whole=True)
    3
    """
    text = text.removeprefix(_BYTE_ORDER_MARK)
    start = read_start(text, options, is_whole=is_whole)
    if start is None:
        return None
    ending = "\n" if start.ending == "\r\n" else start.ending
    closed = text + ending if is_whole and not text.endswith(ending) else text
    full = (record for record in _records(closed, ending, options) if record.is_full)
    records = list(itertools.islice(full, options.header_lines + 1))
    is_short = len(records) <= options.header_lines
    if (is_short or records[-1].is_open) and not is_whole:
        return None
    return max((_count_fields(each.text, options) for each in records), default=1)


def _count_fields(record: str, options: ReadOptions) -> int:
    """Return the number of columns of a record without its end."""
    field = _field(options.quote if options.in_quotes else None, "\0", options, at_once=0)
    count = place = 0
    while True:
        match = field.match(record, place)
        assert match is not None  # noqa: S101 - it matches no characters, too
        count += 1
        place = match.end()
        if match["end"] != options.delimiter:
            return count


def _field(
    quote: str | None, ending: str, options: ReadOptions, at_once: int = 1000
) -> re.Pattern[str]:
    """Return a pattern that matches up to the next quoted field, or to the end of a record.

    Up to `at_once` fields without quotes are matched before the last field of the match.
    All repetitions are possessive: a repetition with backtracking keeps memory for every character.
    A character set takes most characters, which is faster than a look-ahead.
    """
    delimiter, end = re.escape(options.delimiter), re.escape(ending)
    others = f"[^{re.escape(options.delimiter[0])}{re.escape(ending[0])}]*+"
    plain = rf"{others}(?:(?!{delimiter}|{end}).{others})*+"
    last = rf"(?P<end>{delimiter}|{end}|\Z)"
    if quote is None:
        return re.compile(rf"(?:{plain}{delimiter}){{0,{at_once}}}+{plain}{last}", re.DOTALL)
    sign = re.escape(quote)
    blank = r"[ \t]*+" if options.trim else ""
    escape = options.escape if options.escape not in {None, quote} else None
    pair = rf"{re.escape(escape)}(?:.|\Z)" if escape else sign * 2
    inside = rf"[^{sign}{re.escape(escape or '')}]*+"
    inside = rf"{inside}(?:{pair}{inside})*+"
    quoted = rf"{blank}{sign}{inside}(?:{sign}{plain}|(?P<open>\Z))"
    # a thousand fields in one match: other threads get Python's lock between matches
    unquoted = rf"(?:(?!{blank}{sign}){plain}{delimiter}){{0,{at_once}}}+"
    return re.compile(rf"{unquoted}(?:{quoted}|{plain}){last}", re.DOTALL)


def _first_record(text: str, options: ReadOptions, *, is_whole: bool) -> str | None:
    r"""Return the first record that is no blank line; None where more characters are needed.

    Empty of a file without a record.

    >>> from icemelt.sql.statements import FileFormat
    >>> csv = ReadOptions(FileFormat.CSV, quote='"')
    >>> _first_record('\n"a\nb",c\r\n1,2', csv, is_whole=False)
    '"a\nb",c'
    """
    text = text.removeprefix(_BYTE_ORDER_MARK)
    start = read_start(text, options, is_whole=is_whole)
    if start is None:
        return None
    ending = "\n" if start.ending == "\r\n" else start.ending
    closed = text + ending if is_whole and not text.endswith(ending) else text
    record = next((each for each in _records(closed, ending, options) if each.is_full), None)
    if record is not None and (is_whole or not record.is_open):
        return record.text
    return "" if is_whole else None


def _find_start(core: Core, options: ReadOptions, file: SourceFile) -> FileStart:
    """Return how a file begins; read no more than needed."""

    def read(text: str, is_whole: bool) -> FileStart | None:  # noqa: FBT001
        mark = text.startswith(_BYTE_ORDER_MARK)
        start = read_start(text.removeprefix(_BYTE_ORDER_MARK), options, is_whole=is_whole)
        return None if start is None else replace(start, length=start.length + mark)

    return _read_beginning(core, options, file, read)


def _read_beginning(
    core: Core,
    options: ReadOptions,
    file: SourceFile,
    read: Callable[[str, bool], _Found | None],
) -> _Found:
    """Read the beginning of a file until something is found there; twice as much each time.

    Args:
        core: the session's parts.
        options: the options of the file format.
        file: the file.
        read: returns what is found, given the first characters and whether they are the whole file;
            None where more characters are needed.

    Raises:
        LoadFailed: nothing is found in 16 MiB.
    """
    encoding = _codec(options.encoding)
    reading = translated(core.spark, reading=file.path)
    with reading, closing(open_source(core, file)) as stream:
        data = b""
        while len(data) < _MAX_START_BYTES:
            core.jobs.raise_if_cancelled()
            more = stream.read(max(_FIRST_READ_BYTES, len(data)))
            data += more
            text = codecs.getincrementaldecoder(encoding)("surrogateescape").decode(data)
            found = read(text, not more)
            if found is not None:
                return found
    raise LoadFailed(
        f"File {file.name!r} has no end of its first record, after the lines to skip, within its "
        f"first {_MAX_START_BYTES >> 20} MiB.",
        hint="Check RECORD_DELIMITER and FIELD_OPTIONALLY_ENCLOSED_BY: a quote may be open.",
    )


def _codec(encoding: str) -> str:
    """Return Python's name of an encoding.

    Latin-1, which keeps all bytes, where Python has none.
    """
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "latin-1"
