"""Why rows were not written, and whether the same rows may be written later."""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence

from icemelt.errors import CatalogError, FileRefused, IcemeltError, NoThreads, TransactionError
from icemelt.ingest.errors import ChannelInvalid, ServerAway
from icemelt.tables.java_causes import NO_SPACE, find_deepest_cause

__all__ = ["is_permanent", "may_pass_later", "reason_of", "require_all_committed", "shorten"]

_SHOWN_CHANNELS = 5
# the most characters of a reason: a channel keeps the reason, and every status repeats it
_LONGEST_REASON = 1_000
# Java's errors about a value, which the next try would find again
_PERMANENT = frozenset(
    {
        "java.lang.ArithmeticException",
        "java.lang.IllegalArgumentException",
        "java.lang.NumberFormatException",
        "org.apache.spark.SparkArithmeticException",
    }
)
_NAME_TOO_LONG = "File name too long"
# from the first path of a text to the last: a folder may have spaces
_PATH = re.compile(r"(?<![\w/])(?:[a-z][a-z0-9]*:)?/(?:.*/)?[^\s'\")]*")
# how Spark begins the text of a task's error, with the address of the machine
_TASK = re.compile(r"^Job aborted due to stage failure: .*? executor [^)]*\): ")


def require_all_committed(channels: Sequence[str]) -> None:
    """Raise an error if an ingestor could not commit the rows of some channels before its end.

    Raises:
        ChannelInvalid: the rows of `channels` could not be committed.
    """
    if channels:
        some = ", ".join(map(repr, channels[:_SHOWN_CHANNELS]))
        count = "1 channel" if len(channels) == 1 else f"{len(channels):,} channels"
        raise ChannelInvalid(
            f"Rows of {count} could not be committed: {some}"
            f"{', …' if len(channels) > _SHOWN_CHANNELS else ''}.",
            hint="Open them again, and send what comes after their committed offset tokens.",
        )


def may_pass_later(error: Exception) -> bool:
    """Tell whether the same rows may be written later: catalog, disk, files or threads are away.

    A death of Spark under the rows is handled elsewhere.
    """
    if isinstance(error, OSError):
        return error.errno != errno.ENAMETOOLONG
    cause = find_deepest_cause(error)
    if cause is not None and any(text in cause.message for text in NO_SPACE):
        return True
    passing = CatalogError | TransactionError | FileRefused | ServerAway | NoThreads
    return isinstance(error, passing)


def is_permanent(error: Exception) -> bool:
    """Tell whether an error is known not to pass, so that another try is useless."""
    cause = find_deepest_cause(error)
    if cause is not None:
        return cause.kind in _PERMANENT or _NAME_TOO_LONG in cause.message
    return isinstance(error, IcemeltError | OSError) and not may_pass_later(error)


def reason_of(error: Exception) -> str:
    r"""Return the deepest cause of an error as one line, without paths of the machine.

    A reason may quote the rows that were written: only their owner may read the reason.

    >>> reason_of(ValueError("No column 'a' in /srv/lake/my table/t.parquet (damaged)\nat …"))
    "No column 'a' in … (damaged)"
    """
    if isinstance(error, IcemeltError):
        return shorten(error.message)
    cause = find_deepest_cause(error)
    if cause is not None:
        text = cause.message
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error)
    lines = text.strip().splitlines() or ["" if cause is None else cause.kind.rpartition(".")[2]]
    return shorten(_PATH.sub("…", _TASK.sub("", lines[0])) or type(error).__name__)


def shorten(text: str) -> str:
    """Return the beginning of a reason; every status of a channel repeats the reason."""
    return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 1] + "…"
