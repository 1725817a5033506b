"""Files that are read together, and in halves where one of them is at fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from icemelt.errors import FileDamaged, IcemeltError
from icemelt.session.files.byte_streams import find_storage_fault
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core

__all__ = ["divide", "find_lasting_fault"]

_Item = TypeVar("_Item")


def divide(
    items: Sequence[_Item],
    work: Callable[[Sequence[_Item]], IcemeltError | None],
    work_alone: Callable[[_Item, IcemeltError], None],
) -> None:
    """Work on all items together; where one is at fault, on halves, down to it alone.

    Args:
        items: the items, in the order in which they are worked on.
        work: works on items, and returns why one of them is at fault, None where none is. Then
            nothing was done with any of them.
        work_alone: takes an item that is at fault alone, and why.

    >>> def work(items):
    ...     return IcemeltError("odd", hint="") if 3 in items else print(items)
    >>> divide([1, 2, 3, 4], work, lambda item, error: print(item, error.message))
    [1, 2]
    3 odd
    [4]
    """
    if not items:
        return
    fault = work(items)
    if fault is None:
        return
    if len(items) == 1:
        work_alone(items[0], fault)
        return
    half = len(items) // 2
    divide(items[:half], work, work_alone)
    divide(items[half:], work, work_alone)


def find_lasting_fault(
    core: Core, file: SourceFile, fault: IcemeltError, again: Callable[[], IcemeltError | None]
) -> IcemeltError | None:
    """Return why a file cannot be read, None where it could be by now.

    A file that is damaged may be one of a storage that was away for a moment.

    Args:
        core: the session's parts.
        file: the file.
        fault: why it was not read.
        again: reads it once more; returns why it cannot be read, None where it was.

    Returns:
        `FileRefused` where the storage does not give the file now, else the file's own fault.
    """
    if not isinstance(fault, FileDamaged) and not isinstance(fault.__cause__, FileDamaged):
        return fault
    return find_storage_fault(core, file) or again()
