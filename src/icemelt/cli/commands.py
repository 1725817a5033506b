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
    "\\d": "list the tables here; \\d TABLE describes one",
    "\\i": "run a script: \\i FILE",
    "\\format": "write rows as table, json or csv: \\format csv",
    "\\timing": "show times, or stop showing them: \\timing [on|off]",
    "\\history": "show what was typed last: \\history [n]",
    "\\q": "leave, as do exit, quit and Ctrl-D",
}
_WORDS = {"exit", "help", "quit"}
_HISTORY_SHOWN = 20
_TABLES = "SHOW TERSE TABLES;"


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
        case "\\d":
            shell.run_text(f"DESCRIBE TABLE {command.rest};" if command.rest else _TABLES)
        case "\\i":
            shell.run_file(_file(command))
        case "\\format":
            _set_format(command, shell.output)
        case "\\timing":
            _set_timing(command, shell.output)
        case "\\history":
            _show_history(command, shell)
        case _:
            raise SqlSyntaxError(
                f"Command '{command.name}' does not exist.", hint="\\? lists the commands."
            )
    return After.GO_ON


def _parse(text: str) -> _Command:
    name, _, rest = text.strip().rstrip(";").strip().partition(" ")
    if name.startswith("\\d+"):
        name = "\\d"
    return _Command(name.lower(), rest.strip())


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
    before = output.timing is not False
    wanted = {"": not before, "on": True, "off": False}.get(command.rest.lower())
    if wanted is None:
        raise SqlSyntaxError(
            f"Command '\\timing' takes on or off, found {command.rest!r}.", hint="\\timing on"
        )
    output.timing = wanted
    say(f"Timing is {'on' if wanted else 'off'}.")


def _show_history(command: _Command, shell: ShellState) -> None:
    if command.rest and not command.rest.isdecimal():
        raise SqlSyntaxError(
            f"Command '\\history' takes a number, found {command.rest!r}.", hint="\\history 50"
        )
    count = int(command.rest or _HISTORY_SHOWN)
    for text in reversed(list(islice(shell.read_history(), count))):
        say(text)
