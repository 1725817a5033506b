"""USING TEMPLATE: the columns of a table, from a query over INFER_SCHEMA."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from icemelt.errors import DefinitionRefused, IcemeltError
from icemelt.names import ObjectName, fold
from icemelt.schema import Column, DataType
from icemelt.session.queries.binding import bind_query, frame
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import CreateTable, Query

__all__ = ["read_template"]

_HINT = (
    "Write USING TEMPLATE (SELECT ARRAY_AGG(OBJECT_CONSTRUCT(*)) FROM TABLE(INFER_SCHEMA("
    "LOCATION => '@stage/path', FILE_FORMAT => 'my_format')))."
)


def read_template(core: Core, query: Query) -> tuple[Column, ...]:
    """Return the columns that a query gives as one array of objects.

    The object `{"COLUMN_NAME": "id", "TYPE": "BIGINT", "NULLABLE": true}` is a column. The array is
    in the order of the columns; objects with an `ORDER_ID` are ordered by it.

    Args:
        core: the session's parts.
        query: the query.

    Raises:
        DefinitionRefused: the query gives something else.
    """
    bound = bind_query(core, query)
    try:
        with translated(core.spark):
            rows = frame(core, bound)
            found: list[Any] = []
            if _is_one_array(rows):
                found = rows.toDF("template").selectExpr("to_json(template)").take(2)
    finally:
        bound.resources.release()
    if len(found) != 1 or found[0][0] is None:
        raise DefinitionRefused("A template is one array of objects.", hint=_HINT)
    objects = json.loads(found[0][0])
    if not isinstance(objects, list) or not all(isinstance(each, dict) for each in objects):
        raise DefinitionRefused("A template is one array of objects.", hint=_HINT)
    if not objects:
        raise DefinitionRefused(
            "The template has no columns.",
            hint="Check that INFER_SCHEMA finds columns in the files.",
        )
    described = [{fold(key): value for key, value in each.items()} for each in objects]
    if all(isinstance(each.get("order_id"), int) for each in described):
        described.sort(key=lambda each: each["order_id"])
    return tuple(map(_column, described))


def _is_one_array(rows: DataFrame) -> bool:
    kinds = [field.dataType.typeName() for field in rows.schema.fields]
    return len(kinds) == 1 and kinds[0] in {"array", "variant"}


def _column(described: Mapping[str, Any]) -> Column:
    name, kind = described.get("column_name"), described.get("type")
    if not isinstance(name, str) or not isinstance(kind, str):
        raise DefinitionRefused(
            "A column of the template has no COLUMN_NAME or no TYPE.", hint=_HINT
        )
    return Column(name, _type(name, kind), nullable=described.get("nullable") is not False)


def _type(name: str, kind: str) -> DataType:
    refused = DefinitionRefused(
        f"Column {name!r} of the template has no type that there is: {kind!r}.", hint=_HINT
    )
    try:
        statement = parse_statement(f"CREATE TABLE t (c {kind})")
    except IcemeltError as error:
        raise refused from error
    first = statement.columns[0] if isinstance(statement, CreateTable) else None
    # nothing beside the type: no default, no second column
    if first is None or statement != CreateTable(ObjectName(("t",)), (Column("c", first.type),)):
        raise refused
    return first.type
