"""What runs in Spark beside the appends that are written, and what becomes of who ends it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

__all__ = ["Beside"]


@dataclass(frozen=True, slots=True)
class Beside:
    """The statements that run in the same Spark as appends are written, as a server knows them.

    `has_statements` tells whether some ran when Spark died just now; within `hold_statements` none
    begins. `blame` is told the owner of a channel whose append ended Spark, and `refuse` lets an
    owner pass who may append to tables that Spark writes.
    """

    has_statements: Callable[[], bool] = lambda: False
    hold_statements: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    blame: Callable[[str], None] = lambda _owner: None
    refuse: Callable[[str], None] = lambda _owner: None
