"""The statements in the same Spark as a flush, and the blame for a Spark ended by rows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass

__all__ = ["ConcurrentStatements"]


@dataclass(frozen=True, slots=True)
class ConcurrentStatements:
    """The statements that run in the same Spark as flushes, as seen by a server.

    - `has_statements` tells whether statements ran in the Spark that died just now.
    - `hold_statements` is a context in which no statement begins, for a bounded time.
    - `hold_suspects` is a context in which no statement of a suspect runs.
    - `is_suspect` tells whether an owner is a suspect.
    - `blame` is called with the owner of an append that alone ended Spark.
    - `accuse` is called with the owners of all rows that Spark wrote when it died.
    - `require_allowed` raises an error for an owner who may not append to tables written by Spark.
    - `why_given_up` returns why waiting rows of an owner are given up; an empty text if they are
      not.
    """

    has_statements: Callable[[], bool] = lambda: False
    hold_statements: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    hold_suspects: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    is_suspect: Callable[[str], bool] = lambda _owner: False
    blame: Callable[[str], None] = lambda _owner: None
    accuse: Callable[[Collection[str]], None] = lambda _owners: None
    require_allowed: Callable[[str], None] = lambda _owner: None
    why_given_up: Callable[[str], str] = lambda _owner: ""
