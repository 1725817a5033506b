"""FLATTEN and other table functions as lateral subqueries.

Variants are taken apart by icemelt's own function, typed arrays and maps by Spark's:

    FLATTEN(INPUT => v)    inline(icemelt_flatten(v, '', 'BOTH', false, false))
    FLATTEN(INPUT => a)    posexplode(a)

The number of the input, the column SEQ, costs a typed array a copy; so only a query that names SEQ
has it.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.quoting import text_literal
from icemelt.schema import ListType, MapType
from icemelt.sql.analysis.table_functions import Flatten, GenerateRows, SplitRows, TableFunction
from icemelt.sql.spark.variants import access, as_variant, split_path

__all__ = ["flatten", "generate_rows", "numbered_rows", "split_rows"]

Render = Callable[[exp.Expr], str]
_PLAIN = "'^[A-Za-z_][A-Za-z0-9_$]*$'"
# names of lambdas' parameters: no column that an argument reads has such a name
_ARRAY, _INPUT, _ELEMENT, _AT = "__icemelt_a", "__icemelt_s", "__icemelt_x", "__icemelt_at"


def flatten(node: Flatten, render: Render) -> str:
    """Return `FLATTEN` with Snowflake's columns."""
    _, columns, rows = _build_flatten(node, render)
    return _lateral(node, f"SELECT {columns} FROM {rows}", render)


def split_rows(node: SplitRows, render: Render) -> str:
    """Return `SPLIT_TO_TABLE` with Snowflake's columns."""
    _, columns, rows = _build_split(node, render)
    return _lateral(node, f"SELECT {columns} FROM {rows}", render)


def numbered_rows(node: exp.Expr, render: Render) -> str:
    """Return the query of a table function, with a first column that identifies a row of an input.

    The first column is the position of an element in an array, and the key in an object or map:
    objects and maps have no order. With RECURSIVE the column is the path.
    """
    match node:
        case Flatten():
            position_sql, columns, rows = _build_flatten(node, render)
        case SplitRows():
            position_sql, columns, rows = _build_split(node, render)
        case _:
            raise AssertionError(node.key)
    return f"SELECT {position_sql}, {columns} FROM {rows}"


def generate_rows(node: GenerateRows, render: Render) -> str:
    """Return `GENERATOR` as a range with one column, which is hidden."""
    count = render(node.args["arguments"][0])
    alias = node.args.get("alias")
    name = f" AS {render(alias)}" if alias is not None else ""
    rows = f"SELECT id AS `{node.args['prefix']}row` FROM range(CAST({count} AS BIGINT))"
    return f"({rows}){name}"


def _build_flatten(node: Flatten, render: Render) -> tuple[str, str, str]:
    kind = node.typed_input
    return _build_variant(node, render) if kind is None else _build_typed(node, kind, render)


def _build_variant(node: Flatten, render: Render) -> tuple[str, str, str]:
    names = [f"`{node.args['prefix']}{name}`" for name in node.columns]
    seq, key, path, index, value, this = names
    if node.args.get("single"):
        seq = _unless_added(node, path, "1L")
    columns = _columns(node, (seq, key, path, index, value, this))
    is_recursive, is_outer = (
        str(bool(node.args.get(word))).lower() for word in ("recursive", "outer")
    )
    words = f"{text_literal(node.args.get('path') or '')}, {text_literal(node.args['mode'])}"
    made = f"icemelt_flatten({_input(node, render)}, {words}, {is_recursive}, {is_outer})"
    rows = f"inline{'_outer' if node.args.get('left') else ''}({made})"
    key_or_index = f"coalesce({key}, CAST({index} AS STRING))"
    return path if node.args.get("recursive") else key_or_index, columns, _name(rows, node, names)


def _build_typed(node: Flatten, kind: ListType | MapType, render: Render) -> tuple[str, str, str]:
    """Return the parts of the query for a typed array or map: its elements keep their type."""
    is_list = isinstance(kind, ListType)
    at, key, value = (f"`{node.args['prefix']}{name}`" for name in ("at", "key", "value"))
    this = render(node.args["arguments"][0])
    if node.args["mode"] not in {"BOTH", "ARRAY" if is_list else "OBJECT"}:
        this = f"if(true, NULL, {this})"
    seq, rows = _explode(node, this, [at, value] if is_list else [at, key, value])
    text = f"CAST({key} AS STRING)"
    quoted = rf"concat('[\'', replace(replace({text}, '\\', '\\\\'), '\'', '\\\''), '\']')"
    path = f"concat('[', {at}, ']')" if is_list else f"if({text} RLIKE {_PLAIN}, {text}, {quoted})"
    no_element = "''" if node.args.get("outer") else "NULL"
    columns = _columns(
        node,
        (
            seq,
            "CAST(NULL AS STRING)" if is_list else text,
            f"CASE WHEN {at} IS NULL THEN {no_element} ELSE {path} END",
            f"CAST({at if is_list else 'NULL'} AS BIGINT)",
            value,
            _unless_added(node, at, this),
        ),
    )
    return at if is_list else text, columns, rows


def _build_split(node: TableFunction, render: Render) -> tuple[str, str, str]:
    arguments = list(node.args["arguments"])
    parts = render(exp.Anonymous(this=node.args["function"], expressions=arguments))
    at, value = (f"`{node.args['prefix']}{name}`" for name in ("at", "value"))
    seq, rows = _explode(node, parts, [at, value])
    return at, _columns(node, (seq, f"CAST({at} + 1 AS BIGINT)", value)), rows


def _explode(node: TableFunction, values: str, names: list[str]) -> tuple[str, str]:
    """Return the column SEQ, and the rows of an array or map, with the position in front.

    Args:
        node: the table function.
        values: the array or map.
        names: the names of position and value; of a map, of position, key and value.
    """
    is_outer = node.args.get("outer") or node.args.get("left")
    suffix = "_outer" if is_outer else ""
    if node.args.get("single") or not node.args.get("numbered"):
        number = _unless_added(node, names[0], "1L") if node.args.get("single") else "NULL"
        return f"CAST({number} AS BIGINT)", _name(f"posexplode{suffix}({values})", node, names)
    fields: tuple[str, ...] = ("value",)
    if len(names) > 2:  # noqa: PLR2004 - position, key and value
        fields, values = ("key", "value"), f"map_entries({values})"
    made = f"transform({_INPUT}.a, ({_ELEMENT}, {_AT}) -> {_element(fields, _AT, _ELEMENT)})"
    if node.args.get("outer"):
        nothing = _element(fields, "CAST(NULL AS INT)", f"get({_INPUT}.a, 0)")
        made = f"if(size({_INPUT}.a) > 0, {made}, array({nothing}))"
    pair = f"struct(icemelt_input_number({_ARRAY}) AS n, {_ARRAY} AS a)"
    inputs = f"transform(array({values}), {_ARRAY} -> {pair})"
    rows = f"inline{suffix}(get(transform({inputs}, {_INPUT} -> {made}), 0))"
    seq = f"`{node.args['prefix']}seq`"
    return seq, _name(rows, node, [seq, *names])


def _element(fields: tuple[str, ...], position: str, value: str) -> str:
    """Return a row of an element; the element of a map is an entry with the fields."""
    parts = [f"{value}.{field}" for field in fields] if len(fields) > 1 else [value]
    named = (f"{part} AS {field}" for part, field in zip(parts, fields, strict=True))
    return f"struct({_INPUT}.n AS n, {position} AS at, {', '.join(named)})"


def _columns(node: TableFunction, values: tuple[str, ...]) -> str:
    return ", ".join(
        f"{value} AS `{name}`" for name, value in zip(node.columns, values, strict=True)
    )


def _unless_added(node: TableFunction, element: str, value: str) -> str:
    """Return a value that is NULL in a row that LEFT JOIN added, where `element` is NULL."""
    is_added = node.args.get("left") and not node.args.get("outer")
    return f"CASE WHEN {element} IS NOT NULL THEN {value} END" if is_added else value


def _input(node: Flatten, render: Render) -> str:
    operand, path = node.args["arguments"][0], node.args.get("path")
    if not path:
        return as_variant(operand, render)
    return access(operand, split_path(path) or [path], render)


def _name(rows: str, node: TableFunction, names: list[str]) -> str:
    return f"{rows} AS `{node.args['prefix']}rows`({', '.join(names)})"


def _lateral(node: TableFunction, query: str, render: Render) -> str:
    """Return a lateral subquery; a plain subquery if the function is first in FROM.

    Raises:
        NotYet: the join has a condition, for which Spark would make the rows of each distinct input
            once: variants have no distinct inputs, and SEQ numbers inputs that are alike.
    """
    on = node.parent.args.get("on") if isinstance(node.parent, exp.Join) else None
    is_variant = isinstance(node, Flatten) and node.typed_input is None
    is_numbered = node.args.get("numbered") and not node.args.get("single")
    if on is not None and (is_variant or is_numbered):
        raise NotYet(
            "The join of a FLATTEN of a VARIANT, or with its column SEQ, takes no condition.",
            hint="Write the condition into WHERE, or join a query: (SELECT … FROM t, LATERAL "
            "FLATTEN(…)).",
        )
    alias = node.args.get("alias")
    name = f" AS {render(alias)}" if alias is not None else ""
    word = "" if isinstance(node.parent, exp.From) else "LATERAL "
    joins = "".join(render(join) for join in node.args.get("joins") or ())
    return f"{word}({query}){name}{joins}"
