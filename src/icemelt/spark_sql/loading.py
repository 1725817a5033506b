"""Values from files on their way into columns, as Spark SQL without errors.

A value without a counterpart in its column becomes NULL. `refusal` then says why, so a load can
count errors, skip rows, or stop.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.quoting import text_literal
from icemelt.schema import (
    Column,
    DataType,
    DecimalType,
    ListType,
    MapType,
    Primitive,
    StructType,
    spark_type,
    sql_type,
)
from icemelt.spark_sql.conversion import try_convert
from icemelt.spark_sql.moments import wall_clock

__all__ = [
    "BLOCK",
    "BROKEN",
    "EXTERNAL_VALUE_ERROR",
    "FILE",
    "FILE_VALUE_ERROR",
    "MODIFIED",
    "PLACE",
    "PLACE_TYPES",
    "BinaryText",
    "FileValue",
    "Formats",
    "SourceKind",
    "cleaned_value",
    "json_value",
    "loaded_value",
    "member_value",
    "parse_timestamp_ntz",
    "read_members",
    "record_value",
    "refusal",
    "refusal_reasons",
    "value_of_record",
]

# the place of a row: in a block of a file the place rises from row to row
FILE, BLOCK, PLACE = "icemelt_file", "icemelt_block", "icemelt_place"
MODIFIED = "icemelt_modified"
PLACE_TYPES = {FILE: "STRING", BLOCK: "BIGINT", PLACE: "BIGINT", MODIFIED: "TIMESTAMP"}
# why a record is refused as a whole, as `refusal` gives it
BROKEN = "icemelt_broken"
# the error of a record that is none of its format, before the file and the reason
FILE_VALUE_ERROR = "icemelt-file-value:"
EXTERNAL_VALUE_ERROR = "icemelt-external-value:"
_SHOWN = 100
_DIGITS = "DECIMAL(38,9)"


class SourceKind(enum.Enum):
    """The kind of a file's values: text (CSV), a variant (JSON) or a typed value (Parquet)."""

    TEXT = "text"
    VARIANT = "variant"
    TYPED = "typed"


@dataclass(frozen=True, slots=True)
class FileValue:
    """One value of a row of a file.

    Attributes:
        expression: the value.
        kind: the kind of the value.
        type: Spark's type of a typed value.
        plain: the value where the file has it just as the column has it; `expression` is NULL then.
            None where there is no such expression.
    """

    expression: str
    kind: SourceKind
    type: str = ""
    plain: str | None = None


class BinaryText(enum.Enum):
    """How bytes are written as text, as BINARY_FORMAT says."""

    HEX = "HEX"
    BASE64 = "BASE64"
    UTF8 = "UTF8"


@dataclass(frozen=True, slots=True)
class Formats:
    """How text is read as a date, a time or bytes.

    Attributes:
        date: the format of dates in Java's letters; None is ISO 8601.
        timestamp: the format of times in Java's letters; None is ISO 8601.
        binary: how bytes are written.
    """

    date: str | None = None
    timestamp: str | None = None
    binary: BinaryText = BinaryText.HEX


def loaded_value(column: Column, source: FileValue, formats: Formats) -> str:
    """Return the value for a column, NULL without a counterpart in the column's type.

    `source` is the value in the file, `formats` are the formats of dates and times in `column`.

    >>> loaded_value(
    ...     Column("d", Primitive("double")), FileValue("`c0`", SourceKind.TEXT), Formats()
    ... )
    'coalesce(icemelt_plain_double(`c0`), try_cast(`c0` AS DOUBLE))'
    """
    match source.kind:
        case SourceKind.TEXT:
            return _from_text(column, source.expression, formats)
        case SourceKind.VARIANT:
            value = _from_variant(column, source.expression, formats)
            return value if source.plain is None else f"coalesce({source.plain}, {value})"
        case SourceKind.TYPED:
            return _from_typed(column, source)


def refusal(column: Column, source: FileValue | None, value: str) -> str:
    """Return an expression of (column, text): why a row is refused, NULL for an accepted row.

    Args:
        column: the column.
        source: the value in the file, None if the file has no value for the column.
        value: the converted value.
    """
    reasons = refusal_reasons(column, source, value)
    if not reasons:
        return "NULL"
    whens = " ".join(
        f"WHEN {condition} THEN named_struct('column', {text_literal(column.name)}, 'text', {said})"
        for condition, said in reasons
    )
    return f"CASE {whens} END"


def refusal_reasons(column: Column, source: FileValue | None, value: str) -> list[tuple[str, str]]:
    """Return the conditions under which a row is refused, each with its text: as `refusal`."""
    reasons: list[tuple[str, str]] = []
    kind = sql_type(column.type)
    if source is not None:
        given = f"{source.expression} IS NOT NULL AND {value} IS NULL"
        if source.kind is SourceKind.VARIANT:
            given += f" AND NOT is_variant_null({source.expression})"
        reasons.append((given, _describe_value(f"expects {kind}", source)))
    if isinstance(column.type, Primitive) and column.type.length is not None:
        too_long = f"length({value}) > {column.type.length}"
        reasons.append(
            (too_long, _describe_value(f"expects {kind}", FileValue(value, SourceKind.TEXT)))
        )
    if not column.nullable:
        reasons.append((f"{value} IS NULL", text_literal("is NOT NULL, found NULL")))
    return reasons


def json_value(expression: str) -> str:
    """Return the variant of a text; NULL if the text is not exactly one JSON value.

    `try_parse_json` reads the first value and leaves the rest of the text alone.

    >>> json_value("value")
    'icemelt_json_document(value)'
    """
    return f"icemelt_json_document({expression})"


def cleaned_value(source: FileValue, nulls: Sequence[str], *, trims: bool) -> FileValue:
    """Return a value of a JSON or a typed file with NULL for the texts of NULL_IF.

    Args:
        source: the value; of a VARIANT as a whole, without `plain`.
        nulls: the texts; numbers are compared as texts.
        trims: whether spaces around texts are taken away before, as TRIM_SPACE says.

    >>> cleaned_value(FileValue("c0", SourceKind.TYPED, "int"), ["-1"], trims=True).expression
    "CASE WHEN try_cast(c0 AS STRING) IN ('-1') THEN NULL ELSE c0 END"
    """
    value, is_variant = source.expression, source.kind is SourceKind.VARIANT
    if trims and is_variant:
        text = f"CAST(trim(CAST({value} AS STRING)) AS VARIANT)"
        value = f"CASE WHEN schema_of_variant({value}) = 'STRING' THEN {text} ELSE {value} END"
    elif trims and source.type == "string":
        value = f"trim({value})"
    if nulls and not source.type.startswith(("array", "map", "struct")):
        text = f"try_cast({value} AS STRING)"
        listed = ", ".join(map(text_literal, nulls))
        value = f"CASE WHEN {text} IN ({listed}) THEN NULL ELSE {value} END"
    return replace(source, expression=value)


def record_value(values: Mapping[str, str]) -> str:
    """Return the SQL of a record with typed values as a VARIANT; NULL is the JSON null.

    Args:
        values: the SQL of each value, by its name.

    >>> record_value({"id": "c0"})
    "to_variant_object(named_struct('id', c0))"
    """
    named = ", ".join(f"{text_literal(name)}, {value}" for name, value in values.items())
    return f"to_variant_object(named_struct({named}))"


def value_of_record(source: FileValue) -> str:
    """Return the SQL of a typed value of a record, as it is in `record_value`."""
    value = _from_typed(Column("value", Primitive("variant")), source)
    return f"coalesce({value}, parse_json('null'))"


def read_members(text: str, members: Sequence[Column], formats: Formats, *, any_case: bool) -> str:
    """Return some members of the JSON object in a text, read in one pass.

    The result is NULL where the text is not exactly one JSON value. Else it is a structure of
    `is_object BOOLEAN`, and of `p0` and `v0` for the first member: see `member_value`.

    Args:
        text: the text.
        members: the members' names, and the types that they are read for.
        formats: the formats of dates and times in the members.
        any_case: whether the case of the members' names is ignored.

    >>> read_members("value", [Column("id", Primitive("long"))], Formats(), any_case=False)
    "icemelt_json_members(value, 'exact', 'BIGINT', 'id')"
    """
    words = ["any" if any_case else "exact"]
    for member in members:
        name = member.name.lower() if any_case else member.name
        is_plain = _is_plain(member.type, formats)
        words += [spark_type(member.type) if is_plain else "VARIANT", name]
    return f"icemelt_json_members({text}, {', '.join(map(text_literal, words))})"


def member_value(read: str, place: int, member_type: DataType, formats: Formats) -> FileValue:
    """Return a member of those that `read_members` has read.

    Args:
        read: what has been read.
        place: the place of the member, from 0.
        member_type: the type that the member was read for.
        formats: the formats of dates and times in the members.

    >>> member_value("m", 0, Primitive("long"), Formats()).plain
    'm.p0'
    """
    plain = f"{read}.p{place}" if _is_plain(member_type, formats) else None
    return FileValue(f"{read}.v{place}", SourceKind.VARIANT, plain=plain)


def _is_plain(column_type: DataType, formats: Formats) -> bool:
    """Tell whether a JSON value of a type is read as one without a VARIANT being made."""
    match column_type:
        case Primitive("int" | "long" | "double" | "boolean" | "string") | DecimalType():
            return True
        case Primitive("date"):
            return formats.date is None
        case Primitive("timestamp" | "timestamptz"):
            return formats.timestamp is None
        case _:
            return False


def _describe_value(expected: str, source: FileValue) -> str:
    if source.kind is SourceKind.VARIANT:
        shown = f"to_json({source.expression})"
    elif source.type.startswith(("array", "map", "struct", "variant")):
        shown = text_literal(source.type)
    else:
        shown = f"CAST({source.expression} AS STRING)"
    quoted = f"concat(chr(39), left({shown}, {_SHOWN}), chr(39))"
    return f"concat({text_literal(f'{expected}, found ')}, coalesce({quoted}, 'NULL'))"


def _from_text(column: Column, source: str, formats: Formats) -> str:
    match column.type:
        case Primitive("string"):
            return source
        case Primitive("int" | "long"):
            rounded = f"round(try_cast({source} AS {_DIGITS}))"
            whole = spark_type(column.type)
            return f"coalesce(try_cast({source} AS {whole}), try_cast({rounded} AS {whole}))"
        case Primitive("date") if formats.date is not None:
            return f"try_to_date({source}, {text_literal(formats.date)})"
        case Primitive("timestamp") if formats.timestamp is not None:
            return parse_timestamp_ntz(source, formats.timestamp)
        case Primitive("timestamptz") if formats.timestamp is not None:
            return f"try_to_timestamp({source}, {text_literal(formats.timestamp)})"
        case Primitive("binary"):
            return _bytes(source, formats.binary)
        case Primitive("boolean" | "date" | "timestamp" | "timestamptz"):
            return try_convert(source, Primitive("string"), column.type)
        case Primitive("variant"):
            return json_value(source)
        case Primitive() | DecimalType():
            cast = f"try_cast({source} AS {spark_type(column.type)})"
            # most texts are plain, and Java's own parser, which takes all, is slow
            is_double = column.type == Primitive("double")
            return f"coalesce(icemelt_plain_double({source}), {cast})" if is_double else cast
        case _:
            return try_convert(json_value(source), Primitive("variant"), column.type)


def _bytes(source: str, written: BinaryText) -> str:
    """Return the bytes that a text stands for, NULL for another text."""
    match written:
        case BinaryText.HEX:
            return try_convert(source, Primitive("string"), Primitive("binary"))
        case BinaryText.BASE64:
            return f"try_to_binary({source}, 'base64')"
        case BinaryText.UTF8:
            return f"encode({source}, 'UTF-8')"


def parse_timestamp_ntz(source: str, pattern: str) -> str:
    """Read a wall clock: as UTC, so that no session's summer time takes an hour away.

    The result is NULL for another text. `source` is the text, `pattern` the format in Java's
    letters.
    """
    if "x" in pattern or "X" in pattern:
        return f"CAST(try_to_timestamp({source}, {text_literal(pattern)}) AS TIMESTAMP_NTZ)"
    instant = f"try_to_timestamp(concat({source}, ' +00:00'), {text_literal(f'{pattern} XXX')})"
    return wall_clock(instant)


def _from_variant(column: Column, source: str, formats: Formats) -> str:
    match column.type:
        case Primitive("variant"):
            return source
        case Primitive("string" | "binary" | "date" | "timestamp" | "timestamptz"):
            return _from_text(column, f"try_cast({source} AS STRING)", formats)
        case Primitive("int" | "long"):
            whole = spark_type(column.type)
            rounded = f"try_cast(round(try_cast({source} AS {_DIGITS})) AS {whole})"
            return f"coalesce({rounded}, try_cast({source} AS {whole}))"
        case _:
            return try_convert(source, Primitive("variant"), column.type)


def _from_typed(column: Column, source: FileValue) -> str:
    expression = source.expression
    match column.type:
        case Primitive("variant") if source.type.startswith(("array", "map", "struct")):
            return f"to_variant_object({expression})"
        case Primitive("variant"):
            return f"CAST({expression} AS VARIANT)"
        case Primitive("int" | "long") if source.type.startswith(("decimal", "double", "float")):
            return f"try_cast(round({expression}) AS {spark_type(column.type)})"
        case Primitive("binary" | "boolean" | "date" | "timestamp" | "timestamptz") if (
            source.type == "string"
        ):
            return try_convert(expression, Primitive("string"), column.type)
        case ListType() | MapType() | StructType():
            return try_convert(expression, None, column.type)
        case _:
            return f"try_cast({expression} AS {spark_type(column.type)})"
