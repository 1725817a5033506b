"""The rows of kept results for RESULT_SCAN of the same key."""

from __future__ import annotations

import time
from collections.abc import Iterable

from icemelt.catalog.activity_records import KeyRecord
from icemelt.errors import NotYet
from icemelt.server.pages import Pages
from icemelt.server.submissions import SubmissionRun
from icemelt.session.runtime.kept_results import ResultRows, restore_rows

__all__ = ["find_pages", "read_result_rows"]

# the rows are in the memory of Python, and of Java, while the query runs
_MOST_BYTES = 64 << 20


def find_pages(
    submissions: Iterable[SubmissionRun], owner: KeyRecord, statement_id: str
) -> Pages | None:
    """Return the kept rows of a key's statement, which counts as a request for them.

    Only the last statement of a submission has its rows kept.

    Args:
        submissions: the submissions that are known.
        owner: the key that asks.
        statement_id: the id of the statement.
    """
    for submitted in submissions:
        if submitted.owner.key_id != owner.key_id or not submitted.is_done:
            continue
        if submitted.parts[-1].statement_id == statement_id:
            submitted.ended_at = time.monotonic()
            return submitted.pages
    return None


def read_result_rows(pages: Pages) -> ResultRows:
    """Return all rows of a kept result.

    Raises:
        Gone: the rows were deleted.
        NotYet: the rows have more bytes than RESULT_SCAN reads.
    """
    if pages.memory > _MOST_BYTES:
        raise NotYet(
            f"The result has {pages.memory >> 20} MiB; RESULT_SCAN reads {_MOST_BYTES >> 20} MiB "
            "at most.",
            hint="CREATE TABLE t AS SELECT … keeps rows; DROP TABLE t when they were read.",
        )
    return restore_rows(pages.all_rows())
