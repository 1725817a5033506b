"""Functions over variants, arrays, maps and objects."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping

from sqlglot import exp

from icemelt.errors import Never, ValueRefused
from icemelt.quoting import text_literal
from icemelt.schema import DecimalType, ListType, Primitive, contains
from icemelt.spark_sql.conversion import as_text
from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.kinds import is_kind, is_number, is_variant, kind_of
from icemelt.sql.spark.bounds import ELEMENTS, SHORT, TEXT, bound_value
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.json_parsing import JSON_PARSING
from icemelt.sql.spark.variants import access, as_variant, split_path

__all__ = [
    "SEMISTRUCTURED",
    "key_list",
    "object_of",
    "refuse_value",
    "surely_array",
    "variant_key",
    "variants",
]

_OBJECT = "MAP<STRING, VARIANT>"
_ARRAY = "ARRAY<VARIANT>"
# Names of lambdas' parameters: no column that an argument reads has such a name.
_X, _Y, _Z = "__icemelt_x", "__icemelt_y", "__icemelt_z"
_KEY_OF_JSON_NULL = "X'7F'"

# a double without the exponent that Spark writes
_TEXT_OF_VARIANT = (
    f"CASE schema_of_variant({_X}) WHEN 'DOUBLE' THEN icemelt_double_text(CAST({_X} AS DOUBLE))"
    f" ELSE CAST({_X} AS STRING) END"
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
    "icemelt_object(array('a'), array(CAST(1 AS VARIANT)), true)"
    """
    if not pairs:
        return "parse_json('{}')"
    keys = ", ".join(key if key.startswith("'") else f"CAST({key} AS STRING)" for key, _ in pairs)
    values = ", ".join(value for _, value in pairs)
    return f"icemelt_object(array({keys}), array({values}), {str(keep_null).lower()})"


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


def _array_contains(call: Call) -> str:
    """Return ARRAY_CONTAINS: of NULL, TRUE where an element is NULL, and NULL elsewhere."""
    call.need(2)
    if isinstance(call.arguments[0], exp.Null):
        return _has_null(surely_array(call, 1))
    is_literal = isinstance(_plain(call.arguments[0]), exp.Literal)
    if _is_element(call, 1, 0):
        array = call.sql(1)
        found = f"array_position({array}, {_element(call, 0, 1)}) > 0"
        return f"({found})" if is_literal else f"coalesce({found}, {_has_null(array)})"
    if _has_typed(call, 1, 0):
        array, wanted, element = call.sql(1), _element(call, 0, 1), _X
    else:
        wanted = variant_key(as_variant(_plain(call.arguments[0]), call.render))
        if not isinstance(kind_of(call.arguments[1]), ListType):
            return f"icemelt_variant_contains({_variant(call, 1)}, {wanted})"
        array, element = variants(call, 1), variant_key(_X)
    found = f"exists({array}, {_X} -> {element} <=> {wanted})"
    return found if is_literal else f"nullif({found}, if({wanted} IS NULL, false, NULL))"


def _has_null(array: str) -> str:
    """Return TRUE where an array has a NULL, and NULL elsewhere."""
    return f"nullif(icemelt_has_null({array}), false)"


def _has_typed(call: Call, array: int, value: int) -> bool:
    """Tell whether a value may be compared with the elements of an array in their own type."""
    kind, other = kind_of(call.arguments[array]), kind_of(_plain(call.arguments[value]))
    if not isinstance(kind, ListType) or contains(kind, "variant"):
        return False
    are_numbers = is_number(kind.element) and is_number(other)
    return other is None or kind.element == other or are_numbers


def _is_element(call: Call, array: int, value: int) -> bool:
    """Tell whether Spark takes a value for an element: no decimal of other digits."""
    kind, other = kind_of(call.arguments[array]), kind_of(_plain(call.arguments[value]))
    if not _has_typed(call, array, value) or not isinstance(kind, ListType):
        return False
    has_decimal = any(isinstance(each, DecimalType) for each in (kind.element, other))
    return other is None or kind.element == other or not has_decimal


def variant_key(variant: str) -> str:
    """Return the key of a variant, equal for equal contents and in their order.

    >>> variant_key("v")
    'icemelt_variant_key(v)'
    """
    return f"icemelt_variant_key({variant})"


def _keys_of_elements(call: Call, position: int) -> str:
    return f"transform({variants(call, position)}, {_X} -> {variant_key(_X)})"


def _of_keys(keys: str) -> str:
    return f"transform({keys}, {_X} -> icemelt_variant_of_key({_X}))"


def _is_typed(call: Call) -> bool:
    """Tell whether the first argument is an array whose elements Spark compares."""
    kind = kind_of(call.arguments[0])
    return isinstance(kind, ListType) and not contains(kind, "variant")


def variants(call: Call, position: int) -> str:
    """Return an argument as an array of variants; NULL if the argument is no array.

    A NULL in a typed array stays a NULL, and does not become the null of JSON.
    """
    kind = kind_of(call.arguments[position])
    if isinstance(kind, ListType) and not (contains(kind, "struct") or contains(kind, "map")):
        return f"CAST({call.sql(position)} AS {_ARRAY})"
    return f"TRY_CAST({_variant(call, position)} AS {_ARRAY})"


def _array_position(call: Call) -> str:
    call.need(2)
    if _is_element(call, 1, 0):
        return f"(nullif(array_position({call.sql(1)}, {_element(call, 0, 1)}), 0) - 1)"
    if _has_typed(call, 1, 0):
        tests = f"transform({call.sql(1)}, {_X} -> {_X} = {_element(call, 0, 1)})"
        return f"(nullif(array_position({tests}, true), 0) - 1)"
    wanted = variant_key(as_variant(_plain(call.arguments[0]), call.render))
    return f"(nullif(array_position({_keys_of_elements(call, 1)}, {wanted}), 0) - 1)"


def _array_remove(call: Call) -> str:
    call.need(2)
    if isinstance(call.arguments[1], exp.Null):
        return f"if(true, NULL, {_array(call)})"
    if _is_element(call, 0, 1):
        return f"array_remove({call.sql(0)}, {_element(call, 1, 0)})"
    if _has_typed(call, 0, 1):
        number = _element(call, 1, 0)
        kept = f"filter({call.sql(0)}, {_X} -> {_X} IS NULL OR {_X} <> {number})"
        return f"if({number} IS NULL, NULL, {kept})"
    wanted = variant_key(as_variant(_plain(call.arguments[1]), call.render))
    kept = f"filter({variants(call, 0)}, {_X} -> NOT ({variant_key(_X)} <=> {wanted}))"
    return f"if({wanted} IS NULL, NULL, {kept})"


def _array_distinct(call: Call) -> str:
    """Return ARRAY_DISTINCT; variants are compared by content."""
    call.need(1)
    if _is_typed(call):
        return f"array_distinct({call.sql(0)})"
    return _of_keys(f"array_distinct({_keys_of_elements(call, 0)})")


def _array_compact(call: Call) -> str:
    """Return ARRAY_COMPACT: without NULLs, JSON's among them."""
    call.need(1)
    if _is_typed(call):
        return f"array_compact({call.sql(0)})"
    return f"filter({variants(call, 0)}, {_X} -> {_X} IS NOT NULL AND NOT is_variant_null({_X}))"


def _array_flatten(call: Call) -> str:
    call.need(1)
    kind = kind_of(call.arguments[0])
    if isinstance(kind, ListType) and isinstance(kind.element, ListType):
        return f"flatten({call.sql(0)})"
    return f"flatten(CAST({_variant(call)} AS ARRAY<{_ARRAY}>))"


def _array_cat(call: Call) -> str:
    """Return ARRAY_CAT; arrays of several types become arrays of variants."""
    call.need(2)
    kinds = [kind_of(argument) for argument in call.arguments]
    elements = [kind.element for kind in kinds if isinstance(kind, ListType)]
    are_alike = len(elements) < len(kinds) or elements[0] == elements[1]
    if are_alike or all(map(is_number, elements)):
        return f"concat({_array(call, 0)}, {_array(call, 1)})"
    return f"concat({variants(call, 0)}, {variants(call, 1)})"


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
    length = f"if({high} < {low}, 0, {high} - {low})"
    return f"slice({_array(call)}, {low} + 1, {length})"


def _array_insert(call: Call) -> str:
    call.need(3)
    position = f"CAST({call.sql(1)} AS INT)"
    # Spark's -1 is behind the last element, Snowflake's before it
    position = f"if({position} < 0, {position} - 1, {position} + 1)"
    if call.whole(1) is None or abs(call.whole(1) or 0) > ELEMENTS:
        position = bound_value(call.name, f"abs({call.sql(1)})", ELEMENTS, position)
    if _is_element(call, 0, 2):
        return f"array_insert({call.sql(0)}, {position}, {_element(call, 2, 0)})"
    return f"array_insert({variants(call, 0)}, {position}, {_variant(call, 2)})"


def _array_sort(call: Call) -> str:
    """Return ARRAY_SORT; NULLs are last in ascending and first in descending order."""
    call.need(1, 2, 3)
    words = call.arguments[1:]
    if not all(isinstance(word, exp.Boolean) for word in words):
        call.refuse("the order is no constant.", "Write TRUE or FALSE.")
    is_ascending = not words or words[0] == exp.true()
    nulls_first = words[1] == exp.true() if len(words) > 1 else not is_ascending
    if _is_typed(call):
        return _sorted(call.sql(0), is_ascending=is_ascending, nulls_first=nulls_first)
    keys = _keys_of_elements(call, 0)
    return _of_keys(_sorted(keys, is_ascending=is_ascending, nulls_first=nulls_first))


def _sorted(array: str, *, is_ascending: bool, nulls_first: bool) -> str:
    if nulls_first != is_ascending:
        return f"array_sort({array})" if is_ascending else f"reverse(array_sort({array}))"
    nulls, others = (f"filter({array}, {_X} -> {_X} IS {word}NULL)" for word in ("", "NOT "))
    ordered = f"array_sort({others})" if is_ascending else f"reverse(array_sort({others}))"
    return f"concat({nulls}, {ordered})" if nulls_first else f"concat({ordered}, {nulls})"


def _refuse_xml(call: Call) -> str:
    raise Never(
        f"The function {call.name} is not supported: there is no XML.",
        hint="Convert XML to JSON before it is loaded; PARSE_JSON reads it.",
    )


def _generate_range(call: Call) -> str:
    call.need(2, 3)
    start, end = (f"CAST({call.sql(position)} AS BIGINT)" for position in (0, 1))
    step = f"CAST({call.sql(2)} AS BIGINT)" if len(call.arguments) > 2 else "1L"  # noqa: PLR2004
    last = f"{end} - sign({step})"
    if call.whole(2) == 0:
        raise ValueRefused("The step of ARRAY_GENERATE_RANGE is 0.", hint="Write 1 or -1.")
    empty = f"{step} <> 0 AND ({end} - {start}) * {step} <= 0"
    if None in [call.whole(position) for position in range(len(call.arguments))] or _is_long(call):
        span = f"abs(CAST({end} AS DECIMAL(38,0)) - {start}) / greatest(abs({step}), 1L)"
        last = bound_value(call.name, span, ELEMENTS, last)
    return f"if({empty}, array(), sequence({start}, CAST({last} AS BIGINT), {step}))"


def _is_long(call: Call) -> bool:
    start, end = call.whole(0) or 0, call.whole(1) or 0
    return abs(end - start) > ELEMENTS


def _array_to_string(call: Call) -> str:
    call.need(2)
    array, text, separator = variants(call, 0), _TEXT_OF_VARIANT, call.sql(1)
    kind = kind_of(call.arguments[0])
    element = kind.element if isinstance(kind, ListType) else Primitive("variant")
    if isinstance(element, (Primitive, DecimalType)) and element != Primitive("variant"):
        array, text = call.sql(0), as_text(_X, element)
    if call.text(1) is None or len(call.text(1) or "") > SHORT:
        amount = f"CAST(size({array}) AS BIGINT) * length({separator})"
        separator = bound_value(call.name, amount, TEXT, separator)
    return f"array_join(transform({array}, {_X} -> {text}), {separator}, '')"


def _extreme(function: str) -> Entry:
    """Return ARRAY_MAX or ARRAY_MIN: a JSON null only where there is nothing else."""

    def build(call: Call) -> str:
        call.need(1)
        if _is_typed(call):
            return f"{function}({call.sql(0)})"
        keys = _keys_of_elements(call, 0)
        others = f"filter({keys}, {_X} -> {_X} <> {_KEY_OF_JSON_NULL})"
        return f"icemelt_variant_of_key(coalesce({function}({others}), {function}({keys})))"

    return build


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
        if isinstance(call.arguments[1], exp.Null) or _is_element(call, 0, 1):
            return f"{function}({_array(call)}, {_element(call, 1, 0)})"
        return f"{function}({variants(call, 0)}, {_variant(call, 1)})"

    return build


def _to_array(call: Call) -> str:
    """Return TO_ARRAY: a value that is no array becomes an array of the value, and no null does."""
    call.need(1)
    value = _variant(call)
    wrapped = f"if({value} IS NULL OR is_variant_null({value}), NULL, array({value}))"
    return f"coalesce(TRY_CAST({value} AS {_ARRAY}), {wrapped})"


def _to_object(call: Call) -> str:
    """Return TO_OBJECT: an error for a value that is neither an object nor a null."""
    call.need(1)

    def build(value: str) -> str:
        refused = refuse_value(
            f"concat('TO_OBJECT takes an object, found ', left(to_json({value}), 100), '.')",
            "TO_VARIANT takes any value; AS_OBJECT gives NULL for other values.",
        )
        return (
            f"CASE WHEN startswith(schema_of_variant({value}), 'OBJECT') THEN {value} "
            f"WHEN {value} IS NULL OR is_variant_null({value}) THEN NULL "
            f"ELSE CAST({refused} AS VARIANT) END"
        )

    return evaluate_once(_variant(call), build)


def _get_ignore_case(call: Call) -> str:
    """Return GET_IGNORE_CASE: the exact name first, else a name that differs by its case."""
    call.need(2)
    if is_kind(call.arguments[1], "int", "long"):
        return _get(call)
    name = f"CAST({call.sql(1)} AS STRING)"
    alike = f"map_filter({{0}}, ({_X}, {_Y}) -> lower({_X}) = lower({name}))"

    def build(entries: str) -> str:
        found = f"get(map_values({alike.format(entries)}), 0)"
        return f"coalesce(try_element_at({entries}, {name}), {found})"

    return evaluate_once(f"TRY_CAST({_variant(call)} AS {_OBJECT})", build)


def _entries(call: Call, position: int = 0) -> str:
    return f"CAST({_variant(call, position)} AS {_OBJECT})"


def _object_insert(call: Call) -> str:
    """Return OBJECT_INSERT: an error for a key that is there, but with TRUE as fourth argument."""
    call.need(3, 4)
    pair = (call.render(call.arguments[1]), _variant(call, 2))
    added = f"CAST({object_of([pair], keep_null=False)} AS {_OBJECT})"
    if len(call.arguments) > 3 and call.arguments[3] not in (exp.true(), exp.false()):  # noqa: PLR2004
        call.refuse("the last argument is no constant.", "Write TRUE or FALSE.")
    key = f"CAST({call.sql(1)} AS STRING)"
    if len(call.arguments) > 3 and call.arguments[3] == exp.true():  # noqa: PLR2004 - update
        others = f"map_filter({_entries(call)}, ({_X}, {_Y}) -> NOT ({_X} <=> {key}))"
        return f"to_variant_object(map_concat({others}, {added}))"
    inserted = f"to_variant_object(map_concat({_entries(call)}, {added}))"
    refused = refuse_value(
        f"concat('OBJECT_INSERT found the key \\'', {key}, '\\' in the object.')",
        "Write TRUE behind the value to replace the one that is there.",
    )
    has_key = f"map_contains_key({_entries(call)}, {key})"
    return f"if({key} IS NOT NULL AND {has_key}, CAST({refused} AS VARIANT), {inserted})"


def refuse_value(sentence: str, hint: str) -> str:
    """Return Spark SQL that raises the error for a value of an argument.

    `sentence` is Spark SQL for the error's sentence.

    >>> refuse_value("'No.'", "Write 1.")
    "raise_error(concat('icemelt-argument:', 'No.', '|Write 1.'))"
    """
    return f"raise_error(concat('icemelt-argument:', {sentence}, {text_literal('|' + hint)}))"


def _object_keep(*, is_listed: bool) -> Entry:
    """Return an entry that keeps the listed keys, or all others; the keys may be an array."""

    def build(call: Call) -> str:
        if len(call.arguments) < 2:  # noqa: PLR2004 - an object and a key
            call.need(2, 3)
        kept = f"array_contains({key_list(call)}, {_X})"
        test = kept if is_listed else f"NOT {kept}"
        return f"to_variant_object(map_filter({_entries(call)}, ({_X}, {_Y}) -> {test}))"

    return build


def key_list(call: Call, *, as_text: bool = True) -> str:
    """Return the keys behind a call's first argument as an array, by default of texts.

    A single argument may be an array itself.
    """
    first, *others = call.arguments[1:]
    if not others and (isinstance(kind_of(first), ListType) or is_variant(first)):
        return f"CAST({surely_array(call, 1)} AS ARRAY<STRING>)" if as_text else call.sql(1)
    keys = [call.render(key) for key in (first, *others)]
    return f"array({', '.join(f'CAST({key} AS STRING)' if as_text else key for key in keys)})"


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
    "TO_JSON": _of("icemelt_variant_json({v0}, current_timezone())"),
    "TO_VARIANT": _of("{v0}"),
    "TO_OBJECT": _to_object,
    "TO_ARRAY": _to_array,
    "STRIP_NULL_VALUE": _of("if(is_variant_null({v0}), NULL, {v0})"),
    "IS_NULL_VALUE": _of("if({v0} IS NULL, NULL, is_variant_null({v0}))"),
    "GET": _get,
    "GET_IGNORE_CASE": _get_ignore_case,
    "GET_PATH": _get_path,
    "JSON_EXTRACT_PATH_TEXT": _extract_path_text,
    "OBJECT_CONSTRUCT": lambda call: _object_construct(call, keep_null=False),
    "OBJECT_CONSTRUCT_KEEP_NULL": lambda call: _object_construct(call, keep_null=True),
    "OBJECT_KEYS": _of("map_keys({m0})"),
    "OBJECT_INSERT": _object_insert,
    "OBJECT_DELETE": _object_keep(is_listed=False),
    "OBJECT_PICK": _object_keep(is_listed=True),
    "OBJECT_AGG": _object_agg,
    "ARRAY_CONSTRUCT": _array_construct,
    "ARRAY_CONSTRUCT_COMPACT": lambda call: f"array_compact({_array_construct(call)})",
    "ARRAY_SIZE": _of("size({a0})"),
    "ARRAY_CONTAINS": _array_contains,
    "ARRAY_POSITION": _array_position,
    "ARRAY_APPEND": _with_element("array_append"),
    "ARRAY_PREPEND": _with_element("array_prepend"),
    "ARRAY_REMOVE": _array_remove,
    "ARRAY_CAT": _array_cat,
    "ARRAY_COMPACT": _array_compact,
    "ARRAY_DISTINCT": _array_distinct,
    "ARRAY_FLATTEN": _array_flatten,
    "ARRAY_REVERSE": _on_arrays("reverse"),
    "ARRAY_MAX": _extreme("array_max"),
    "ARRAY_MIN": _extreme("array_min"),
    "ARRAY_INSERT": _array_insert,
    "ARRAY_SLICE": _array_slice,
    "ARRAY_SORT": _array_sort,
    "ARRAY_GENERATE_RANGE": _generate_range,
    "ARRAY_TO_STRING": _array_to_string,
    **dict.fromkeys(("XMLGET", "PARSE_XML", "CHECK_XML", "TO_XML"), _refuse_xml),
}
