"""The effort of reading one statement: short texts do not become large trees, nor outlive a cancel.

Python reads a statement in one thread, and nothing ends that from outside. What reads therefore
calls `step` for each part it reads, generates or lowers: every few hundred of them it is asked
whether to go on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from icemelt.errors import NotYet

__all__ = ["copies", "effort", "hear", "heard", "step"]

# steps between two questions: some milliseconds
_APART = 256
# nodes that may be copied of what has a name, besides some for each token
_COPIED, _FOR_A_TOKEN = 20_000, 16


class _Effort:
    """What one statement has taken so far."""

    __slots__ = ("copies_left", "steps")

    def __init__(self, tokens: int) -> None:
        self.steps = 0
        self.copies_left = _COPIED + _FOR_A_TOKEN * tokens


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
    ...     copies(20_160)
    >>> with effort(10):
    ...     copies(20_161)
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


def copies(nodes: int) -> None:
    """Take note of nodes that are copied to where a name stands for them.

    Raises:
        NotYet: they are more than the statement may have.
    """
    now = _NOW.get()
    if now is None:
        return
    now.copies_left -= nodes
    if now.copies_left < 0:
        raise NotYet(
            "The statement becomes too large: its aliases repeat what they stand for.",
            hint="Compute the inner ones in a subquery.",
        )
