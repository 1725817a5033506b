"""Read the options of a file format that is read: names, values, and options not built yet."""

from __future__ import annotations

import codecs
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from icemelt.errors import DefinitionRefused, NotYet
from icemelt.names import find_nearest
from icemelt.session.files.format_values import FormatValues, option_error
from icemelt.session.files.settled_options import settled_names, validate_settled
from icemelt.spark_sql.loading import Formats
from icemelt.sql.statements import FileFormat

__all__ = [
    "ENDING_OF_COMPRESSION",
    "OPTIONS_FOR_LOADING",
    "ColumnMatching",
    "ReadOptions",
    "option_names",
    "read_options",
    "validate_option_name",
    "validate_separators",
]

ENDING_OF_COMPRESSION = {
    "GZIP": ".gz",
    "BZ2": ".bz2",
    "ZSTD": ".zst",
    "DEFLATE": ".deflate",
}
# two names of one option
_REPLACES_INVALID = ("IGNORE_UTF8_ERRORS", "REPLACE_INVALID_CHARACTERS")
_TYPED_OPTIONS = ("NULL_IF", "REPLACE_INVALID_CHARACTERS", "TRIM_SPACE")
_COMMON_OPTIONS = (
    "COMPRESSION",
    "NULL_IF",
    "DATE_FORMAT",
    "TIMESTAMP_FORMAT",
    "TRIM_SPACE",
    *_REPLACES_INVALID,
)
_OPTIONS_OF_FORMAT = {
    FileFormat.CSV: (
        *_COMMON_OPTIONS,
        "FIELD_DELIMITER",
        "RECORD_DELIMITER",
        "SKIP_HEADER",
        "PARSE_HEADER",
        "FIELD_OPTIONALLY_ENCLOSED_BY",
        "ESCAPE",
        "ESCAPE_UNENCLOSED_FIELD",
        "BINARY_FORMAT",
        "EMPTY_FIELD_AS_NULL",
        "ENCODING",
        # of files that are written
        "FILE_EXTENSION",
        "ERROR_ON_COLUMN_COUNT_MISMATCH",
        "MULTI_LINE",
        "SKIP_BLANK_LINES",
    ),
    FileFormat.JSON: (
        *_COMMON_OPTIONS,
        "ALLOW_DUPLICATE",
        "BINARY_FORMAT",
        "STRIP_NULL_VALUES",
        "STRIP_OUTER_ARRAY",
    ),
    FileFormat.PARQUET: ("COMPRESSION", *_TYPED_OPTIONS),
    FileFormat.ORC: _TYPED_OPTIONS,
    FileFormat.AVRO: ("COMPRESSION", *_TYPED_OPTIONS),
}
# the options that only reading has
OPTIONS_FOR_LOADING = (
    "ALLOW_DUPLICATE",
    "ERROR_ON_COLUMN_COUNT_MISMATCH",
    "MULTI_LINE",
    "PARSE_HEADER",
    *_REPLACES_INVALID,
    "SKIP_BLANK_LINES",
    "SKIP_HEADER",
    "STRIP_NULL_VALUES",
    "STRIP_OUTER_ARRAY",
    "TRIM_SPACE",
)
_ENCODINGS = {
    "BIG5": "Big5",
    "EUCJP": "EUC-JP",
    "EUCKR": "EUC-KR",
    "GB18030": "GB18030",
    "ISO2022JP": "ISO-2022-JP",
    "ISO2022KR": "ISO-2022-KR",
    **{f"ISO8859{part}": f"ISO-8859-{part}" for part in (*range(1, 10), 15)},
    "KOI8R": "KOI8-R",
    "SHIFTJIS": "Shift_JIS",
    **{f"UTF{form}": f"UTF-{form}" for form in ("8", "16", "16BE", "16LE", "32", "32BE", "32LE")},
    **{f"WINDOWS{page}": f"windows-{page}" for page in range(1250, 1257)},
    "WINDOWS949": "x-windows-949",
    "USASCII": "US-ASCII",
}
_ENCODING_OF_CODEC = {
    codecs.lookup(name).name: name for name in _ENCODINGS.values() if name[:2] != "x-"
}
# the bytes of one character of the first 65,536 in UTF-16
_CHARACTER_BYTES = 2


class ColumnMatching(enum.Enum):
    """How the columns of a file are matched with the table's columns."""

    NONE = "NONE"
    CASE_SENSITIVE = "CASE_SENSITIVE"
    CASE_INSENSITIVE = "CASE_INSENSITIVE"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """All options of a file format; an option of another type of files has the default.

    `matching` is COPY INTO's: how the columns of files find the columns of the table.
    `plain_escape` takes the meaning from separators outside of quotes, `escape` inside.
    """

    format: FileFormat
    matching: ColumnMatching = ColumnMatching.NONE
    compression: str = "AUTO"
    null_if: tuple[str, ...] = ("\\N",)
    formats: Formats = field(default_factory=Formats)
    trim: bool = False
    delimiter: str = ","
    record_delimiter: str | None = None
    skip_header: int = 0
    parse_header: bool = False
    quote: str | None = None
    escape: str | None = None
    plain_escape: str | None = "\\"
    empty_as_null: bool = True
    encoding: str = "UTF-8"
    strict_columns: bool = True
    multi_line: bool = True
    strip_outer_array: bool = False
    strip_null_values: bool = False
    allow_duplicate: bool = False
    replace_invalid: bool = False

    @property
    def in_quotes(self) -> bool:
        """Tell whether a record of a CSV file may contain a line break, inside quotes."""
        return self.multi_line and self.quote is not None

    @property
    def quoted_escape(self) -> str | None:
        """The character before a quote inside of quotes, None where only two quotes are one."""
        return self.escape if self.escape != self.quote else None

    @property
    def ends_at_newlines(self) -> bool:
        """Tell whether a line break ends a record, and not a text of the format's own."""
        return self.record_delimiter in {None, "\n", "\r\n"}

    @property
    def header_lines(self) -> int:
        """The number of lines of a file before the first record."""
        return 1 if self.parse_header else self.skip_header


def read_options(
    file_format: FileFormat, written: Mapping[str, str], matching: str = "NONE"
) -> ReadOptions:
    """Read the options of a file format.

    Args:
        file_format: the type of the files.
        written: the options by name, as in `FileFormatRecord.options`.
        matching: the value of MATCH_BY_COLUMN_NAME.

    Raises:
        DefinitionRefused: an option is unknown, or has a bad value.
        Never: the option has one value, and another one is written.
        NotYet: blank lines are to be read.

    >>> read_options(FileFormat.CSV, {"SKIP_HEADER": "1"}).skip_header
    1
    """
    written = {name: value for name, value in written.items() if name != "TYPE"}
    for name in written:
        validate_option_name(file_format, name)
    validate_settled(written)
    options = FormatValues(written)
    null_if = options.texts("NULL_IF", ("\\N",) if file_format is FileFormat.CSV else ())
    result = ReadOptions(
        format=file_format,
        matching=_parse_matching(matching),
        compression=_compression(file_format, options.text("COMPRESSION", "AUTO").upper()),
        null_if=null_if,
        formats=Formats(
            options.pattern("DATE_FORMAT", lenient=True),
            options.pattern("TIMESTAMP_FORMAT", lenient=True),
            options.binary(),
        ),
        trim=options.flag("TRIM_SPACE", default=False),
        delimiter=options.optional("FIELD_DELIMITER", ",") or "\0",
        record_delimiter=options.optional("RECORD_DELIMITER", None),
        skip_header=options.count("SKIP_HEADER"),
        parse_header=options.flag("PARSE_HEADER", default=False),
        quote=options.character("FIELD_OPTIONALLY_ENCLOSED_BY"),
        escape=options.character("ESCAPE"),
        plain_escape=options.plain_escape(),
        empty_as_null=options.flag("EMPTY_FIELD_AS_NULL", default=True),
        encoding=_find_encoding(options.text("ENCODING", "UTF-8")),
        strict_columns=options.flag("ERROR_ON_COLUMN_COUNT_MISMATCH", default=True),
        multi_line=options.flag("MULTI_LINE", default=True),
        strip_outer_array=options.flag("STRIP_OUTER_ARRAY", default=False),
        strip_null_values=options.flag("STRIP_NULL_VALUES", default=False),
        allow_duplicate=options.flag("ALLOW_DUPLICATE", default=False),
        replace_invalid=any(options.flag(name, default=False) for name in _REPLACES_INVALID),
    )
    if not options.flag("SKIP_BLANK_LINES", default=True):
        raise NotYet("Blank lines are always skipped.", hint="SKIP_BLANK_LINES = TRUE")
    return _validate_combination(result)


def _compression(file_format: FileFormat, written: str) -> str:
    known = ("AUTO", "NONE", *ENDING_OF_COMPRESSION)
    if written not in known and not file_format.has_types:
        raise option_error("COMPRESSION", written, ", ".join(known))
    return written


def _parse_matching(written: str) -> ColumnMatching:
    try:
        return ColumnMatching[written.upper()]
    except KeyError as error:
        expected = ", ".join(matching.value for matching in ColumnMatching)
        raise option_error("MATCH_BY_COLUMN_NAME", written, expected) from error


def _find_encoding(written: str) -> str:
    """Return Java's name of an encoding, given Snowflake's or Python's name."""
    java_name = _ENCODINGS.get(written.upper().replace("-", "").replace("_", ""))
    try:
        return java_name or _ENCODING_OF_CODEC[codecs.lookup(written).name]
    except LookupError as error:
        raise option_error(
            "ENCODING", written, "UTF8, UTF16, ISO88591, WINDOWS1252 and the like"
        ) from error


def _validate_combination(options: ReadOptions) -> ReadOptions:
    """Return the options if their values fit each other."""
    if options.format is not FileFormat.CSV:
        return options
    escapes = {"ESCAPE": options.escape, "ESCAPE_UNENCLOSED_FIELD": options.plain_escape}
    validate_separators(options.delimiter, options.record_delimiter, options.quote, escapes)
    if options.parse_header and options.skip_header:
        raise DefinitionRefused(
            "PARSE_HEADER and SKIP_HEADER exclude each other.", hint="Leave SKIP_HEADER out."
        )
    if options.matching is not ColumnMatching.NONE and not options.parse_header:
        raise DefinitionRefused(
            "MATCH_BY_COLUMN_NAME needs the column names of a CSV file's first line.",
            hint="FILE_FORMAT = (TYPE = CSV PARSE_HEADER = TRUE)",
        )
    return options


def validate_separators(
    delimiter: str, record: str | None, quote: str | None, escapes: Mapping[str, str | None]
) -> None:
    """Refuse separators of CSV files that no writer has, or that are parts of each other.

    Args:
        delimiter: the text between values.
        record: the text that ends a record, None for any line break.
        quote: the character around values.
        escapes: the characters before separators that are none, by the options.

    Raises:
        DefinitionRefused: an option has such a value.
    """
    for name, sign in (
        ("FIELD_OPTIONALLY_ENCLOSED_BY", quote),
        *escapes.items(),
        ("RECORD_DELIMITER", record),
    ):
        # Spark's writer takes a single Java character
        if (
            sign is not None
            and sign != "\r\n"
            and len(sign.encode("utf-16-le")) != _CHARACTER_BYTES
        ):
            raise option_error(name, sign, "one character of the first 65,536, as ';' or '\\n'")
    ends = {"\n", "\r"} if record in {None, "\n", "\r\n"} else {record}
    signs = (quote, *escapes.values(), *ends)
    inside = next((each for each in signs if each and each in delimiter), None)
    if inside is not None:
        raise option_error(
            "FIELD_DELIMITER", delimiter, "a text without the other separators of the format"
        )
    if quote is not None and quote in ends:
        raise option_error("RECORD_DELIMITER", quote, "another character than the one for quotes")
    for name, sign in escapes.items():
        if sign is not None and sign in ends:
            raise option_error(name, sign, "another character than the one that ends a record")


def option_names(file_format: FileFormat) -> tuple[str, ...]:
    """Return the options of a type of files."""
    return (*_OPTIONS_OF_FORMAT[file_format], *settled_names(file_format))


def validate_option_name(file_format: FileFormat, name: str) -> None:
    """Refuse an option that a type of files does not have.

    Raises:
        DefinitionRefused: there is no such option.
    """
    options = option_names(file_format)
    if name in options:
        return
    close = find_nearest(name, options)
    raise DefinitionRefused(
        f"{file_format.value} has no option {name!r}.",
        hint=f"Did you mean {close}?" if close else f"The options are {', '.join(options)}.",
    )
