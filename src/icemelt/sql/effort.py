"""The effort of reading one statement: short texts do not become large trees, nor outlive a cancel.

Python reads a statement in one thread, and nothing ends that from outside. What reads therefore
calls `step` for each part it reads, generates or lowers: every few hundred of them it is asked
whether to go on.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from icemelt.errors import NotYet

__all__ = ["Repeated", "effort", "hear", "heard", "repeat", "step"]

# steps between two questions: some milliseconds
_APART = 256
# columns that names may stand for, again and again, besides some for each token; other things
# count as several of them, by the time that they take
_REPEATED, _FOR_A_TOKEN = 100_000, 64


class Repeated(enum.Enum):
    """What is repeated where its name is: as how many columns a part counts, and the way out."""

    ALIAS = (4, "its aliases repeat what they stand for", "Compute the inner ones in a subquery.")
    COLUMN = (1, "its stars stand for too many columns", "List the columns that are needed.")
    BARRED = (100, "its columns repeat each other", "Store the rows of an inner query in a table.")
    QUERY = (40, "its queries in WITH repeat each other", "Store the rows of one in a table.")


class _Effort:
    """What one statement has taken so far."""

    __slots__ = ("left", "steps")

    def __init__(self, tokens: int) -> None:
        self.steps = 0
        self.left = _REPEATED + _FOR_A_TOKEN * tokens


_REFUSE: ContextVar[Callable[[], None] | None] = ContextVar("refuse", default=None)
_NOW: ContextVar[_Effort | None] = ContextVar("effort", default=None)


@contextlib.contextmanager
def heard(refuse: Callable[[], None]) -> Iterator[None]:
    """Ask `refuse` again and again while statements are read in the block; it raises to end them.

    >>> with heard(lambda: None):
    ...     hear()
    """
    token = _REFUSE.set(refuse)
    try:
        yield
    finally:
        _REFUSE.reset(token)


@contextlib.contextmanager
def effort(tokens: int) -> Iterator[None]:
    """Count what the reading of one statement of so many tokens takes in the block.

    >>> with effort(10):
    ...     repeat(25_160, Repeated.ALIAS)
    >>> with effort(10):
    ...     repeat(25_161, Repeated.ALIAS)
    Traceback (most recent call last):
    icemelt.errors.NotYet: The statement becomes too large: its aliases repeat what they stand for.
    Hint: Compute the inner ones in a subquery.
    """
    token = _NOW.set(_Effort(tokens))
    try:
        yield
    finally:
        _NOW.reset(token)


def hear() -> None:
    """Ask whether to go on, now."""
    refuse = _REFUSE.get()
    if refuse is not None:
        refuse()


def step() -> None:
    """Take note of one part more; ask whether to go on where there were many."""
    now = _NOW.get()
    if now is None:
        return
    now.steps += 1
    if now.steps % _APART == 0:
        hear()


def repeat(parts: int, what: Repeated) -> None:
    """Take note of parts that are put where a name stands for them.

    Raises:
        NotYet: they are more than the statement may have.
    """
    now = _NOW.get()
    if now is None:
        return
    weight, why, hint = what.value
    now.left -= parts * weight
    if now.left < 0:
        raise NotYet(f"The statement becomes too large: {why}.", hint=hint)
