"""Draw rows on a terminal: a table if narrow enough, or else a record for every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from icemelt.values import NULL, as_text, is_number, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = [
    "PLAN",
    "count_rows",
    "draw_line",
    "draw_rows",
    "find_right_aligned",
    "measure_columns",
    "print_rows",
    "shorten",
]

# the column of EXPLAIN, whose rows are lines of text
PLAN = ("plan",)
_LONGEST_CELL = 400
_NARROWEST_COLUMN = 12
_BORDERS = 3
_MOST_LINES = 3
_LONGEST_RULE = 60


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]], below: str) -> None:
    """Print rows as in the shell, and a line below the rows.

    Args:
        columns: the columns' names.
        rows: the rows' values.
        below: the text of the line, nothing for no line.

    >>> print_rows(("id", "name"), [(1, "a"), (20, None)], "2 rows")
    ╭────┬──────╮
    │ id │ name │
    ├────┼──────┤
    │  1 │ a    │
    │ 20 │ NULL │
    ╰────┴──────╯
    2 rows
    """
    from rich.console import Console  # noqa: PLC0415 - terminals only

    console = Console()
    draw_rows(columns, rows, console)
    if below:
        draw_line(console, "", below)


def draw_rows(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    console: Console,
    *,
    as_records: bool = False,
) -> None:
    """Draw rows as a table, or as records where a table would be too wide.

    The rows of EXPLAIN are drawn as lines of text.

    Args:
        columns: the columns' names.
        rows: the rows' values.
        console: the terminal.
        as_records: whether they are records in any case.
    """
    if tuple(columns) == PLAN:
        for row in rows:
            # a table around the plan would be as wide as the plan's longest line
            line = visible(as_text(row[0]))
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        return
    if not rows:
        draw_line(console, "", " │ ".join(visible(name) for name in columns))
        return
    cells = [[shorten(as_text(value)) for value in row] for row in rows]
    widths = measure_columns([visible(name) for name in columns], cells)
    narrowest = sum(min(width, _NARROWEST_COLUMN) + _BORDERS for width in widths) + 1
    if as_records or narrowest > console.width or sum(widths) > _MOST_LINES * console.width:
        _draw_records(columns, rows, cells, console)
    else:
        _draw_table(columns, rows, cells, console)


def draw_line(console: Console, bright: str, dim: str) -> None:
    """Draw a line of two parts, the second part dimmed.

    Args:
        console: the terminal.
        bright: the first part.
        dim: the second part.
    """
    from rich.text import Text  # noqa: PLC0415 - terminals only

    space = "  " if bright and dim else ""
    console.print(Text.assemble(bright, space, (dim, "dim")), soft_wrap=True)


def count_rows(count: int) -> str:
    """Return a number of rows in words.

    >>> count_rows(1), count_rows(1000)
    ('1 row', '1,000 rows')
    """
    return f"{count:,} row{'' if count == 1 else 's'}"


def measure_columns(names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of every column on a terminal, in cells, including the column's name.

    >>> measure_columns(["id", "name"], [["1", "日本語"]])
    [2, 6]
    """
    from rich.cells import cell_len  # noqa: PLC0415 - tables only

    widths = [cell_len(name) for name in names]
    for row in cells:
        widths = [max(width, cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
    return widths


def find_right_aligned(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[bool]:
    """Return for every column whether all values are numbers or NULL, with at least one number.

    >>> find_right_aligned(["id", "name", "note"], [(1, "a", None), (None, "b", None)])
    [True, False, False]
    """
    return [
        all(value is None or is_number(value) for value in column)
        and any(value is not None for value in column)
        for column in zip(*rows, strict=True)
    ] or [False] * len(columns)


def shorten(cell: str) -> str:
    """Return a cell's text, cut off after 400 characters.

    >>> shorten("a" * 1400)[395:]
    'aaaaa… (+1,000 characters)'
    """
    if len(cell) <= _LONGEST_CELL:
        return cell
    return f"{cell[:_LONGEST_CELL]}… (+{len(cell) - _LONGEST_CELL:,} characters)"


def _draw_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    cells: Sequence[Sequence[str]],
    console: Console,
) -> None:
    from rich import box  # noqa: PLC0415 - terminals only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.ROUNDED, border_style="bright_black", header_style="bold")
    for name, to_right in zip(columns, find_right_aligned(columns, rows), strict=True):
        header = Text(visible(name))
        table.add_column(header, justify="right" if to_right else "left", overflow="fold")
    for row, row_cells in zip(rows, cells, strict=True):
        table.add_row(
            *(_style_cell(cell, value) for cell, value in zip(row_cells, row, strict=True))
        )
    console.print(table)


def _draw_records(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    cells: Sequence[Sequence[str]],
    console: Console,
) -> None:
    from rich.table import Table  # noqa: PLC0415 - terminals only

    for number, (row, row_cells) in enumerate(zip(rows, cells, strict=True), start=1):
        rule = f"── row {number:,} "
        rule = rule.ljust(min(console.width, _LONGEST_RULE), "─")
        console.print(rule, style="bright_black", highlight=False)
        record = Table.grid(padding=(0, 2))
        record.add_column(style="bold", overflow="fold", max_width=console.width // 3)
        record.add_column(overflow="fold")
        for name, cell, value in zip(columns, row_cells, row, strict=True):
            record.add_row(_style_cell(visible(name), name), _style_cell(cell, value))
        console.print(record)


def _style_cell(text: str, value: Any) -> Text:
    from rich.text import Text  # noqa: PLC0415 - terminals only

    return Text(text, style="dim" if value is None and text == NULL else "")
