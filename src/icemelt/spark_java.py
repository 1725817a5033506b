"""The Java objects behind PySpark's: the one module that reads PySpark's private names.

PySpark hands out neither Iceberg's classes, nor what the planner made of a query, nor Hadoop's
configuration. A release of PySpark that renames `_jvm` and its kind is answered here.
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
]


def java_vm(spark: SparkSession) -> Any:
    """Return the view of Java's packages: `java_vm(spark).java.lang.System`."""
    return spark._jvm


def java_gateway(spark: SparkSession) -> JavaGateway:
    """Return py4j's gateway to the Java process."""
    return spark.sparkContext._gateway


def java_class(spark: SparkSession, name: str) -> Any:
    """Return a Java class by its full name; looking for it package by package asks Java thrice."""
    return JavaClass(name, java_vm(spark)._gateway_client)


def java_context(spark: SparkSession) -> Any:
    """Return the `SparkContext` of Scala; AttributeError where the context was stopped."""
    return spark.sparkContext._jsc.sc()


def java_session(spark: SparkSession) -> Any:
    """Return the `SparkSession` of Scala."""
    return spark._jsparkSession


def java_frame(frame: DataFrame) -> Any:
    """Return the `Dataset` of a data frame."""
    return frame._jdf


def hadoop_configuration(spark: SparkSession) -> Any:
    """Return a copy of the session's Hadoop configuration, which the caller may change."""
    return java_session(spark).sessionState().newHadoopConf()


def close_accumulators(context: SparkContext) -> None:
    """Close the port to which Java sends what Python's accumulators count; wait for nobody.

    The port has one thread. A client that sent a part of the token keeps that thread, and PySpark
    would wait for the thread when the context stops.
    """
    server = getattr(context, "_accumulatorServer", None)
    context._accumulatorServer = None  # type: ignore[assignment]
    if server is not None:
        do_once("icemelt-accumulators", server.shutdown, consequence="the port stays").try_start()
