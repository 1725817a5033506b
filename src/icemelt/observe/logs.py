"""Write events to Python's logging: a logger for every room, a level by consequence."""

from __future__ import annotations

import functools
import logging
import re

from icemelt.observe.events import CURRENT_STATEMENT, Event

__all__ = ["describe_event", "log_event"]

_WORD = re.compile("(?<=[a-z])(?=[A-Z])")


def log_event(event: Event) -> None:
    """Write an event to its room's logger; the log record has the event as `icemelt_event`."""
    logger, level = _logger(event.room), event.level
    if logger.isEnabledFor(level):
        logger.log(level, describe_event(event), extra={"icemelt_event": event})


def describe_event(event: Event) -> str:
    """Return an event as a line: its name in words, and its fields.

    The line names the statement whose thread emitted the event.

    >>> from icemelt.observe.events import TableRebased
    >>> describe_event(TableRebased("4f", "main.public.t", 0.25))
    'table rebased: transaction_id=4f table=main.public.t seconds=0.250'
    """
    details = event.details
    statement_id = CURRENT_STATEMENT.get()
    if statement_id is not None:
        details.setdefault("statement_id", statement_id)
    words = _WORD.sub(" ", type(event).__name__).lower()
    fields = " ".join(
        f"{name}={_text(value)}" for name, value in details.items() if value is not None
    )
    return f"{words}: {fields}" if fields else words


@functools.cache
def _logger(room: str) -> logging.Logger:
    return logging.getLogger(f"icemelt.{room}")


def _text(value: object) -> str:
    """Return a value without line breaks; a text with blanks, such as a name, is quoted."""
    if isinstance(value, float):
        return f"{value:.3f}"
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if text.isprintable() and " " not in text else repr(text)
