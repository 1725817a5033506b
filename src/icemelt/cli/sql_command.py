"""`icemelt sql`: run the shell, or statements from options and files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from icemelt.cli.background_session import BackgroundSession
from icemelt.cli.batch import Script, run_batch, run_to_end
from icemelt.cli.terminal import complain

if TYPE_CHECKING:
    from icemelt.cli.background_session import Start
    from icemelt.cli.batch import Output

__all__ = ["run_sql"]


def run_sql(start: Start, commands: Sequence[str], files: Sequence[str], output: Output) -> int:
    """Run statements, or the shell without statements; return the exit code.

    Args:
        start: the lake, and the session's database and schema.
        commands: statements of the command line.
        files: scripts; `-` is standard input.
        output: how results are shown.
    """
    if commands and files:
        raise typer.BadParameter("Give -c or -f, not both: their order would not be clear.")
    if not commands and not files:
        if sys.stdin.isatty():
            from icemelt.cli.shell import run_shell  # noqa: PLC0415 - loads the line editor

            return run_shell(start, output)
        files = ["-"]
    sources = [Script(text) for text in commands] + [_read_script(path) for path in files]
    return _run(start, sources, output)


def _read_script(path: str) -> Script:
    try:
        return Script.of_file(path)
    except OSError as error:
        message = f"File {path!r} cannot be read: {error.strerror}."
        raise typer.BadParameter(message) from error
    except UnicodeDecodeError as error:
        message = f"File {path!r} is not UTF-8 at byte {error.start:,}."
        raise typer.BadParameter(message) from error


def _run(start: Start, sources: Sequence[Script], output: Output) -> int:
    """Open the session, run the statements, and close the session; return the exit code."""
    is_new = start.lake.is_new
    connection = BackgroundSession(start)

    def work() -> int:
        connection.session()
        if is_new:
            complain(f"Made a new lake: {start.lake.path}")
        return run_batch(connection, sources, output)

    return run_to_end(connection, work)
