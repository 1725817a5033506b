"""Results as text: a table, a line of JSON per row, or CSV.

A table on a terminal fits its width, and rows that are too wide for that are shown one below the
other. In a pipe or a file nothing is wrapped, cut off or coloured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from icemelt.cli.formats import Format
from icemelt.values import NULL, as_csv_line, as_json, as_text, is_number, unique, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from icemelt.cli.outcome import Outcome

__all__ = ["footer", "write_outcome", "write_terminal"]

_LONGEST_CELL = 400
_NARROWEST_COLUMN = 12
_BORDERS = 3
_MOST_LINES = 3
_LONGEST_RULE = 60
_PLAN = ("plan",)


def write_outcome(outcome: Outcome, format_: Format, file: TextIO) -> None:
    r"""Write an outcome for programs: whole, one line per row, without colours.

    >>> import sys
    >>> from icemelt.cli.outcome import Outcome
    >>> outcome = Outcome(("id", "name"), [(1, "a\nb"), (20, None)], 0.1)
    >>> write_outcome(outcome, Format.TABLE, sys.stdout)
     id | name
    ----+------
      1 | a\nb
     20 | NULL
    >>> write_outcome(outcome, Format.JSON, sys.stdout)
    {"id":1,"name":"a\nb"}
    {"id":20,"name":null}
    """
    match format_:
        case Format.TABLE:
            lines = _plain_table(outcome)
        case Format.JSON:
            names = unique(outcome.columns)
            lines = (as_json(dict(zip(names, row, strict=True))) for row in outcome.rows)
        case Format.CSV:
            lines = _csv(outcome)
    if file.isatty():
        # for programs, yet a person looks at it
        lines = map(visible, lines)
    file.writelines(f"{line}\n" for line in lines)


def write_terminal(outcome: Outcome, console: Console, *, timing: bool = True) -> None:
    """Write an outcome for a person: a table and a line below it, or what a statement did."""
    below = footer(outcome, timing=timing)
    if outcome.word is not None:
        _write_line(console, visible(outcome.word), below)
        return
    if outcome.columns == _PLAN:
        for line in _plan(outcome):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    elif outcome.rows:
        _write_rows(outcome, console)
    else:
        _write_line(console, "", " │ ".join(visible(name) for name in outcome.columns))
    _write_line(console, "", below)


def footer(outcome: Outcome, *, timing: bool) -> str:
    """Return the line below a table: how many rows, and the time.

    >>> from icemelt.cli.outcome import Outcome
    >>> footer(Outcome(("id",), [(1,)], 0.314), timing=True)
    '1 row · 0.31 s'
    >>> footer(Outcome(("id",), [(1,)], 0.314, more=True), timing=False)
    'the first 1 row: add LIMIT, or take format csv or json for all'
    """
    rows = _count(len(outcome.rows))
    if outcome.more:
        rows = f"the first {rows}: add LIMIT, or take format csv or json for all"
    parts = [] if outcome.word is not None or outcome.columns == _PLAN else [rows]
    if outcome.word is None and outcome.rowcount is not None:
        parts.append(f"{_count(outcome.rowcount)} changed")
    if timing:
        parts.append(f"{outcome.seconds:.2f} s")
    return " · ".join(parts)


def _count(rows: int) -> str:
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def _write_line(console: Console, bright: str, dim: str) -> None:
    from rich.text import Text  # noqa: PLC0415 - terminals only

    space = "  " if bright and dim else ""
    console.print(Text.assemble(bright, space, (dim, "dim")), soft_wrap=True)


def _write_rows(outcome: Outcome, console: Console) -> None:
    cells = [[_short(as_text(value)) for value in row] for row in outcome.rows]
    widths = _widths([visible(name) for name in outcome.columns], cells)
    narrowest = sum(min(width, _NARROWEST_COLUMN) + _BORDERS for width in widths) + 1
    if narrowest > console.width or sum(widths) > _MOST_LINES * console.width:
        _write_records(outcome, cells, console)
    else:
        _write_table(outcome, cells, console)


def _plain_table(outcome: Outcome) -> Iterator[str]:
    if outcome.word is not None:
        yield visible(outcome.word)
        return
    if outcome.columns == _PLAN:
        yield from _plan(outcome)
        return
    names = [visible(name) for name in outcome.columns]
    cells = [[as_text(value) for value in row] for row in outcome.rows]
    widths = _widths(names, cells)
    yield _plain_line(names, widths, [False] * len(names))
    yield "-" + "-+-".join("-" * width for width in widths) + "-"
    right = _right_aligned(outcome)
    for row in cells:
        yield _plain_line(row, widths, right)


def _plan(outcome: Outcome) -> Iterator[str]:
    """EXPLAIN gives text, line by line: around it a table would be as wide as its longest line."""
    return (visible(as_text(row[0])) for row in outcome.rows)


def _plain_line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    from rich.cells import cell_len  # noqa: PLC0415 - tables only

    padded = []
    for cell, width, to_right in zip(cells, widths, right, strict=True):
        space = " " * (width - cell_len(cell))
        padded.append(space + cell if to_right else cell + space)
    return (" " + " | ".join(padded)).rstrip()


def _csv(outcome: Outcome) -> Iterator[str]:
    yield as_csv_line(outcome.columns)
    for row in outcome.rows:
        yield as_csv_line(row)


def _widths(names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len  # noqa: PLC0415 - tables only

    widths = [cell_len(name) for name in names]
    for row in cells:
        widths = [max(width, cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
    return widths


def _right_aligned(outcome: Outcome) -> list[bool]:
    """Return for each column whether all its values are numbers, or NULL."""
    return [
        all(value is None or is_number(value) for value in column)
        and any(value is not None for value in column)
        for column in zip(*outcome.rows, strict=True)
    ] or [False] * len(outcome.columns)


def _short(cell: str) -> str:
    if len(cell) <= _LONGEST_CELL:
        return cell
    return f"{cell[:_LONGEST_CELL]}… (+{len(cell) - _LONGEST_CELL:,} characters)"


def _write_table(outcome: Outcome, cells: Sequence[Sequence[str]], console: Console) -> None:
    from rich import box  # noqa: PLC0415 - terminals only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.ROUNDED, border_style="bright_black", header_style="bold")
    for name, to_right in zip(outcome.columns, _right_aligned(outcome), strict=True):
        header = Text(visible(name))
        table.add_column(header, justify="right" if to_right else "left", overflow="fold")
    for row, shown in zip(outcome.rows, cells, strict=True):
        table.add_row(*(_styled(cell, value) for cell, value in zip(shown, row, strict=True)))
    console.print(table)


def _write_records(outcome: Outcome, cells: Sequence[Sequence[str]], console: Console) -> None:
    from rich.table import Table  # noqa: PLC0415 - terminals only

    for number, (row, shown) in enumerate(zip(outcome.rows, cells, strict=True), start=1):
        rule = f"── row {number:,} "
        rule = rule.ljust(min(console.width, _LONGEST_RULE), "─")
        console.print(rule, style="bright_black", highlight=False)
        record = Table.grid(padding=(0, 2))
        record.add_column(style="bold", overflow="fold", max_width=console.width // 3)
        record.add_column(overflow="fold")
        for name, cell, value in zip(outcome.columns, shown, row, strict=True):
            record.add_row(_styled(visible(name), name), _styled(cell, value))
        console.print(record)


def _styled(text: str, value: Any) -> Text:
    from rich.text import Text  # noqa: PLC0415 - terminals only

    return Text(text, style="dim" if value is None and text == NULL else "")
