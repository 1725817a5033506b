"""A value of one type as another, as Snowflake converts them, in Spark SQL.

Spark alone cuts fractions off, makes NULL of a NaN, reads text as its bytes where BINARY is wanted
and writes numbers and times as Java does.
"""

from __future__ import annotations

import re

from icemelt.quoting import quote
from icemelt.schema import (
    DataType,
    DecimalType,
    ListType,
    MapType,
    Primitive,
    StructType,
    contains,
    map_parts,
    spark_type,
    sql_type,
)
from icemelt.spark_sql.moments import from_text
from icemelt.spark_sql.once import evaluate_once

__all__ = ["as_text", "convert_value", "from_hex", "rounding_type", "try_convert"]

_EXACT = DecimalType(38, 0)
_WHOLE = ("boolean", "int", "long")
_FLOATING = ("float", "double")
_MOMENTS = ("date", "timestamp", "timestamptz")
_NOT_FINITE = "('NaN', 'Infinity', '-Infinity')"
_WORD = re.compile("'[A-Za-z0-9 ]*'")
_HEX = "'^([0-9A-Fa-f]{2})*$'"
_TIME_WITH_OFFSET = "'yyyy-MM-dd HH:mm:ss.SSS xx'"


def convert_value(sql: str, source: DataType | None, target: DataType) -> str:
    """Return an expression converted to the type `target`.

    A value without a counterpart in the type is an error at run time. `sql` is the expression,
    `source` its type, None if unknown.

    >>> convert_value("x", DecimalType(4, 1), Primitive("long"))
    'CAST(CAST(x AS DECIMAL(38,0)) AS BIGINT)'
    >>> convert_value("x", ListType(Primitive("binary")), ListType(Primitive("string")))
    'transform(x, x0 -> hex(x0))'
    """
    return _convert(sql, source, target, 0)


def try_convert(sql: str, source: DataType | None, target: DataType) -> str:
    """Return an expression converted to the type `target`, NULL without a counterpart in the type.

    `sql` is the expression, `source` its type, None if unknown.

    >>> try_convert("x", Primitive("string"), ListType(Primitive("long")))
    'TRY_CAST(TRY_CAST(x AS ARRAY<DECIMAL(38,0)>) AS ARRAY<BIGINT>)'
    """
    match target:
        case Primitive("string"):
            return as_text(sql, source)
        case Primitive("binary") if source != Primitive("binary"):
            return evaluate_once(
                sql, lambda text: f"CASE WHEN {text} RLIKE {_HEX} THEN unhex({text}) END"
            )
        case Primitive("boolean"):
            return _to_boolean(sql, source, "TRY_CAST", "NULL")
        case Primitive(name) if name in _MOMENTS and _is_text(source):
            return from_text(sql, target, safe=True)
        case Primitive("long" | "int") if isinstance(source, Primitive) and source.name in _WHOLE:
            return f"TRY_CAST({sql} AS {spark_type(target)})"
        case _:
            return _cast_through(sql, target, "TRY_CAST")


def as_text(sql: str, source: DataType | None) -> str:
    """Return a value as text, in the formats that Snowflake writes by default.

    Spark's DATE_FORMAT would take a time without a zone for one of the session's, which has none
    in the hour that summer time leaves out.

    >>> as_text("x", Primitive("timestamptz"))
    "date_format(x, 'yyyy-MM-dd HH:mm:ss.SSS xx')"
    """
    match source:
        case Primitive("binary"):
            return f"hex({sql})"
        case Primitive("timestamp"):
            return evaluate_once(sql, _clock_text)
        case Primitive("timestamptz"):
            return f"date_format({sql}, {_TIME_WITH_OFFSET})"
        case Primitive("double"):
            return f"icemelt_double_text({sql})"
        case Primitive("float"):
            # the digits of a float, and not those that it has as a double
            return f"icemelt_double_text(CAST(CAST({sql} AS STRING) AS DOUBLE))"
        case _:
            return f"CAST({sql} AS STRING)"


def _clock_text(sql: str) -> str:
    text = f"CAST({sql} AS STRING)"
    return f"concat(left({text}, 19), '.', rpad(substr({text}, 21), 3, '0'))"


def from_hex(sql: str) -> str:
    """Return the bytes of hexadecimal digits; any other text is an error."""

    def decode(text: str) -> str:
        refused = f"WHEN {text} IS NOT NULL THEN raise_error(concat('icemelt-hex:', {text}))"
        return f"CASE WHEN {text} RLIKE {_HEX} THEN unhex({text}) {refused} END"

    return evaluate_once(sql, decode)


def rounding_type(target: DataType) -> DataType:
    """Return the type to cast a value through, to round its whole numbers.

    >>> spark_type(rounding_type(MapType(Primitive("string"), Primitive("long"))))
    'MAP<STRING, DECIMAL(38,0)>'
    """
    whole = (Primitive("int"), Primitive("long"))
    return map_parts(target, lambda part: _EXACT if part in whole else part)


def _convert(sql: str, source: DataType | None, target: DataType, depth: int) -> str:
    match target:
        case Primitive("int" | "long"):
            return _to_whole(sql, source, target)
        case DecimalType() if _may_float(source):
            return _to_finite(sql, target)
        case Primitive("string"):
            return as_text(sql, source)
        case Primitive("binary"):
            return _to_binary(sql, source)
        case Primitive("boolean"):
            return _to_boolean(sql, source, "CAST", "raise_error('icemelt-not-finite:BOOLEAN')")
        case Primitive(name) if name in _MOMENTS and _is_text(source):
            return from_text(sql, target, safe=False)
        case ListType() | MapType() | StructType():
            return _convert_nested(sql, source, target, depth)
        case _:
            return f"CAST({sql} AS {spark_type(target)})"


def _to_whole(sql: str, source: DataType | None, target: DataType) -> str:
    match source:
        case Primitive(name) if name in _WHOLE:
            return f"CAST({sql} AS {spark_type(target)})"
        case Primitive(name) if name in _FLOATING:
            return f"CAST(round({sql}) AS {spark_type(target)})"
        case _:
            return f"CAST({_convert(sql, source, _EXACT, 0)} AS {spark_type(target)})"


def _is_text(source: DataType | None) -> bool:
    return isinstance(source, Primitive) and source.name == "string"


def _may_float(source: DataType | None) -> bool:
    return source is None or (isinstance(source, Primitive) and source.name in _FLOATING)


def _to_finite(sql: str, target: DataType) -> str:
    """A cast that gives NULL for a value had a NaN or an infinity, or a NULL."""
    refused = f"raise_error('icemelt-not-finite:{sql_type(target)}')"

    def check(value: str) -> str:
        test = f"CAST({value} AS STRING) IN {_NOT_FINITE}"
        cast = f"CAST({value} AS {spark_type(target)})"
        return f"coalesce({cast}, CASE WHEN {test} THEN {refused} END)"

    return evaluate_once(sql, check)


def _to_binary(sql: str, source: DataType | None) -> str:
    match source:
        case None:
            digits = from_hex(f"CAST({sql} AS STRING)")
            return f"if(typeof({sql}) = 'binary', CAST({sql} AS BINARY), {digits})"
        case Primitive("string"):
            return from_hex(sql)
        case Primitive("variant"):
            return from_hex(f"CAST({sql} AS STRING)")
        case _:
            return f"CAST({sql} AS BINARY)"


def _to_boolean(sql: str, source: DataType | None, word: str, refused: str) -> str:
    """Spark's cast does not know on and off, and takes a NaN for true."""

    def number(value: str) -> str:
        test = f"CAST({value} AS STRING) IN {_NOT_FINITE}"
        return f"CASE WHEN {test} THEN {refused} ELSE {word}({value} AS BOOLEAN) END"

    def text(value: str) -> str:
        written = f"CASE lower(trim(TRY_CAST({value} AS STRING))) WHEN 'on' THEN true"
        return f"{written} WHEN 'off' THEN false ELSE {word}({value} AS BOOLEAN) END"

    is_plain = _WORD.fullmatch(sql) and sql[1:-1].strip().lower() not in {"on", "off"}
    match source:
        case Primitive("float" | "double"):
            return evaluate_once(sql, number)
        case None | Primitive("string" | "variant") if not is_plain:
            return evaluate_once(sql, text)
        case _:
            return f"{word}({sql} AS BOOLEAN)"


def _convert_nested(sql: str, source: DataType | None, target: DataType, depth: int) -> str:
    if source == target or not _needs_conversion(source, target):
        return f"CAST({sql} AS {spark_type(target)})"
    name = f"x{depth}"
    match source, target:
        case ListType(before), ListType(after):
            return f"transform({sql}, {name} -> {_convert(name, before, after, depth + 1)})"
        case MapType(key, value), MapType(new_key, new_value):
            entry = ", ".join(
                (
                    _convert(f"{name}.key", key, new_key, depth + 1),
                    _convert(f"{name}.value", value, new_value, depth + 1),
                )
            )
            entries = f"transform(map_entries({sql}), {name} -> struct({entry}))"
            return f"map_from_entries({entries})"
        case StructType(fields), StructType(new_fields) if len(fields) == len(new_fields):
            parts = ", ".join(
                f"{_convert(f'{sql}.{quote(old.name)}', old.type, new.type, depth)} "
                f"AS {quote(new.name)}"
                for old, new in zip(fields, new_fields, strict=True)
            )
            return f"if({sql} IS NULL, NULL, struct({parts}))"
        case _:
            return _cast_through(sql, target, "CAST")


def _needs_conversion(source: DataType | None, target: DataType) -> bool:
    """Return whether a plain cast of nested values may differ from Snowflake's conversion."""
    if source is None or contains(source, "variant"):
        return rounding_type(target) != target
    parts = ("long", "int", "decimal", "string", "binary", "boolean", *_MOMENTS)
    return any(contains(target, part) for part in parts)


def _cast_through(sql: str, target: DataType, word: str) -> str:
    middle = rounding_type(target)
    if middle != target:
        sql = f"{word}({sql} AS {spark_type(middle)})"
    return f"{word}({sql} AS {spark_type(target)})"
