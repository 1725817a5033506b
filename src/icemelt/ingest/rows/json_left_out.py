"""Tell a key that a JSON object leaves out from a key with null, in objects that Arrow has read.

Arrow's reader makes NULL of both, so the keys are looked for in the text. A text between quotes has
no quote without a backslash before it: so what looks like a key is a key.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.names import fold

__all__ = ["find_left_out"]

# A quote before a letter begins a text. A key with these characters may stand there as escapes.
_PLAIN_NAME = re.compile(r'\w[^"\\\x00-\x1f]*')
# a key of which a letter is an escape; perhaps a text with a backslash
_ESCAPED_KEY = r'\\[u/]([^"\\]|\\.)*"[ \t\r]*:'
_NULL = r"[ \t\r]*null"


def find_left_out(
    rows: Any, lines: bytes, whole: Any, defaulted: Collection[str]
) -> dict[str, Any] | None:
    r"""Return which rows leave out which columns; None if only a parser can tell.

    Args:
        rows: flat JSON objects as an Arrow table.
        lines: the objects as text, one a line.
        whole: the same text as an Arrow array of one value.
        defaulted: the folded names of the columns asked for.

    Returns:
        by a column's name in `rows`, a boolean array: true where the row lacks the key.

    >>> lines = b'{"a": 1}\n{"a": null}\n{"b": 2}'
    >>> whole, rows = pa.array([lines.decode()]), pa.table({"a": [1, None, None]})
    >>> {name: mask.to_pylist() for name, mask in find_left_out(rows, lines, whole, {"a"}).items()}
    {'a': [False, False, True]}
    """
    names = [name for name in rows.column_names if fold(name) in defaulted]
    names = [name for name in names if rows[name].null_count]
    if not names:
        return {}
    if not all(map(_PLAIN_NAME.fullmatch, names)):
        return None
    if pc.match_substring_regex(whole, _ESCAPED_KEY)[0].as_py():
        return None
    return {name: _mask(rows[name], name, lines, whole) for name in names}


def _mask(column: Any, name: str, lines: bytes, whole: Any) -> Any:
    key = rf'[{{, \t\r]"{re.escape(name)}"[ \t\r]*:'
    nulls = pc.count_substring_regex(whole, key + _NULL)[0].as_py()
    if nulls == 0:
        return pc.is_null(column)
    if nulls == column.null_count:
        return pa.repeat(pa.scalar(False), len(column))  # noqa: FBT003 - Arrow's own
    texts = pa.array(lines.split(b"\n", len(column))[: len(column)], pa.binary()).cast(pa.string())
    return pc.invert(pc.match_substring_regex(texts, key))
