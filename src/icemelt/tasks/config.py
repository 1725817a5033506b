"""CONFIG of a run: the root's own, with what EXECUTE TASK gives merged into it."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["merge_config"]


def merge_config(own: str | None, given: str) -> str:
    """Return a JSON object with the members of both; of members of one name the given one counts.

    Objects in objects are merged likewise; arrays are replaced as a whole.

    Args:
        own: CONFIG of the root, a JSON object; None where it has none.
        given: USING CONFIG, a JSON object.

    >>> merge_config('{"a": {"b": 1, "c": 2}, "d": [1, 2]}', '{"a": {"c": 3}, "d": []}')
    '{"a": {"b": 1, "c": 3}, "d": []}'
    >>> merge_config(None, '{"a": 1}')
    '{"a": 1}'
    """
    if own is None:
        return given
    return json.dumps(_merge(json.loads(own), json.loads(given)), ensure_ascii=False)


def _merge(own: Any, given: Any) -> Any:
    if not (isinstance(own, dict) and isinstance(given, dict)):
        return given
    return own | {
        name: _merge(own[name], value) if name in own else value for name, value in given.items()
    }
