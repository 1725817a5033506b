"""Variants: paths into variants, and any value as a variant.

A value of unknown type is wrapped into an array, and the array becomes a variant: wrapping works
for every type, at the price of encoding the value again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from icemelt.quoting import quote, text_literal
from icemelt.schema import DataType, ListType, MapType, Primitive, StructType, contains
from icemelt.sql.analysis.kinds import kind_of

__all__ = ["access", "as_variant", "path_text", "split_path"]

Key = str | int
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PATH_PART = re.compile(
    r"""\.?([^.\[\]"']+)|\.?"([^"]*)"|\[([0-9]{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]"""
)


def as_variant(node: exp.Expr, render: Callable[[exp.Expr], str]) -> str:
    """Return an expression of any type as a variant."""
    if isinstance(node, exp.Null):
        return "CAST(NULL AS VARIANT)"
    sql, depth = _operand(node, render), _void_depth(node)
    if depth:
        # Spark has no type for the elements
        sql = f"CAST({sql} AS {'ARRAY<' * depth}VARIANT{'>' * depth})"
    return _to_variant(sql, kind_of(node))


def _void_depth(node: exp.Expr) -> int:
    """Return the nesting depth of an array literal with only NULL elements; otherwise 0."""
    call = node.name.upper() if isinstance(node, exp.Anonymous) else ""
    if not (isinstance(node, exp.Array) or call == "ARRAY_CONSTRUCT"):
        return 0
    depths = [_void_depth(part) for part in node.expressions if not isinstance(part, exp.Null)]
    return 1 + max(depths, default=0) if all(depths) else 0


def access(
    node: exp.Expr, keys: Sequence[Key], render: Callable[[exp.Expr], str], target: str = "variant"
) -> str:
    """Return the value at a path of keys and positions; NULL if the path leads nowhere.

    Args:
        node: the value.
        keys: names of fields, and positions of elements.
        render: returns the SQL of an expression.
        target: the Spark type of a result inside a variant; typed parts keep the type.
    """
    if any(isinstance(key, int) and key < 0 for key in keys):
        return f"CAST(NULL AS {target.upper()})"
    return _read_path(render(node), kind_of(node), keys, target)


def _read_path(sql: str, kind: DataType | None, keys: Sequence[Key], target: str) -> str:
    remaining = list(keys)
    while remaining:
        step = _typed_step(sql, kind, remaining[0])
        if step is None:
            break
        sql, kind = step
        remaining.pop(0)
    if not remaining:
        return sql
    odd = next((at for at, key in enumerate(remaining) if _has_both_quotes(key)), None)
    if odd is not None:
        return _inside_odd(sql, kind, remaining, odd, target)
    # the type may contain names of fields
    kind_text = text_literal(target)
    if kind == Primitive("variant"):
        return f"variant_get({sql}, {text_literal(path_text(remaining))}, {kind_text})"
    whole = f"to_variant_object(array({sql}))"
    return f"variant_get({whole}, {text_literal(path_text([0, *remaining]))}, {kind_text})"


def _has_both_quotes(key: Key) -> bool:
    return isinstance(key, str) and "'" in key and '"' in key


def _inside_odd(sql: str, kind: DataType | None, keys: Sequence[Key], odd: int, target: str) -> str:
    """Return the value at a path with a key that has both kinds of quotes.

    Spark's paths cannot express the key; a map of the variant's fields can.
    """
    around = _to_variant(sql, kind)
    if odd:
        around = f"variant_get({around}, {text_literal(path_text(keys[:odd]))}, 'variant')"
    entries = f"TRY_CAST({around} AS MAP<STRING, VARIANT>)"
    value = f"try_element_at({entries}, {text_literal(str(keys[odd]))})"
    behind = keys[odd + 1 :]
    if behind:
        return _read_path(value, Primitive("variant"), behind, target)
    return f"variant_get({value}, '$', {text_literal(target)})"


def path_text(keys: Sequence[Key]) -> str:
    """Return a path in Spark's syntax.

    >>> path_text(["a", 0, "b c"])
    "$.a[0]['b c']"
    """
    return "$" + "".join(_path_part(key) for key in keys)


def split_path(path: str) -> list[Key] | None:
    """Return the keys of a path in Snowflake's syntax; None for a text that is no path.

    >>> split_path('a.b[0]."c d"')
    ['a', 'b', 0, 'c d']
    """
    keys: list[Key] = []
    position = 0
    while position < len(path):
        match = _PATH_PART.match(path, position)
        if match is None:
            return None
        plain, quoted, index, single, double = match.groups()
        keys.append(int(index) if index else plain or quoted or single or double or "")
        position = match.end()
    return keys


def _operand(node: exp.Expr, render: Callable[[exp.Expr], str]) -> str:
    sql = render(node)
    return f"({sql})" if isinstance(node, (exp.Binary, exp.Not)) else sql


def _path_part(key: Key) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    if _PLAIN_KEY.match(key):
        return f".{key}"
    return f'["{key}"]' if "'" in key else f"['{key}']"


def _typed_step(sql: str, kind: DataType | None, key: Key) -> tuple[str, DataType] | None:
    match kind:
        case ListType(element) if isinstance(key, int):
            return f"get({sql}, {key})", element
        case MapType(_, value) if isinstance(key, str):
            return f"try_element_at({sql}, {text_literal(key)})", value
        case StructType(fields):
            for field in fields:
                if field.name == key:
                    return f"{sql}.{quote(field.name)}", field.type
    return None


def _to_variant(sql: str, kind: DataType | None) -> str:
    match kind:
        case Primitive("variant"):
            return sql
        case None:
            whole = f"variant_get(to_variant_object(array({sql})), '$[0]', 'variant')"
            return f"if({sql} IS NULL, NULL, {whole})"
        case MapType() | StructType():
            return f"to_variant_object({sql})"
        case ListType() if contains(kind, "struct") or contains(kind, "map"):
            return f"to_variant_object({sql})"
        case _:
            return f"CAST({sql} AS VARIANT)"
