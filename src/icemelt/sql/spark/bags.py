"""Arrays as bags: elements count as often as present, and NULL equals NULL."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.schema import ListType, contains
from icemelt.sql.analysis.kinds import kind_of
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
    """Return two arrays, and a condition under which elements of both are equal, NULLs included."""
    left, right = (surely_array(call, position) for position in (0, 1))
    kinds = [kind_of(argument) for argument in call.arguments]
    is_plain = all(isinstance(kind, ListType) and not contains(kind, "variant") for kind in kinds)
    left_element, right_element = (
        name if is_plain else variant_key(f"CAST({name} AS VARIANT)") for name in (_X, _Y)
    )
    return left, right, f"{left_element} <=> {right_element}"


BAGS: Mapping[str, Entry] = {
    "ARRAY_EXCEPT": _counting(">"),
    "ARRAY_INTERSECTION": _counting("<="),
    "ARRAYS_OVERLAP": _overlap,
}
