"""A machine that gives the process no thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def no_more_threads() -> Iterator[None]:
    """Let the machine give the process no thread: each would need more memory than there is."""
    before = threading.stack_size(1 << 46)
    try:
        yield
    finally:
        threading.stack_size(before)
