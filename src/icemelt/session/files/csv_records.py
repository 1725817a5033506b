"""Read the records of CSV files: their values as texts, and what the first records have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, IntegerType

from icemelt.errors import LoadFailed
from icemelt.quoting import text_literal
from icemelt.session.files.byte_streams import open_source
from icemelt.session.files.known_files import read_known, text_columns
from icemelt.session.files.raw_rows import row_refusal
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import java_class

__all__ = [
    "FIELDS",
    "OPEN",
    "RECORD",
    "count_columns",
    "first_records",
    "group_by_header",
    "read_csv",
    "read_header",
    "refuse_open",
]

# the text of a record with another number of values than columns or with an open quote, how many
# values it has, and whether the file ends within its quotes
RECORD, FIELDS, OPEN = "icemelt_record", "icemelt_fields", "icemelt_open"
_READER = "icemelt.spark.CsvRecords"
_FIRST_READ_BYTES, _MAX_START_BYTES = 64 * 1024, 16 * 1024 * 1024
# Java's largest INT: no file has as many lines
_MOST_LINES = 2**31 - 1


def read_csv(
    core: Core, options: ReadOptions, files: Sequence[SourceFile], columns: int
) -> DataFrame:
    """Return the records of CSV files, without the lines to skip and without a header.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files.
        columns: how many columns there are: `c0`, `c1`, …, as texts; then `RECORD`, `FIELDS` and
            `OPEN`.
    """
    schema = text_columns(*(f"c{index}" for index in range(columns)), RECORD)
    schema = schema.add(FIELDS, IntegerType()).add(OPEN, BooleanType())
    settings = {"csv": _format(options), "columns": str(columns)}
    return read_known(core, _READER, schema, files, settings)


def refuse_open() -> str:
    """Return the SQL of the refusal of a record within whose quotes the file ends.

    >>> refuse_open().startswith("CASE WHEN icemelt_open")
    True
    """
    said = text_literal("the file ends within quotes that are not closed: ")
    # on one line, as the record may be many
    line = f"rtrim(translate(left({RECORD}, 100), {text_literal(chr(13) + chr(10))}, '  '))"
    return row_refusal(OPEN, f"concat({said}, {line})")


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
    groups: dict[str, list[SourceFile]] = {}
    empty = []
    for file in files:
        header = _read_first(core, options, file, 1)
        if header:
            groups.setdefault(str(header[0][0]), []).append(file)
        else:
            empty.append(file)
    first, *others = groups.values() if groups else [[]]
    return [[*first, *empty], *others]


def read_header(core: Core, options: ReadOptions, files: Sequence[SourceFile]) -> list[str]:
    """Return the column names of the first file with bytes, as the file has them.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: files with the same header.
    """
    full = [file for file in files if file.size] or files
    # the names and the number of columns are the first record's
    for _text, *names in _read_first(core, options, full[0], 1):
        return [name or f"_c{index}" for index, name in enumerate(names)]
    return []


def count_columns(core: Core, options: ReadOptions, files: Sequence[SourceFile]) -> int:
    """Return how many columns the widest first record of some files has.

    The lines to skip are looked at, too, as the names of the columns may be there.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files.
    """
    count = min(options.header_lines, _MOST_LINES - 1) + 1
    widest = 1
    for file in files:
        records = _read_first(core, options, file, count)
        widest = max([widest, *(len(record) - 1 for record in records)])
    return widest


def _read_first(
    core: Core, options: ReadOptions, file: SourceFile, count: int
) -> list[list[str | None]]:
    """Return the first records of a file, those of the lines to skip among them.

    As of `first_records`. No more is read than needed, twice as much each time.

    Raises:
        LoadFailed: the records have no end in 16 MiB.
    """
    if not file.size:
        return []
    reading = translated(core.spark, reading=file.path)
    with reading, closing(open_source(core, file)) as stream:
        data = b""
        while len(data) < _MAX_START_BYTES:
            core.jobs.raise_if_cancelled()
            more = stream.read(max(_FIRST_READ_BYTES, len(data)))
            data += more
            records = first_records(core, options, data, count, is_whole=not more)
            if records is not None:
                return records
    raise LoadFailed(
        f"File {file.name!r} has no end of its first record, after the lines to skip, within its "
        f"first {_MAX_START_BYTES >> 20} MiB.",
        hint="Check RECORD_DELIMITER and FIELD_OPTIONALLY_ENCLOSED_BY: a quote may be open.",
    )


def first_records(
    core: Core, options: ReadOptions, data: bytes, count: int, *, is_whole: bool
) -> list[list[str | None]] | None:
    """Return the first records of a file: the text of each, and its values.

    Args:
        core: the session's parts.
        options: the options of the file format; no line is skipped, no text is NULL.
        data: the first bytes of the file.
        count: how many records.
        is_whole: whether these are all bytes.

    Returns:
        the records, fewer where the file has no more; None where more bytes are needed.
    """
    plain = replace(options, skip_header=0, parse_header=False, null_if=())
    java = java_class(core.spark, _READER)
    found = java.first(data, is_whole, _format(plain), count)
    return None if found is None else json.loads(found)


def _format(options: ReadOptions) -> str:
    """Return the options as `CsvFormat` of Java takes them."""
    return json.dumps(
        {
            "encoding": options.encoding,
            "delimiter": options.delimiter,
            "recordEnd": None if options.ends_at_newlines else options.record_delimiter,
            "quote": options.quote,
            "escape": options.quoted_escape,
            "plainEscape": options.plain_escape,
            "nulls": options.null_if,
            "emptyIsNull": options.empty_as_null,
            "trims": options.trim,
            "isMultiLine": options.multi_line,
            "keepsBlankLines": options.in_quotes and not options.trim,
            "skippedLines": min(options.skip_header, _MOST_LINES),
            "hasHeader": options.parse_header,
        }
    )
