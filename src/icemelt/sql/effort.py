"""The effort of reading one statement: a limit for the size, and checks for a cancel.

Python reads a statement in one thread, and nothing can end that thread from outside. So the parser,
the generator and the lowering call `count_step` for each part of a statement. Every 256 steps
`count_step` asks the caller whether the statement was cancelled.

A short text can stand for a large tree: aliases, stars and queries of WITH repeat what they stand
for. `count_repetition` limits the repeated columns of a statement.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from icemelt.errors import NotYet

__all__ = [
    "Repeated",
    "check_cancellation",
    "check_cancellation_with",
    "count_repetition",
    "count_step",
    "limit_effort",
]

# steps between two checks for a cancel: some milliseconds
_STEPS_BETWEEN_CHECKS = 256
# the limit of columns that names stand for, for a statement and for each of its tokens; other
# repetitions count as several columns, by the time that they take
_MAX_COLUMNS, _COLUMNS_PER_TOKEN = 100_000, 64


class Repeated(enum.Enum):
    """Kinds of repetition: how many columns a part counts, the reason, and the way out."""

    ALIAS = (4, "its aliases repeat what they stand for", "Compute the inner ones in a subquery.")
    COLUMN = (1, "its stars stand for too many columns", "List the columns that are needed.")
    BARRED = (100, "its columns repeat each other", "Store the rows of an inner query in a table.")
    CALL = (2, "its calls of functions are long", "Compute the inner ones in a subquery in FROM.")


class _Effort:
    """The steps and columns that one statement has taken so far."""

    __slots__ = ("left", "steps")

    def __init__(self, tokens: int) -> None:
        self.steps = 0
        self.left = _MAX_COLUMNS + _COLUMNS_PER_TOKEN * tokens


_CHECK: ContextVar[Callable[[], None] | None] = ContextVar("refuse", default=None)
_EFFORT: ContextVar[_Effort | None] = ContextVar("effort", default=None)


@contextlib.contextmanager
def check_cancellation_with(refuse: Callable[[], None]) -> Iterator[None]:
    """Call `refuse` repeatedly while the block reads statements; `refuse` raises to end it.

    >>> with check_cancellation_with(lambda: None):
    ...     check_cancellation()
    """
    token = _CHECK.set(refuse)
    try:
        yield
    finally:
        _CHECK.reset(token)


@contextlib.contextmanager
def limit_effort(tokens: int) -> Iterator[None]:
    """Limit the repeated columns of a statement of `tokens` tokens, which the block reads.

    >>> with limit_effort(10):
    ...     count_repetition(25_160, Repeated.ALIAS)
    >>> with limit_effort(10):
    ...     count_repetition(25_161, Repeated.ALIAS)
    Traceback (most recent call last):
    icemelt.errors.NotYet: The statement becomes too large: its aliases repeat what they stand for.
    Hint: Compute the inner ones in a subquery.
    """
    token = _EFFORT.set(_Effort(tokens))
    try:
        yield
    finally:
        _EFFORT.reset(token)


def check_cancellation() -> None:
    """Ask now whether the statement was cancelled."""
    refuse = _CHECK.get()
    if refuse is not None:
        refuse()


def count_step() -> None:
    """Count one part of a statement; every 256 parts ask whether the statement was cancelled."""
    now = _EFFORT.get()
    if now is None:
        return
    now.steps += 1
    if now.steps % _STEPS_BETWEEN_CHECKS == 0:
        check_cancellation()


def count_repetition(parts: int, what: Repeated) -> None:
    """Count parts that replace a name.

    Args:
        parts: the number of parts.
        what: the kind of name.

    Raises:
        NotYet: the statement has more repeated columns than a statement may have.
    """
    now = _EFFORT.get()
    if now is None:
        return
    weight, why, hint = what.value
    now.left -= parts * weight
    if now.left < 0:
        raise NotYet(f"The statement becomes too large: {why}.", hint=hint)
