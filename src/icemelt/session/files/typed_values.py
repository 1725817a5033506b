"""Rewrite the leaves of typed values in SQL: what is in no array, map or structure, or inside."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from icemelt.quoting import quote, text_literal
from icemelt.spark_java import select_values

__all__ = ["LeafPath", "rewrite_columns", "rewrite_leaves"]

# the numbers of fields; 0 for what is in an array and for the keys of a map, 1 for its values
LeafPath = tuple[int, ...]
_Rewrite = Callable[[str, DataType, LeafPath], str | None]


def rewrite_columns(frame: DataFrame, rewrite: _Rewrite) -> DataFrame:
    """Return rows whose leaves are rewritten; a path begins with the number of the column.

    Args:
        frame: the rows.
        rewrite: as of `rewrite_leaves`.
    """
    values, is_changed = [], False
    for number, field in enumerate(frame.schema.fields):
        name = quote(field.name)
        changed = rewrite_leaves(name, field.dataType, rewrite, (number,))
        is_changed |= changed is not None
        values.append(name if changed is None else f"{changed} AS {name}")
    return select_values(frame, *values) if is_changed else frame


def rewrite_leaves(
    value: str, kind: DataType, rewrite: _Rewrite, path: LeafPath = (), depth: int = 0
) -> str | None:
    """Return the SQL of a value whose leaves are rewritten; None where none is.

    Args:
        value: the SQL of the value.
        kind: the type of the value.
        rewrite: returns the SQL in place of a leaf, given its own, its type and its path; None to
            leave it as it is.
        path: the path of the value.
        depth: in how many lambdas the value is.

    >>> from pyspark.sql.types import LongType
    >>> rewrite_leaves("c", ArrayType(LongType()), lambda value, _kind, _path: f"-{value}")
    'transform(c, x0 -> -x0)'
    """
    name = f"x{depth}"

    def inside(part: str, of: DataType, number: int, depth: int = depth) -> str | None:
        return rewrite_leaves(part, of, rewrite, (*path, number), depth)

    match kind:
        case ArrayType():
            element = inside(name, kind.elementType, 0, depth + 1)
            return element and f"transform({value}, {name} -> {element})"
        case MapType():
            parts = [f"map_keys({value})", f"map_values({value})"]
            changed = [
                inside(name, of, number, depth + 1)
                for number, of in enumerate((kind.keyType, kind.valueType))
            ]
            if not any(changed):
                return None
            pairs = (
                f"transform({part}, {name} -> {new})" if new else part
                for part, new in zip(parts, changed, strict=True)
            )
            return f"map_from_arrays({', '.join(pairs)})"
        case StructType():
            members = [f"{value}.{quote(field.name)}" for field in kind.fields]
            changed = [
                inside(member, field.dataType, number)
                for number, (member, field) in enumerate(zip(members, kind.fields, strict=True))
            ]
            if not any(changed):
                return None
            named = ", ".join(
                f"{text_literal(field.name)}, {new or old}"
                for field, new, old in zip(kind.fields, changed, members, strict=True)
            )
            return f"CASE WHEN {value} IS NOT NULL THEN named_struct({named}) END"
        case _:
            return rewrite(value, kind, path)
