"""Emit the events of a statement's beginning and end, and of the fetch of its rows."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from icemelt.errors import IcemeltError, InternalError, StatementCancelled
from icemelt.observe.emitting import emit
from icemelt.observe.events import (
    CURRENT_STATEMENT,
    Event,
    RowsFetched,
    StatementBegan,
    StatementEnded,
)

__all__ = ["classify_statement", "error_code_of", "watch_fetch", "watch_statement"]

# the first words of statements; any other first word is the kind OTHER
_KINDS = frozenset(
    {
        "ALTER",
        "BEGIN",
        "COMMIT",
        "CONSUME",
        "COPY",
        "CREATE",
        "DELETE",
        "DESC",
        "DESCRIBE",
        "DROP",
        "EXPLAIN",
        "INSERT",
        "MERGE",
        "OPTIMIZE",
        "RESTORE",
        "ROLLBACK",
        "SELECT",
        "SHOW",
        "START",
        "TRUNCATE",
        "UNDROP",
        "UPDATE",
        "USE",
        "VALUES",
        "WITH",
    }
)


def classify_statement(words: str) -> str:
    """Return the kind of a statement, its first word; `OTHER` for a word not in the list.

    >>> (
    ...     classify_statement("SELECT"),
    ...     classify_statement("INSERT OVERWRITE"),
    ...     classify_statement("my secret"),
    ... )
    ('SELECT', 'INSERT', 'OTHER')
    """
    word = words.partition(" ")[0]
    return word if word in _KINDS else "OTHER"


@contextlib.contextmanager
def watch_statement(statement_id: str, session_id: str, words: str) -> Iterator[None]:
    """Emit events at the beginning and the end of the block, in which a statement runs.

    Args:
        statement_id: the statement's id, added to the events of this thread meanwhile.
        session_id: the session of the statement.
        words: the first words of the statement's text.
    """
    kind = classify_statement(words)
    emit(StatementBegan(statement_id, session_id, kind))
    with _watch(
        statement_id,
        lambda seconds, code: StatementEnded(statement_id, session_id, kind, seconds, code),
    ):
        yield


@contextlib.contextmanager
def watch_fetch(statement_id: str, *, is_whole: bool = True) -> Iterator[None]:
    """Emit an event at the end of the block, in which rows of a statement are fetched.

    Args:
        statement_id: the statement's id.
        is_whole: whether the block fetches all rows.
    """
    with _watch(
        statement_id, lambda seconds, code: RowsFetched(statement_id, seconds, code, is_whole)
    ):
        yield


@contextlib.contextmanager
def _watch(statement_id: str, ended: Callable[[float, str | None], Event]) -> Iterator[None]:
    before = CURRENT_STATEMENT.set(statement_id)
    began, code = time.monotonic(), None
    try:
        yield
    except BaseException as error:
        code = error_code_of(error)
        raise
    finally:
        emit(ended(time.monotonic() - began, code))
        CURRENT_STATEMENT.reset(before)


def error_code_of(error: BaseException) -> str:
    """Return the code of an error.

    A KeyboardInterrupt has cancelled a statement. Any other foreign error is a bug in icemelt.

    >>> error_code_of(KeyboardInterrupt()), error_code_of(ZeroDivisionError())
    ('statement-cancelled', 'internal')
    """
    if isinstance(error, IcemeltError):
        return error.code
    is_interrupt = isinstance(error, KeyboardInterrupt)
    return StatementCancelled.code if is_interrupt else InternalError.code
