r"""The shell's own commands, with a backslash in front."""

from __future__ import annotations

import enum
import shlex
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from icemelt.cli.formats import OutputFormat
from icemelt.cli.terminal import say
from icemelt.errors import SqlSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from icemelt.cli.batch import Output

__all__ = ["COMMANDS", "After", "ShellState", "is_command", "run_command"]

COMMANDS = {
    "\\?": "show this list, as does help",
    "\\d": "list the tables here, as does \\dt; \\d TABLE describes one",
    "\\dv": "list the views here",
    "\\e": "edit what was typed last in $EDITOR, and run it",
    "\\i": "run a script: \\i FILE",
    "\\format": "write rows as table, json or csv: \\format csv",
    "\\x": "show each row as a record, or stop that: \\x [on|off]",
    "\\timing": "show times, or stop showing them: \\timing [on|off]",
    "\\history": "show what was typed last: \\history [n]",
    "\\q": "leave, as do exit, quit and Ctrl-D",
}
_WORDS = {"exit", "help", "quit"}
_HISTORY_SHOWN = 20
_TABLES, _VIEWS = "SHOW TERSE TABLES;", "SHOW TERSE VIEWS;"


class After(enum.Enum):
    """The shell's next step after a command."""

    GO_ON = enum.auto()
    LEAVE = enum.auto()


class ShellState(Protocol):
    """The part of the shell used by commands."""

    output: Output

    def run_text(self, text: str) -> None:
        """Run statements."""

    def run_file(self, path: str) -> None:
        """Run a script."""

    def read_history(self) -> Iterable[str]:
        """Return the lines typed, newest first."""


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    rest: str


def is_command(text: str) -> bool:
    r"""Return whether a line is a command of the shell.

    >>> is_command("\\d orders"), is_command("quit;"), is_command("SELECT 1;")
    (True, True, False)
    """
    return text.lstrip().startswith("\\") or text.strip().rstrip(";").strip().lower() in _WORDS


def run_command(text: str, shell: ShellState) -> After:
    """Run a command of the shell.

    Raises:
        IcemeltError: the command is not known, or failed.
    """
    command = _parse(text)
    match command.name:
        case "\\q" | "exit" | "quit":
            return After.LEAVE
        case "\\?" | "help":
            say(_help())
        case "\\d" | "\\dv":
            shell.run_text(_listing(command))
        case "\\e":
            _edit(shell)
        case "\\i":
            shell.run_file(_file(command))
        case "\\format":
            _set_format(command, shell.output)
        case "\\timing":
            _set_timing(command, shell.output)
        case "\\x":
            _set_records(command, shell.output)
        case "\\history":
            _show_history(command, shell)
        case _:
            raise SqlSyntaxError(
                f"Command '{command.name}' does not exist.", hint="\\? lists the commands."
            )
    return After.GO_ON


def _parse(text: str) -> _Command:
    name, _, rest = text.strip().rstrip(";").strip().partition(" ")
    if name.startswith("\\d+") or name == "\\dt":
        name = "\\d"
    return _Command(name.lower(), rest.strip())


def _listing(command: _Command) -> str:
    if command.name == "\\dv":
        return _VIEWS
    return f"DESCRIBE TABLE {command.rest};" if command.rest else _TABLES


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {words}" for name, words in COMMANDS.items()]
    lines.append("Statements end with a semicolon. Ctrl-C clears the line, or cancels what runs.")
    return "\n".join(lines)


def _file(command: _Command) -> str:
    try:
        words = shlex.split(command.rest)
    except ValueError:
        words = [command.rest]
    if len(words) != 1:
        raise SqlSyntaxError("Command '\\i' takes the name of one file.", hint="\\i load.sql")
    return words[0]


def _set_format(command: _Command, output: Output) -> None:
    names = [format_.value for format_ in OutputFormat]
    if command.rest.lower() in names:
        output.format = OutputFormat(command.rest.lower())
    elif command.rest:
        raise SqlSyntaxError(
            f"Format {command.rest!r} does not exist: expected {', '.join(names)}.",
            hint="\\format table",
        )
    say(f"Format is {output.format.value}.")


def _set_timing(command: _Command, output: Output) -> None:
    output.timing = _switched(command, before=output.timing is not False)
    say(f"Timing is {'on' if output.timing else 'off'}.")


def _set_records(command: _Command, output: Output) -> None:
    output.as_records = _switched(command, before=output.as_records)
    say("Each row is a record." if output.as_records else "Rows are records where they are wide.")


def _switched(command: _Command, *, before: bool) -> bool:
    """Return what a switch is after a command: the other way round without on or off."""
    wanted = {"": not before, "on": True, "off": False}.get(command.rest.lower())
    if wanted is None:
        raise SqlSyntaxError(
            f"Command '{command.name}' takes on or off, found {command.rest!r}.",
            hint=f"{command.name} on",
        )
    return wanted


def _edit(shell: ShellState) -> None:
    import click  # noqa: PLC0415 - which few commands need

    last = next((text for text in shell.read_history() if not is_command(text)), "")
    try:
        text = click.edit(last, extension=".sql")
    except click.ClickException as error:
        raise SqlSyntaxError(
            f"No editor was started: {error.message}.", hint="EDITOR=nano icemelt sql …"
        ) from error
    if text is None or not text.strip():
        say("Nothing was saved, and nothing runs.")
        return
    say(text.strip())
    shell.run_text(text)


def _show_history(command: _Command, shell: ShellState) -> None:
    if command.rest and not command.rest.isdecimal():
        raise SqlSyntaxError(
            f"Command '\\history' takes a number, found {command.rest!r}.", hint="\\history 50"
        )
    count = int(command.rest or _HISTORY_SHOWN)
    for text in reversed(list(islice(shell.read_history(), count))):
        say(text)
