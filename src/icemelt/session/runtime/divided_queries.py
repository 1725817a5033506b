"""Queries in parts: Spark analyses the queries of a long WITH one after the other.

A part that one place of FROM reads stands there in parentheses, which Spark analyses from the
inside in one pass. Any other part, and each part above some others, becomes a temporary view:
Spark keeps the analysed plan. A part that is read several times, and reads many tables, is
computed once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.errors import AnalysisException

from icemelt.engine.kept_rows import keep_rows
from icemelt.engine.resources import StatementResources
from icemelt.errors import NotYet
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.sql.effort import check_cancellation
from icemelt.sql.statements import DividedQuery, Query, QueryPart

__all__ = ["MOST_TABLES", "MOST_TABLES_OF_PART", "bind_in_parts"]

# queries in parentheses within each other: Spark's parser takes memory of the stack for each
_MOST_LEVELS = 16
# tables in one plan: each reading of a part reads its tables, unless its rows are kept
MOST_TABLES, MOST_TABLES_OF_PART = 48, 8
_MOST_READS = 2_000


def bind_in_parts(
    core: Core,
    query: Query,
    relations: Mapping[str, str],
    resources: StatementResources,
    values: Mapping[str, str] | None = None,
) -> str:
    """Return the text of a query with a relation in every slot, after its parts are analysed.

    Args:
        core: the session's parts.
        query: the query.
        relations: a relation in Spark SQL for the slot of every reference.
        resources: gains the temporary views.
        values: Spark SQL for further slots.
    """
    if query.divided is None:
        return query.bind(relations, values)
    try:
        parts = _Parts(core, resources, {**relations, **(values or {})}, query.divided)
        return parts.bind(query.divided)
    except AnalysisException:
        # as a whole the query has the error, or has none: an unread column may have no name
        return query.bind(relations, values)


@dataclass(slots=True)
class _Parts:
    """Binds the parts of one query.

    Attributes:
        core: the session's parts.
        resources: gains the temporary views.
        filled: the relation for each slot so far.
        divided: the query.
        slots: matches a slot.
        levels: the queries in parentheses within a part, by slot.
        tables: how many tables a part reads, by slot.
    """

    core: Core
    resources: StatementResources
    filled: dict[str, str]
    divided: DividedQuery
    slots: re.Pattern[str] = field(init=False)
    levels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the pattern of all slots."""
        names = [*self.filled, *(part.slot for part in self.divided.parts)]
        self.slots = re.compile("|".join(map(re.escape, names)))

    def bind(self, divided: DividedQuery) -> str:
        """Return the query's text, after all parts are bound."""
        texts = [part.text for part in divided.parts] + [divided.text]
        uses = Counter(slot for text in texts for slot in self.slots.findall(text))
        keeps_rows = self._count_all_tables(divided) > MOST_TABLES
        for part in divided.parts:
            check_cancellation()
            self._bind_part(part, uses[part.slot], keeps_rows=keeps_rows)
        self._require_few_tables(self._count_tables(divided.text))
        return self._fill(divided.text)

    def _bind_part(self, part: QueryPart, uses: int, *, keeps_rows: bool) -> None:
        text, slot = self._fill(part.text), part.slot
        read = [each for each in self.slots.findall(part.text) if each in self.levels]
        self.levels[slot] = 1 + max((self.levels[each] for each in read), default=0)
        self.tables[slot] = self._count_tables(part.text)
        self._require_few_tables(self.tables[slot])
        if uses == 1 and part.is_subquery and self.levels[slot] < _MOST_LEVELS:
            self.filled[slot] = f"({text})"
            return
        frame = run_sql(self.core, text)
        if keeps_rows and uses > 1 and self.tables[slot] >= MOST_TABLES_OF_PART:
            frame, self.tables[slot] = keep_rows(frame, self.resources), 1
        self.filled[slot], self.levels[slot] = self.resources.create_view(frame), 0

    def _count_all_tables(self, divided: DividedQuery) -> int:
        """Return how many tables the query reads if no rows are kept."""
        for part in divided.parts:
            self.tables[part.slot] = self._count_tables(part.text)
        return self._count_tables(divided.text)

    def _count_tables(self, text: str) -> int:
        return sum(self.tables.get(slot, 1) for slot in self.slots.findall(text))

    def _fill(self, text: str) -> str:
        return self.slots.sub(lambda match: self.filled[match[0]], text)

    def _require_few_tables(self, tables: int) -> None:
        """Require few tables in one plan.

        Raises:
            NotYet: Spark would plan the query for minutes.
        """
        if tables > _MOST_READS:
            raise NotYet(
                f"A query reads {_MOST_READS:,} tables at most, each as often as WITH names it.",
                hint="Store the rows of one of its queries in a table.",
            )
