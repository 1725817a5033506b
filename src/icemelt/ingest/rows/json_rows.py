"""JSON bodies as rows: by Arrow's reader if Arrow is exact, value by value otherwise."""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from icemelt.ingest.conversion.arrays import EXACT_IN_DOUBLE
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.json_text import parse_json
from icemelt.ingest.left_out import mark_left_out
from icemelt.ingest.rows.arrow_stream import MOST_COLUMNS
from icemelt.ingest.rows.json_keys import MOST_NULLS, has_few_nulls
from icemelt.ingest.rows.json_left_out import find_left_out

__all__ = ["fast_table", "slow_rows"]

_HINT = "Send one JSON object per line, or one array of objects, in UTF-8."
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACES = b" \t\r\n"
_BETWEEN_OBJECTS = re.compile(rb"\}[ \t\r]*,[ \t\r]*\{")
_SAMPLE_LINES = 50
_SAMPLE_BYTES = 100_000
_BLOCK = 4 * 1024 * 1024
_PIECE = 64 * 1024
# JSON that Arrow's reader reads otherwise, or crashes on: a nested value, a surrogate, an empty
# line, or several objects in a line (more rows than lines). A text may contain the same; then the
# body is only read more slowly.
_UNLIKE = r"[:,\[{]\s*[\[{]|\\u[dD][89a-fA-F]|\n[ \t\r]*\n|^\s*\[|\}[ \t\r]*\{"
# A number with perhaps more digits than a double.
_LONG = r"[0-9.]{16,}|[0-9][eE]"
_KINDS = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
_EXACT = pa.decimal256(76, 37)


def fast_table(body: bytes, defaulted: Collection[str] = ()) -> Any | None:
    """Return flat JSON objects as a table, None for objects that need `slow_rows`.

    Objects with too many keys, or with too many missing keys, need `slow_rows` as well.

    Args:
        body: the JSON.
        defaulted: the folded names of columns with a default; keys that objects leave out of these
            columns are marked (`left_out.py`).

    >>> fast_table(b'{"a": 1}').to_pylist(), fast_table(b'{"a": [1]}')
    ([{'a': 1}], None)
    """
    if not body or len(body) >= 2**31 - 1:
        return None
    stripped = body.strip(_SPACES)
    if stripped.startswith(b"["):
        return _fast_array(stripped, defaulted)
    return _fast_lines(body, defaulted)


def _fast_array(body: bytes, defaulted: Collection[str]) -> Any | None:
    """Read an array as lines; a text with a separator of objects inside gets a line break."""
    if b"\n" in body or not body.endswith(b"]"):
        return None
    lines, parts = _to_lines(body[1:-1].strip(_SPACES))
    table = _fast_lines(lines, defaulted)
    return table if table is not None and table.num_rows == parts + 1 else None


def _to_lines(objects: bytes) -> tuple[bytes, int]:
    """Return objects one a line, and the number of separators replaced.

    A call for the whole body would stop all other threads. No separator spans two pieces: a piece
    ends before a brace that closes, and a separator has that brace only as its first byte.
    """
    pieces, parts, start = [], 0, 0
    while start < len(objects):
        end = objects.find(b"}", start + _PIECE)
        end = len(objects) if end < 0 else end
        piece, found = _BETWEEN_OBJECTS.subn(b"}\n{", objects[start:end])
        pieces.append(piece)
        parts, start = parts + found, end
    return b"".join(pieces), parts


def _fast_lines(body: bytes, defaulted: Collection[str]) -> Any | None:
    whole = _as_one_value(body)
    if pc.match_substring_regex(whole, _UNLIKE)[0].as_py():
        return None
    rows = body.count(b"\n") + (not body.endswith(b"\n"))
    try:
        # Arrow's reader does not check that texts are UTF-8
        whole.cast(pa.string())
        types = _sample_types(body)
        table = _of_known_keys(body, types, rows)
        if table is None:
            if not has_few_nulls(body, MOST_NULLS, MOST_COLUMNS):
                return None
            table = _of_any_keys(body, types)
    # AttributeError: a line is no object
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError, AttributeError):
        return None
    if table.num_rows != rows:
        return None
    if not _is_exact(table, body, whole):
        return None
    table = table.select(list(dict.fromkeys([*types, *table.column_names])))
    masks = find_left_out(table, body, whole.cast(pa.string()), defaulted) if defaulted else {}
    return None if masks is None else mark_left_out(table, masks)


def _of_known_keys(body: bytes, types: dict[str, Any], rows: int) -> Any | None:
    """Read objects with the keys and types of the first objects; return None for any other object.

    The number of NULLs is known for such objects without searching the whole body for keys.
    """
    if None in types.values() or len(types) > MOST_COLUMNS or rows * len(types) > MOST_NULLS:
        return None
    try:
        return _read_json(body, pa.schema(list(types.items())), "error")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _of_any_keys(body: bytes, types: dict[str, Any]) -> Any:
    """Read objects of any keys. Arrow takes some texts for times, so texts are declared as text."""
    texts = [name for name, kind in types.items() if kind == pa.string()]
    table = _read_json(body, _schema(texts, pa.string()), "infer")
    guessed = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
    return _read_json(body, _schema(texts + guessed, pa.string()), "infer") if guessed else table


def slow_rows(body: bytes) -> list[dict[str, Any]]:
    """Return the objects of a body, with all digits of their numbers.

    Raises:
        MalformedRows: The body is neither JSON lines of objects nor an array of objects.

    >>> slow_rows(b'[{"a": 1}, {"a": null}]')
    [{'a': 1}, {'a': None}]
    """
    text = _decode(body)
    return _of_array(text) if text.lstrip().startswith("[") else list(_of_lines(text))


def _of_array(text: str) -> list[dict[str, Any]]:
    try:
        rows: list[dict[str, Any]] = parse_json(text)
    except ValueError as error:
        raise MalformedRows(f"The body is no JSON: {error}.", hint=_HINT) from None
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise MalformedRows(f"Row {index} is no JSON object.", hint=_HINT)
    return rows


def _of_lines(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip(" \t\r"):
            continue
        try:
            row = parse_json(line.strip(" \t\r"))
        except ValueError as error:
            raise MalformedRows(f"Line {number} is no JSON: {error}.", hint=_HINT) from None
        if not isinstance(row, dict):
            raise MalformedRows(f"Line {number} is no JSON object.", hint=_HINT)
        yield row


def _decode(body: bytes) -> str:
    try:
        return body.removeprefix(_BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        message = f"Line {line} is not UTF-8: byte {error.start} of the body is {error.reason}."
        raise MalformedRows(message, hint=_HINT) from None


def _as_one_value(body: bytes) -> Any:
    offsets = pa.py_buffer(struct.pack("=ii", 0, len(body)))
    return pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(body)])


def _sample_types(body: bytes) -> dict[str, Any]:
    """Return the keys of the first lines with the types of values, None for an uncertain type."""
    start = body.removeprefix(_BYTE_ORDER_MARK)[:_SAMPLE_BYTES]
    lines = start.split(b"\n", _SAMPLE_LINES)
    if len(lines) > 1:
        lines.pop()
    found: dict[str, set[type]] = {}
    for line in lines:
        for name, value in json.loads(line).items():
            found.setdefault(name, set()).add(type(value))
    return {name: _kind(types - {type(None)}) for name, types in found.items()}


def _kind(types: set[type]) -> Any:
    """Return the type of Arrow's reader for values of some Python types, None if uncertain."""
    if str in types:
        return pa.string()
    if types == {int, float}:
        return pa.float64()
    if not types:
        return pa.null()
    return _KINDS.get(types.pop()) if len(types) == 1 else None


def _schema(names: list[str], kind: Any) -> Any:
    return pa.schema([(name, kind) for name in names])


def _read_json(body: bytes, schema: Any, others: str) -> Any:
    parsing = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others)
    reading = pyarrow.json.ReadOptions(block_size=_BLOCK)
    return pyarrow.json.read_json(io.BytesIO(body), read_options=reading, parse_options=parsing)


def _is_exact(table: Any, body: bytes, whole: Any) -> bool:
    """Tell whether every number equals its double; `-0` does not, since the double is 0."""
    doubles = [field.name for field in table.schema if pa.types.is_float64(field.type)]
    if not doubles:
        return True
    for name in doubles:
        # the comparison is false for NaN, too
        small = pc.less(pc.abs(table[name]), EXACT_IN_DOUBLE)
        if pc.all(small).as_py() is False or _has_minus_zero(table[name]):
            return False
    if not pc.match_substring_regex(whole, _LONG)[0].as_py():
        return True
    try:
        exact = _read_json(body, _schema(doubles, _EXACT), "ignore")
        return all(
            pc.all(pc.equal(table[name].cast(pa.string()).cast(_EXACT), exact[name])).as_py()
            is not False
            for name in doubles
        )
    except pa.ArrowInvalid:
        return False


def _has_minus_zero(doubles: Any) -> bool:
    zeros = doubles.filter(pc.equal(doubles, 0.0))
    return len(zeros) > 0 and pc.any(pc.less(pc.divide(1.0, zeros), 0.0)).as_py()
