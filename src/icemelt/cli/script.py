"""Split scripts into statements with line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from icemelt.errors import SqlSyntaxError

__all__ = ["Piece", "first_word", "is_complete", "split_statements"]

_SKIPPED = re.compile(r"(?:\s|--[^\n]*|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_WORD = re.compile(r"\w+|\(")


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement of a script; `line` is the line of the first word, from 1."""

    text: str
    line: int


def split_statements(text: str) -> list[Piece]:
    r"""Return the statements of a script.

    Raises:
        SqlSyntaxError: a string or comment has no end.

    >>> split_statements("SELECT 1;\n\nSELECT ';';")
    [Piece(text='SELECT 1', line=1), Piece(text="SELECT ';'", line=3)]
    """
    from icemelt.sql.parse import split_with_offsets  # noqa: PLC0415 - loads the parser

    return [
        Piece(piece.text, text.count("\n", 0, piece.offset + _count_skipped(piece.text)) + 1)
        for piece in split_with_offsets(text)
    ]


def is_complete(text: str) -> bool:
    """Return whether a text ends with a statement's semicolon.

    >>> is_complete("SELECT 1;"), is_complete("SELECT 1"), is_complete("SELECT ';")
    (True, False, False)
    >>> block = "CREATE TASK t AS BEGIN DELETE FROM a;"
    >>> is_complete(block), is_complete(f"{block} END;")
    (False, True)
    """
    try:
        return len(split_statements(f"{text}\nx")) > len(split_statements(text))
    except SqlSyntaxError:
        return False


def first_word(text: str) -> str:
    r"""Return a statement's first word in upper case, or an opening bracket.

    >>> first_word("-- all\n (select 1)"), first_word("with a as (select 1) select 2")
    ('(', 'WITH')
    """
    word = _WORD.match(text, _count_skipped(text))
    return "" if word is None else word.group().upper()


def _count_skipped(text: str) -> int:
    """Return the length of the blanks and comments at the beginning of a text."""
    match = _SKIPPED.match(text)
    return 0 if match is None else match.end()
