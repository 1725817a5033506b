"""Functions over typed maps."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.semistructured import key_list, refuse_value

__all__ = ["MAPS"]

# Names of lambdas' parameters: no column that an argument reads has such a name.
_KEY, _VALUE = "__icemelt_x", "__icemelt_y"
_INSERT_ARGUMENTS, _WITH_FLAG = 3, 4


def _without(entries: str, keys: str) -> str:
    return f"map_filter({entries}, ({_KEY}, {_VALUE}) -> NOT array_contains({keys}, {_KEY}))"


def _map_cat(call: Call) -> str:
    """Return MAP_CAT: of a key in both maps, the value of the second map."""
    call.need(2)
    second = call.sql(1)
    return f"map_concat({_without(call.sql(0), f'map_keys({second})')}, {second})"


def _map_delete(call: Call) -> str:
    if len(call.arguments) < 2:  # noqa: PLR2004 - a map and a key
        call.need(2, 3)
    return _without(call.sql(0), _keys(call))


def _map_pick(call: Call) -> str:
    if len(call.arguments) < 2:  # noqa: PLR2004 - a map and a key
        call.need(2, 3)
    kept = f"array_contains({_keys(call)}, {_KEY})"
    return f"map_filter({call.sql(0)}, ({_KEY}, {_VALUE}) -> {kept})"


def _keys(call: Call) -> str:
    """Return the keys behind the map in the type of the map's keys."""
    first = call.arguments[1]
    is_text = isinstance(first, exp.Literal) and first.is_string
    return key_list(call) if is_text else key_list(call, as_text=False)


def _map_insert(call: Call) -> str:
    """Return MAP_INSERT: an error for a key that is there, but with TRUE as fourth argument."""
    call.need(_INSERT_ARGUMENTS, _WITH_FLAG)
    entries, key = call.sql(0), call.sql(1)
    added = f"map({key}, {call.render(call.arguments[2])})"
    if len(call.arguments) == _WITH_FLAG and call.arguments[3] == exp.true():
        return f"map_concat({_without(entries, f'array({key})')}, {added})"
    refused = refuse_value(
        f"concat('MAP_INSERT found the key ', {key}, ' in the map.')",
        "Write TRUE behind the value to replace the one that is there.",
    )
    return f"if(map_contains_key({entries}, {key}), {refused}, map_concat({entries}, {added}))"


MAPS: Mapping[str, Entry] = {
    "MAP_CAT": _map_cat,
    "MAP_CONTAINS_KEY": "map_contains_key({1}, {0})",
    "MAP_DELETE": _map_delete,
    "MAP_INSERT": _map_insert,
    "MAP_KEYS": "map_keys({0})",
    "MAP_PICK": _map_pick,
    "MAP_SIZE": "size({0})",
}
