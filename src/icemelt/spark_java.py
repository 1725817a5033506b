"""The Java objects behind PySpark's objects; no other module reads PySpark's private names.

PySpark has no public access to Iceberg's classes, to the planner's result for a query, or to
Hadoop's configuration. A release of PySpark with another name for `_jvm` needs changes only here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from py4j.java_gateway import JavaClass, JavaGateway
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from icemelt.jobs import do_once

__all__ = [
    "SESSION_SETTINGS",
    "assemble_parts",
    "close_accumulators",
    "drop_plans",
    "hadoop_configuration",
    "java_class",
    "java_context",
    "java_frame",
    "java_gateway",
    "java_session",
    "java_vm",
    "keep_schema",
    "name_part",
    "name_plan",
    "python_frame",
    "schema_text",
    "select_values",
    "set_settings",
]

SESSION_SETTINGS = "icemelt.spark.SessionSettings"
_FRAMES = "icemelt.spark.Frames"
_NAMED_PLANS = "icemelt.spark.NamedPlans"


def java_vm(spark: SparkSession) -> Any:
    """Return the view of Java's packages: `java_vm(spark).java.lang.System`."""
    return spark._jvm


def java_gateway(spark: SparkSession) -> JavaGateway:
    """Return py4j's gateway to the Java process."""
    return spark.sparkContext._gateway


def java_class(spark: SparkSession, name: str) -> Any:
    """Return a Java class by full name, without py4j's three requests to Java for every package."""
    return JavaClass(name, java_vm(spark)._gateway_client)


def java_context(spark: SparkSession) -> Any:
    """Return Scala's `SparkContext`; raise AttributeError for a stopped context."""
    return spark.sparkContext._jsc.sc()


def java_session(spark: SparkSession) -> Any:
    """Return Scala's `SparkSession`."""
    return spark._jsparkSession


def java_frame(frame: DataFrame) -> Any:
    """Return the `Dataset` of a data frame."""
    return frame._jdf


def python_frame(spark: SparkSession, dataset: Any) -> DataFrame:
    """Return a `Dataset` of a session as a data frame."""
    return DataFrame(dataset, spark)


def schema_text(frame: DataFrame) -> str:
    """Return the schema of a data frame in JSON, without a Python object of any type."""
    text: str = java_class(frame.sparkSession, _FRAMES).schema(java_frame(frame))
    return text


def keep_schema(frame: DataFrame, text: str) -> None:
    """Let a data frame have the schema in JSON that `schema_text` gave, and not ask Java again."""
    vars(frame)["schema"] = StructType.fromJson(json.loads(text))


def select_values(frame: DataFrame, *expressions: str) -> DataFrame:
    """Return the values of SQL expressions over the rows of a data frame.

    It is `selectExpr` in two requests to Java; PySpark's has one for each expression.
    """
    frames = java_class(frame.sparkSession, _FRAMES)
    return python_frame(
        frame.sparkSession, frames.select(java_frame(frame), json.dumps(expressions))
    )


def name_plan(frame: DataFrame, name: str) -> None:
    """Give an analysed data frame a name that texts of its session read, as a temporary view's.

    Args:
        frame: the data frame.
        name: a name that is new in the session, without a dot.
    """
    java_class(frame.sparkSession, _NAMED_PLANS).create(java_frame(frame), name)


def name_part(frame: DataFrame, name: str) -> None:
    """Give a part of a large relation a name, as `name_plan`; what reads it must be assembled."""
    java_class(frame.sparkSession, _NAMED_PLANS).createPart(java_frame(frame), name)


def assemble_parts(frame: DataFrame) -> DataFrame:
    """Return a data frame over parts with the plans of the parts, analysed and not run."""
    spark = frame.sparkSession
    return python_frame(spark, java_class(spark, _NAMED_PLANS).assemble(java_frame(frame)))


def drop_plans(spark: SparkSession, names: Sequence[str]) -> None:
    """Drop names that `name_plan` gave; a name may be gone."""
    if names:
        java_class(spark, _NAMED_PLANS).drop(java_session(spark), " ".join(names))


def set_settings(spark: SparkSession, settings: Mapping[str, str]) -> None:
    """Give a session settings in one request to Java; PySpark's `conf.set` takes one for each."""
    java_class(spark, SESSION_SETTINGS).set(java_session(spark), json.dumps(settings))


def hadoop_configuration(spark: SparkSession, prefixes: Sequence[str] = ()) -> Any:
    """Return a copy of the session's Hadoop configuration, free to change.

    Args:
        spark: the session; it has icemelt's Java functions.
        prefixes: how the names of the settings begin that are copied; none for all settings.
    """
    java = java_class(spark, SESSION_SETTINGS)
    return java.hadoop(java_session(spark), json.dumps(prefixes))


def close_accumulators(context: SparkContext) -> None:
    """Close the port on which Java sends the counts of Python's accumulators, without waiting.

    The port has one thread. A client with only a part of the token blocks the thread, and PySpark
    would wait for the thread at the stop of the context.
    """
    server = getattr(context, "_accumulatorServer", None)
    context._accumulatorServer = None  # type: ignore[assignment]
    if server is not None:
        do_once("icemelt-accumulators", server.shutdown, consequence="the port stays").try_start()
