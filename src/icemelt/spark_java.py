"""The Java objects behind PySpark's objects; no other module reads PySpark's private names.

PySpark has no public access to Iceberg's classes, to the planner's result for a query, or to
Hadoop's configuration. A release of PySpark with another name for `_jvm` needs changes only here.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaGateway
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession

from icemelt.jobs import do_once

__all__ = [
    "close_accumulators",
    "hadoop_configuration",
    "java_class",
    "java_context",
    "java_frame",
    "java_gateway",
    "java_session",
    "java_vm",
    "python_frame",
]


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


def hadoop_configuration(spark: SparkSession) -> Any:
    """Return a copy of the session's Hadoop configuration, free to change."""
    return java_session(spark).sessionState().newHadoopConf()


def close_accumulators(context: SparkContext) -> None:
    """Close the port on which Java sends the counts of Python's accumulators, without waiting.

    The port has one thread. A client with only a part of the token blocks the thread, and PySpark
    would wait for the thread at the stop of the context.
    """
    server = getattr(context, "_accumulatorServer", None)
    context._accumulatorServer = None  # type: ignore[assignment]
    if server is not None:
        do_once("icemelt-accumulators", server.shutdown, consequence="the port stays").try_start()
