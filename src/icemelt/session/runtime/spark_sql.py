"""The door to Spark SQL: each text that Spark gets passes the wall here."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from icemelt.errors import Never
from icemelt.session.runtime.core import Core
from icemelt.spark_java import java_frame

__all__ = ["run_sql", "select", "where"]

# within the names of columns there are backslashes before the quotes
_CLASS = '"type":"udt"'


def run_sql(core: Core, text: str) -> DataFrame:
    """Return a statement of Spark SQL as a data frame; a query is analysed, and not run.

    Raises:
        Never: the text holds more than queries of the session's own tables, or its rows a class.
    """
    core.wall.check_query(text)
    return _known(core.spark.sql(text))


def select(core: Core, rows: DataFrame, expressions: Iterable[str]) -> DataFrame:
    """Return expressions over rows.

    Raises:
        Never: an expression holds more than queries of the session's own tables.
    """
    listed = list(expressions)
    core.wall.check_expressions(listed)
    return _known(rows.selectExpr(*listed))


def where(core: Core, rows: DataFrame, condition: str) -> DataFrame:
    """Return the rows for which a condition is true.

    Raises:
        Never: the condition holds more than queries of the session's own tables.
    """
    core.wall.check_expressions([condition])
    return rows.where(condition)


def _known(frame: DataFrame) -> DataFrame:
    """Let rows pass whose types are all of SQL: PySpark imports the class of another one."""
    if _CLASS in java_frame(frame).schema().json():
        raise Never("A column has a type that is a class.", hint="CAST it to a type of SQL.")
    return frame
