"""Texts of files with bytes that are no character: refused, or with U+FFFD in their place.

Spark decodes the texts of CSV and JSON files, and puts U+FFFD in the place of such bytes; the texts
of other files it takes as they are, for UTF-8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, DataType, MapType, StringType, StructType

from icemelt.quoting import quote, text_literal
from icemelt.session.files.raw_rows import first_refusal, row_refusal
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.typed_values import LeafPath, rewrite_columns

__all__ = [
    "badly_decoded",
    "has_invalid_text",
    "invalid_values",
    "refuse_invalid",
    "with_valid_texts",
]


def badly_decoded(texts: Sequence[str]) -> dict[str, str]:
    """Return SQL of whether decoded texts have U+FFFD for bytes that are no character.

    A U+FFFD that a file has itself looks like one.

    >>> badly_decoded(["c0"])
    {'c0': 'icemelt_has_replaced(c0)'}
    """
    return {text: f"icemelt_has_replaced({text})" for text in texts}


def invalid_values(types: Mapping[str, DataType]) -> dict[str, str]:
    """Return SQL of whether values with types have texts that are no UTF-8, by the value as text.

    Args:
        types: the types by the SQL of the values. Values without texts are left out.

    >>> invalid_values({"c0": StringType(), "c1": StructType()})
    {'CAST(c0 AS STRING)': 'NOT is_valid_utf8(c0)'}
    """
    conditions = {value: has_invalid_text(value, kind) for value, kind in types.items()}
    return {f"CAST({value} AS STRING)": each for value, each in conditions.items() if each}


def refuse_invalid(options: ReadOptions, conditions: Mapping[str, str]) -> str:
    """Return the SQL of the refusal of a raw row with a text that is invalid, as `row_refusal`.

    Args:
        options: the options of the file format.
        conditions: SQL of whether a text is invalid, by the SQL of what is shown of the row.

    >>> from icemelt.sql.statements import FileFormat
    >>> refuse_invalid(ReadOptions(FileFormat.CSV, replace_invalid=True), {"c0": "true"})
    'NULL'
    """
    if options.replace_invalid:
        return "NULL"
    said = text_literal(
        f"there are bytes that are no {options.encoding}, which REPLACE_INVALID_CHARACTERS = TRUE "
        "replaces: "
    )
    return first_refusal(
        [
            row_refusal(condition, f"concat({said}, left({shown}, 100))")
            for shown, condition in conditions.items()
        ]
    )


def has_invalid_text(value: str, kind: DataType, depth: int = 0) -> str | None:
    """Return the SQL of whether a value of a type has a text that is no UTF-8; None for no text.

    >>> has_invalid_text("c0", ArrayType(StringType()))
    'exists(c0, x0 -> NOT is_valid_utf8(x0))'
    """
    name = f"x{depth}"
    match kind:
        case StringType():
            return f"NOT is_valid_utf8({value})"
        case ArrayType():
            inner = has_invalid_text(name, kind.elementType, depth + 1)
            return inner and f"exists({value}, {name} -> {inner})"
        case MapType():
            parts = [
                has_invalid_text(f"map_{part}({value})", ArrayType(of), depth)
                for part, of in (("keys", kind.keyType), ("values", kind.valueType))
            ]
        case StructType():
            parts = [
                has_invalid_text(f"{value}.{quote(field.name)}", field.dataType, depth)
                for field in kind.fields
            ]
        case _:
            return None
    found = [part for part in parts if part]
    return f"({' OR '.join(found)})" if found else None


def with_valid_texts(frame: DataFrame) -> DataFrame:
    """Return rows with U+FFFD in the place of bytes that are no UTF-8, also inside of values."""
    return rewrite_columns(frame, _valid)


def _valid(value: str, kind: DataType, _path: LeafPath) -> str | None:
    return f"make_valid_utf8({value})" if isinstance(kind, StringType) else None
