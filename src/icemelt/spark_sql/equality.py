"""Equality of values in Spark SQL, for every type.

Null-safe; NaN = NaN; −0.0 = 0.0; maps and variants by content, not by order; a variant's 1 and 1.0
are equal. Spark's `<=>` gives this for all types but maps and variants, which are brought to a
canonical form first.
"""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.quoting import quote
from icemelt.schema import Column, DataType, ListType, MapType, Primitive, StructType, contains

__all__ = ["canonical_form", "equality_condition", "normalize_numbers", "prevent_pushdown"]

# A JSON string is kept whole by the first group, so that only numbers outside strings lose their
# trailing zeros and the sign of a zero. `*+` takes no stack for each character: Spark dies of that.
_STRING = r'("(?:[^"\\]|\\.)*+")'
_ZEROS = _STRING + r"|(-?\d+\.\d*[1-9])0+(?![\dEe.])|(-?\d+)\.0+(?![\dEe.])"
_MINUS_ZERO = _STRING + r"|-(0)(?![\d.Ee])"


def equality_condition(data_type: DataType, left: str, right: str) -> str:
    """Return the condition that `left` and `right`, both of `data_type`, are equal.

    >>> equality_condition(Primitive("long"), "a", "b")
    'a <=> b'
    """
    return f"{canonical_form(data_type, left)} <=> {canonical_form(data_type, right)}"


def canonical_form(data_type: DataType, expression: str, depth: int = 0) -> str:
    """Return an expression equal under `<=>` for equal values, and usable in GROUP BY.

    Args:
        data_type: the type of the values.
        expression: the values.
        depth: the number of enclosing lambdas, to name variables.

    >>> canonical_form(MapType(Primitive("string"), Primitive("long")), "m")
    'array_sort(transform(map_entries(m), x0 -> struct(x0.key AS k, x0.value AS v)))'
    """
    if not (contains(data_type, "map") or contains(data_type, "variant")):
        return expression
    name = f"x{depth}"
    match data_type:
        case Primitive():
            return f"icemelt_variant_key({expression})"
        case ListType(element):
            return f"transform({expression}, {name} -> {canonical_form(element, name, depth + 1)})"
        case MapType(key, value):
            pair = ", ".join(
                (
                    f"{canonical_form(key, f'{name}.key', depth + 1)} AS k",
                    f"{canonical_form(value, f'{name}.value', depth + 1)} AS v",
                )
            )
            return f"array_sort(transform(map_entries({expression}), {name} -> struct({pair})))"
        case StructType(fields):
            inner = ", ".join(
                f"{canonical_form(field.type, f'{expression}.{name}', depth + 1)} AS {name}"
                for field, name in ((field, quote(field.name)) for field in fields)
            )
            return f"if({expression} IS NULL, null, struct({inner}))"
        case _:
            return expression


def normalize_numbers(json: str) -> str:
    """Return JSON with equal numbers written alike: no trailing zeros, no minus zero."""
    short = f"regexp_replace({json}, r'{_ZEROS}', '$1$2$3')"
    return f"regexp_replace({short}, r'{_MINUS_ZERO}', '$1$2')"


def prevent_pushdown(relation: str, columns: Sequence[Column], *behind: str) -> str:
    """Return a relation with doubles written so that only Spark compares them, not Iceberg.

    Iceberg skips files by the bounds of a column. NaN is missing in the bounds, and minus zero is
    less than zero there. Iceberg does not know NANVL, so no filter over it is pushed down. The
    SELECT items in `behind` follow the columns.

    >>> prevent_pushdown("t", [Column("id", Primitive("long")), Column("x", Primitive("double"))])
    '(SELECT `id`, nanvl(`x`, `x`) AS `x` FROM t)'
    >>> prevent_pushdown("t", [Column("id", Primitive("long"))])
    't'
    """
    written = [_prevent_column_pushdown(column) for column in columns]
    if not behind and written == [quote(column.name) for column in columns]:
        return relation
    return f"(SELECT {', '.join((*written, *behind))} FROM {relation})"


def _prevent_column_pushdown(column: Column) -> str:
    name = quote(column.name)
    match column.type:
        case Primitive("double" | "float"):
            return f"nanvl({name}, {name}) AS {name}"
        case StructType() if contains(column.type, "double") or contains(column.type, "float"):
            return f"element_at(array({name}), 1) AS {name}"
        case _:
            return name
