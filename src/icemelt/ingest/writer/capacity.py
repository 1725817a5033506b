"""The room for waiting rows: for all owners of channels together, and for every owner."""

from __future__ import annotations

from collections import Counter

from icemelt.ingest.errors import IngestBusy
from icemelt.ingest.writer.limits import WriterLimits

__all__ = ["require_capacity"]

# the fraction of the room that counts as next to nothing: an eighth
_NEXT_TO_NOTHING = 8


def require_capacity(limits: WriterLimits, sizes: Counter[str], owner: str, size: int) -> None:
    """Raise an error if there is no room for more waiting bytes of an owner.

    If next to nothing waits, there is room for an append of any size. Otherwise a large append,
    needing all the room, would be kept out for ever by small appends. If all room is taken, an
    owner with no more than an equal share still gets room.

    Args:
        limits: the number of bytes that may wait.
        sizes: the waiting bytes, by owner.
        owner: the owner of the channel.
        size: the number of additional bytes.

    Raises:
        IngestBusy: there is no room.

    >>> limits = WriterLimits(waiting_bytes=100, by_owner=True)
    >>> require_capacity(limits, Counter(ann=50, bob=50), "cay", 33)
    >>> require_capacity(limits, Counter(ann=0), "ann", 1_000)
    """
    most, total, own = limits.waiting_bytes, sizes.total(), sizes[owner]
    is_within_share = limits.by_owner and own + size <= most // len({*sizes, owner})
    if _is_full(total, size, most) and not is_within_share:
        raise _full(f"{total >> 20} MiB of rows wait to be written")
    if limits.by_owner and _is_full(own, size, most // 2):
        raise _full(f"{own >> 20} MiB of rows of this key wait to be written")


def _is_full(waiting: int, size: int, most: int) -> bool:
    """Tell whether `size` bytes more have no room beside the waiting bytes."""
    return waiting >= most or (waiting + size > most and waiting > most // _NEXT_TO_NOTHING)


def _full(what: str) -> IngestBusy:
    return IngestBusy(f"{what}, as much as may.", hint="Send the append again a little later.")
