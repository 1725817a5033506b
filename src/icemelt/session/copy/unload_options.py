"""Read the options of COPY INTO a location."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from icemelt.errors import DefinitionRefused, NotYet
from icemelt.names import find_nearest
from icemelt.session.files.format_values import FormatValues, option_error
from icemelt.session.files.read_options import OPTIONS_FOR_LOADING
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
_COMMON_OPTIONS = ("COMPRESSION", "DATE_FORMAT", "TIMESTAMP_FORMAT")
_OPTIONS_OF_FORMAT = {
    FileFormat.CSV: (
        *_COMMON_OPTIONS,
        "NULL_IF",
        "FIELD_DELIMITER",
        "RECORD_DELIMITER",
        "FIELD_OPTIONALLY_ENCLOSED_BY",
        "ESCAPE",
        "ENCODING",
    ),
    FileFormat.JSON: _COMMON_OPTIONS,
    FileFormat.PARQUET: ("COMPRESSION",),
}
_OPTIONS_NOT_BUILT = ("BINARY_FORMAT", "ESCAPE_UNENCLOSED_FIELD", "FILE_EXTENSION", "TIME_FORMAT")


@dataclass(frozen=True, slots=True)
class UnloadOptions:
    """All options of one COPY INTO a location; `codec` is Spark's name of the compression.

    `is_partitioned` is as in `Unload`.
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


def read_unload_options(statement: Unload) -> UnloadOptions:
    """Read the options of COPY INTO a location.

    Raises:
        DefinitionRefused: an option is unknown, is for loading only, or has a bad value.
        NotYet: Snowflake has the option, icemelt does not yet.

    >>> from icemelt.sql.statements import Query
    >>> read_unload_options(Unload("/a", Query("SELECT 1"))).codec
    'gzip'
    """
    if statement.file_format not in _OPTIONS_OF_FORMAT:
        raise NotYet(
            f"Files of the type {statement.file_format.value} are read, and not written yet.",
            hint="FILE_FORMAT = (TYPE = PARQUET)",
        )
    written = {name: value for name, value in statement.format_options.items() if name != "TYPE"}
    for name in written:
        _validate_option_name(statement.file_format, name)
    options = FormatValues(written)
    result = UnloadOptions(
        statement.file_format,
        _codec(statement.file_format, options.text("COMPRESSION", "AUTO")),
        Separators(
            options.optional("FIELD_DELIMITER", ",") or "\0",
            options.optional("RECORD_DELIMITER", None) or "\n",
            options.character("FIELD_OPTIONALLY_ENCLOSED_BY"),
            options.texts("NULL_IF", ("\\N",))[0],
        ),
        options.character("ESCAPE"),
        Formats(
            options.pattern("DATE_FORMAT", lenient=False),
            options.pattern("TIMESTAMP_FORMAT", lenient=False),
        ),
        statement.header,
        statement.single,
        statement.max_file_size,
        statement.is_partitioned,
    )
    return _validate_combination(result, options)


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
        raise option_error("ENCODING", encoding, "UTF-8, as all files are written in")
    if options.escape is not None and options.separators.quote is None:
        raise DefinitionRefused(
            "ESCAPE stands before the character that encloses values, and none does.",
            hint="FIELD_OPTIONALLY_ENCLOSED_BY = '\"'",
        )
    if options.max_file_size is not None and options.max_file_size < 1:
        raise option_error(
            "MAX_FILE_SIZE", str(options.max_file_size), "a number of bytes from 1 on"
        )
    return options


def _validate_option_name(file_format: FileFormat, name: str) -> None:
    options = _OPTIONS_OF_FORMAT[file_format]
    if name in options:
        return
    if name in _OPTIONS_NOT_BUILT:
        raise NotYet(f"File format option {name} is not built yet.", hint="Leave it out.")
    if name in OPTIONS_FOR_LOADING:
        raise DefinitionRefused(
            f"{name} is for files that are read.",
            hint="HEADER = TRUE" if "HEADER" in name else "Leave it out.",
        )
    close = find_nearest(name, (*options, *_OPTIONS_NOT_BUILT))
    raise DefinitionRefused(
        f"{file_format.value} files are written without an option {name!r}.",
        hint=f"Did you mean {close}?" if close else f"The options are {', '.join(options)}.",
    )
