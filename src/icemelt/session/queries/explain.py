"""EXPLAIN: how a query's change scans were planned, then Spark's plan, in short or whole."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.engine.change_plans import ChangePlan
from icemelt.errors import NotYet
from icemelt.session.queries.binding import BoundQuery, bind_query, frame
from icemelt.session.queries.plan_text import shorten_plan
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.views.changes import ViewPlan
from icemelt.session.views.explain import change_lines, view_lines
from icemelt.spark_java import java_frame
from icemelt.sql.statements import Explain, Select
from icemelt.tables.iceberg import folder_of

__all__ = ["change_plan_lines", "explain", "spark_plan_lines"]


def explain(core: Core, statement: Explain) -> LocalRows:
    """Return the plan of a query, one line a row; ANALYZE runs it and tells what that took.

    Nothing is run without ANALYZE but for the values of a PIVOT.
    """
    if not isinstance(statement.statement, Select):
        raise NotYet(
            "EXPLAIN shows the plans of queries, and of UPDATE, DELETE and MERGE.",
            hint="EXPLAIN the query inside the statement.",
        )
    began = time.monotonic()
    bound = bind_query(core, statement.statement.query, collects=statement.is_analyzed)
    try:
        query = frame(core, bound)
        lines = [_run(core, query, bound, began)] if statement.is_analyzed else []
        lines += change_plan_lines(core, bound)
        with translated(core.spark):
            spark_plan = _describe_plan(query)
            kept_plans = [_describe_plan(kept.plan) for kept in bound.resources.kept]
    finally:
        bound.resources.release()
    titles = ["Spark plan", *(f"Kept rows {number}" for number in range(1, len(kept_plans) + 1))]
    for title, plan in zip(titles, (spark_plan, *kept_plans), strict=True):
        lines += spark_plan_lines(title, plan, bound, is_extended=statement.is_extended)
    return LocalRows(("plan",), tuple((line,) for line in lines))


def _run(core: Core, query: DataFrame, bound: BoundQuery, began: float) -> str:
    """Run a query to its last row, and return what that took, in the words of an estimate.

    Args:
        core: the session's parts.
        query: the query.
        bound: what the query reads.
        began: when the statement began, in seconds of the monotonic clock.
    """
    counted = Observation()
    # the columns of a query may have one name
    named = query.toDF(*(f"c{number}" for number in range(len(query.columns))))
    watched = named.observe(counted, F.count(F.lit(1)).alias("rows"))
    with translated(core.spark):
        watched.write.format("noop").mode("overwrite").save()
        work = core.jobs.work()
    bound.resources.validate_read()
    return (
        f"Ran in {time.monotonic() - began:,.2f} s: {counted.get['rows']:,} rows, of "
        f"{work.rows:,} rows and {work.bytes / 1e6:,.1f} MB read, Spark jobs: {work.jobs}"
    )


def change_plan_lines(core: Core, bound: BoundQuery) -> list[str]:
    """Return how the changes that a statement reads are found."""
    return [line for name, plan in bound.plans.items() for line in _plan_lines(core, name, plan)]


def spark_plan_lines(
    title: str, plan: Sequence[str], bound: BoundQuery, *, is_extended: bool
) -> list[str]:
    """Return a plan of Spark's below its title, in short or whole.

    Args:
        title: the title.
        plan: the lines of the plan.
        bound: what the plan reads.
        is_extended: whether all is shown that Spark says.
    """
    tables = {
        folder_of(record.known_location): str(name) for name, record in bound.state.tables.items()
    }
    shown = plan if is_extended else shorten_plan(plan, tables)
    return [title, *(f"  {line}" for line in shown)]


def _describe_plan(frame: DataFrame) -> list[str]:
    """Return the lines of Spark's plan of a data frame."""
    text: str = java_frame(frame).queryExecution().simpleString()
    return [line for line in text.splitlines() if line.strip()]


def _plan_lines(core: Core, name: str, plan: ChangePlan | ViewPlan) -> list[str]:
    if isinstance(plan, ChangePlan):
        return change_lines(name, plan)
    return view_lines(core, name, plan)
