"""Steps of the demonstration: show a statement, run the statement, show the result."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

from icemelt.drawing import count_rows
from icemelt.values import as_text

if TYPE_CHECKING:
    from icemelt.session import Result, Session

__all__ = ["Demo"]

_SHOWN_ROWS = 6


@dataclass
class Demo:
    """The running demonstration.

    Args:
        console: the terminal.
        session: the session of the lake.
        staged: the folder with the files to load.
        points: statement ids by the names of points.
    """

    console: Console
    session: Session
    staged: Path
    points: dict[str, str] = field(default_factory=dict)

    def step(self, title: str, sql: str, *, point: str = "") -> Result:
        """Show a title and a statement, run the statement, and show its duration.

        Args:
            title: the title.
            sql: the statement.
            point: the name under which the statement's id is kept, empty for none.
        """
        self.console.print(f"\n[bold]{title}[/bold]")
        self.console.print(Syntax(sql, "sql", background_color="default", word_wrap=True))
        started = time.perf_counter()
        result = self.session.sql(sql)
        rows = result.fetchall()
        took = time.perf_counter() - started
        if result.columns == ("status",):
            summary = str(rows[0][0])
        elif result.columns == ("files rewritten", "files written"):
            summary = f"{rows[0][0]} files became {rows[0][1]}"
        else:
            count = result.rowcount if result.rowcount is not None else len(rows)
            summary = count_rows(count)
        self.console.print(f"{summary} [dim]in {took:.2f} s[/dim]", style="green", highlight=False)
        if point:
            self.points[point] = result.statement_id
        return result

    def rows(self, result: Result, columns: tuple[str, ...], *, most: int = _SHOWN_ROWS) -> None:
        """Print the first rows of a result.

        Args:
            result: the result.
            columns: the columns to print.
            most: how many rows to print.
        """
        table = Table(box=None, header_style="dim")
        places = [result.columns.index(column) for column in columns]
        for column in columns:
            table.add_column(column.removeprefix("METADATA$"))
        for row in result.fetchall()[:most]:
            table.add_row(*(as_text(row[place]) for place in places))
        self.console.print(table)

    def shape(self, sql: str) -> None:
        """Print the plan of a change query."""
        lines = [row[0] for row in self.session.sql(f"EXPLAIN {sql}").fetchall()]
        planned = lines[: lines.index("Spark plan")]
        self.console.print("\n".join(planned), style="cyan", highlight=False)
