"""REDO_LOG of a view: what each commit to a table under it changed in its rows.

A view's versions are the commits that changed rows of its tables, one for all of them that a
transaction wrote; the number of such a version is the lake's commit number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from icemelt.algebra.nodes import Pin
from icemelt.engine.lease import Lease
from icemelt.names import quote
from icemelt.session.core import Core
from icemelt.session.points import Timeline
from icemelt.session.view_changes import (
    BaseInterval,
    ViewPlan,
    base_intervals,
    naming,
    view_changes,
    view_inserts,
)
from icemelt.sql.own_columns import COMMIT_COLUMNS

__all__ = ["redone_view"]

# the plan of more is too large for Spark: so many versions are run, and their changes kept
_TOGETHER = 16


def redone_view(
    timeline: Timeline,
    view: ViewPlan,
    commits: tuple[int, int],
    lease: Lease,
    *,
    initial: bool = False,
) -> str:
    """Return the relation of the changes of every version between two commit numbers.

    `view` has the intervals of its tables between the two. `initial` says that its rows at the
    first are given before, as that commit's.

    Raises:
        PointError: files of a version are gone.
        UnsupportedError: the changes of the view's query cannot be told.
    """
    core = timeline.core
    changes = partial(view_changes, core, view.view, view.state, lease=lease)
    tables = [base.table for base in view.bases]
    parts: list[str] = []
    if initial:
        rows = view_inserts(core, view.view, view.state, view.bases, lease, Pin.OLD)
        start = max(base.versions.start.moment.time for base in view.bases)
        parts.append(_dated(rows, commits[0], start))
    before = commits[0]
    for number, time in sorted(_commits(view.bases).items()):
        with naming(view.view):
            bases = base_intervals(timeline, tables, (before, number))
        parts.append(_dated(changes(bases=bases), number, time))
        if len(parts) == _TOGETHER and lease.collects:
            parts = [_kept(core, parts, lease)]
        before = number
    if not parts:
        parts.append(_dated(changes(bases=view.bases), 0, 0))
    return f"({' UNION ALL '.join(parts)})"


def _commits(bases: Sequence[BaseInterval]) -> dict[int, int]:
    """Return the commits that may have changed rows, by number, and their times."""
    changing = [version for base in bases for _, version in base.versions.changing]
    return {version.moment.commit_number: version.moment.time for version in changing}


def _dated(changes: str, number: int, time: int) -> str:
    version, timestamp = map(quote, COMMIT_COLUMNS)
    dated = f"CAST({number} AS BIGINT) AS {version}, timestamp_millis({time}) AS {timestamp}"
    return f"SELECT *, {dated} FROM {changes}"


def _kept(core: Core, parts: Sequence[str], lease: Lease) -> str:
    """Run queries and return the query of what they gave; executors keep it for a while."""
    rows = core.spark.sql(" UNION ALL ".join(parts)).localCheckpoint()
    return f"SELECT * FROM {lease.named(rows)}"
