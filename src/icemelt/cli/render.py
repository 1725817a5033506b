"""Results as text: a table, lines of JSON, or CSV.

A table fits the terminal's width; rows too wide for a table are drawn as records, one below the
other. In a pipe or a file nothing is wrapped, cut off or coloured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from icemelt.cli.formats import OutputFormat
from icemelt.drawing import (
    PLAN,
    count_rows,
    draw_line,
    draw_rows,
    find_right_aligned,
    measure_columns,
)
from icemelt.values import as_csv_line, as_json, as_text, make_unique, visible

if TYPE_CHECKING:
    from rich.console import Console

    from icemelt.cli.outcome import Outcome

__all__ = ["footer", "write_outcome", "write_terminal"]


def write_outcome(outcome: Outcome, format_: OutputFormat, file: TextIO) -> None:
    r"""Write an outcome for programs: complete, one line for every row, without colours.

    Args:
        outcome: the rows, or the sentence of a statement.
        format_: table, JSON or CSV.
        file: the open file.

    >>> import sys
    >>> from icemelt.cli.outcome import Outcome
    >>> outcome = Outcome(("id", "name"), [(1, "a\nb"), (20, None)], 0.1)
    >>> write_outcome(outcome, OutputFormat.TABLE, sys.stdout)
     id | name
    ----+------
      1 | a\nb
     20 | NULL
    >>> write_outcome(outcome, OutputFormat.JSON, sys.stdout)
    {"id":1,"name":"a\nb"}
    {"id":20,"name":null}
    """
    match format_:
        case OutputFormat.TABLE:
            lines = _plain_table(outcome)
        case OutputFormat.JSON:
            names = make_unique(outcome.columns)
            lines = (as_json(dict(zip(names, row, strict=True))) for row in outcome.rows)
        case OutputFormat.CSV:
            lines = _csv(outcome)
    if file.isatty():
        # a format for programs, shown to a person
        lines = map(visible, lines)
    file.writelines(f"{line}\n" for line in lines)


def write_terminal(
    outcome: Outcome, console: Console, *, timing: bool = True, as_records: bool = False
) -> None:
    """Write an outcome for a person: a table or a sentence, and a line with counts and time.

    Args:
        outcome: the rows, or the sentence of a statement.
        console: the terminal.
        timing: whether the time is shown.
        as_records: whether each row is a record, however narrow a table would be.
    """
    below = footer(outcome, timing=timing)
    if outcome.word is not None:
        draw_line(console, visible(outcome.word), below)
        return
    draw_rows(outcome.columns, outcome.rows, console, as_records=as_records)
    draw_line(console, "", below)


def footer(outcome: Outcome, *, timing: bool) -> str:
    """Return the line below a table: the number of rows, and the time.

    >>> from icemelt.cli.outcome import Outcome
    >>> footer(Outcome(("id",), [(1,)], 0.314), timing=True)
    '1 row · 0.31 s'
    >>> footer(Outcome(("id",), [(1,)], 0.314, more=True), timing=False)
    'the first 1 row: add LIMIT, or take format csv or json for all'
    """
    rows = count_rows(len(outcome.rows))
    if outcome.more:
        rows = f"the first {rows}: add LIMIT, or take format csv or json for all"
    parts = [] if outcome.word is not None or outcome.columns == PLAN else [rows]
    if outcome.word is None and outcome.rowcount is not None:
        parts.append(f"{count_rows(outcome.rowcount)} changed")
    if timing:
        parts.append(f"{outcome.seconds:.2f} s")
    return " · ".join(parts)


def _plain_table(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of a table without colours or frames, or the sentence of a statement."""
    if outcome.word is not None:
        yield visible(outcome.word)
        return
    if outcome.columns == PLAN:
        yield from _plan(outcome)
        return
    names = [visible(name) for name in outcome.columns]
    cells = [[as_text(value) for value in row] for row in outcome.rows]
    widths = measure_columns(names, cells)
    yield _plain_line(names, widths, [False] * len(names))
    yield "-" + "-+-".join("-" * width for width in widths) + "-"
    right = find_right_aligned(names, outcome.rows)
    for row in cells:
        yield _plain_line(row, widths, right)


def _plan(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of EXPLAIN: a table around them would be as wide as the longest line."""
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
