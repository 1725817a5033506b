"""The statements in the same Spark as a flush, and the blame for a Spark ended by rows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

__all__ = ["ConcurrentStatements"]


@dataclass(frozen=True, slots=True)
class ConcurrentStatements:
    """The statements that run in the same Spark as flushes, as seen by a server.

    - `has_statements` tells whether statements ran in the Spark that died just now.
    - `hold_statements` is a context in which no statement begins.
    - `blame` is called with the owner of a channel whose append ended Spark.
    - `require_allowed` raises an error for an owner who may not append to tables written by Spark.
    """

    has_statements: Callable[[], bool] = lambda: False
    hold_statements: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    blame: Callable[[str], None] = lambda _owner: None
    require_allowed: Callable[[str], None] = lambda _owner: None
