"""The number of keys in JSON objects, estimated without parsing.

The columns of rows are the keys of all rows. A few KiB of objects without a common key stand for a
square of NULLs. Arrow's reader allocates the square, so the caller has to know the size before.
"""

from __future__ import annotations

import re

__all__ = ["MOST_NULLS", "has_few_nulls"]

# the most NULLs for missing keys of one append: few bytes may stand for many NULLs
MOST_NULLS = 5_000_000

# the length of `"":0`, the shortest member of an object
_SHORTEST = 4
# counting more keys one by one is slower than splitting the body
_SAMPLE, _MOST_COUNTED = 10_000, 20
_SPACED = re.compile(rb'"[ \t\r\n]+:')


def has_few_nulls(body: bytes, most: int, most_keys: int) -> bool:
    r"""Tell whether the keys missing from flat objects surely make at most `most` NULLs.

    The result is False if the number is unknown. The check costs a fraction of parsing.

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
    room = len(body) // _SHORTEST
    if room <= most_keys and rows * room <= most:
        return True
    keys = _keys(body)
    if keys is None or len(keys) > most_keys:
        return False
    # the key `:` may look like an empty key
    values = rows * (len(keys) + 1)
    return values <= most or values - _least(body) <= most


def _least(body: bytes) -> int:
    """Return a lower bound for the number of values: texts may contain the end of a key."""
    others = (b"\\", b" ", b"\t", b"\r", b"\n", b",", b":", b"{", b"[")
    return body.count(b'":') - sum(body.count(before + b'":') for before in others)


def _keys(body: bytes) -> set[bytes] | None:
    r"""Return all keys, and maybe ends of other texts; None if the keys are harder to find.

    A key is the text before `":`, from the preceding quote on. Ends of texts with JSON inside look
    alike. A key with an escaped quote would look like another key.

    >>> sorted(_keys(b'{"a": "b", "c": "{\\"d\\": 1}"}'))
    [b'a', b'c', b'd\\']
    """
    if _SPACED.search(body):
        return None
    if b'\\"' not in body and (few := _few_keys(body)):
        return few
    keys: set[bytes] = set()
    *pieces, _ = body.split(b'":')
    for piece in pieces:
        start, quote, key = piece.rpartition(b'"')
        # the key has a quote, or begins with a colon
        if (start.endswith(b"\\") and not key.endswith(b"\\")) or not (quote or not key.strip()):
            return None
        keys.add(key)
    return keys


def _few_keys(body: bytes) -> set[bytes]:
    """Return all keys if the first keys are all keys and few; else return an empty set."""
    *pieces, _ = body[:_SAMPLE].split(b'":')
    keys = {piece.rpartition(b'"')[2] for piece in pieces}
    if len(keys) > _MOST_COUNTED:
        return set()
    counted = sum(body.count(b'"%s":' % key) for key in keys)
    return keys if counted == body.count(b'":') else set()
