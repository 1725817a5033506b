"""Whether a Spark that icemelt did not start meets icemelt's needs."""

from __future__ import annotations

import functools
from typing import Any

from py4j.java_gateway import JavaClass, JavaGateway
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from icemelt.engine.start.jars import ICEBERG
from icemelt.errors import SparkDied, SparkIncompatible
from icemelt.spark_java import java_session, java_vm

__all__ = ["builtin_functions", "check_compatible", "check_java_process", "is_alive"]

_SPARK = "4.1."
_ICEBERG = "1.12."
_EXTENSIONS = "spark.sql.extensions"
_EXTENSIONS_CLASS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
_LET_ICEMELT = "or leave out spark=, and icemelt starts its own."
_ADD_ICEBERG = (
    f"Build the session with .config('spark.jars.packages', '{ICEBERG.coordinates}'),"
    f" {_LET_ICEMELT}"
)


@functools.lru_cache(1)
def builtin_functions(spark: SparkSession) -> frozenset[str]:
    """Return the lower-case names of Spark's built-in functions."""
    java: Any = java_vm(spark)
    registry = java.org.apache.spark.sql.catalyst.analysis.FunctionRegistry
    return frozenset(registry.builtin().listFunction().mkString(",").split(","))


def check_compatible(spark: SparkSession) -> None:
    """Require a SparkSession that meets icemelt's needs.

    Raises:
        SparkIncompatible: the session is of Spark Connect, of another version, or without Iceberg.
        SparkDied: the session's Java process is gone.
    """
    _check_classic(spark)
    if not is_alive(spark):
        message = "The SparkSession handed in has stopped."
        raise SparkDied(message, hint=f"Build a new one, {_LET_ICEMELT}")
    version = spark.version
    extensions = spark.conf.get(_EXTENSIONS, "") or ""
    if not version.startswith(_SPARK):
        raise SparkIncompatible(
            f"icemelt runs on Spark {_SPARK}x, found Spark {version}.",
            hint=f"pip install 'pyspark==4.1.4', {_LET_ICEMELT}",
        )
    _check_iceberg(_iceberg_version(java_vm(spark)))
    if _EXTENSIONS_CLASS not in extensions:
        raise SparkIncompatible(
            f"The SparkSession needs {_EXTENSIONS}={_EXTENSIONS_CLASS},"
            f" found {extensions or 'nothing'!r}.",
            hint=f"Build the session with .config('{_EXTENSIONS}', '{_EXTENSIONS_CLASS}'),"
            f" {_LET_ICEMELT}",
        )


def is_alive(spark: SparkSession) -> bool:
    """Tell whether a session's Java process and SparkContext are there, without a Spark job.

    >>> from icemelt.engine.start.launch import LaunchOptions, launch_spark
    >>> is_alive(launch_spark(LaunchOptions(master="local[1]")))
    True
    """
    try:
        return not java_session(spark).sparkContext().isStopped()
    except (Py4JError, OSError):
        return False


def check_java_process(gateway: JavaGateway) -> None:
    """Require Iceberg in a Java process left by a stopped session.

    Raises:
        SparkIncompatible: the process runs, and lacks Iceberg.
    """
    if _iceberg_version(gateway.jvm) is None:
        raise SparkIncompatible(
            "A stopped SparkSession left a Java process in which Iceberg is missing,"
            " and a Python process has only one.",
            hint=f"Start Python anew. {_ADD_ICEBERG}",
        )


def _check_classic(spark: object) -> None:
    kind = type(spark)
    if kind.__module__.startswith("pyspark.sql.connect"):
        raise SparkIncompatible(
            "icemelt needs a classic SparkSession, found one of Spark Connect,"
            " which cannot reach Iceberg's Java classes.",
            hint=f"Build the session with .master(…) instead of .remote(…), {_LET_ICEMELT}",
        )
    if not isinstance(spark, SparkSession):
        raise SparkIncompatible(
            f"spark= takes a SparkSession, found {kind.__module__}.{kind.__qualname__}.",
            hint=f"Hand in SparkSession.builder.getOrCreate(), {_LET_ICEMELT}",
        )


def _check_iceberg(version: str | None) -> None:
    if version is None:
        message = "The SparkSession has no Iceberg on its class path."
        raise SparkIncompatible(message, hint=_ADD_ICEBERG)
    if not version.startswith(_ICEBERG):
        message = f"icemelt runs on Iceberg {_ICEBERG}x, found Iceberg {version}."
        raise SparkIncompatible(message, hint=_ADD_ICEBERG)


def _iceberg_version(jvm: Any) -> str | None:
    """Return the version of Iceberg in a Java process; None without Iceberg."""
    build = jvm.org.apache.iceberg.IcebergBuild
    return str(build.version()) if isinstance(build, JavaClass) else None
