"""Functions over variants, arrays, maps and objects."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping

from sqlglot import exp

from icemelt.schema import ListType, Primitive
from icemelt.sql.analysis.kinds import is_variant, kind_of
from icemelt.sql.spark.bounds import ELEMENTS, SHORT, TEXT, bound_value
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.json_parsing import JSON_PARSING
from icemelt.sql.spark.variants import access, as_variant, split_path

__all__ = ["SEMISTRUCTURED", "object_of", "surely_array"]

_OBJECT = "MAP<STRING, VARIANT>"
_ARRAY = "ARRAY<VARIANT>"
# Names of lambdas' parameters: no column that an argument reads has such a name.
_X, _Y, _Z = "__icemelt_x", "__icemelt_y", "__icemelt_z"
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


# An object of the columns that are not NULL: the columns that Spark writes as JSON.
_PRESENT = (
    f"get(transform(array({{}}), {_X} -> to_variant_object(map_filter("
    f"CAST(to_variant_object({_X}) AS {_OBJECT}), "
    f"({_Y}, {_Z}) -> array_contains(json_object_keys(to_json({_X})), {_Y})))), 0)"
)


def object_of(pairs: list[tuple[str, str]], *, keep_null: bool) -> str:
    """Return a variant object of keys and variants.

    `pairs` has Spark SQL of a key and of a variant. `keep_null` keeps pairs with a NULL value.

    >>> object_of([("'a'", "CAST(1 AS VARIANT)")], keep_null=True)
    "to_variant_object(map('a', CAST(1 AS VARIANT)))"
    """
    if not pairs:
        return "parse_json('{}')"
    entries = "map(" + ", ".join(f"{key}, {value}" for key, value in pairs) + ")"
    if not keep_null:
        entries = f"map_filter({entries}, (k, v) -> v IS NOT NULL)"
    return f"to_variant_object({entries})"


def _of(template: str) -> Entry:
    """Return an entry by a template over forms of arguments.

    `v0` is the first argument as a variant, `a0` as an array, `m0` as a map of variants, `p0`
    unchanged.
    """
    fields = [name for _, name, _, _ in string.Formatter().parse(template) if name]
    count = len({name[1:] for name in fields})
    forms: dict[str, Callable[[Call, int], str]] = {
        "v": _variant,
        "a": surely_array,
        "m": _entries,
        "p": Call.sql,
    }

    def build(call: Call) -> str:
        call.need(count)
        return template.format(**{name: forms[name[0]](call, int(name[1:])) for name in fields})

    return build


def _variant(call: Call, position: int = 0) -> str:
    return as_variant(call.arguments[position], call.render)


def _array(call: Call, position: int = 0) -> str:
    """Return an argument as an array; a variant becomes an array of variants."""
    argument = call.arguments[position]
    if isinstance(kind_of(argument), ListType):
        return call.sql(position)
    if is_variant(argument):
        return f"TRY_CAST({call.sql(position)} AS {_ARRAY})"
    return call.sql(position)


def surely_array(call: Call, position: int = 0) -> str:
    """Return an argument as an array; NULL if the argument is no array."""
    argument = call.arguments[position]
    if isinstance(kind_of(argument), ListType):
        return call.sql(position)
    return f"TRY_CAST({_variant(call, position)} AS {_ARRAY})"


def _element(call: Call, position: int, array: int) -> str:
    """Return a value for an array: a variant if the array may be an array of variants."""
    kind = kind_of(call.arguments[array])
    if kind in (Primitive("variant"), ListType(Primitive("variant"))):
        return _variant(call, position)
    return call.operand(_plain(call.arguments[position]))


def _plain(node: exp.Expr) -> exp.Expr:
    """Return a value without the cast to VARIANT that Snowflake's arrays require."""
    if isinstance(node, exp.Cast) and node.to.this == exp.DType.VARIANT:
        inner: exp.Expr = node.this
        return inner
    return node


def _object_construct(call: Call, *, keep_null: bool) -> str:
    arguments = call.arguments
    if len(arguments) == 1 and arguments[0].is_star:
        every = f"struct({call.render(arguments[0])})"
        return f"to_variant_object({every})" if keep_null else _PRESENT.format(every)
    if len(arguments) % 2 or any(argument.is_star for argument in arguments):
        call.refuse("it takes pairs of a key and a value.", f"Write {call.name}('key', value).")
    pairs = [
        (call.render(key), as_variant(value, call.render))
        for key, value in zip(arguments[::2], arguments[1::2], strict=True)
    ]
    return object_of(pairs, keep_null=keep_null)


def _array_construct(call: Call) -> str:
    """Return an array: typed for elements of one kind, of variants for several kinds."""
    mixed = exp.Array(expressions=list(call.arguments))
    kinds = {kind_of(element) for element in mixed.expressions if not isinstance(element, exp.Null)}
    if len(kinds - {None}) > 1:
        elements = [_variant(call, position) for position in range(len(call.arguments))]
        return f"array({', '.join(elements)})"
    return f"array({call.all()})"


def _get(call: Call) -> str:
    call.need(2)
    key: str | int | None = call.text(1)
    key = call.whole(1) if key is None else key
    if key is not None:
        return access(call.arguments[0], [key], call.render)
    kind = kind_of(call.arguments[0])
    if isinstance(kind, ListType):
        return f"get({call.sql(0)}, CAST({call.sql(1)} AS INT))"
    entries = f"TRY_CAST({_variant(call)} AS {_OBJECT})"
    return f"try_element_at({entries}, CAST({call.sql(1)} AS STRING))"


def _get_path(call: Call) -> str:
    call.need(2)
    return access(call.arguments[0], _keys(call, 1), call.render)


def _keys(call: Call, position: int) -> list[str | int]:
    written = call.text(position)
    keys = None if written is None else split_path(written)
    if not keys:
        call.refuse("the path is not a literal path.", "Write it as in GET_PATH(v, 'a.b[0]').")
    return keys


def _extract_path_text(call: Call) -> str:
    call.need(2)
    parsed = exp.Anonymous(this="PARSE_JSON", expressions=[call.arguments[0].copy()])
    return access(parsed, _keys(call, 1), call.render, "string")


def _type_of(call: Call) -> str:
    call.need(1)
    schema = f"schema_of_variant({_variant(call)})"
    branches = " ".join(
        f"WHEN startswith({schema}, '{spark}') THEN '{name}'" for spark, name in _TYPE_NAMES
    )
    return f"CASE WHEN {schema} LIKE 'DECIMAL(%,0)' THEN 'INTEGER' {branches} END"


def _is(*prefixes: str) -> Entry:
    def build(call: Call) -> str:
        call.need(1)
        schema = f"schema_of_variant({_variant(call)})"
        return "(" + " OR ".join(f"startswith({schema}, '{prefix}')" for prefix in prefixes) + ")"

    return build


def _as(target: str, *prefixes: str) -> Entry:
    """Return an entry for a variant's value of a type; NULL for a value of another type."""
    is_one = " OR ".join(
        f"startswith(schema_of_variant({{v0}}), '{prefix}')" for prefix in prefixes
    )
    return _of(f"if({is_one}, try_variant_get({{v0}}, '$', '{target}'), NULL)")


_WHOLE = "(schema_of_variant({v0}) = 'BIGINT' OR schema_of_variant({v0}) LIKE 'DECIMAL(%,0)')"


def _array_contains(call: Call) -> str:
    call.need(2)
    if isinstance(kind_of(call.arguments[1]), ListType):
        return f"array_contains({call.sql(1)}, {_element(call, 0, 1)})"
    wanted = f"to_json({as_variant(_plain(call.arguments[0]), call.render)})"
    return f"exists({surely_array(call, 1)}, {_X} -> to_json({_X}) = {wanted})"


def _array_position(call: Call) -> str:
    call.need(2)
    return f"(nullif(array_position({_array(call, 1)}, {_element(call, 0, 1)}), 0) - 1)"


def _array_slice(call: Call) -> str:
    call.need(3)
    start, end = call.whole(1), call.whole(2)
    if start is not None and end is not None and 0 <= start <= end:
        return f"slice({_array(call)}, {start + 1}, {end - start})"
    low, high = (f"CAST({call.sql(position)} AS INT)" for position in (1, 2))
    size = f"size({_array(call)})"
    low, high = (
        f"if({bound} < 0, greatest({size} + {bound}, 0), {bound})" for bound in (low, high)
    )
    return f"slice({_array(call)}, {low} + 1, greatest({high} - {low}, 0))"


def _array_insert(call: Call) -> str:
    call.need(3)
    position = f"CAST({call.sql(1)} AS INT)"
    position = f"if({position} < 0, {position}, {position} + 1)"
    if call.whole(1) is None or abs(call.whole(1) or 0) > ELEMENTS:
        position = bound_value(call.name, f"abs({call.sql(1)})", ELEMENTS, position)
    return f"array_insert({_array(call)}, {position}, {_element(call, 2, 0)})"


def _array_sort(call: Call) -> str:
    call.need(1, 2)
    ascending = len(call.arguments) == 1 or call.arguments[1] == exp.true()
    if ascending:
        return f"array_sort({_array(call)})"
    return f"reverse(array_sort({_array(call)}))"


def _generate_range(call: Call) -> str:
    call.need(2, 3)
    start, end = (f"CAST({call.sql(position)} AS BIGINT)" for position in (0, 1))
    step = f"CAST({call.sql(2)} AS BIGINT)" if len(call.arguments) > 2 else "1L"  # noqa: PLR2004
    last = f"{end} - sign({step})"
    empty = f"({end} - {start}) * {step} <= 0"
    if None in [call.whole(position) for position in range(len(call.arguments))] or _is_long(call):
        span = f"abs(CAST({end} AS DECIMAL(38,0)) - {start}) / greatest(abs({step}), 1L)"
        last = bound_value(call.name, span, ELEMENTS, last)
    return f"if({empty}, array(), sequence({start}, CAST({last} AS BIGINT), {step}))"


def _is_long(call: Call) -> bool:
    start, end = call.whole(0) or 0, call.whole(1) or 0
    return abs(end - start) > ELEMENTS


def _array_to_string(call: Call) -> str:
    call.need(2)
    array, separator = surely_array(call, 0), call.sql(1)
    if call.text(1) is None or len(call.text(1) or "") > SHORT:
        amount = f"CAST(size({array}) AS BIGINT) * length({separator})"
        separator = bound_value(call.name, amount, TEXT, separator)
    return f"array_join(transform({array}, e -> CAST(e AS STRING)), {separator}, '')"


def _on_arrays(function: str) -> Entry:
    def build(call: Call) -> str:
        if not call.arguments:
            call.need(1, 2)
        arrays = [_array(call, position) for position in range(len(call.arguments))]
        return f"{function}({', '.join(arrays)})"

    return build


def _with_element(function: str) -> Entry:
    def build(call: Call) -> str:
        call.need(2)
        return f"{function}({_array(call)}, {_element(call, 1, 0)})"

    return build


def _to_array(call: Call) -> str:
    """Return TO_ARRAY: a value that is no array becomes an array of the value."""
    call.need(1)
    value = _variant(call)
    return f"coalesce(TRY_CAST({value} AS {_ARRAY}), if({value} IS NULL, NULL, array({value})))"


def _entries(call: Call, position: int = 0) -> str:
    return f"CAST({_variant(call, position)} AS {_OBJECT})"


def _object_insert(call: Call) -> str:
    call.need(3, 4)
    key = call.sql(1)
    rest = f"map_filter({_entries(call)}, ({_X}, {_Y}) -> {_X} <> {key})"
    added = f"map_filter(map({key}, {_variant(call, 2)}), (k, v) -> v IS NOT NULL)"
    return f"to_variant_object(map_concat({rest}, {added}))"


def _object_keep(test: str) -> Entry:
    def build(call: Call) -> str:
        if len(call.arguments) < 2:  # noqa: PLR2004 - an object and a key
            call.need(2, 3)
        keys = ", ".join(call.render(argument) for argument in call.arguments[1:])
        return (
            f"to_variant_object(map_filter({_entries(call)}, ({_X}, {_Y}) -> {_X} {test} ({keys})))"
        )

    return build


def _object_agg(call: Call) -> str:
    call.need(2)
    if call.distinct:
        call.refuse("DISTINCT is not supported.", "Select the distinct pairs in a subquery.")
    pair = f"struct(CAST({call.sql(0)} AS STRING) AS k, {_variant(call, 1)} AS v)"
    pairs = f"collect_list({pair}){call.over}"
    present = f"filter({pairs}, x -> x.k IS NOT NULL AND x.v IS NOT NULL)"
    return f"to_variant_object(map_from_entries({present}))"


SEMISTRUCTURED: Mapping[str, Entry] = {
    **JSON_PARSING,
    "TO_JSON": _of("to_json({v0})"),
    **dict.fromkeys(("TO_VARIANT", "TO_OBJECT"), _of("{v0}")),
    "TO_ARRAY": _to_array,
    "STRIP_NULL_VALUE": _of("if(is_variant_null({v0}), NULL, {v0})"),
    "IS_NULL_VALUE": _of("if({v0} IS NULL, NULL, is_variant_null({v0}))"),
    "TYPEOF": _type_of,
    "IS_ARRAY": _is("ARRAY"),
    "IS_OBJECT": _is("OBJECT"),
    "IS_BOOLEAN": _is("BOOLEAN"),
    "IS_INTEGER": _of(_WHOLE),
    "IS_DECIMAL": _is("BIGINT", "DECIMAL"),
    **dict.fromkeys(("IS_DOUBLE", "IS_REAL"), _is("BIGINT", "DECIMAL", "DOUBLE")),
    **dict.fromkeys(("IS_VARCHAR", "IS_CHAR"), _is("STRING")),
    "AS_BOOLEAN": _as("boolean", "BOOLEAN"),
    "AS_INTEGER": _of(f"if({_WHOLE}, try_variant_get({{v0}}, '$', 'bigint'), NULL)"),
    **dict.fromkeys(
        ("AS_DOUBLE", "AS_REAL"), _as("double", "DOUBLE", "FLOAT", "BIGINT", "DECIMAL")
    ),
    **dict.fromkeys(("AS_VARCHAR", "AS_CHAR"), _as("string", "STRING")),
    "AS_DATE": _as("date", "DATE"),
    "AS_ARRAY": _as("array<variant>", "ARRAY"),
    "AS_OBJECT": _of("if(startswith(schema_of_variant({v0}), 'OBJECT'), {v0}, NULL)"),
    "GET": _get,
    "GET_PATH": _get_path,
    "JSON_EXTRACT_PATH_TEXT": _extract_path_text,
    "OBJECT_CONSTRUCT": lambda call: _object_construct(call, keep_null=False),
    "OBJECT_CONSTRUCT_KEEP_NULL": lambda call: _object_construct(call, keep_null=True),
    "OBJECT_KEYS": _of("map_keys({m0})"),
    "OBJECT_INSERT": _object_insert,
    "OBJECT_DELETE": _object_keep("NOT IN"),
    "OBJECT_PICK": _object_keep("IN"),
    "OBJECT_AGG": _object_agg,
    "ARRAY_CONSTRUCT": _array_construct,
    "ARRAY_CONSTRUCT_COMPACT": lambda call: f"array_compact({_array_construct(call)})",
    "ARRAY_SIZE": _of("size({a0})"),
    "ARRAY_CONTAINS": _array_contains,
    "ARRAY_POSITION": _array_position,
    "ARRAY_APPEND": _with_element("array_append"),
    "ARRAY_PREPEND": _with_element("array_prepend"),
    "ARRAY_REMOVE": _with_element("array_remove"),
    "ARRAY_CAT": _on_arrays("concat"),
    "ARRAY_COMPACT": _on_arrays("array_compact"),
    "ARRAY_DISTINCT": _on_arrays("array_distinct"),
    "ARRAY_FLATTEN": _on_arrays("flatten"),
    "ARRAY_REVERSE": _on_arrays("reverse"),
    "ARRAY_MAX": _on_arrays("array_max"),
    "ARRAY_MIN": _on_arrays("array_min"),
    "ARRAY_INSERT": _array_insert,
    "ARRAY_SLICE": _array_slice,
    "ARRAY_SORT": _array_sort,
    "ARRAY_GENERATE_RANGE": _generate_range,
    "ARRAY_TO_STRING": _array_to_string,
    "MAP_SIZE": "size({0})",
    "MAP_CAT": "map_concat({all})",
    "MAP_CONTAINS_KEY": "map_contains_key({1}, {0})",
    "XMLGET": lambda call: call.refuse("XML is not supported.", "Use JSON and PARSE_JSON."),
}
