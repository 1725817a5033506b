"""Show an error on the terminal: what is wrong, then the next thing to type."""

from __future__ import annotations

import os
import re
import sys
import time
import traceback
from types import TracebackType
from typing import TYPE_CHECKING

from icemelt.cli.terminal import Colour, complain, paint
from icemelt.errors import IcemeltError, InternalError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["explain_error", "show_error", "show_unexpected"]

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def show_error(error: BaseException, *, place: str = "") -> None:
    """Print an error to standard error; `place` is the file and line of the statement."""
    message, hint = explain_error(error)
    where = f"{place}: " if place else ""
    complain(f"{where}{paint('Error:', Colour.RED, sys.stderr)} {message}")
    if hint:
        complain(f"{paint('Hint:', Colour.YELLOW, sys.stderr)} {hint}")


def explain_error(error: BaseException) -> tuple[str, str]:
    """Return an error's message and hint.

    The traceback of a bug is saved in a file, and the hint names the file.

    >>> from icemelt.errors import ObjectNotFound
    >>> explain_error(ObjectNotFound("Table 'a' does not exist.", hint="SHOW TABLES"))
    ("Table 'a' does not exist.", 'SHOW TABLES')
    """
    if isinstance(error, IcemeltError) and not isinstance(error, InternalError):
        return _harmless(error.message), _harmless(error.hint)
    name = type(error).__name__
    words = error.message if isinstance(error, IcemeltError) else f"{name}: {error}".rstrip(": ")
    first = words.strip().splitlines()[0] if words.strip() else name
    message = f"This is a bug in icemelt: {_harmless(first)}"
    saved = _save(error)
    if saved is None:
        return message, "Please report it with what you typed."
    return message, f"Please report it with what you typed and the traceback: less '{saved}'"


def show_unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Show an error as `sys.excepthook` of the command line, without a traceback.

    Args:
        kind: the class of the error.
        error: the error.
        trace: the traceback, saved in a file.
    """
    if issubclass(kind, KeyboardInterrupt):
        complain("Interrupted.")
        return
    show_error(error.with_traceback(trace))


def _save(error: BaseException) -> Path | None:
    """Save a traceback in a file readable only by its user; return the file's path."""
    from icemelt.engine.start.places import log_folder  # noqa: PLC0415 - needed after a bug only

    path = log_folder() / f"bug-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    text = "".join(traceback.format_exception(error))
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return None
    return path


def _harmless(text: str) -> str:
    """Keep line ends and tabs; write out the characters able to steer a terminal."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text)
