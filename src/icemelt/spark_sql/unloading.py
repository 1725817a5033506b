"""Write column values as text for COPY INTO <location>, in Spark SQL.

COPY INTO <table> reads each text back as the same value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.quoting import text_literal
from icemelt.schema import (
    DataType,
    ListType,
    MapType,
    Primitive,
    StructType,
    contains,
)
from icemelt.spark_sql.conversion import as_text
from icemelt.spark_sql.loading import BinaryText, Formats

__all__ = [
    "REFUSED_TEXT_MARKER",
    "Separators",
    "csv_text",
    "fail_on_ambiguous_text",
    "is_lossy",
    "json_options",
    "json_value",
]

REFUSED_TEXT_MARKER = "icemelt-unload"
# readers pass over it at the start of a file
_BYTE_ORDER_MARK = "\ufeff"
_INSTANT = "yyyy-MM-dd HH:mm:ss.SSSSSSXXX"
_WALL_CLOCK = "yyyy-MM-dd HH:mm:ss.SSSSSS"
_ZONES = ("x", "X")
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Separators:
    """The text between and around the values of a CSV file; `null` is the text of NULL."""

    delimiter: str
    record: str
    quote: str | None
    null: str


def csv_text(sql: str, data_type: DataType | None, formats: Formats) -> str:
    """Return a value as text for a CSV file.

    `sql` is the value, `data_type` its type, and `formats` are the formats of dates and times.

    >>> csv_text("c", Primitive("binary"), Formats())
    'hex(c)'
    """
    match data_type:
        case Primitive("string"):
            return sql
        case Primitive("date") if formats.date is not None:
            return f"date_format({sql}, {text_literal(formats.date)})"
        case Primitive("timestamp"):
            return _format_timestamp_ntz(sql, formats.timestamp)
        case Primitive("timestamptz"):
            return f"date_format({sql}, {text_literal(formats.timestamp or _INSTANT)})"
        case Primitive("binary") if formats.binary is BinaryText.BASE64:
            return f"base64({sql})"
        case Primitive("binary") if formats.binary is BinaryText.UTF8:
            text = f"CAST({sql} AS STRING)"
            refused = f"raise_error(concat('{REFUSED_TEXT_MARKER}:', hex({sql})))"
            return f"CASE WHEN NOT is_valid_utf8({text}) THEN {refused} ELSE {text} END"
        case Primitive("binary" | "float" | "double"):
            return as_text(sql, data_type)
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


def is_lossy(data_type: DataType | None) -> bool:
    """Return whether the text form loses information: bytes inside an ARRAY, MAP or OBJECT."""
    nested = isinstance(data_type, ListType | MapType | StructType)
    return nested and data_type is not None and contains(data_type, "binary")


def fail_on_ambiguous_text(values: Sequence[str], separators: Separators) -> list[str]:
    """Return each text of a line, or an expression that fails if loading would read another value.

    Loading would read another value for the text of NULL, and would pass over an empty line.
    Without a quote character, loading would cut a text at a delimiter or a line end, and would
    leave out a byte order mark at the start of a file.
    """
    alone = len(values) == 1
    return [_fail_if_ambiguous(value, separators, alone=alone) for value in values]


def _fail_if_ambiguous(value: str, separators: Separators, *, alone: bool) -> str:
    tests = []
    if separators.null:
        tests.append(f"{value} = {text_literal(separators.null)}")
    if separators.quote is None:
        cut = {separators.delimiter, separators.record, "\n", "\r", "\0"}
        tests += [f"contains({value}, {text_literal(each)})" for each in sorted(cut)]
        tests.append(f"startswith({value}, {text_literal(_BYTE_ORDER_MARK)})")
        if alone:
            tests.append(f"{value} = ''")
    if alone and not separators.null:
        tests.append(f"{value} IS NULL")
    if not tests:
        return value
    shown = f"left(coalesce({value}, ''), {_SHOWN})"
    refused = f"raise_error(concat('{REFUSED_TEXT_MARKER}:', {shown}))"
    return f"CASE WHEN {' OR '.join(tests)} THEN {refused} ELSE {value} END"


def _format_timestamp_ntz(sql: str, pattern: str | None) -> str:
    """Return a TIMESTAMP_NTZ as text.

    DATE_FORMAT converts its argument to a time of the session's zone. Only a pattern with a zone
    wants that.
    """
    if pattern is None:
        return f"CAST({sql} AS STRING)"
    if any(zone in pattern for zone in _ZONES):
        return f"date_format(CAST({sql} AS TIMESTAMP), {text_literal(pattern)})"
    written = f"to_json(struct({sql} AS v), map('timestampNTZFormat', {text_literal(pattern)}))"
    return f"get_json_object({written}, '$.v')"
