"""What one run of a statement keeps to itself: how it reads changes of views, and what it holds."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

__all__ = ["StatementScope"]


@dataclass(slots=True)
class StatementScope:
    """One run of a statement, from its planning to the end of its execution.

    A derivative may join rows that never stood beside each other, one of before and one of after.
    They cancel, but an expression may fail on them: then only a run over both ends tells. That one
    reads all rows, also one that has not changed and on which an expression fails: then only the
    derivative tells. So the planner notes what the statement may be run with instead.

    Args:
        strategy: how the changes of views are read, a value of VIEW_CHANGES.
        fallback_strategy: what `strategy` would be for another run, where this one fails on a
            value; empty where the statement reads no changes of a view, or all was tried.
        disable_aqe: whether Spark plans the statement's query once, and not after each stage.
        resources: what is released at the end of the run.
    """

    strategy: str = "AUTO"
    fallback_strategy: str = ""
    disable_aqe: bool = False
    resources: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
