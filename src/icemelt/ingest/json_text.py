"""JSON without loss: errors accepted by lenient readers are refused, and no digit is dropped."""

from __future__ import annotations

import datetime as dt
import json
import re
import uuid
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

__all__ = ["MAX_DEPTH", "parse_json", "to_json_text"]

# Deep enough for data; JSON of more levels may exhaust the stack of a reader.
MAX_DEPTH = 100
# The decoder makes arrays without a pause for other threads, half a second for so many.
_MOST_ARRAYS = 1_000_000
# the limits of Spark's JSON reader
_MOST_DIGITS, _LONGEST_KEY = 1_000, 50_000
# an unclosed string goes to the end of the text: no position is tried twice
_STRING_PATTERN = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_STRING = re.compile(_STRING_PATTERN, re.DOTALL)
# some strings with what is between them; a call for a whole text would stop all other threads
_PIECE = re.compile(rf'(?:[^"]{{1,512}}+|{_STRING_PATTERN}){{1,512}}+', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_BRACKET = re.compile(r"[\[\]{}]")
# a number of so few characters, without an exponent, equals its double
_EXACT_LENGTH = 16


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; a number without an exact double becomes a decimal.

    Raises:
        ValueError: Not JSON, a key twice in an object, NaN or infinity, a lone surrogate, more
            than `MAX_DEPTH` levels, or more than a million arrays; the message ends a sentence.

    >>> parse_json('{"a": [1.5, 0.1234567890123456789]}')
    {'a': [1.5, Decimal('0.1234567890123456789')]}
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ValueError: the key 'a' is there twice
    """
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _validate_brackets(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at column {error.pos + 1}") from None
    if _SURROGATE.search(text):
        _validate_characters(value)
    return value


def to_json_text(value: Any) -> str:
    """Return a value as JSON text: dates and times as ISO strings, bytes as hexadecimal digits.

    Raises:
        ValueError: NaN or infinity, for which JSON has no text.

    >>> import datetime as dt
    >>> to_json_text({"at": dt.date(2024, 1, 1), "sum": Decimal("1.10")})
    '{"at":"2024-01-01","sum":1.10}'
    """
    try:
        return _ENCODER.encode(value)
    except _NotNative:
        return _encode(value, 0)
    except (TypeError, RecursionError):
        # a key that is no text, or more levels than the encoder takes
        return _encode(value, 0)


class _NotNative(Exception):
    """A value that the standard encoder cannot write as a number."""


def _native(value: Any) -> Any:
    if isinstance(value, Decimal):
        raise _NotNative
    return _as_string(value)


def _as_string(value: Any) -> str:
    match value:
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case uuid.UUID():
            return str(value)
        case bytes():
            return value.hex()
        case _:
            raise ValueError(f"a value of type {type(value).__name__} has no JSON text")


def _encode(value: Any, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise ValueError(f"it has more than {MAX_DEPTH} levels")
    match value:
        case dict():
            members = (
                f"{_ENCODER.encode(_key(key))}:{_encode(member, depth + 1)}"
                for key, member in value.items()
            )
            return "{" + ",".join(members) + "}"
        case list() | tuple():
            return "[" + ",".join(_encode(element, depth + 1) for element in value) + "]"
        case Decimal():
            if not value.is_finite():
                raise ValueError(f"JSON has no number {value}")
            return str(value)
        case None | bool() | int() | float() | str():
            return _ENCODER.encode(value)
        case _:
            return _ENCODER.encode(_as_string(value))


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    return to_json_text(key).strip('"')


def _validate_brackets(text: str) -> None:
    """Require few levels and arrays; the text is searched piece by piece."""
    depth = arrays = 0
    for piece in _PIECE.finditer(text):
        for bracket in _BRACKET.findall(_STRING.sub("", piece.group())):
            depth += 1 if bracket in "[{" else -1
            arrays += bracket == "["
            if depth > MAX_DEPTH:
                raise ValueError(f"it has more than {MAX_DEPTH} levels")
        if arrays > _MOST_ARRAYS:
            raise ValueError(f"it has more than {_MOST_ARRAYS:,} arrays")


def _integer(text: str) -> int:
    _validate_digits(text)
    return int(text)


def _validate_digits(text: str) -> None:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"the number {text[:40]}… has more than {_MOST_DIGITS} digits")


def _number(text: str) -> float | Decimal:
    _validate_digits(text)
    if len(text) <= _EXACT_LENGTH and "e" not in text and "E" not in text:
        return float(text)
    number = float(text)
    try:
        exact = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"the number {text[:40]} has too large an exponent") from None
    return number if Decimal(repr(number)) == exact else exact


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"JSON has no number {text}")


def _object(members: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    pairs = list(members)
    members_by_key = dict(pairs)
    if any(len(key) > _LONGEST_KEY for key in members_by_key):
        raise ValueError(f"a key has more than {_LONGEST_KEY} characters")
    if len(members_by_key) == len(pairs):
        return members_by_key
    earlier: set[str] = set()
    duplicate = next(key for key, _ in pairs if key in earlier or earlier.add(key))  # type: ignore[func-returns-value]
    raise ValueError(f"the key {duplicate[:40]!r} is there twice")


def _validate_characters(value: Any) -> None:
    try:
        to_json_text(value).encode()
    except UnicodeEncodeError:
        raise ValueError("it has half of a surrogate pair, which is no character") from None


_DECODER = json.JSONDecoder(
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_refuse_constant,
    object_pairs_hook=_object,
)
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_native
)
