"""RESULT_SCAN: the rows of an earlier result of the session as a relation of a query."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.engine.resources import StatementResources
from icemelt.engine.spark_types import type_of
from icemelt.errors import ObjectNotFound, QueryError
from icemelt.names import fold_column
from icemelt.quoting import quote
from icemelt.schema import DataType
from icemelt.session.runtime.collecting import restore_frame
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.kept_results import ResultRows
from icemelt.sql.statements import ResultScan

__all__ = ["result_columns", "result_relation"]


def result_columns(core: Core, scan: ResultScan) -> Mapping[str, DataType] | None:
    """Return the types of a result's columns by name; None where a type is Spark's alone.

    Raises:
        ObjectNotFound: the rows of the result are not kept.
        QueryError: two columns have one name.
    """
    rows = _find_rows(core, scan)
    types = {field.name: type_of(field.dataType) for field in rows.schema.fields}
    known = {name: kind for name, kind in types.items() if kind is not None}
    return known if len(known) == len(types) else None


def result_relation(core: Core, scan: ResultScan, resources: StatementResources) -> str:
    """Return the quoted name of a relation with the rows of a result.

    Args:
        core: the session's parts.
        scan: the result.
        resources: gain the relation's view.
    """
    rows = _find_rows(core, scan)
    return quote(resources.create_view(restore_frame(core.spark, rows.table, rows.schema)))


def _find_rows(core: Core, scan: ResultScan) -> ResultRows:
    statement_id = scan.statement_id or core.settings.find_statement_id(scan.position)
    if statement_id is None:
        raise ObjectNotFound(
            f"The session has no statement LAST_QUERY_ID({scan.position}).",
            hint="LAST_QUERY_ID() is the last statement that succeeded, LAST_QUERY_ID(1) the "
            "first.",
        )
    rows = core.results.find(statement_id)
    seen: set[str] = set()
    for name in rows.schema.names:
        if fold_column(name) in seen:
            raise QueryError(
                f"The result of statement {statement_id!r} has two columns {name!r}.",
                hint="Give each column a name of its own: SELECT a.id AS a_id, b.id AS b_id.",
            )
        seen.add(fold_column(name))
    return rows
