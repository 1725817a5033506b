"""EXPLAIN: how a query's change scans were planned, then Spark's plan, in short or whole."""

from __future__ import annotations

from pyspark.sql import DataFrame

from icemelt.engine.change_plans import ChangePlan
from icemelt.errors import NotYet
from icemelt.session.queries.binding import bind_query, frame
from icemelt.session.queries.plan_text import shorten_plan
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.views.changes import ViewPlan
from icemelt.session.views.explain import change_lines, view_lines
from icemelt.spark_java import java_frame
from icemelt.sql.statements import Explain, Select
from icemelt.tables.iceberg import folder_of

__all__ = ["explain"]


def explain(core: Core, statement: Explain) -> LocalRows:
    """Return the plan of a query, one line a row; nothing is run but for the values of a PIVOT."""
    if not isinstance(statement.statement, Select):
        raise NotYet(
            "EXPLAIN shows the plans of queries only.",
            hint="EXPLAIN the query inside the statement.",
        )
    bound = bind_query(core, statement.statement.query, collects=False)
    try:
        query = frame(core, bound)
        lines = [
            line for name, plan in bound.plans.items() for line in _plan_lines(core, name, plan)
        ]
        with translated(core.spark):
            spark_plan = _describe_plan(query)
            kept_plans = [_describe_plan(kept.plan) for kept in bound.resources.kept]
    finally:
        bound.resources.release()
    tables = {
        folder_of(record.known_location): str(name) for name, record in bound.state.tables.items()
    }
    titles = ["Spark plan", *(f"Kept rows {number}" for number in range(1, len(kept_plans) + 1))]
    for title, plan in zip(titles, (spark_plan, *kept_plans), strict=True):
        shown = plan if statement.is_extended else shorten_plan(plan, tables)
        lines += [title, *(f"  {line}" for line in shown)]
    return LocalRows(("plan",), tuple((line,) for line in lines))


def _describe_plan(frame: DataFrame) -> list[str]:
    """Return the lines of Spark's plan of a data frame."""
    text: str = java_frame(frame).queryExecution().simpleString()
    return [line for line in text.splitlines() if line.strip()]


def _plan_lines(core: Core, name: str, plan: ChangePlan | ViewPlan) -> list[str]:
    if isinstance(plan, ChangePlan):
        return change_lines(name, plan)
    return view_lines(core, name, plan)
