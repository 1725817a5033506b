"""One value as text: for a table, a line of JSON, a field of CSV."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

__all__ = [
    "NULL",
    "as_csv_line",
    "as_json",
    "as_json_key",
    "as_text",
    "is_number",
    "is_whole_number",
    "make_unique",
    "visible",
]

NULL = "NULL"
# of the largest number of 64 bits; Python takes long for texts of many more
_MOST_DIGITS = 19

# Characters that move the cursor, colour or rename the terminal, or reorder the line.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TRAILING_ZEROS = re.compile(r"(?<=\d)0+(?=$|[+-]\d\d:)(?<=\.\d{6})")
_QUOTED_IN_CSV = re.compile(r'[",\r\n]|^\s|\s$|^$')


def as_text(value: Any) -> str:
    r"""Return a value as text for a cell of a table, on one line.

    >>> as_text(Decimal("1E+2")), as_text(b"\x01\xff"), as_text([1, None])
    ('100', '01FF', '[1,null]')
    >>> as_text(dt.datetime(2024, 1, 1, 12))
    '2024-01-01 12:00:00'
    """
    match value:
        case None:
            return NULL
        case bool():
            return "true" if value else "false"
        case str():
            return visible(value)
        case float():
            return _float(value)
        case Decimal():
            return format(value, "f")
        case dt.datetime():
            return _TRAILING_ZEROS.sub("", value.isoformat(sep=" "))
        case bytes() | bytearray():
            return value.hex().upper()
        case list() | tuple() | dict():
            return visible(as_json(value))
        case _:
            return visible(str(value))


def as_json(value: Any) -> str:
    r"""Return a value as JSON on one line: exact decimals and binaries are strings.

    >>> as_json({"price": Decimal("1.50"), "on": dt.date(2024, 1, 2), "bin": b"\x01"})
    '{"price":"1.50","on":"2024-01-02","bin":"01"}'
    >>> as_json([float("nan"), 0.1, None, True])
    '["NaN",0.1,null,true]'
    """
    plain = _plain(value)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def as_json_key(value: Any) -> str:
    """Return the key of a map as JSON: a string, whatever the key's type.

    >>> as_json_key(dt.date(2024, 1, 2)), as_json_key(1)
    ('"2024-01-02"', '"1"')
    """
    return as_json(str(_plain(value)))


def as_csv_line(values: Iterable[Any]) -> str:
    """Return values as a line of CSV (RFC 4180): NULL is nothing, an empty string is `""`.

    >>> print(as_csv_line([None, "", 'a "b" c', 1.5]))
    ,"","a ""b"" c",1.5
    """
    return ",".join(_csv_field(value) for value in values)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, for alignment in a table.

    >>> is_number(Decimal(1)), is_number(True)
    (True, False)
    """
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def is_whole_number(value: str, most: int = 2**63 - 1) -> bool:
    """Tell whether a text is a whole number from 0 up to `most`, of any number of digits.

    >>> is_whole_number("060", 60), is_whole_number("9" * 5_000)
    (True, False)
    """
    return value.isdecimal() and len(value) <= _MOST_DIGITS and int(value) <= most


def make_unique(names: Sequence[str]) -> list[str]:
    """Return the names, with a number added to every name that repeats an earlier name.

    >>> make_unique(["id", "id", "id_2"])
    ['id', 'id_2', 'id_2_2']
    """
    taken: list[str] = []
    for name in names:
        free, number = name, 1
        while free in taken:
            number += 1
            free = f"{name}_{number}"
        taken.append(free)
    return taken


def visible(text: str) -> str:
    r"""Return the text with control characters written out: data must not steer a terminal.

    >>> print(visible("a\nb\x1b[31m"))
    a\nb\x1b[31m
    """
    return _CONTROL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    short = f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004 - one byte
    return _ESCAPES.get(character, short)


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _plain(value: Any) -> Any:
    """Return a value in JSON's types."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _float(value)
        case dt.datetime() | dt.date():
            return value.isoformat()
        case dict():
            return {str(_plain(key)): _plain(inner) for key, inner in value.items()}
        case list() if value and all(_is_pair(inner) for inner in value):
            return {str(_plain(key)): _plain(inner) for key, inner in value}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case _:
            return as_text(value)


def _is_pair(value: Any) -> bool:
    # Arrow gives a map as a list of tuples, and has tuples nowhere else
    return isinstance(value, tuple) and len(value) == 2  # noqa: PLR2004 - key and value


def _csv_field(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            text = value
        case list() | tuple() | dict():
            text = as_json(value)
        case _:
            text = as_text(value)
    if _QUOTED_IN_CSV.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
