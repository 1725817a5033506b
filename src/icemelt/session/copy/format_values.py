"""The values of FILE_FORMAT's options, as loading and unloading read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.errors import DefinitionRefused
from icemelt.session.runtime.options import boolean
from icemelt.sql.spark.formats import java_format

__all__ = ["FormatValues", "refused"]

_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|[0-7]{3}|.)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


@dataclass(frozen=True, slots=True)
class FormatValues:
    """Options as they are written, by name; each is read as what it should be."""

    written: Mapping[str, str]

    def text(self, name: str, default: str) -> str:
        """Return an option as it is written."""
        return self.written.get(name, default)

    def optional(self, name: str, default: str | None) -> str | None:
        """Return a text in which NONE is none and escapes stand for characters."""
        if name not in self.written:
            return default
        value = self.text(name, "")
        if value.upper() in {"NONE", "AUTO"}:
            return None
        return _ESCAPE.sub(_unescaped, value)

    def character(self, name: str) -> str | None:
        """Return one character, None where the option is NONE or is not there."""
        value = self.optional(name, None)
        if value is not None and len(value) > 1:
            raise refused(name, value, "one character, or NONE")
        return value or None

    def flag(self, name: str, *, default: bool) -> bool:
        """Return TRUE or FALSE."""
        return boolean(name, self.text(name, "")) if name in self.written else default

    def count(self, name: str) -> int:
        """Return a whole number, 0 where the option is not there."""
        value = self.text(name, "0")
        if not value.isdecimal():
            raise refused(name, value, "a whole number from 0 on")
        return int(value)

    def texts(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return a list, whose elements the statement has on lines of their own."""
        return tuple(self.written[name].split("\n")) if name in self.written else default

    def pattern(self, name: str, *, lenient: bool) -> str | None:
        """Return a date format in Java's letters; a lenient one is for reading."""
        value = self.optional(name, None)
        if value is None:
            return None
        found = java_format(value, lenient=lenient)
        if found is None:
            raise refused(name, value, "YYYY, MM, DD, HH24, MI, SS, FF3, TZH:TZM and the like")
        return found


def _unescaped(found: re.Match[str]) -> str:
    letters = found.group(1)
    if letters.startswith("x"):
        return chr(int(letters[1:], 16))
    if letters.isdecimal() and letters != "0":
        return chr(int(letters, 8))
    return _LETTERS.get(letters, letters)


def refused(name: str, value: str, expected: str) -> DefinitionRefused:
    """Return the error for an option's value that cannot be taken."""
    return DefinitionRefused(f"{name} cannot be {value!r}.", hint=f"It is {expected}.")
