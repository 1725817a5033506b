"""Read a statement on a terminal: several lines, colours, completion, history."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import platformdirs
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.patch_stdout import patch_stdout

from icemelt.cli.commands import COMMANDS, is_command
from icemelt.cli.completion import ShellCompleter
from icemelt.cli.highlight import STYLE, make_lexer
from icemelt.cli.script import is_complete

if TYPE_CHECKING:
    from pathlib import Path

    from icemelt.cli.vocabulary import Vocabulary

__all__ = ["LineEditor"]

_REFRESH_SECONDS = 0.2
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_MENU_LINES = 6


class LineEditor:
    """Reads statements; shows a line below while the session is being opened."""

    def __init__(self, vocabulary: Vocabulary, opening: Callable[[], Future[Any]]) -> None:
        """Prepare the prompt.

        Args:
            vocabulary: the names for completion.
            opening: returns the future of the session being opened.
        """
        self._vocabulary = vocabulary
        self._opening = opening
        self._watched: Future[Any] | None = None
        self._begin = time.monotonic()
        self._prompt: PromptSession[str] = PromptSession(
            message=self._message,
            multiline=True,
            prompt_continuation=_continuation,
            history=_open_history(),
            lexer=PygmentsLexer(make_lexer(vocabulary)),
            include_default_pygments_style=False,
            style=STYLE,
            completer=ShellCompleter(vocabulary, COMMANDS),
            complete_in_thread=True,
            complete_while_typing=True,
            auto_suggest=AutoSuggestFromHistory(),
            key_bindings=_make_key_bindings(),
            reserve_space_for_menu=_MENU_LINES,
            search_ignore_case=True,
        )

    def read_statement(self) -> str:
        """Return the next text: a complete statement, or a command's line.

        Raises:
            EOFError: Ctrl-D was pressed, or the session could not be opened.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        opening = self._opening()
        is_open = opening.done() and opening.exception() is None
        self._prompt.bottom_toolbar = None if is_open else self._toolbar
        self._prompt.refresh_interval = 0 if is_open else _REFRESH_SECONDS
        if opening is not self._watched:
            self._watched, self._begin = opening, time.monotonic()
        # only a running prompt can be ended
        watch = None if is_open else lambda: opening.add_done_callback(self._on_opened)
        with patch_stdout(raw=True):
            return self._prompt.prompt(pre_run=watch)

    def read_history(self) -> Iterable[str]:
        """Return the texts typed, newest first."""
        return reversed(self._prompt.history.get_strings())

    def _on_opened(self, opening: Future[Any]) -> None:
        """Remove the line below the prompt; called in the thread that opened the session."""
        self._prompt.bottom_toolbar = None
        application = self._prompt.app
        application.invalidate()
        if opening.exception() is not None and application.loop is not None:
            application.loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if self._prompt.app.is_running and not self._prompt.app.is_done:
            self._prompt.app.exit(exception=EOFError())

    def _message(self) -> StyleAndTextTuples:
        mark = "*" if self._vocabulary.in_transaction else ""
        return [("class:prompt", f"{'.'.join(self._vocabulary.current)}{mark}> ")]

    def _toolbar(self) -> StyleAndTextTuples:
        seconds = time.monotonic() - self._begin
        frame = _SPINNER[int(seconds / _REFRESH_SECONDS) % len(_SPINNER)]
        return [("", f"{frame} Spark is starting ({seconds:.0f} s); you can type already")]


def _continuation(width: int, _line: int, _wraps: int) -> StyleAndTextTuples:
    return [("class:continuation", "· ".rjust(width))]


def _make_key_bindings() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        """Accept a chosen completion, or end a complete statement, or else begin a new line."""
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion:
            buffer.complete_state = None
        elif not buffer.text.strip() or is_command(buffer.text) or is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    @keys.add("escape", "enter")
    def _meta_enter(event: KeyPressEvent) -> None:
        """Begin a new line, wherever the cursor is."""
        event.current_buffer.insert_text("\n")

    return keys


def _open_history() -> History:
    """Return the history in the user's state folder; in memory if the folder cannot be written."""
    path = platformdirs.user_state_path("icemelt") / "history"
    with contextlib.suppress(OSError):
        _make_private(path)
        return FileHistory(str(path))
    return InMemoryHistory()


def _make_private(path: Path) -> None:
    """Make the history readable by its user alone: statements may hold secrets."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    path.chmod(0o600)
