"""icemelt's own Java functions for regular expressions and LIKE, registered in a Spark session.

The classes are in a jar of icemelt's. A Spark started by icemelt has the jar from the beginning. A
SparkSession handed in by the caller receives the jar while running, and so do the executors.
"""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.sql import SparkSession

from icemelt.engine.start.jars import FUNCTIONS, RE2J, ensure_jars
from icemelt.errors import SparkIncompatible
from icemelt.spark_java import java_class, java_context, java_session, java_vm

__all__ = ["add_java_functions"]

_CLASS = "icemelt.spark.Functions"


def add_java_functions(spark: SparkSession) -> None:
    """Register the functions in a Spark session; other sessions do not see the functions.

    Raises:
        SparkIncompatible: the classes cannot be loaded into this Spark.
        JarsUnavailable: the classes need a jar that is missing and cannot be fetched.
    """
    if _register(spark):
        return
    _load(spark)
    if not _register(spark):
        raise _not_loaded()


def _register(spark: SparkSession) -> bool:
    functions = java_class(spark, _CLASS)
    try:
        functions.register(java_session(spark))
    except Py4JError as error:
        if isinstance(error, Py4JJavaError | Py4JNetworkError):
            raise
        return False
    return True


def _load(spark: SparkSession) -> None:
    """Put the jars on the class path of the driver's Java, and have executors fetch the jars."""
    java: Any = java_vm(spark)
    loader = java.java.lang.Thread.currentThread().getContextClassLoader()
    context: Any = java_context(spark)
    for jar in (*ensure_jars((RE2J,)), FUNCTIONS):
        try:
            loader.addURL(java.java.net.URL(jar.as_uri()))
        except Py4JError as error:
            raise _not_loaded() from error
        if not context.isLocal():
            context.addJar(str(jar))


def _not_loaded() -> SparkIncompatible:
    jars = ",".join(str(jar) for jar in (*ensure_jars((RE2J,)), FUNCTIONS))
    return SparkIncompatible(
        "The SparkSession handed in cannot load icemelt's functions while it runs.",
        hint=f"Build it with .config('spark.jars', '{jars}'), beside its other jars.",
    )
