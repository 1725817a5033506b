"""Which proofs run today: slow ones take turns, a part of them each day, all in `make torture`.

ICEMELT_TEST_DAY chooses the part, a number; it is the day by default. What is named on the command
line runs whatever the day.
"""

from __future__ import annotations

import os
import time
import zlib

__all__ = ["DAY_VARIABLE", "is_on_turn", "today"]

DAY_VARIABLE = "ICEMELT_TEST_DAY"


def today() -> int:
    """Return the number of the day whose proofs run."""
    return int(os.environ.get(DAY_VARIABLE) or time.time() // 86_400)


def is_on_turn(name: str, days: int) -> bool:
    """Tell whether a test of a name runs today, if it runs once in a number of days."""
    return (zlib.crc32(name.encode()) + today()) % days == 0
