"""How much may wait to be written: of all owners of channels together, and of each."""

from __future__ import annotations

from collections import Counter

from icemelt.ingest.errors import IngestBusy
from icemelt.ingest.writer.table_writer import Limits

__all__ = ["refuse_more"]

# of what may wait, an eighth
_NEXT_TO_NOTHING = 8


def refuse_more(limits: Limits, sizes: Counter[str], owner: str, size: int) -> None:
    """Let more bytes of an owner wait only where there is room for them.

    Where next to nothing waits there is room for an append of any size: one that had to be alone
    would be kept out for ever by those who send little all the time. Where all is taken an owner
    goes on that has no more than a share.

    Args:
        limits: how many bytes may wait.
        sizes: the bytes that wait, by owner.
        owner: whose channel it is.
        size: how many bytes are to wait, too.

    Raises:
        IngestBusy: there is no room.

    >>> limits = Limits(waiting_bytes=100, by_owner=True)
    >>> refuse_more(limits, Counter(ann=50, bob=50), "cay", 33)
    >>> refuse_more(limits, Counter(ann=0), "ann", 1_000)
    """
    most, total, own = limits.waiting_bytes, sizes.total(), sizes[owner]
    is_within_share = limits.by_owner and own + size <= most // len({*sizes, owner})
    if _is_full(total, size, most) and not is_within_share:
        raise _full(f"{total >> 20} MiB of rows wait to be written")
    if limits.by_owner and _is_full(own, size, most // 2):
        raise _full(f"{own >> 20} MiB of rows of this key wait to be written")


def _is_full(waiting: int, size: int, most: int) -> bool:
    """Tell whether there is no room for so many bytes beside those that wait."""
    return waiting >= most or (waiting + size > most and waiting > most // _NEXT_TO_NOTHING)


def _full(what: str) -> IngestBusy:
    return IngestBusy(f"{what}, as much as may.", hint="Send the append again a little later.")
