"""The limits of statements that clients submit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from icemelt.catalog.activity_records import KeyRecord
from icemelt.server.failures import Busy
from icemelt.server.submissions import SubmissionRun

__all__ = ["StatementLimits", "require_capacity"]


@dataclass(frozen=True, slots=True)
class StatementLimits:
    """The limits of statements.

    - `waiting`: the number of statements running or waiting; one key may have half of the number.
    - `timeout`: the longest run in seconds, 0 is without end; a key may have a timeout of its own.
    - `most_rows`, `most_bytes`: the limits of one result.
    - `most_kept_bytes`: the limit of all kept results; keys have equal shares where all is taken.
    - `most_waiting_bytes`: the limit of one key's texts and parameters that run or wait.
    - `most_done_bytes`: the limit of one key's kept outcomes, without rows.
    - `kept_seconds`: the time rows are kept after the last request for rows.
    - `by_key`: whether keys have shares; if not, everybody has the same key, which may run all.
    """

    waiting: int = 200
    timeout: float = 3600.0
    most_rows: int = 1_000_000
    most_bytes: int = 256 << 20
    most_kept_bytes: int = 4 << 30
    most_waiting_bytes: int = 64 << 20
    most_done_bytes: int = 8 << 20
    kept_seconds: float = 600.0
    by_key: bool = True


def require_capacity(
    limits: StatementLimits, submissions: Iterable[SubmissionRun], owner: KeyRecord, size: int
) -> None:
    """Refuse a submission if too much waits; no key below its share is, for others.

    Args:
        limits: the limits.
        submissions: the submissions that are known.
        owner: the key of the new submission.
        size: the bytes of the new submission.

    Raises:
        Busy: the submission is refused.
    """
    most, under_way = limits.waiting, [s for s in submissions if not s.is_done]
    of_key = sum(submitted.owner.key_id == owner.key_id for submitted in under_way)
    keys = {owner.key_id, *(submitted.owner.key_id for submitted in under_way)}
    share = min(most // len(keys), most // 2) if limits.by_key else 0
    is_full = len(under_way) >= most and of_key >= share
    if is_full or (limits.by_key and of_key >= most // 2):
        raise Busy(
            f"{len(under_way)} statements run or wait, {of_key} of them of this key: as many "
            "as may.",
            hint="Submit it again a little later.",
        )
    waiting = sum(
        submitted.size for submitted in under_way if submitted.owner.key_id == owner.key_id
    )
    if waiting and waiting + size > limits.most_waiting_bytes:
        raise Busy(
            f"The texts and parameters of this key's statements that run or wait have "
            f"{waiting >> 20} MiB; {limits.most_waiting_bytes >> 20} are as much as may.",
            hint="Submit it again a little later; many rows go through a channel.",
        )
