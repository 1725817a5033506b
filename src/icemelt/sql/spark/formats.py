"""Formats of dates in files as Java's letters, and what a format of numbers looks like."""

from __future__ import annotations

import re

__all__ = ["is_number_format", "to_java_format"]

_PARTS = re.compile(
    r'"(?P<quoted>[^"]*)"'
    r"|(?P<part>YYYY|YY|MMMM|MON|MM|DD|DY|HH24|HH12|HH|AM|PM|MI|SS|FF\d?|TZHTZM|TZH:TZM|TZH)"
    r"|(?P<letters>[A-Za-z]+)|(?P<other>[^A-Za-z\"]+)",
    re.IGNORECASE,
)
_JAVA = {
    "YYYY": "yyyy",
    "YY": "yy",
    "MMMM": "MMMM",
    "MON": "MMM",
    "MM": "MM",
    "DD": "dd",
    "DY": "E",
    "HH24": "HH",
    "HH12": "hh",
    "HH": "HH",
    "AM": "a",
    "PM": "a",
    "MI": "mm",
    "SS": "ss",
    "TZHTZM": "xx",
    "TZH:TZM": "XXX",
    "TZH": "x",
}
_LITERAL = r"(?:\"[^\"]*\"|[ ;:=/()-])*"
_NUMBER = re.compile(
    rf"{_LITERAL}(?:FM{_LITERAL})?(?:(?:B|S|MI|\$){_LITERAL})*"
    rf"(?:TM9|TME|TM|[09X][09X,G]*(?:[.D][09]*)?|[.D][09]+){_LITERAL}(?:(?:S|MI){_LITERAL})?",
    re.IGNORECASE,
)
# more characters than the digits of any number have
_LONGEST_NUMBER = 200
_DEFAULT_DIGITS = 9
_MAX_DIGITS = 6


def to_java_format(written: str, *, lenient: bool = False) -> str | None:
    """Return a date format in Java's letters; None for a format with other parts.

    A lenient format, for reading, takes one digit in place of two.

    >>> to_java_format('YYYY-MM-DD"T"HH24:MI:SS.FF3')
    "yyyy-MM-dd'T'HH:mm:ss.SSS"
    >>> to_java_format("MM/DD/YYYY", lenient=True)
    'M/d/yyyy'
    """
    parts: list[str] = []
    for match in _PARTS.finditer(written):
        if match["letters"]:
            return None
        parts.append(_part(match))
    text = "".join(parts)
    return _relax_digits(text) if lenient else text


def is_number_format(written: str) -> bool:
    """Tell whether a text is a format of numbers, as `NumberFormat` in java/ knows them.

    >>> is_number_format("$9,990.00"), is_number_format("YYYY-MM")
    (True, False)
    """
    return len(written) <= _LONGEST_NUMBER and _NUMBER.fullmatch(written) is not None


def _part(match: re.Match[str]) -> str:
    if match["part"]:
        word = match["part"].upper()
        if word.startswith("FF"):
            digits = int(word[2:] or _DEFAULT_DIGITS)
            return "S" * min(digits, _MAX_DIGITS)
        return _JAVA[word]
    text = match["quoted"] if match["quoted"] is not None else match["other"]
    if all(character in " -/:.,;_" for character in text):
        return text
    return "'" + text.replace("'", "''") + "'"


def _relax_digits(text: str) -> str:
    """Return a format that takes one digit for two, if no further digits are next to the two."""
    return re.sub(r"(?<![A-Za-z])(MM|dd|HH|hh|mm|ss)(?![A-Za-z])", lambda part: part[0][0], text)
