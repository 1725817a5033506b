"""Queries in stages: Spark analyses the queries of a long WITH one after the other.

A stage that one place of FROM reads stands there in parentheses, which Spark analyses from the
inside in one pass. Any other stage, and each stage above some others, becomes a temporary view:
Spark keeps the analysed plan. A stage that is read several times, and reads many tables, is
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
from icemelt.sql.statements import Query, QueryStage, StagedQuery

__all__ = ["MOST_TABLES", "MOST_TABLES_OF_STAGE", "bind_in_stages"]

# queries in parentheses within each other: Spark's parser takes memory of the stack for each
_MOST_LEVELS = 16
# tables in one plan: each reading of a stage reads its tables, unless its rows are kept
MOST_TABLES, MOST_TABLES_OF_STAGE = 48, 8
_MOST_READS = 2_000


def bind_in_stages(
    core: Core,
    query: Query,
    relations: Mapping[str, str],
    resources: StatementResources,
    values: Mapping[str, str] | None = None,
) -> str:
    """Return the text of a query with a relation in every slot, after its stages are analysed.

    Args:
        core: the session's parts.
        query: the query.
        relations: a relation in Spark SQL for the slot of every reference.
        resources: gains the temporary views.
        values: Spark SQL for further slots.
    """
    if query.staged is None:
        return query.bind(relations, values)
    try:
        stages = _Stages(core, resources, {**relations, **(values or {})}, query.staged)
        return stages.bind(query.staged)
    except AnalysisException:
        # as a whole the query has the error, or has none: an unread column may have no name
        return query.bind(relations, values)


@dataclass(slots=True)
class _Stages:
    """Binds the stages of one query.

    Attributes:
        core: the session's parts.
        resources: gains the temporary views.
        filled: the relation for each slot so far.
        staged: the query.
        slots: matches a slot.
        levels: the queries in parentheses within a stage, by slot.
        tables: how many tables a stage reads, by slot.
    """

    core: Core
    resources: StatementResources
    filled: dict[str, str]
    staged: StagedQuery
    slots: re.Pattern[str] = field(init=False)
    levels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the pattern of all slots."""
        names = [*self.filled, *(stage.slot for stage in self.staged.stages)]
        self.slots = re.compile("|".join(map(re.escape, names)))

    def bind(self, staged: StagedQuery) -> str:
        """Return the query's text, after all stages are bound."""
        texts = [stage.text for stage in staged.stages] + [staged.text]
        uses = Counter(slot for text in texts for slot in self.slots.findall(text))
        keeps_rows = self._count_all_tables(staged) > MOST_TABLES
        for stage in staged.stages:
            check_cancellation()
            self._bind_stage(stage, uses[stage.slot], keeps_rows=keeps_rows)
        self._require_few_tables(self._count_tables(staged.text))
        return self._fill(staged.text)

    def _bind_stage(self, stage: QueryStage, uses: int, *, keeps_rows: bool) -> None:
        text, slot = self._fill(stage.text), stage.slot
        read = [each for each in self.slots.findall(stage.text) if each in self.levels]
        self.levels[slot] = 1 + max((self.levels[each] for each in read), default=0)
        self.tables[slot] = self._count_tables(stage.text)
        self._require_few_tables(self.tables[slot])
        if uses == 1 and stage.is_subquery and self.levels[slot] < _MOST_LEVELS:
            self.filled[slot] = f"({text})"
            return
        frame = run_sql(self.core, text)
        if keeps_rows and uses > 1 and self.tables[slot] >= MOST_TABLES_OF_STAGE:
            frame, self.tables[slot] = keep_rows(frame, self.resources), 1
        self.filled[slot], self.levels[slot] = self.resources.create_view(frame), 0

    def _count_all_tables(self, staged: StagedQuery) -> int:
        """Return how many tables the query reads if no rows are kept."""
        for stage in staged.stages:
            self.tables[stage.slot] = self._count_tables(stage.text)
        return self._count_tables(staged.text)

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
