"""Views that a statement reads several times: each becomes one temporary view of Spark's."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from icemelt.session.runtime.divided_queries import MOST_TABLES, MOST_TABLES_OF_PART
from icemelt.session.views.expanded_views import ExpandedView, views_read, views_under

__all__ = ["SharedViews", "count_planned_tables"]

# Spark's functions with other values at each reading
_VOLATILE = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|shuffle|monotonically_increasing_id"
    r"|input_file_\w+)\(|TABLESAMPLE",
    re.IGNORECASE,
)


@dataclass(slots=True)
class SharedViews:
    """The views that a statement reads several times.

    Attributes:
        relations: the relation of each by object id, the time zone around, and whether its columns
            are behind barriers.
        readings: how many places read each view, by object id.
        tables: how many tables all views of the statement read.
        volatile: the object ids of views whose rows differ from reading to reading.
    """

    relations: dict[tuple[str, str, bool], str] = field(default_factory=dict)
    readings: Counter[str] = field(default_factory=Counter)
    tables: int = 0
    volatile: set[str] = field(default_factory=set)

    def count_readings(self, expanded: ExpandedView) -> None:
        """Count a place outside of views that reads a view, and the places in views under it."""
        self.tables += expanded.reads
        self.readings[expanded.view.object_id] += 1
        if self.readings[expanded.view.object_id] > 1:
            return
        for view in views_under(expanded):
            nested = [each.view.object_id for each in views_read(view)]
            self.readings.update(nested)
            if _VOLATILE.search(view.query.text) or not self.volatile.isdisjoint(nested):
                self.volatile.add(view.view.object_id)

    def is_repeated(self, expanded: ExpandedView) -> bool:
        """Tell whether a view is read several times, and has the same rows each time."""
        object_id = expanded.view.object_id
        return self.readings[object_id] > 1 and object_id not in self.volatile

    def keeps_rows(self, expanded: ExpandedView) -> bool:
        """Tell whether a view's rows are computed once: it reads many tables, as the statement."""
        return self.tables > MOST_TABLES and expanded.reads >= MOST_TABLES_OF_PART


def count_planned_tables(expanded: ExpandedView) -> int:
    """Return the most tables that Spark plans at once for a view, where rows are kept.

    A view that is read several times counts as one table where it reads many.
    """
    readings = SharedViews()
    readings.count_readings(expanded)
    tables: dict[str, int] = {}
    most = 0
    for view in views_under(expanded):
        nested = Counter(each.view.object_id for each in views_read(view))
        own = len(view.query.references) - nested.total()
        count = own + sum(times * tables[object_id] for object_id, times in nested.items())
        most = max(most, count)
        is_kept = readings.is_repeated(view) and count >= MOST_TABLES_OF_PART
        tables[view.view.object_id] = 1 if is_kept else count
    return most
