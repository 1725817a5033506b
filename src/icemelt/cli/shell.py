"""The SQL shell: `icemelt sql` on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from icemelt.cli.background_session import BackgroundSession, Start
from icemelt.cli.batch import FAILED, INTERRUPTED, SUCCEEDED, Output, Script, run_batch
from icemelt.cli.commands import After, is_command, run_command
from icemelt.cli.failure import show_error
from icemelt.cli.outcome import is_definition
from icemelt.cli.terminal import Colour, complain, paint, say
from icemelt.cli.vocabulary import Vocabulary
from icemelt.cli.worker import Abandoned
from icemelt.errors import IcemeltError, SparkDied, SqlSyntaxError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from icemelt.cli.outcome import Outcome
    from icemelt.session import Session

__all__ = ["InputReader", "Shell", "run_shell"]


class InputReader(Protocol):
    """The source of the shell's input."""

    def read_statement(self) -> str:
        """Return the next text typed."""

    def read_history(self) -> Iterable[str]:
        """Return earlier texts, newest first."""


def run_shell(start: Start, output: Output) -> int:
    """Run the shell until the user leaves; return the exit code.

    Spark starts in the background, so that the first statement can be typed at once.
    """
    is_new = start.lake.is_new
    connection = BackgroundSession(start)
    _greet(start, is_new=is_new)
    from icemelt.cli.line_editor import LineEditor  # noqa: PLC0415 - while Spark starts

    vocabulary = Vocabulary()
    shell = Shell(connection, output, vocabulary)
    code = shell.loop(LineEditor(vocabulary, lambda: connection.opening))
    if vocabulary.in_transaction:
        complain("The open transaction is rolled back.")
    return connection.leave(code)


class Shell:
    """Reads and runs statements and commands in turn."""

    def __init__(
        self, connection: BackgroundSession, output: Output, vocabulary: Vocabulary
    ) -> None:
        """Prepare the shell.

        Args:
            connection: runs the statements.
            output: how results are shown.
            vocabulary: the names for completion, refreshed after definitions.
        """
        self.output = output
        self._connection = connection
        self._vocabulary = vocabulary
        self._reader: InputReader | None = None
        connection.opening.add_done_callback(self._on_opened)

    def loop(self, reader: InputReader) -> int:
        """Read and run until the user leaves; return the exit code."""
        self._reader = reader
        code: int | None = None
        while code is None:
            try:
                text = reader.read_statement()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return self._leave()
            code = self._step(text)
        return code

    def run_text(self, text: str) -> None:
        """Run statements up to the first failure, and show the outcomes."""
        run_batch(self._connection, [Script(text)], self.output, self._after_statement)

    def run_file(self, path: str) -> None:
        """Run a script up to the first failure.

        Raises:
            IcemeltError: the file cannot be read.
        """
        hint = "\\i FILE: its name is relative to where icemelt was started."
        try:
            source = Script.of_file(str(Path(path).expanduser()))
        except OSError as error:
            message = f"File {path!r} cannot be read: {error.strerror}."
            raise SqlSyntaxError(message, hint=hint) from error
        except UnicodeDecodeError as error:
            raise SqlSyntaxError(f"File {path!r} is not UTF-8.", hint=hint) from error
        run_batch(self._connection, [source], self.output, self._after_statement)

    def read_history(self) -> Iterable[str]:
        """Return the texts typed, newest first."""
        return () if self._reader is None else self._reader.read_history()

    def _step(self, text: str) -> int | None:
        """Run a text; return the exit code if the shell ends, or else None."""
        try:
            if self._run(text) is After.LEAVE:
                return SUCCEEDED
        except Abandoned:
            return INTERRUPTED
        except KeyboardInterrupt:
            complain("\nInterrupted.")
        return FAILED if self._connection.has_failed else None

    def _run(self, text: str) -> After:
        try:
            if is_command(text):
                return run_command(text, self)
            self.run_text(text)
        except IcemeltError as error:
            show_error(error)
        return After.GO_ON

    def _after_statement(self, text: str, outcome: Outcome | BaseException) -> None:
        if isinstance(outcome, SparkDied):
            complain("Spark starts again; temporary tables and settings are gone.")
            self._connection.reopen()
            self._connection.opening.add_done_callback(self._on_opened)
        elif is_definition(text):
            self._vocabulary.refresh(self._connection.session())

    def _on_opened(self, opening: Future[Session]) -> None:
        if opening.exception() is None:
            self._vocabulary.refresh(opening.result())

    def _leave(self) -> int:
        if self._connection.has_failed:
            show_error(self._connection.opening.exception() or EOFError())
            return FAILED
        return SUCCEEDED


def _greet(start: Start, *, is_new: bool) -> None:
    from icemelt.version import version  # noqa: PLC0415 - reads the package's metadata

    lake = start.lake.label + (" (new)" if is_new else "")
    title = paint(f"icemelt {version()}", Colour.BOLD, sys.stdout)
    say(f"{title} · lake {paint(lake, Colour.CYAN, sys.stdout)}")
    words = "Statements end with a semicolon. \\? lists commands, Ctrl-D leaves."
    say(paint(words, Colour.DIM, sys.stdout))
