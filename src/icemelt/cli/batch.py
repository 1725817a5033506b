"""Run statements of the command line and of files, up to the first failure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from icemelt.cli.failure import show_error
from icemelt.cli.formats import OutputFormat
from icemelt.cli.render import write_outcome, write_terminal
from icemelt.cli.script import split_statements
from icemelt.cli.terminal import complain
from icemelt.errors import IcemeltError, SqlSyntaxError, StatementCancelled

if TYPE_CHECKING:
    from icemelt.cli.background_session import BackgroundSession
    from icemelt.cli.outcome import Outcome

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "ROW_LIMIT",
    "SUCCEEDED",
    "Output",
    "Script",
    "run_batch",
    "run_to_end",
]

SUCCEEDED = 0
FAILED = 1
INTERRUPTED = 130

ROW_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Script:
    """A text with statements; `name` is the file's name, None for the command line."""

    text: str
    name: str | None = None

    @classmethod
    def of_file(cls, path: str) -> Script:
        """Read a file; `-` is standard input.

        Raises:
            OSError: the file cannot be read.
        """
        if path == "-":
            return cls(sys.stdin.read(), "standard input")
        return cls(Path(path).read_text(encoding="utf-8-sig"), path)

    def place(self, line: int) -> str:
        """Return file and line, for an error."""
        return "" if self.name is None else f"{self.name}:{line}"


@dataclass(slots=True)
class Output:
    """How outcomes are shown.

    Args:
        format: table, JSON or CSV.
        timing: whether times are shown; None shows times on a terminal only.
        as_records: whether each row is shown as a record on a terminal, however narrow it is.
        count: the number of outcomes shown so far.
    """

    format: OutputFormat = OutputFormat.TABLE
    timing: bool | None = None
    as_records: bool = False
    count: int = 0

    @property
    def for_person(self) -> bool:
        """Whether results are for a person at a terminal, and not for a program."""
        return self.format is OutputFormat.TABLE and sys.stdout.isatty()

    @property
    def limit(self) -> int | None:
        """The greatest number of rows shown of a query, None for all."""
        return ROW_LIMIT if self.for_person else None

    def show(self, outcome: Outcome) -> None:
        """Write an outcome to standard output."""
        self.count += 1
        if outcome.notice is not None:
            complain(outcome.notice)
        if self.for_person:
            self._show_person(outcome)
        else:
            if self.count > 1 and self.format is OutputFormat.TABLE:
                sys.stdout.write("\n")
            write_outcome(outcome, self.format, sys.stdout)
        sys.stdout.flush()
        if self.timing and not self.for_person:
            complain(f"{outcome.seconds:.2f} s")

    def _show_person(self, outcome: Outcome) -> None:
        from rich.console import Console  # noqa: PLC0415 - terminals only

        console = Console(file=sys.stdout)
        timing = self.timing is not False
        write_terminal(outcome, console, timing=timing, as_records=self.as_records)
        console.print()


def run_to_end(connection: BackgroundSession, work: Callable[[], int]) -> int:
    """Do a command's work, show a failure, and close the session; return the exit code."""
    try:
        code = work()
    except IcemeltError as error:
        show_error(error)
        code = FAILED
    except KeyboardInterrupt:
        complain("Interrupted.")
        code = INTERRUPTED
    return connection.leave(code)


def run_batch(
    connection: BackgroundSession,
    sources: Sequence[Script],
    output: Output,
    after: Callable[[str, Outcome | BaseException], None] = lambda _text, _outcome: None,
) -> int:
    """Run statements up to the first failure; return the exit code.

    Args:
        connection: the session.
        sources: the texts with the statements.
        output: how outcomes are shown; an error is shown with the file and line of its statement.
        after: called after every statement, with the statement's text and its outcome or error.

    Raises:
        IcemeltError: the session could not be opened.
    """
    for source, text, line in _statements(sources):
        outcome = connection.run(text, output.limit)
        if isinstance(outcome, BaseException):
            show_error(outcome, place=source.place(line))
            after(text, outcome)
            return INTERRUPTED if isinstance(outcome, StatementCancelled) else FAILED
        output.show(outcome)
        after(text, outcome)
    return SUCCEEDED


def _statements(sources: Sequence[Script]) -> Iterator[tuple[Script, str, int]]:
    """Yield every statement with source and line.

    A text that cannot be split is yielded whole: the run of the text tells the reason.
    """
    for source in sources:
        try:
            pieces = split_statements(source.text)
        except SqlSyntaxError as error:
            line = 1 if error.span is None else source.text.count("\n", 0, error.span[0]) + 1
            yield source, source.text, line
            return
        for piece in pieces:
            yield source, piece.text, piece.line
