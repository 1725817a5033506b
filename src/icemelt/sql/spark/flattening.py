"""FLATTEN and other table functions as lateral subqueries."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from icemelt.quoting import text_literal
from icemelt.schema import ListType, MapType
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.analysis.table_functions import Flatten, GenerateRows, SplitRows
from icemelt.sql.spark.variants import access, as_variant, split_path

__all__ = ["flatten", "generate_rows", "numbered_rows", "split_rows"]

Render = Callable[[exp.Expr], str]
_PLAIN = "'^[A-Za-z_][A-Za-z0-9_$]*$'"
_NUMBER = "1L AS `seq`"


def flatten(node: Flatten, render: Render) -> str:
    """Return `FLATTEN` with Snowflake's columns; rows of a table get no SEQ."""
    _, columns, rows = _build_flatten(node, render)
    return _lateral(node, f"SELECT {columns} FROM {rows}", render)


def split_rows(node: SplitRows, render: Render) -> str:
    """Return `SPLIT_TO_TABLE` with Snowflake's columns."""
    _, columns, rows = _build_split(node, render)
    return _lateral(node, f"SELECT {columns} FROM {rows}", render)


def numbered_rows(node: exp.Expr, render: Render) -> str:
    """Return the query of a table function, with a first column that identifies a row of an input.

    The first column is the position of an element in an array, and the key in an object or map:
    objects and maps have no order.
    """
    parts = (
        _build_flatten(node, render) if isinstance(node, Flatten) else _build_split(node, render)
    )
    position_sql, columns, rows = parts
    return f"SELECT {position_sql}, {columns} FROM {rows}"


def _build_flatten(node: Flatten, render: Render) -> tuple[str, str, str]:
    operand = node.args["arguments"][0]
    path = node.args.get("path")
    kind = None if path else kind_of(operand)
    mode = str(node.args.get("mode"))
    suffix = "_outer" if node.args.get("outer") else ""
    at, key, value = (f"`{node.args['prefix']}{name}`" for name in ("at", "key", "value"))
    if isinstance(kind, (ListType, MapType)):
        this = render(operand)
        taken = (
            this if mode in {"BOTH", "ARRAY" if isinstance(kind, ListType) else "OBJECT"} else ""
        )
        rows = f"posexplode{suffix}({taken or f'if(true, NULL, {this})'})"
        names = [at, value] if isinstance(kind, ListType) else [at, key, value]
        key = f"CAST({'NULL' if isinstance(kind, ListType) else key} AS STRING)"
        position_sql = at if isinstance(kind, ListType) else key
    else:
        this = _input(operand, path, render)
        taken = f"if({_is(mode, this)}, {this}, NULL)" if mode != "BOTH" else this
        rows, names = f"variant_explode{suffix}({taken})", [at, key, value]
        position_sql = f"coalesce({key}, CAST({at} AS STRING))"
    prefix = text_literal(path or "")
    columns = ", ".join(
        (
            *_number(node),
            f"{key} AS `key`",
            f"{_path(at, key, prefix)} AS `path`",
            f"CASE WHEN {key} IS NULL THEN CAST({at} AS BIGINT) END AS `index`",
            f"{value} AS `value`",
            f"{_this(this, at, node)} AS `this`",
        )
    )
    return position_sql, columns, _name_rows(rows, node, names)


def _build_split(node: exp.Expr, render: Render) -> tuple[str, str, str]:
    arguments = list(node.args["arguments"])
    parts = render(exp.Anonymous(this=node.args["function"], expressions=arguments))
    at, value = (f"`{node.args['prefix']}{name}`" for name in ("at", "value"))
    index = f"CAST({at} + 1 AS BIGINT) AS `index`"
    columns = ", ".join((*_number(node), index, f"{value} AS `value`"))
    suffix = "_outer" if node.args.get("outer") else ""
    return at, columns, _name_rows(f"posexplode{suffix}({parts})", node, [at, value])


def generate_rows(node: GenerateRows, render: Render) -> str:
    """Return `GENERATOR` as a range with one column, which is hidden."""
    count = render(node.args["arguments"][0])
    alias = node.args.get("alias")
    name = f" AS {render(alias)}" if alias is not None else ""
    rows = f"SELECT id AS `{node.args['prefix']}row` FROM range(CAST({count} AS BIGINT))"
    return f"({rows}){name}"


def _number(node: exp.Expr) -> tuple[str, ...]:
    return (_NUMBER,) if node.args.get("single") else ()


def _input(operand: exp.Expr, path: str | None, render: Render) -> str:
    if not path:
        return as_variant(operand, render)
    return access(operand, split_path(path) or [path], render)


def _is(mode: str, variant: str) -> str:
    return f"startswith(schema_of_variant({variant}), '{mode}')"


def _this(this: str, at: str, node: exp.Expr) -> str:
    """Return the column THIS: the input, but NULL for a row that LEFT JOIN added."""
    return f"CASE WHEN {at} IS NOT NULL THEN {this} END" if node.args.get("left") else this


def _path(at: str, key: str, prefix: str) -> str:
    """Return the column PATH: `[position]` in an array, `.key` in an object.

    In an array KEY is NULL, and in an object the position is NULL.
    """
    word = f"CASE WHEN {key} RLIKE {_PLAIN} THEN {key} ELSE concat('[\\'', {key}, '\\']') END"
    dotted = word if prefix == "''" else f"concat({prefix}, '.', {word})"
    element = f"concat({prefix}, '[', {at}, ']')"
    return f"CASE WHEN {at} IS NULL THEN NULL WHEN {key} IS NULL THEN {element} ELSE {dotted} END"


def _name_rows(rows: str, node: exp.Expr, names: list[str]) -> str:
    return f"{rows} AS `{node.args['prefix']}rows`({', '.join(names)})"


def _lateral(node: exp.Expr, query: str, render: Render) -> str:
    """Return a lateral subquery; a plain subquery if the function is first in FROM."""
    alias = node.args.get("alias")
    name = f" AS {render(alias)}" if alias is not None else ""
    word = "" if isinstance(node.parent, exp.From) else "LATERAL "
    joins = "".join(render(join) for join in node.args.get("joins") or ())
    return f"{word}({query}){name}{joins}"
