"""The door to Spark SQL: each text that Spark gets passes the wall here."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from icemelt.session.core import Core

__all__ = ["run_sql", "select", "where"]


def run_sql(core: Core, text: str) -> DataFrame:
    """Return a statement of Spark SQL as a data frame; a query is analysed, and not run.

    Raises:
        Never: the text holds more than queries of the session's own tables.
    """
    core.wall.check_query(text)
    return core.spark.sql(text)


def select(core: Core, rows: DataFrame, expressions: Iterable[str]) -> DataFrame:
    """Return expressions over rows.

    Raises:
        Never: an expression holds more than queries of the session's own tables.
    """
    listed = list(expressions)
    core.wall.check_expressions(listed)
    return rows.selectExpr(*listed)


def where(core: Core, rows: DataFrame, condition: str) -> DataFrame:
    """Return the rows for which a condition is true.

    Raises:
        Never: the condition holds more than queries of the session's own tables.
    """
    core.wall.check_expressions([condition])
    return rows.where(condition)
