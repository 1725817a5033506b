"""Colours for a person and none for a program, as NO_COLOR, dumb terminals and pipes ask."""

from __future__ import annotations

import enum
import os
import sys
from typing import TextIO

__all__ = ["Colour", "complain", "paint", "say"]


class Colour(enum.StrEnum):
    """Colours of the terminal's own palette."""

    BOLD = "1"
    DIM = "2"
    RED = "1;31"
    GREEN = "32"
    YELLOW = "33"
    CYAN = "36"


def paint(text: str, colour: Colour, file: TextIO) -> str:
    """Return the text in a colour; unchanged if the file is no terminal with colours.

    Args:
        text: the text.
        colour: the colour.
        file: the file to which the text will be written.

    >>> import io
    >>> paint("Error:", Colour.RED, io.StringIO())
    'Error:'
    """
    plain = not file.isatty() or os.environ.get("TERM") == "dumb" or os.environ.get("NO_COLOR")
    return text if plain else f"\x1b[{colour.value}m{text}\x1b[0m"


def say(line: str) -> None:
    """Write a line to standard output.

    >>> say("All is well.")
    All is well.
    """
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def complain(line: str) -> None:
    """Write a line to standard error, out of the way of programs that read the output."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
