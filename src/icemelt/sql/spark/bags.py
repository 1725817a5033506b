"""Arrays as bags: elements count as often as present, and NULL equals NULL."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.schema import DataType, ListType, Primitive, contains
from icemelt.sql.analysis.kinds import is_number, kind_of
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.semistructured import surely_array, variant_key

__all__ = ["BAGS"]

# Names of lambdas' parameters: no column that an argument reads has such a name.
_X, _Y, _AT = "__icemelt_x", "__icemelt_y", "__icemelt_at"


def _counting(test: str) -> Entry:
    """Return an entry that keeps elements by comparing two counts.

    The first count is of equal elements of the left array up to here, the second of equal elements
    in the right array. For example, ARRAY_EXCEPT([1, 1, 2], [1]) keeps the second 1 (2 > 1) and the
    2 (1 > 0).
    """

    def build(call: Call) -> str:
        call.need(2)
        left, right, same = _comparable(call)
        so_far = f"size(filter(slice({left}, 1, {_AT} + 1), {_Y} -> {same}))"
        others = f"size(filter({right}, {_Y} -> {same}))"
        kept = f"filter({left}, ({_X}, {_AT}) -> {so_far} {test} {others})"
        return f"if({right} IS NULL, NULL, {kept})"

    return build


def _overlap(call: Call) -> str:
    call.need(2)
    left, right, same = _comparable(call)
    return f"exists({left}, {_X} -> exists({right}, {_Y} -> {same}))"


def _comparable(call: Call) -> tuple[str, str, str]:
    """Return two arrays, and a condition under which elements of both are equal, NULLs included.

    Values of one type are compared as they are, and numbers; all others as variants, so that a text
    equals no number.
    """
    left, right = (surely_array(call, position) for position in (0, 1))
    kinds = [_element_kind(call, position) for position in (0, 1)]
    are_alike = kinds[0] == kinds[1] and not contains(kinds[0], "variant")
    if are_alike or all(map(is_number, kinds)):
        return left, right, f"{_X} <=> {_Y}"
    return left, right, f"{_key(_X, kinds[0])} <=> {_key(_Y, kinds[1])}"


def _element_kind(call: Call, position: int) -> DataType:
    kind = kind_of(call.arguments[position])
    return kind.element if isinstance(kind, ListType) else Primitive("variant")


def _key(name: str, kind: DataType) -> str:
    """Return the key of an element by the name and type of the element."""
    is_nested = contains(kind, "struct") or contains(kind, "map")
    return variant_key(f"to_variant_object({name})" if is_nested else f"CAST({name} AS VARIANT)")


BAGS: Mapping[str, Entry] = {
    "ARRAY_EXCEPT": _counting(">"),
    "ARRAY_INTERSECTION": _counting("<="),
    "ARRAYS_OVERLAP": _overlap,
}
