"""Spark SQL made of statements: the wall checks every such text here before Spark runs the text.

Some expressions go to Spark without the wall: `session/files/`, `session/copy/`, `tables/writes/`
and `engine/` write these, with names and texts of a statement in quotes.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from icemelt.errors import Never
from icemelt.session.runtime.core import Core
from icemelt.spark_java import (
    java_class,
    java_session,
    keep_schema,
    schema_text,
    select_values,
)

__all__ = ["explain_by_keys", "run_by_keys", "run_sql", "select", "where"]

_ROWS_BY_KEYS = "icemelt.spark.RowsByKeys"
# a column's name cannot imitate this text: JSON escapes the quotes of a name
_PYTHON_CLASS_TYPE = '"type":"udt"'


def run_sql(core: Core, text: str) -> DataFrame:
    """Return a Spark SQL statement as a data frame; a query is analysed, and not run.

    Raises:
        Never: the text holds more than queries of the session's own tables, or a column's type is a
            Python class.
    """
    core.wall.check_query(text)
    return _require_sql_types(core.spark.sql(text))


def run_by_keys(core: Core, text: str, most_bytes: int, most_rows: int, *, is_large: bool) -> None:
    """Run a statement that finds its rows by the keys of its source, if that is small.

    Args:
        core: the session's parts.
        text: the Spark SQL of an UPDATE, DELETE or MERGE.
        most_bytes: the most bytes, as Spark expects them, of a source that is kept.
        most_rows: how many rows a source may have whose keys are broadcast.
        is_large: whether the target is so large that it is worth to leave out a part of its files.

    Raises:
        Never: the text holds more than queries of the session's own tables.
    """
    core.wall.check_query(text)
    rows = java_class(core.spark, _ROWS_BY_KEYS)
    rows.run(java_session(core.spark), text, most_bytes, most_rows, is_large)


def explain_by_keys(core: Core, text: str) -> tuple[str, list[str]]:
    """Return the equalities that tell a statement's keys, and Spark's plan; nothing is run.

    Args:
        core: the session's parts.
        text: the Spark SQL of an UPDATE, DELETE or MERGE.

    Raises:
        Never: the text holds more than queries of the session's own tables.
    """
    core.wall.check_query(text)
    rows = java_class(core.spark, _ROWS_BY_KEYS)
    keys, *lines = rows.explain(java_session(core.spark), text).splitlines()
    return keys, [line for line in lines if line.strip()]


def select(core: Core, rows: DataFrame, expressions: Iterable[str]) -> DataFrame:
    """Return the values of SQL expressions over the rows of a data frame.

    Args:
        core: the session's parts.
        rows: the data frame.
        expressions: the SQL of each column.

    Raises:
        Never: an expression holds more than queries of the session's own tables.
    """
    listed = list(expressions)
    core.wall.check_expressions(listed)
    return _require_sql_types(select_values(rows, *listed))


def where(core: Core, rows: DataFrame, condition: str) -> DataFrame:
    """Return the rows of a data frame for which a condition is true.

    Args:
        core: the session's parts.
        rows: the data frame.
        condition: the SQL of the condition.

    Raises:
        Never: the condition holds more than queries of the session's own tables.
    """
    core.wall.check_expressions([condition])
    return rows.where(condition)


def _require_sql_types(frame: DataFrame) -> DataFrame:
    """Return a data frame if all types are SQL's.

    PySpark would import the class of another type.
    """
    schema = schema_text(frame)
    if _PYTHON_CLASS_TYPE in schema:
        raise Never("A column has a type that is a class.", hint="CAST it to a type of SQL.")
    keep_schema(frame, schema)
    return frame
