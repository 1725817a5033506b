"""Functions that make an array, an object or one value of arrays."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.schema import DataType, DecimalType, ListType, Primitive, spark_type
from icemelt.sql.analysis.kinds import MAX_DIGITS, exact_digits, is_number, kind_of
from icemelt.sql.spark.arguments import integer
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.semistructured import refuse_value, surely_array, variants

__all__ = ["ARRAYS"]

# Names of lambdas' parameters: no column that an argument reads has such a name.
_X, _AT, _ALL = "__icemelt_x", "__icemelt_at", "__icemelt_s"
_REDUCE_ARGUMENTS = 3


def _array_remove_at(call: Call) -> str:
    """Return ARRAY_REMOVE_AT; a negative position counts from the end."""
    call.need(2)
    array, position = surely_array(call, 0), integer(call, 1)
    at = f"if({position} < 0, size({array}) + {position}, {position})"
    kept = f"filter({array}, ({_X}, {_AT}) -> {_AT} <> {at})"
    return kept if call.whole(1) is not None else f"if({position} IS NULL, NULL, {kept})"


def _arrays_to_object(call: Call) -> str:
    """Return ARRAYS_TO_OBJECT: a NULL key is left out with its value, a NULL value is JSON's."""
    call.need(2)
    both = f"struct({surely_array(call, 0)} AS k, {variants(call, 1)} AS v)"
    pair = f"struct(CAST({_X} AS STRING) AS k, get({_ALL}.v, {_AT}) AS v)"
    pairs = f"transform({_ALL}.k, ({_X}, {_AT}) -> {pair})"
    made = f"to_variant_object(map_from_entries(filter({pairs}, {_X} -> {_X}.k IS NOT NULL)))"
    refused = refuse_value(
        "'The arrays of ARRAYS_TO_OBJECT differ in their lengths.'",
        "Give each key a value: both arrays have the same number of elements.",
    )
    checked = f"if(size({_ALL}.k) <> size({_ALL}.v), CAST({refused} AS VARIANT), {made})"
    return f"get(transform(array({both}), {_ALL} -> {checked}), 0)"


def _arrays_zip(call: Call) -> str:
    """Return ARRAYS_ZIP: objects with the elements of a position; of empty arrays, one object."""
    if not call.arguments:
        call.need(1, 2)
    names = [f"a{position}" for position in range(len(call.arguments))]
    arrays = ", ".join(f"{variants(call, at)} AS {name}" for at, name in enumerate(names))
    pairs = ", ".join(f"'${at + 1}', get({_ALL}.{name}, {_AT})" for at, name in enumerate(names))
    sizes = ", ".join(["0", *(f"size({_ALL}.{name})" for name in names)])
    is_null = " OR ".join(f"{_ALL}.{name} IS NULL" for name in names)
    longest = f"array_repeat(0, greatest({sizes}))"
    objects = f"transform({longest}, ({_X}, {_AT}) -> to_variant_object(map({pairs})))"
    empty = "array(parse_json('{}'))"
    made = f"if({is_null}, NULL, if(greatest({sizes}) = 0, {empty}, {objects}))"
    return f"get(transform(array(struct({arrays})), {_ALL} -> {made}), 0)"


def _reduce(call: Call) -> str:
    """Return REDUCE: what the lambda gives is of one type with the first value, unlike in Spark."""
    call.need(_REDUCE_ARGUMENTS)
    array, first, function = call.arguments
    if not isinstance(function, exp.Lambda) or len(function.expressions) != len(("acc", "value")):
        call.refuse("it takes a lambda of two.", f"Write {call.name}(a, 0, (acc, v) -> acc + v).")
    kind = _result_kind(kind_of(array), None if isinstance(first, exp.Null) else kind_of(first))
    start, result = call.render(first), call.render(function.this)
    if kind is not None:
        start, result = (f"CAST({value} AS {spark_type(kind)})" for value in (start, result))
    parameters = ", ".join(map(call.render, function.expressions))
    return f"reduce({call.sql(0)}, {start}, ({parameters}) -> {result})"


def _result_kind(array: DataType | None, first: DataType | None) -> DataType | None:
    """Return the common type of an array's elements and a first value; None where not known."""
    element = array.element if isinstance(array, ListType) else None
    if element == first or first is None:
        return element
    kinds = (element, first)
    if not is_number(first) or not (is_number(element) or element == Primitive("variant")):
        return first
    scales = [digits.scale for digits in map(exact_digits, kinds) if digits is not None]
    is_exact = len(scales) == len(kinds)
    return DecimalType(MAX_DIGITS, max(scales)) if is_exact else Primitive("double")


ARRAYS: Mapping[str, Entry] = {
    "ARRAY_REMOVE_AT": _array_remove_at,
    "ARRAYS_TO_OBJECT": _arrays_to_object,
    "ARRAYS_ZIP": _arrays_zip,
    "REDUCE": _reduce,
}
