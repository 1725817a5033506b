"""Show the rows of a result as an HTML table, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from icemelt.drawing import find_right_aligned, shorten
from icemelt.values import as_text, visible

__all__ = ["html_table"]

# METADATA$ACTION has a `$`, and a notebook reads the text between two of them as mathematics
_CSS_CLASSES = "tex2jax_ignore mathjax_ignore"
_NULL_HTML = '<em style="opacity: 0.6">NULL</em>'


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], below: Sequence[str]) -> str:
    """Return rows as an HTML table; names and values are escaped.

    Args:
        columns: the names of the columns.
        rows: the rows, with a value for each column.
        below: sentences to show below the table, each on a line.

    >>> for line in html_table(["<b>"], [(1,), (None,)], ["2 rows"]).splitlines()[2:-2]:
    ...     print(line)
    <thead><tr><th style="text-align: right">&lt;b&gt;</th></tr></thead>
    <tbody>
    <tr><td style="text-align: right"><span style="white-space: pre-wrap">1</span></td></tr>
    <tr><td style="text-align: right"><em style="opacity: 0.6">NULL</em></td></tr>
    </tbody>
    </table>
    """
    sides = ["right" if is_right else "left" for is_right in find_right_aligned(columns, rows)]
    head = "".join(
        f'<th style="text-align: {side}">{_text(name)}</th>'
        for name, side in zip(columns, sides, strict=True)
    )
    lines = [
        f'<div class="{_CSS_CLASSES}">',
        "<table>",
        f"<thead><tr>{head}</tr></thead>",
        "<tbody>",
        *(f"<tr>{_cells(row, sides)}</tr>" for row in rows),
        "</tbody>",
        "</table>",
        *(f"<p>{_text(sentence)}</p>" for sentence in below),
        "</div>",
    ]
    return "\n".join(lines)


def _cells(row: Sequence[Any], sides: Sequence[str]) -> str:
    return "".join(
        f'<td style="text-align: {side}">{_NULL_HTML if value is None else _value(value)}</td>'
        for value, side in zip(row, sides, strict=True)
    )


def _value(value: Any) -> str:
    # spaces of a value are a part of it
    return f'<span style="white-space: pre-wrap">{escape(shorten(as_text(value)))}</span>'


def _text(text: str) -> str:
    return escape(visible(text))
