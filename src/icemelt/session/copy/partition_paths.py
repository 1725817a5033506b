"""The paths of partitions: texts as folders below a location, and how Spark carries the texts.

Spark makes a folder of each partition itself, under a name made of hexadecimal digits, so that no
text is a path before it is checked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from icemelt.errors import ValueRefused
from icemelt.names import fold
from icemelt.storage.folder_walk import NULL_PARTITION
from icemelt.storage.locations import shorten

__all__ = ["FOLDER_NAME", "folder_of_partition", "is_partition", "partition_columns", "read_text"]

# the name of a statement's folder
FOLDER_NAME = re.compile(r"data_([0-9a-f-]{36})(_\d+)?")
# Spark's name for NULL and for an empty text
_SPARKS_NULL = "__HIVE_DEFAULT_PARTITION__"
# two columns have their digits; a folder's name has up to 255 bytes
_MAX_BYTES, _MAX_SEGMENTS = 240, 100
_DIGITS = _MAX_BYTES


def partition_columns(sql: str, taken: Collection[str]) -> dict[str, str]:
    """Return the columns by which Spark makes folders of partitions, as SQL by the columns' names.

    A text of up to 240 bytes is their digits, after an `x` that tells an empty text from NULL. Of a
    longer text, one more byte is there.

    Args:
        sql: the text of a row's partition.
        taken: the names of the files' columns.

    >>> list(partition_columns("c2", ["P0"]))
    ['p_0', 'p_1']
    """
    prefix, folded = "p", {fold(name) for name in taken}
    while any(f"{prefix}{index}" in folded for index in range(2)):
        prefix += "_"
    digits = f"concat('x', hex({sql}))"
    return {
        f"{prefix}0": f"substring({digits}, 1, {_DIGITS + 1})",
        f"{prefix}1": f"substring({digits}, {_DIGITS + 2}, {_DIGITS + 2})",
    }


def folder_of_partition(text: str | None) -> str:
    """Return the path of a partition's files below the location.

    Raises:
        ValueRefused: the path could lead out of the location, readers would pass over its files, or
            some file system has no such path.

    >>> folder_of_partition("day=2024-01-01/hour=5"), folder_of_partition(None)
    ('day=2024-01-01/hour=5', '_NULL_')
    >>> folder_of_partition("day=1/../..")
    Traceback (most recent call last):
    ...
    icemelt.errors.ValueRefused: The partition 'day=1/../..' is no path below the location: '..'...
    """
    if text is None:
        return NULL_PARTITION
    segments = text.split("/")
    reason = next(filter(None, map(_find_fault, segments)), None)
    if reason is None and len(text.encode()) > _MAX_BYTES:
        reason = f"it has more than {_MAX_BYTES} bytes"
    if len(segments) > _MAX_SEGMENTS:
        reason = f"it has more than {_MAX_SEGMENTS} folders"
    if reason is not None:
        raise _refusal(shorten(text), reason)
    return text


def is_partition(path: str) -> bool:
    """Tell whether a path below a location is that of a partition's files.

    >>> is_partition("_NULL_"), is_partition("day=1"), is_partition("..")
    (True, True, False)
    """
    try:
        return path == folder_of_partition(None if path == NULL_PARTITION else path)
    except ValueRefused:
        return False


def read_text(staged: str) -> str | None:
    """Return the text of the partition whose files Spark has written into a folder.

    >>> read_text("p0=x6461793D31/p1=__HIVE_DEFAULT_PARTITION__")
    'day=1'
    """
    values = [part.partition("=")[2] for part in staged.split("/")]
    digits = "".join(value for value in values if value != _SPARKS_NULL)
    if not digits:
        return None
    text = bytes.fromhex(digits[1:])
    try:
        return text.decode()
    except UnicodeDecodeError:
        shown = shorten(text.decode(errors="replace"))
        reason = "it is no Unicode"
        if len(text) > _MAX_BYTES:
            reason = f"it has more than {_MAX_BYTES} bytes"
        raise _refusal(shown, reason) from None


def _find_fault(segment: str) -> str | None:
    """Return why a name between two slashes may not be a folder's, None if it may."""
    if not segment:
        return "a name between slashes, or before the first or after the last, is empty"
    if set(segment) == {"."}:
        return f"{segment!r} is no name of a folder"
    if segment == NULL_PARTITION:
        return f"{NULL_PARTITION!r} is the folder of rows whose partition is NULL"
    if segment.startswith(("_", ".")):
        return f"readers pass over {shorten(segment)}, which begins with {segment[0]!r}"
    if "\\" in segment or any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in segment):
        return "it has a backslash or a control character"
    if FOLDER_NAME.fullmatch(segment):
        return f"{segment!r} is the name of a folder that COPY INTO makes"
    return None


def _refusal(shown: str, reason: str) -> ValueRefused:
    return ValueRefused(
        f"The partition {shown} is no path below the location: {reason}.",
        hint="PARTITION BY ('day=' || TO_VARCHAR(day)); REPLACE takes signs out of a text.",
    )
