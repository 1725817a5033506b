"""Check, without parsing, that JSON objects with different keys make few NULLs as a table.

A table of rows has a column for every key of any row, and a NULL for every key that a row lacks. A
thousand rows of one key each, all keys different, make a million values. Arrow's reader allocates
all values, so the caller has to know the number of NULLs before.
"""

from __future__ import annotations

import re

__all__ = ["MOST_NULLS", "has_few_nulls"]

# the most NULLs for missing keys in one append
MOST_NULLS = 5_000_000

# the length of `"":0`, the shortest member of an object
_SHORTEST = 4
# the bytes searched for keys first; to count more than 20 keys is slower than to split the body
_SAMPLE, _MOST_COUNTED = 10_000, 20
_SPACED = re.compile(rb'"[ \t\r\n]+:')


def has_few_nulls(body: bytes, most: int, most_keys: int) -> bool:
    r"""Tell whether flat objects surely make at most `most` NULLs, from at most `most_keys` keys.

    The result is False if the number of NULLs or keys is unknown. The check costs a fraction of
    parsing.

    Args:
        body: JSON objects, one a line or in an array.
        most: the allowed number of NULLs.
        most_keys: the allowed number of different keys.

    >>> body = b'{"a": 1}\n{"b": 2}'
    >>> has_few_nulls(body, 4, 10), has_few_nulls(body, 1, 10)
    (True, False)
    """
    rows = body.count(b"{")
    if not body.lstrip().startswith(b"["):
        rows = min(rows, body.count(b"\n") + 1)
    most_members = len(body) // _SHORTEST
    if most_members <= most_keys and rows * most_members <= most:
        return True
    keys = _find_keys(body)
    if keys is None or len(keys) > most_keys:
        return False
    # one more: `_find_keys` finds the key `:` as an empty key, which may be a key too
    values = rows * (len(keys) + 1)
    return values <= most or values - _count_certain_values(body) <= most


def _count_certain_values(body: bytes) -> int:
    """Return a lower bound for the number of values.

    `":` ends a key, but may also stand at the beginning of a text or inside of a text. The bound
    leaves out every `":` that may.
    """
    doubtful = (b"\\", b" ", b"\t", b"\r", b"\n", b",", b":", b"{", b"[")
    return body.count(b'":') - sum(body.count(before + b'":') for before in doubtful)


def _find_keys(body: bytes) -> set[bytes] | None:
    r"""Return all keys, and maybe parts of texts; None for a body that has to be parsed.

    A key is the text before `":`, from the preceding quote on. A text with JSON inside has such
    parts, too. A body with a space before a colon, or an escaped quote in a key, has to be parsed.

    >>> sorted(_find_keys(b'{"a": "b", "c": "{\\"d\\": 1}"}'))
    [b'a', b'c', b'd\\']
    """
    if _SPACED.search(body):
        return None
    if b'\\"' not in body and (few := _find_few_keys(body)):
        return few
    keys: set[bytes] = set()
    *pieces, _ = body.split(b'":')
    for piece in pieces:
        start, quote, key = piece.rpartition(b'"')
        # an escaped quote in a key, or a text before `":` without a quote
        if (start.endswith(b"\\") and not key.endswith(b"\\")) or not (quote or not key.strip()):
            return None
        keys.add(key)
    return keys


def _find_few_keys(body: bytes) -> set[bytes]:
    """Return all keys if the body's beginning has all keys, at most 20; else an empty set."""
    *pieces, _ = body[:_SAMPLE].split(b'":')
    keys = {piece.rpartition(b'"')[2] for piece in pieces}
    if len(keys) > _MOST_COUNTED:
        return set()
    counted = sum(body.count(b'"%s":' % key) for key in keys)
    return keys if counted == body.count(b'":') else set()
