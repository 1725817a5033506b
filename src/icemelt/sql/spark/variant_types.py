"""The types of variants: TYPEOF, IS_… and AS_…."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.errors import Never
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.variants import as_variant

__all__ = ["VARIANT_TYPES"]

_TYPE_NAMES = (
    ("BIGINT", "INTEGER"),
    ("STRING", "VARCHAR"),
    ("VOID", "NULL_VALUE"),
    ("DECIMAL", "DECIMAL"),
    ("DOUBLE", "DOUBLE"),
    ("FLOAT", "DOUBLE"),
    ("BOOLEAN", "BOOLEAN"),
    ("ARRAY", "ARRAY"),
    ("OBJECT", "OBJECT"),
    ("DATE", "DATE"),
    ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ"),
    ("TIMESTAMP", "TIMESTAMP_LTZ"),
    ("BINARY", "BINARY"),
)
_INSTANT = "TIMESTAMP"
_EXACT = ("BIGINT", "DECIMAL")
_NUMBERS = (*_EXACT, "DOUBLE", "FLOAT")
_MOST_DIGITS = 38


def _schema(call: Call) -> str:
    return f"schema_of_variant({as_variant(call.arguments[0], call.render)})"


def _type_of(call: Call) -> str:
    call.need(1)
    schema = _schema(call)
    branches = " ".join(
        f"WHEN startswith({schema}, '{spark}') THEN '{name}'" for spark, name in _TYPE_NAMES
    )
    return f"CASE WHEN {schema} LIKE 'DECIMAL(%,0)' THEN 'INTEGER' {branches} END"


def _has_type(call: Call, types: tuple[str, ...]) -> str:
    """Return the condition that a variant has one of Spark's types; NULL for a NULL."""
    schema = _schema(call)
    tests = (
        f"{schema} = '{name}'" if name == _INSTANT else f"startswith({schema}, '{name}')"
        for name in types
    )
    return "(" + " OR ".join(tests) + ")"


def _is_whole(call: Call) -> str:
    schema = _schema(call)
    return f"({schema} = 'BIGINT' OR {schema} LIKE 'DECIMAL(%,0)')"


def _is(*types: str) -> Entry:
    def build(call: Call) -> str:
        call.need(1)
        return _has_type(call, types)

    return build


def _is_integer(call: Call) -> str:
    call.need(1)
    return _is_whole(call)


def _value(call: Call, target: str) -> str:
    return f"try_variant_get({as_variant(call.arguments[0], call.render)}, '$', '{target}')"


def _as(target: str, *types: str) -> Entry:
    """Return an entry for a variant's value of a type; NULL for a value of another type."""

    def build(call: Call) -> str:
        call.need(1)
        return f"if({_has_type(call, types)}, {_value(call, target)}, NULL)"

    return build


def _as_integer(call: Call) -> str:
    call.need(1)
    return f"if({_is_whole(call)}, {_value(call, 'bigint')}, NULL)"


def _as_object(call: Call) -> str:
    call.need(1)
    variant = as_variant(call.arguments[0], call.render)
    return f"if({_has_type(call, ('OBJECT',))}, {variant}, NULL)"


def _as_decimal(call: Call) -> str:
    """Return AS_DECIMAL with 38 digits by default, none of them a fraction."""
    call.need(1, 2, 3)
    count = len(call.arguments)
    precision = call.whole(1) if count > 1 else _MOST_DIGITS
    scale = call.whole(2) if count > 2 else 0  # noqa: PLR2004 - the digits of the fraction
    if precision is None or scale is None or not 0 <= scale <= precision <= _MOST_DIGITS:
        call.refuse("the digits are no constants up to 38.", f"Write {call.name}(v, 10, 2).")
    variant = as_variant(call.arguments[0], call.render)
    value = f"variant_get({variant}, '$', 'decimal({precision},{scale})')"
    return f"if({_has_type(call, _EXACT)}, {value}, NULL)"


def _never(hint: str) -> Entry:
    def build(call: Call) -> str:
        raise Never(f"The function {call.name} is not supported.", hint=hint)

    return build


VARIANT_TYPES: Mapping[str, Entry] = {
    "TYPEOF": _type_of,
    "IS_ARRAY": _is("ARRAY"),
    "IS_BINARY": _is("BINARY"),
    "IS_BOOLEAN": _is("BOOLEAN"),
    **dict.fromkeys(("IS_CHAR", "IS_VARCHAR"), _is("STRING")),
    **dict.fromkeys(("IS_DATE", "IS_DATE_VALUE"), _is("DATE")),
    "IS_DECIMAL": _is(*_EXACT),
    **dict.fromkeys(("IS_DOUBLE", "IS_REAL"), _is(*_NUMBERS)),
    "IS_INTEGER": _is_integer,
    "IS_OBJECT": _is("OBJECT"),
    "IS_TIMESTAMP_LTZ": _is(_INSTANT),
    "IS_TIMESTAMP_NTZ": _is("TIMESTAMP_NTZ"),
    "AS_ARRAY": _as("array<variant>", "ARRAY"),
    "AS_BINARY": _as("binary", "BINARY"),
    "AS_BOOLEAN": _as("boolean", "BOOLEAN"),
    **dict.fromkeys(("AS_CHAR", "AS_VARCHAR"), _as("string", "STRING")),
    "AS_DATE": _as("date", "DATE"),
    **dict.fromkeys(("AS_DECIMAL", "AS_NUMBER"), _as_decimal),
    **dict.fromkeys(("AS_DOUBLE", "AS_REAL"), _as("double", *_NUMBERS)),
    "AS_INTEGER": _as_integer,
    "AS_OBJECT": _as_object,
    "AS_TIMESTAMP_LTZ": _as("timestamp", _INSTANT),
    "AS_TIMESTAMP_NTZ": _as("timestamp_ntz", "TIMESTAMP_NTZ"),
    **dict.fromkeys(
        ("AS_TIME", "IS_TIME"),
        _never("Keep a time of day as a text: AS_VARCHAR(v)."),
    ),
    **dict.fromkeys(
        ("AS_TIMESTAMP_TZ", "IS_TIMESTAMP_TZ"), _never("Use TIMESTAMP_LTZ, or TIMESTAMP_NTZ.")
    ),
}
