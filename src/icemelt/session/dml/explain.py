"""EXPLAIN of statements: of queries, and of those that change rows in place."""

from __future__ import annotations

from icemelt.engine.resources import StatementResources
from icemelt.errors import NotYet
from icemelt.session.dml.merging import explain_statement
from icemelt.session.dml.row_level import bind_row_level
from icemelt.session.dml.writing import WriteTarget
from icemelt.session.queries import explain as queries
from icemelt.session.queries.binding import BoundQuery, relations_of, resolve_all
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.sql.statements import Explain, RowLevel, Select

__all__ = ["explain"]


def explain(core: Core, statement: Explain) -> LocalRows:
    """Return the plan of a statement, one line a row; ANALYZE runs it, and else nothing runs.

    Raises:
        NotYet: the statement is neither a query, nor UPDATE, DELETE or MERGE; or ANALYZE is asked
            for of another than a query.
    """
    if statement.is_analyzed and not isinstance(statement.statement, Select):
        raise NotYet(
            "EXPLAIN ANALYZE runs queries alone: it changes nothing.",
            hint="EXPLAIN without ANALYZE tells how the rows are found.",
        )
    if isinstance(statement.statement, RowLevel):
        return _explain_row_level(core, statement.statement, is_extended=statement.is_extended)
    return queries.explain(core, statement)


def _explain_row_level(core: Core, statement: RowLevel, *, is_extended: bool) -> LocalRows:
    state = resolve_all(core, statement.references, [statement.target.name])
    table = core.table_in(state, statement.target.name)
    relation = core.iceberg.pin(table.known_location)
    target = WriteTarget(table, core.iceberg.metadata(table.known_location), relation)
    bound = BoundQuery("", state, StatementResources(core.iceberg, collects=False))
    try:
        with translated(core.spark):
            relations = {
                **relations_of(core, statement.references, bound),
                statement.target.slot: relation,
            }
            text = bind_row_level(core, statement, target, relations)
            way, plan = explain_statement(core, text, target.base, bound)
            changes = queries.change_plan_lines(core, bound)
    finally:
        bound.resources.release()
    spark_plan = queries.spark_plan_lines("Spark plan", plan, bound, is_extended=is_extended)
    lines = [f"{statement.kind.value} of {table.name}", *way, *changes, *spark_plan]
    return LocalRows(("plan",), tuple((line,) for line in lines))
