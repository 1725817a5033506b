"""Read the options of COPY INTO a location."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from icemelt.errors import DefinitionRefused, Never
from icemelt.names import find_nearest
from icemelt.session.files.format_values import FormatValues, option_error
from icemelt.session.files.read_options import OPTIONS_FOR_LOADING, validate_separators
from icemelt.session.files.settled_options import settled_names, validate_settled
from icemelt.spark_sql.loading import Formats
from icemelt.spark_sql.unloading import Separators
from icemelt.sql.statements import FileFormat, Unload

__all__ = ["UnloadOptions", "read_unload_options"]

_TEXT_CODECS = {
    "AUTO": "gzip",
    "NONE": "none",
    "GZIP": "gzip",
    "BZ2": "bzip2",
    "DEFLATE": "deflate",
}
_PARQUET_CODECS = {
    "AUTO": "snappy",
    "NONE": "none",
    "SNAPPY": "snappy",
    "GZIP": "gzip",
    "ZSTD": "zstd",
    "LZ4": "lz4_raw",
}
_COMMON_OPTIONS = ("BINARY_FORMAT", "COMPRESSION", "DATE_FORMAT", "TIMESTAMP_FORMAT")
_OPTIONS_OF_FORMAT = {
    FileFormat.CSV: (
        *_COMMON_OPTIONS,
        "NULL_IF",
        "FIELD_DELIMITER",
        "RECORD_DELIMITER",
        "FIELD_OPTIONALLY_ENCLOSED_BY",
        "ESCAPE",
        "ESCAPE_UNENCLOSED_FIELD",
        "EMPTY_FIELD_AS_NULL",
        "ENCODING",
        "FILE_EXTENSION",
    ),
    FileFormat.JSON: _COMMON_OPTIONS,
    FileFormat.PARQUET: ("COMPRESSION",),
}
_EXTENSION = re.compile(r"\.?([A-Za-z]{1,20})")


@dataclass(frozen=True, slots=True)
class UnloadOptions:
    """All options of one COPY INTO a location; `codec` is Spark's name of the compression.

    `is_partitioned` is as in `Unload`; `extension` is the ending of the names of CSV files.
    """

    format: FileFormat
    codec: str
    separators: Separators
    escape: str | None = None
    formats: Formats = field(default_factory=Formats)
    header: bool = False
    single: bool = False
    max_file_size: int | None = None
    is_partitioned: bool = False
    extension: str = "csv"


def read_unload_options(statement: Unload) -> UnloadOptions:
    """Read the options of COPY INTO a location.

    Raises:
        DefinitionRefused: an option is unknown, is for loading only, or has a bad value.
        Never: files are not written in such a type or encoding, or an option has one value, and
            another one is written.

    >>> from icemelt.sql.statements import Query
    >>> read_unload_options(Unload("/a", Query("SELECT 1"))).codec
    'gzip'
    """
    if statement.file_format not in _OPTIONS_OF_FORMAT:
        raise Never(
            f"Files of the type {statement.file_format.value} are read, and not written: COPY INTO "
            "a location writes CSV, JSON and Parquet.",
            hint="FILE_FORMAT = (TYPE = PARQUET)",
        )
    written = {name: value for name, value in statement.format_options.items() if name != "TYPE"}
    for name in written:
        _validate_option_name(statement.file_format, name)
    validate_settled(written)
    options = FormatValues(written)
    result = UnloadOptions(
        statement.file_format,
        _codec(statement.file_format, options.text("COMPRESSION", "AUTO")),
        Separators(
            options.optional("FIELD_DELIMITER", ",") or "\0",
            options.optional("RECORD_DELIMITER", None) or "\n",
            options.character("FIELD_OPTIONALLY_ENCLOSED_BY"),
            options.texts("NULL_IF", ("\\N",)),
            options.flag("EMPTY_FIELD_AS_NULL", default=True),
            options.plain_escape(),
        ),
        options.character("ESCAPE"),
        Formats(
            options.pattern("DATE_FORMAT", lenient=False),
            options.pattern("TIMESTAMP_FORMAT", lenient=False),
            options.binary(),
        ),
        statement.header,
        statement.single,
        statement.max_file_size,
        statement.is_partitioned,
        _extension(options),
    )
    return _validate_combination(result, options)


def _extension(options: FormatValues) -> str:
    """Return the ending of the names of CSV files, before that of the compression."""
    written = options.optional("FILE_EXTENSION", None) or "csv"
    found = _EXTENSION.fullmatch(written)
    if found is None:
        raise option_error("FILE_EXTENSION", written, "up to 20 letters, as 'txt'")
    return found[1]


def _codec(file_format: FileFormat, written: str) -> str:
    codecs: Mapping[str, str] = _TEXT_CODECS
    if file_format is FileFormat.PARQUET:
        codecs = _PARQUET_CODECS
    codec = codecs.get(written.upper())
    if codec is None:
        raise option_error("COMPRESSION", written, ", ".join(codecs))
    return codec


def _validate_combination(options: UnloadOptions, values: FormatValues) -> UnloadOptions:
    encoding = values.text("ENCODING", "UTF-8")
    if encoding.upper().replace("-", "") != "UTF8":
        raise Never(
            f"Files are written in UTF-8, and not in {encoding!r}.",
            hint="Leave ENCODING out, and convert the files: iconv -f UTF-8 -t …",
        )
    separators = options.separators
    if options.format is FileFormat.CSV:
        escapes = {"ESCAPE": options.escape, "ESCAPE_UNENCLOSED_FIELD": separators.escape}
        validate_separators(separators.delimiter, separators.record, separators.quote, escapes)
    if options.max_file_size is not None and options.max_file_size < 1:
        raise option_error(
            "MAX_FILE_SIZE", str(options.max_file_size), "a number of bytes from 1 on"
        )
    return options


def _validate_option_name(file_format: FileFormat, name: str) -> None:
    options = (*_OPTIONS_OF_FORMAT[file_format], *settled_names(file_format))
    if name in options:
        return
    if name in OPTIONS_FOR_LOADING:
        raise DefinitionRefused(
            f"{name} is for files that are read.",
            hint="HEADER = TRUE" if "HEADER" in name else "Leave it out.",
        )
    close = find_nearest(name, options)
    raise DefinitionRefused(
        f"{file_format.value} files are written without an option {name!r}.",
        hint=f"Did you mean {close}?" if close else f"The options are {', '.join(options)}.",
    )
