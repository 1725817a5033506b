"""Waiting for what tells of no event."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["wait_until"]


def wait_until(holds: Callable[[], bool], seconds: float) -> None:
    """Wait until something holds; fail where it does not within so many seconds."""
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)
