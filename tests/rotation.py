"""Which tests run: what asks for Spark takes turns, a part of the tests every three hours.

`make test` runs the tests on turn, CI those of the next turn as well, and `make torture` what
`make test` leaves. Two variables choose other turns, and what is named on the command line runs
whatever the turn:

- ICEMELT_TEST_TURN: the number of the turn; by default the hours since 1970, divided by three.
- ICEMELT_TEST_TURNS: how many turns, one after the other; 1 by default.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["TURN_VARIABLE", "choose", "is_on_turn", "this_turn"]

TURN_VARIABLE = "ICEMELT_TEST_TURN"
_TURNS_VARIABLE = "ICEMELT_TEST_TURNS"
_SECONDS = 3 * 3_600

_T = TypeVar("_T")


def this_turn() -> int:
    """Return the number of the turn whose tests run."""
    return int(os.environ.get(TURN_VARIABLE) or time.time() // _SECONDS)


def is_on_turn(name: str, turns: int) -> bool:
    """Tell whether a test of a name runs, if it runs once in a number of turns."""
    since = (zlib.crc32(name.encode()) + this_turn()) % turns
    return since < int(os.environ.get(_TURNS_VARIABLE) or 1)


def choose(name: str, options: Sequence[_T]) -> _T:
    """Choose how a test of a name runs in this turn; independent of the turns that it runs in."""
    return options[zlib.crc32(f"{this_turn()} {name}".encode()) % len(options)]
