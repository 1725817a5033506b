"""Read the values of FILE_FORMAT options, for loading and unloading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.errors import DefinitionRefused
from icemelt.session.runtime.options import parse_boolean
from icemelt.spark_sql.loading import BinaryText
from icemelt.sql.spark.formats import to_java_format
from icemelt.sql.statements import split_texts
from icemelt.values import is_whole_number

__all__ = ["FormatValues", "option_error"]

# a character may be written by its bytes in UTF-8: 0xC2A2, \xC2\xA2 or \302\242 for a cent
_HEX = re.compile(r"0x((?:[0-9A-Fa-f]{2})+)", re.IGNORECASE)
_ESCAPE = re.compile(r"((?:\\(?:x[0-9A-Fa-f]{2}|[0-7]{3}))+)|\\(.)", re.DOTALL)
_ESCAPED_BYTE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|([0-7]{3}))")
_PLAIN_ESCAPE = "ESCAPE_UNENCLOSED_FIELD"
_ESCAPED_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


@dataclass(frozen=True, slots=True)
class FormatValues:
    """The options of a FILE_FORMAT by name, with the texts of the statement."""

    written: Mapping[str, str]

    def text(self, name: str, default: str) -> str:
        """Return the text of an option, or the default."""
        return self.written.get(name, default)

    def optional(self, name: str, default: str | None) -> str | None:
        r"""Return an option's text with the escapes resolved, None for NONE or AUTO.

        >>> values = FormatValues({"A": "0x7c", "B": r"\302\242", "C": r"\t", "D": "x"})
        >>> [values.optional(name, None) for name in "ABCD"]
        ['|', '¢', '\t', 'x']
        """
        if name not in self.written:
            return default
        value = self.text(name, "")
        if value.upper() in {"NONE", "AUTO"}:
            return None
        in_hex = _HEX.fullmatch(value)
        if in_hex is not None:
            return _text_of_bytes(bytes.fromhex(in_hex.group(1)))
        return _ESCAPE.sub(_unescape, value)

    def character(self, name: str) -> str | None:
        """Return an option of a single character, or None where the option is NONE or missing."""
        value = self.optional(name, None)
        if value is not None and len(value) > 1:
            raise option_error(name, value, "one character, or NONE")
        return value or None

    def plain_escape(self) -> str | None:
        r"""Return the character that takes the meaning from separators outside of quotes, if any.

        It is ESCAPE's, where there is one besides the quote, else that of ESCAPE_UNENCLOSED_FIELD;
        without both a backslash, unless that is a separator.

        >>> written = [{}, {"ESCAPE": "^"}, {"ESCAPE_UNENCLOSED_FIELD": "NONE"}]
        >>> [FormatValues(each).plain_escape() for each in written]
        ['\\', '^', None]
        """
        quote, escape = self.character("FIELD_OPTIONALLY_ENCLOSED_BY"), self.character("ESCAPE")
        if escape is not None and escape != quote:
            return escape
        if _PLAIN_ESCAPE in self.written:
            sign = self.character(_PLAIN_ESCAPE)
            if sign is not None and (not sign.isascii() or sign == quote):
                expected = "one character of ASCII that encloses no values, or NONE"
                raise option_error(_PLAIN_ESCAPE, sign, expected)
            return sign
        # other options win over a default
        others = (self.optional(name, None) for name in ("FIELD_DELIMITER", "RECORD_DELIMITER"))
        is_taken = any("\\" in other for other in (quote, *others) if other)
        return None if is_taken else "\\"

    def flag(self, name: str, *, default: bool) -> bool:
        """Return an option that is TRUE or FALSE."""
        return parse_boolean(name, self.text(name, "")) if name in self.written else default

    def count(self, name: str) -> int:
        """Return an option with a whole number, 0 where the option is missing."""
        value = self.text(name, "0")
        if not is_whole_number(value):
            raise option_error(name, value, f"a whole number from 0 to {2**63 - 1}")
        return int(value)

    def binary(self) -> BinaryText:
        """Return BINARY_FORMAT: how bytes are written as text."""
        value = self.text("BINARY_FORMAT", BinaryText.HEX.value)
        try:
            return BinaryText[value.upper().replace("-", "")]
        except KeyError as error:
            raise option_error("BINARY_FORMAT", value, "HEX, BASE64 or UTF8") from error

    def texts(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return an option with a list of texts, or the default."""
        return split_texts(self.written[name]) if name in self.written else default

    def pattern(self, name: str, *, lenient: bool) -> str | None:
        """Return a date format in the letters of Java's DateTimeFormatter.

        Args:
            name: the option's name; None is returned where the option is missing.
            lenient: whether the format is for reading, where fewer digits are accepted.
        """
        value = self.optional(name, None)
        if value is None:
            return None
        java = to_java_format(value, lenient=lenient)
        if java is None:
            raise option_error(name, value, "YYYY, MM, DD, HH24, MI, SS, FF3, TZH:TZM and the like")
        return java


def _unescape(escape: re.Match[str]) -> str:
    in_bytes, letter = escape.groups()
    if letter is not None:
        return _ESCAPED_LETTERS.get(letter, letter)
    found = _ESCAPED_BYTE.findall(in_bytes)
    return _text_of_bytes(
        bytes(int(hexed, 16) if hexed else int(octal, 8) & 0xFF for hexed, octal in found)
    )


def _text_of_bytes(written: bytes) -> str:
    """Return the text of bytes: in UTF-8, or each a character of its own where they are none."""
    try:
        return written.decode()
    except UnicodeDecodeError:
        return written.decode("latin-1")


def option_error(name: str, value: str, expected: str) -> DefinitionRefused:
    """Return the error for an unusable value of an option.

    Args:
        name: the option's name.
        value: the value in the statement.
        expected: the possible values, as a phrase for the hint.
    """
    return DefinitionRefused(f"{name} cannot be {value!r}.", hint=f"It is {expected}.")
