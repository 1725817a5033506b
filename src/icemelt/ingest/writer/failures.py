"""Why rows were not written, and whether the same rows may be written later."""

from __future__ import annotations

import errno

from icemelt.errors import CatalogError, FileRefused, IcemeltError, NoThreads, TransactionError
from icemelt.ingest.errors import ServerAway

__all__ = ["is_permanent", "may_pass_later", "reason_of", "shorten"]

# the most characters of a reason: a channel keeps the reason, and every status repeats it
_LONGEST_REASON = 1_000


def may_pass_later(error: Exception) -> bool:
    """Tell whether the same rows may be written later: catalog, disk, files or threads are away.

    A death of Spark under the rows is handled elsewhere.
    """
    if isinstance(error, OSError):
        return error.errno != errno.ENAMETOOLONG
    passing = CatalogError | TransactionError | FileRefused | ServerAway | NoThreads
    return isinstance(error, passing)


def is_permanent(error: Exception) -> bool:
    """Tell whether an error is known not to pass, so that another try is useless."""
    return isinstance(error, IcemeltError) and not may_pass_later(error)


def reason_of(error: Exception) -> str:
    """Return an error as one line; rows of other channels are not quoted."""
    if isinstance(error, IcemeltError):
        return shorten(error.message)
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return shorten(lines[0])


def shorten(text: str) -> str:
    """Return the beginning of a reason; every status of a channel repeats the reason."""
    return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 1] + "…"
