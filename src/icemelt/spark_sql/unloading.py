"""Write column values as text for COPY INTO <location>, in Spark SQL.

COPY INTO <table> reads each text back as the same value.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from icemelt.quoting import text_literal
from icemelt.schema import (
    DataType,
    ListType,
    MapType,
    Primitive,
    StructType,
    contains,
    spark_type,
)
from icemelt.spark_sql.conversion import as_text
from icemelt.spark_sql.loading import BinaryText, Formats, parse_timestamp_ntz
from icemelt.spark_sql.once import evaluate_once

__all__ = [
    "REFUSED_MARKER",
    "RefusedValue",
    "Separators",
    "csv_text",
    "fail_on_ambiguous_text",
    "is_lossy",
    "json_options",
    "json_value",
]

# the error of a value that is refused, before `RefusedValue` and the value
REFUSED_MARKER = "icemelt-unload"
# readers pass over it at the start of a file
_BYTE_ORDER_MARK = "\ufeff"
# before standard time, offsets have seconds: five letters write these, where there are some
_INSTANT = "yyyy-MM-dd HH:mm:ss.SSSSSSXXXXX"
_WALL_CLOCK = "yyyy-MM-dd HH:mm:ss.SSSSSS"
_ZONES = ("x", "X")
_SHOWN = 100
# characters that leave a line blank: readers pass over such a line
_BLANKS = "".join(map(chr, range(ord(" ") + 1)))
_BLANK_LINE = r"'^[\\x00-\\x20]*$'"
_QUOTED_LETTERS = re.compile("'[^']*'")
# the letter of the smallest part of a format, and the microseconds in which times look alike; a day
# may have 25 hours
_MICROS_OF_LETTER = {
    "s": 10**6,
    "m": 60 * 10**6,
    "H": 3_600 * 10**6,
    "h": 3_600 * 10**6,
    "d": 90_000 * 10**6,
    "M": 32 * 86_400 * 10**6,
    "y": 367 * 86_400 * 10**6,
}
_DAYS_OF_LETTER = {"d": 1, "M": 31, "y": 366}


class RefusedValue(enum.Enum):
    """What a refused value is, as the error has it."""

    TEXT = "text"
    NULL = "null"
    TIME = "time"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Separators:
    """The texts between, around and in the place of the values of a CSV file.

    Attributes:
        delimiter: the text between two values.
        record: the text that ends a record.
        quote: the character around values, None where there is none.
        nulls: the texts that are read as NULL; the first is written for NULL.
        escape: the character that takes the meaning from others outside of quotes.
        empty_as_null: whether a value of nothing, without quotes, is read as NULL.
    """

    delimiter: str
    record: str
    quote: str | None
    nulls: tuple[str, ...]
    empty_as_null: bool = True
    escape: str | None = None

    @property
    def null(self) -> str:
        """The text that is written for NULL: nothing where no text is read as NULL."""
        return self.nulls[0] if self.nulls else ""

    @property
    def cuts(self) -> list[str]:
        """The texts at which a value without quotes is cut."""
        return sorted({self.delimiter, self.record, "\n", "\r", "\0"})

    @property
    def starts(self) -> list[str]:
        """The parts of the delimiter that make one of it earlier, at the end of a value."""
        return [self.delimiter[:length] for length in range(1, len(self.delimiter))]

    @property
    def record_end(self) -> str:
        r"""The text that ends a record; `\n` for a line feed, a carriage return, or both."""
        return "\n" if self.record in {"\n", "\r\n"} else self.record

    def is_cut(self, text: str) -> bool:
        r"""Tell whether a text that is written as it is is read as another one, without quotes.

        >>> semicolons = Separators(";;", "\n", None, ())
        >>> [text for text in ("a", "a;;b", ";a", "a;") if semicolons.is_cut(text)]
        ['a;;b', 'a;']
        """
        return (
            any(cut in text for cut in self.cuts)
            or any(text.endswith(start) for start in self.starts)
            or text.startswith(_BYTE_ORDER_MARK)
        )

    def is_escaped(self, text: str) -> bool:
        """Tell whether a text without quotes is written with an escape character in it."""
        return self.escape is not None and any(
            sign in text for sign in (self.escape, self.delimiter, self.record_end)
        )

    def loses_name(self, name: str) -> bool:
        r"""Tell whether a column's name is read as another one from the first line of a file.

        SKIP_HEADER counts lines, so that no name may have a line break. A name of blanks may be a
        blank line, and a column without a name gets another one.

        >>> commas = Separators(",", "\n", '"', ())
        >>> [name for name in ("a", "a,b", " ", "a\nb") if commas.loses_name(name)]
        [' ', 'a\nb']
        """
        if not name.strip(_BLANKS) or any(end in name for end in (self.record, "\n", "\r")):
            return True
        is_escaped = self.escape is not None and (
            self.escape * 2 in name or name.endswith(self.escape)
        )
        return self.quote is None and (is_escaped or self.is_cut(name))

    def loses_null(self, *, alone: bool) -> bool:
        """Tell whether NULL is read as another value; `alone` in a line it may be no row."""
        if not self.null:
            return alone or ("" not in self.nulls and not self.empty_as_null)
        if self.escape is not None and self.null.endswith(self.escape):
            return True
        return self.quote is None and self.is_cut(self.null)


def csv_text(sql: str, data_type: DataType | None, formats: Formats) -> str:
    """Return a value as text for a CSV file.

    `sql` is the value, `data_type` its type, and `formats` are the formats of dates and times.

    >>> csv_text("c", Primitive("binary"), Formats())
    'hex(c)'
    """
    match data_type:
        case Primitive("string"):
            return sql
        case Primitive("date" | "timestamp" | "timestamptz"):
            return _date_or_time(sql, data_type, formats)
        case Primitive("binary") if formats.binary is BinaryText.BASE64:
            return f"base64({sql})"
        case Primitive("binary") if formats.binary is BinaryText.UTF8:
            text = f"CAST({sql} AS STRING)"
            refused = _refuse(RefusedValue.BYTES, f"hex({sql})")
            return f"CASE WHEN NOT is_valid_utf8({text}) THEN {refused} ELSE {text} END"
        case Primitive("binary" | "float" | "double"):
            return evaluate_once(sql, lambda value: _exact_text(value, data_type))
        case Primitive("variant"):
            return f"to_json({sql})"
        case ListType() | MapType() | StructType():
            options = ", ".join(
                f"{text_literal(n)}, {text_literal(v)}" for n, v in json_options().items()
            )
            return f"to_json({sql}, map({options}))"
        case _:
            return f"CAST({sql} AS STRING)"


def json_value(sql: str, data_type: DataType | None, formats: Formats) -> str:
    """Return a value for a member of a JSON object: dates, times and bytes are text.

    `sql` is the value, `data_type` its type, and `formats` are the formats of dates and times.

    >>> json_value("c", Primitive("long"), Formats())
    'c'
    """
    match data_type:
        case Primitive("date" | "timestamp" | "timestamptz" | "binary") | None:
            return csv_text(sql, data_type, formats)
        case Primitive("unknown"):
            return f"CAST({sql} AS STRING)"
        case _:
            return sql


def json_options() -> dict[str, str]:
    """Return Spark's options for JSON: times have microseconds, and NULL members are left out.

    A NULL member is left out: a null of JSON would become the JSON null of a VARIANT, not NULL.
    """
    return {
        "timestampFormat": _INSTANT,
        "timestampNTZFormat": _WALL_CLOCK,
        "ignoreNullFields": "true",
    }


def _exact_text(sql: str, data_type: DataType) -> str:
    """A number has all its digits where the text that a cast gives is another number."""
    text = as_text(sql, data_type)
    if data_type == Primitive("binary"):
        return text
    is_same = f"TRY_CAST({text} AS {spark_type(data_type)}) = {sql}"
    return f"CASE WHEN {is_same} THEN {text} ELSE CAST({sql} AS STRING) END"


def is_lossy(data_type: DataType | None) -> bool:
    """Return whether the text form loses information: bytes inside an ARRAY, MAP or OBJECT."""
    nested = isinstance(data_type, ListType | MapType | StructType)
    return nested and data_type is not None and contains(data_type, "binary")


def fail_on_ambiguous_text(values: Sequence[str], separators: Separators) -> list[str]:
    """Return each text of a line, or an expression that fails if loading would read another value.

    Loading would read NULL for the texts of NULL, and would pass over a blank line. Without a quote
    character, loading would cut a text at a delimiter or a line end that no escape character takes
    the meaning from, would find a delimiter earlier where a text ends in a part of it, and would
    leave out a byte order mark at the start of a file.
    """
    alone = len(values) == 1
    made = [_fail_if_ambiguous(value, separators, alone=alone) for value in values]
    may_be_blank = alone or not separators.delimiter.strip(_BLANKS)
    if separators.quote is None and may_be_blank:
        null = text_literal(separators.null)
        line = f"concat({', '.join(f'coalesce({value}, {null})' for value in values)})"
        refused = _refuse(RefusedValue.TEXT, line)
        made[0] = f"CASE WHEN {line} RLIKE {_BLANK_LINE} THEN {refused} ELSE {made[0]} END"
    return made


def _fail_if_ambiguous(value: str, separators: Separators, *, alone: bool) -> str:
    is_plain = separators.quote is None
    # with an escape character in it, a text is none of those of NULL
    nulls = (null for null in separators.nulls if not (is_plain and separators.is_escaped(null)))
    tests = [f"{value} = {text_literal(null)}" for null in nulls]
    if is_plain:
        tests += _cut_tests(value, separators)
    whens = []
    if tests:
        whens.append(f"WHEN {' OR '.join(tests)} THEN {_refuse(RefusedValue.TEXT, value)}")
    if separators.loses_null(alone=alone):
        whens.append(f"WHEN {value} IS NULL THEN {_refuse(RefusedValue.NULL, value)}")
    written = value
    if is_plain and separators.escape is not None:
        signs = (separators.escape, separators.delimiter, separators.record_end)
        written = f"icemelt_csv_escaped({value}, {', '.join(map(text_literal, signs))})"
    return f"CASE {' '.join(whens)} ELSE {written} END" if whens else written


def _cut_tests(value: str, separators: Separators) -> list[str]:
    """Return SQL of whether a text without quotes is read as another one."""
    cuts, tests = separators.cuts, list[str]()
    if separators.escape is not None:
        cuts = ["\0"]
        if separators.record == "\n":
            # with the end of the record it would be one sign
            tests.append(f"endswith({value}, {text_literal(chr(13))})")
    tests += [f"contains({value}, {text_literal(cut)})" for cut in cuts]
    tests += [f"endswith({value}, {text_literal(start)})" for start in separators.starts]
    tests.append(f"startswith({value}, {text_literal(_BYTE_ORDER_MARK)})")
    if separators.empty_as_null:
        tests.append(f"{value} = ''")
    return tests


def _refuse(kind: RefusedValue, value: str) -> str:
    shown = f"left(coalesce({value}, ''), {_SHOWN})"
    return f"raise_error(concat('{REFUSED_MARKER}:{kind.value}:', {shown}))"


def _date_or_time(sql: str, data_type: Primitive, formats: Formats) -> str:
    match data_type.name:
        case "date" if formats.date is not None:
            return _format_date(sql, formats.date)
        case "timestamp" if formats.timestamp is not None:
            return _format_timestamp_ntz(sql, formats.timestamp)
        case "timestamptz" if formats.timestamp is not None:
            return _format_timestamp_ltz(sql, formats.timestamp)
        case "timestamptz":
            return f"date_format({sql}, {text_literal(_INSTANT)})"
        case _:
            return f"CAST({sql} AS STRING)"


def _format_date(sql: str, pattern: str) -> str:
    written = f"date_format({sql}, {text_literal(pattern)})"
    days = _find_precision(pattern, _DAYS_OF_LETTER)
    parsed = f"try_to_date({written}, {text_literal(pattern)})"
    return _fail_if_moved(written, f"datediff({sql}, {parsed})", days, sql)


def _format_timestamp_ltz(sql: str, pattern: str) -> str:
    """Return a TIMESTAMP_LTZ as text; an error where the text tells of another time.

    A clock without a zone tells the first of two times when summer time ends, and an offset of
    hours and minutes leaves out the seconds of the offsets before standard time.
    """
    written = f"date_format({sql}, {text_literal(pattern)})"
    parsed = f"try_to_timestamp({written}, {text_literal(pattern)})"
    micros = _find_precision(pattern, _MICROS_OF_LETTER)
    return _fail_if_moved(written, f"unix_micros({sql}) - unix_micros({parsed})", micros, sql)


def _format_timestamp_ntz(sql: str, pattern: str) -> str:
    """Return a TIMESTAMP_NTZ as text; an error where the text tells of another time.

    DATE_FORMAT converts its argument to a time of the session's zone. Only a pattern with a zone
    wants that, and no zone has the hour that summer time leaves out.
    """
    if any(zone in pattern for zone in _ZONES):
        written = f"date_format(CAST({sql} AS TIMESTAMP), {text_literal(pattern)})"
    else:
        document = (
            f"to_json(struct({sql} AS v), map('timestampNTZFormat', {text_literal(pattern)}))"
        )
        written = f"get_json_object({document}, '$.v')"
    moved = "unix_micros(CAST(concat(CAST({} AS STRING), 'Z') AS TIMESTAMP))"
    micros = _find_precision(pattern, _MICROS_OF_LETTER)
    parsed = parse_timestamp_ntz(written, pattern)
    return _fail_if_moved(written, f"{moved.format(sql)} - {moved.format(parsed)}", micros, sql)


def _find_precision(pattern: str, units: Mapping[str, int]) -> int:
    """Return how far apart values may be that a format writes alike; 0 where it has no date.

    >>> _find_precision("yyyy-MM-dd'T'HH:mm:ss.SSS", _MICROS_OF_LETTER)
    1000
    """
    letters = _QUOTED_LETTERS.sub("", pattern)
    digits = letters.count("S")
    if digits and "s" in units:
        return int(10 ** (6 - digits))
    return next((unit for letter, unit in units.items() if letter in letters), 0)


def _fail_if_moved(written: str, difference: str, precision: int, sql: str) -> str:
    """Return a written date or time, an error where it is read back as another one.

    Args:
        written: the text.
        difference: the value less what the text is read as.
        precision: the difference from which on it is another value.
        sql: the value.
    """
    is_kept = f"{difference} BETWEEN 0 AND {precision - 1}"
    refused = _refuse(RefusedValue.TIME, written)
    return f"CASE WHEN {sql} IS NULL OR ({is_kept}) THEN {written} ELSE {refused} END"
