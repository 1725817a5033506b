"""EXPLAIN: how a query's change scans were planned, then Spark's plan."""

from __future__ import annotations

from pyspark.sql import DataFrame

from icemelt.engine.change_plans import ChangePlan
from icemelt.errors import NotYet
from icemelt.session.queries.binding import BoundQuery, bind_query, frame
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.views.changes import ViewPlan
from icemelt.session.views.explain import change_lines, view_lines
from icemelt.spark_java import java_frame
from icemelt.sql.statements import Explain, Select

__all__ = ["change_plan_lines", "explain"]


def explain(core: Core, statement: Explain) -> LocalRows:
    """Return the plan of a query, one line a row; nothing is run but for the values of a PIVOT."""
    if not isinstance(statement.statement, Select):
        raise NotYet(
            "EXPLAIN shows the plans of queries, and of UPDATE, DELETE and MERGE.",
            hint="EXPLAIN the query inside the statement.",
        )
    bound = bind_query(core, statement.statement.query, collects=False)
    try:
        query = frame(core, bound)
        lines = change_plan_lines(core, bound)
        with translated(core.spark):
            spark_plan = _describe_plan(query)
            kept_plans = [_describe_plan(kept.plan) for kept in bound.resources.kept]
    finally:
        bound.resources.release()
    lines += ["Spark plan", *spark_plan]
    for number, kept_plan in enumerate(kept_plans, start=1):
        lines += [f"Kept rows {number}", *kept_plan]
    return LocalRows(("plan",), tuple((line,) for line in lines))


def change_plan_lines(core: Core, bound: BoundQuery) -> list[str]:
    """Return how the changes that a statement reads are found."""
    return [line for name, plan in bound.plans.items() for line in _plan_lines(core, name, plan)]


def _describe_plan(frame: DataFrame) -> list[str]:
    """Return the lines of Spark's plan of a data frame."""
    text: str = java_frame(frame).queryExecution().simpleString()
    return [f"  {line}" for line in text.splitlines() if line.strip()]


def _plan_lines(core: Core, name: str, plan: ChangePlan | ViewPlan) -> list[str]:
    if isinstance(plan, ChangePlan):
        return change_lines(name, plan)
    return view_lines(core, name, plan)
