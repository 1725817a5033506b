"""Values of columns as the files of COPY INTO a location have them, in Spark SQL.

What is written here loading reads back as the same value.
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
from icemelt.spark_sql.loading import Formats

__all__ = [
    "REFUSED_TEXT",
    "Separators",
    "is_lossy",
    "json_member",
    "json_options",
    "refuse_ambiguous",
    "text_member",
]

REFUSED_TEXT = "icemelt-unload"
_LINE_FEED = "\n"
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


def text_member(sql: str, kind: DataType | None, formats: Formats) -> str:
    """Return a value as text for a CSV file.

    `sql` is the value, `kind` its type, and `formats` are the formats of dates and times.

    >>> text_member("c", Primitive("binary"), Formats())
    'hex(c)'
    """
    match kind:
        case Primitive("string"):
            return sql
        case Primitive("date") if formats.date is not None:
            return f"date_format({sql}, {text_literal(formats.date)})"
        case Primitive("timestamp"):
            return _wall_clock(sql, formats.timestamp)
        case Primitive("timestamptz"):
            return f"date_format({sql}, {text_literal(formats.timestamp or _INSTANT)})"
        case Primitive("binary" | "float" | "double"):
            return as_text(sql, kind)
        case Primitive("variant"):
            return f"to_json({sql})"
        case ListType() | MapType() | StructType():
            options = ", ".join(
                f"{text_literal(n)}, {text_literal(v)}" for n, v in json_options().items()
            )
            return f"to_json({sql}, map({options}))"
        case _:
            return f"CAST({sql} AS STRING)"


def json_member(sql: str, kind: DataType | None, formats: Formats) -> str:
    """Return a value for a member of a JSON object: dates, times and bytes are text.

    `sql` is the value, `kind` its type, and `formats` are the formats of dates and times.

    >>> json_member("c", Primitive("long"), Formats())
    'c'
    """
    match kind:
        case Primitive("date" | "timestamp" | "timestamptz" | "binary") | None:
            return text_member(sql, kind, formats)
        case Primitive("unknown"):
            return f"CAST({sql} AS STRING)"
        case _:
            return sql


def json_options() -> dict[str, str]:
    """Return Spark's options for times inside of JSON, to the microsecond.

    A member that is NULL is left out: a null of JSON would be loaded as one.
    """
    return {
        "timestampFormat": _INSTANT,
        "timestampNTZFormat": _WALL_CLOCK,
        "ignoreNullFields": "true",
    }


def is_lossy(kind: DataType | None) -> bool:
    """Return whether text cannot give a value back: bytes inside other values."""
    nested = isinstance(kind, ListType | MapType | StructType)
    return nested and kind is not None and contains(kind, "binary")


def refuse_ambiguous(values: Sequence[str], separators: Separators) -> list[str]:
    """Return the texts of a line's columns, in which those that would be read otherwise fail.

    A text that is that of NULL would be loaded as NULL. Without a character around values, one
    that holds a delimiter or ends a line would be cut; with one, a line feed is kept where it ends
    records itself. A line without any text would be passed
    over.
    """
    alone = len(values) == 1
    return [_refuse_ambiguous(value, separators, alone=alone) for value in values]


def _refuse_ambiguous(value: str, separators: Separators, *, alone: bool) -> str:
    tests = []
    if separators.null:
        tests.append(f"{value} = {text_literal(separators.null)}")
    if separators.quote is None:
        cut = {separators.delimiter, separators.record, "\n", "\r", "\0"}
        tests += [f"contains({value}, {text_literal(each)})" for each in sorted(cut)]
        if alone:
            tests.append(f"{value} = ''")
    elif separators.record != _LINE_FEED:
        # Spark's writer would put what ends a record in its place, inside of quotes, too
        tests.append(f"contains({value}, {text_literal(_LINE_FEED)})")
    if alone and not separators.null:
        tests.append(f"{value} IS NULL")
    if not tests:
        return value
    shown = f"left(coalesce({value}, ''), {_SHOWN})"
    refused = f"raise_error(concat('{REFUSED_TEXT}:', {shown}))"
    return f"CASE WHEN {' OR '.join(tests)} THEN {refused} ELSE {value} END"


def _wall_clock(sql: str, pattern: str | None) -> str:
    """Write a time without a zone: DATE_FORMAT would take it for one of the session's zone."""
    if pattern is None:
        return f"CAST({sql} AS STRING)"
    if any(zone in pattern for zone in _ZONES):
        return f"date_format(CAST({sql} AS TIMESTAMP), {text_literal(pattern)})"
    written = f"to_json(struct({sql} AS v), map('timestampNTZFormat', {text_literal(pattern)}))"
    return f"get_json_object({written}, '$.v')"
