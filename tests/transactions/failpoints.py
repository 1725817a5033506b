"""Steps at which a process may be killed: of the catalog's transactions, and around functions.

The hooks are SQLAlchemy's events and wrappers in the process that is to be killed; nothing of
icemelt knows of them. Each calls `step` with the name of the place.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.edits import Edit
from icemelt.catalog.writer import Writer

__all__ = ["around", "at_edits", "at_sql"]

Step = Callable[[str], None]


def at_sql(engine: sa.Engine, step: Step) -> None:
    """Step before and after each SQL statement of a write transaction, and about its end."""
    ended = threading.local()

    def before(connection: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        if _writes(connection):
            step(f"before {_words(text)}")

    def after(connection: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        if _writes(connection):
            step(f"after {_words(text)}")

    def ending(word: str) -> Any:
        def end(connection: Any) -> None:
            if _writes(connection):
                ended.word = word
                step(f"before {word}")

        return end

    def checkin(*_connection: Any) -> None:
        word, ended.word = getattr(ended, "word", ""), ""
        if word:
            step(f"after {word}")

    sa.event.listen(engine, "before_cursor_execute", before)
    sa.event.listen(engine, "after_cursor_execute", after)
    sa.event.listen(engine, "commit", ending("COMMIT"))
    sa.event.listen(engine, "rollback", ending("ROLLBACK"))
    sa.event.listen(engine, "checkin", checkin)


def at_edits(step: Step) -> None:
    """Step before and after each edit of a publication."""
    apply = Writer.apply

    def stepping_apply(writer: Writer, edit: Edit) -> None:
        step(f"before {type(edit).__name__}")
        apply(writer, edit)
        step(f"after {type(edit).__name__}")

    Writer.apply = stepping_apply  # type: ignore[method-assign]


def around(owner: Any, name: str, step: Step) -> None:
    """Step before and after each call of a function of a module, or of a method of a class."""
    function, shown = getattr(owner, name), name.strip("_").replace("_", " ")

    @functools.wraps(function)
    def stepping(*arguments: Any, **named: Any) -> Any:
        step(f"before {shown}")
        result = function(*arguments, **named)
        step(f"after {shown}")
        return result

    setattr(owner, name, stepping)


def _writes(connection: Any) -> bool:
    return bool(connection.get_execution_options().get("icemelt_write", False))


def _words(text: str) -> str:
    """Return the verb of an SQL statement and its table."""
    words = text.replace('"', "").split()
    names = [word for word in words if word.startswith(("icemelt_", "iceberg_"))]
    return " ".join((words[0], *(name.split(".")[0].rstrip(",") for name in names[:1])))
