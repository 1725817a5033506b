"""icemelt's own functions, in Java: what regular expressions and LIKE become in a Spark session.

Their classes are in a jar of icemelt's, which a Spark that icemelt starts has from the beginning. A
Spark that was handed in is given it while it runs, and so are its executors.
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
    """Give a Spark session the functions; other sessions do not see them.

    Raises:
        SparkIncompatible: the classes cannot be loaded into this Spark.
        JarsUnavailable: they need a jar that is not there and cannot be fetched.
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
    """Put the jars where the driver's Java finds classes, and have executors fetch them."""
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
