"""Colour for a person, none for a program: NO_COLOR, dumb terminals and pipes are respected."""

from __future__ import annotations

import enum
import os
import sys
from typing import TextIO

__all__ = ["Colour", "complain", "painted", "say"]


class Colour(enum.StrEnum):
    """Colours of the terminal's own palette."""

    BOLD = "1"
    DIM = "2"
    RED = "1;31"
    GREEN = "32"
    YELLOW = "33"
    CYAN = "36"


def painted(text: str, colour: Colour, file: TextIO) -> str:
    """Return the text in a colour, where the file is a terminal that shows it.

    >>> import io
    >>> painted("Error:", Colour.RED, io.StringIO())
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
    """Write a line to standard error, which programs that read the output do not see."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
