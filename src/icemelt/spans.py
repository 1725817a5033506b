"""Show a place in the text of a statement to the statement's author."""

from __future__ import annotations

__all__ = ["underline"]


def underline(text: str, span: tuple[int, int]) -> str:
    """Return the line of `text` that holds `span`, with the span underlined.

    >>> print(underline("SELECT * FRM t", (9, 12)))
    SELECT * FRM t
             ^^^
    """
    start, end = span
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    line = text[begin : len(text) if stop < 0 else stop]
    marks = max(1, min(end, begin + len(line)) - start)
    return f"{line}\n{' ' * (start - begin)}{'^' * marks}"
