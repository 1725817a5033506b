"""Date and number formats: Snowflake's letters as Java's letters."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["NumberFormat", "parse_number_format", "to_java_format"]

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
_NUMBER = re.compile(
    r"(FM)?(?P<form>(MI|S)?\$?[09G,]*[09][09G,]*([D.](?P<decimals>[09]*))?(MI|S)?)"
)
# more digits than any number has
_LONGEST_NUMBER = 200
_DEFAULT_DIGITS = 9
_MAX_DIGITS = 6


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A number format for Spark, with the features that Spark lacks.

    Attributes:
        spark: the format for Spark's `to_char`.
        decimals: digits after the point.
        implied_sign: whether the format names no sign: a minus or a blank stands in front.
        compact: whether FM is written: no blanks.
        keeps_zero: whether 9 comes first, and the last digit before the point is written as 0: the
            zero of 0.5 is shown.
    """

    spark: str
    decimals: int
    implied_sign: bool
    compact: bool
    keeps_zero: bool


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


def parse_number_format(written: str) -> NumberFormat | None:
    """Return a number format; None for a format with other parts.

    >>> parse_number_format("9,990.00")
    NumberFormat(spark='S9,990.00', decimals=2, implied_sign=True, compact=False, keeps_zero=True)
    >>> parse_number_format("YYYY-MM")
    """
    match = _NUMBER.fullmatch(written.upper()) if len(written) <= _LONGEST_NUMBER else None
    if match is None:
        return None
    form = match["form"]
    whole = re.sub("[^09]", "", re.split("[D.]", form)[0])
    if not re.fullmatch("0[09]*|9*0?", whole):
        return None
    implied = "S" not in form and "MI" not in form
    decimals = len(match["decimals"] or "")
    compact, keeps_zero = written.upper().startswith("FM"), whole.startswith("9") and "0" in whole
    return NumberFormat("S" * implied + form, decimals, implied, compact, keeps_zero)


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
