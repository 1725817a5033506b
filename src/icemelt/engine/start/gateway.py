"""PySpark's connection to a Java process: made when Java has told its address, and closed."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from py4j.java_gateway import GatewayParameters, JavaClass, JavaGateway, java_import
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway

from icemelt.engine.scratch import ScratchFolder
from icemelt.engine.start.configuration import JARS, prepend_values
from icemelt.engine.start.java_process import (
    GIVEN_JAVA,
    BegunJava,
    failed_start_error,
    read_words_of,
)
from icemelt.engine.start.starting_java import JavaEnded

__all__ = [
    "IMPORTS",
    "JavaProcess",
    "answer_java",
    "close_gateway",
    "connect_given_java",
    "end_java",
    "make_context",
    "to_spark_conf",
]

# for the end of Java, which may be writing an archive of classes
_PATIENCE_SECONDS = 60
_PIN_THREAD = "PYSPARK_PIN_THREAD"
# the names that PySpark uses without their packages, as `pyspark.java_gateway` imports them
IMPORTS = (
    "org.apache.spark.SparkConf",
    "org.apache.spark.api.java.*",
    "org.apache.spark.api.python.*",
    "org.apache.spark.ml.python.*",
    "org.apache.spark.mllib.api.python.*",
    "org.apache.spark.resource.*",
    "org.apache.spark.sql.Encoders",
    "org.apache.spark.sql.OnSuccessCall",
    "org.apache.spark.sql.functions",
    "org.apache.spark.sql.classic.*",
    "org.apache.spark.sql.api.python.*",
    "org.apache.spark.sql.hive.*",
    "scala.Tuple2",
)


@dataclass(frozen=True, slots=True)
class JavaProcess:
    """A running Java process, with the settings to start Spark inside.

    `begins_spark` tells whether Java is starting Spark with these settings already.
    """

    gateway: JavaGateway
    conf: Mapping[str, str]
    log: Path
    scratch: ScratchFolder
    begins_spark: bool


def answer_java(begun: BegunJava, left: JavaGateway | None = None) -> JavaProcess:
    """Connect to a Java that was begun, or take over the gateway `left` by a stopped session.

    Raises:
        SparkNotStarted: Java has ended.
    """
    try:
        gateway = left or _connect(begun)
    except BaseException:
        begun.end()
        raise
    conf = dict(begun.conf)
    if left is None:
        # spark-submit has added the jars of packages to these, and Java has them all
        conf.pop(JARS, None)
    else:
        given = left.jvm.java.lang.System.getProperty(JARS)
        prepend_values(conf, JARS, given.split(",") if given else ())
    return JavaProcess(gateway, conf, begun.log, begun.scratch, begun.begins_spark)


def connect_given_java() -> JavaGateway | None:
    """Return the gateway to the Java that started this process, None if no Java did.

    `spark-submit` starts a Python program so, and PySpark reads its address from variables.
    """
    return launch_gateway() if GIVEN_JAVA in os.environ else None  # type: ignore[no-untyped-call]


def _connect(begun: BegunJava) -> JavaGateway:
    starting = begun.starting
    if starting is None:
        raise failed_start_error("the Java of a stopped session is gone.", begun.log)
    try:
        port, secret = starting.read_address()
        gateway = _open_gateway(port, secret)
        for name in IMPORTS:
            java_import(gateway.jvm, name)
        client: Any = gateway._gateway_client
        JavaClass("icemelt.spark.PromptReplies", client).of(gateway.java_gateway_server)
    except (JavaEnded, Py4JError, OSError) as error:
        code = starting.process.poll()
        reason = read_words_of(begun) or f"its Java ended with code {code}."
        raise failed_start_error(reason, begun.log) from error
    # PySpark has the process there
    gateway.proc = starting.process
    return gateway


def _open_gateway(port: int, secret: str) -> JavaGateway:
    """Return the gateway that PySpark would make."""
    if os.environ.get(_PIN_THREAD, "true").lower() == "true":
        java = JavaParameters(port=port, auth_token=secret, auto_convert=True)
        return ClientServer(java, PythonParameters(port=0, eager_load=False))
    parameters = GatewayParameters(port=port, auth_token=secret, auto_convert=True)
    return JavaGateway(gateway_parameters=parameters)


def make_context(java: JavaProcess) -> SparkContext:
    """Return PySpark's context of a Java process, which starts Spark unless Java does already.

    Raises:
        Py4JError: Spark does not start.
    """
    if not java.begins_spark:
        return SparkContext(conf=to_spark_conf(java.conf), gateway=java.gateway)
    client: Any = java.gateway._gateway_client
    context = JavaClass("icemelt.spark.Start", client).context()
    conf = SparkConf(_jconf=context.sc().conf())
    return SparkContext(conf=conf, gateway=java.gateway, jsc=context)


def to_spark_conf(conf: Mapping[str, str]) -> SparkConf:
    """Return settings as PySpark takes settings.

    >>> to_spark_conf({"spark.app.name": "a"}).get("spark.app.name")
    'a'
    """
    result = SparkConf(loadDefaults=False)
    for key, value in conf.items():
        result.set(key, value)
    return result


def end_java(java: JavaProcess) -> None:
    """End a Java process, and remove the process's temporary files."""
    close_gateway(java.gateway)
    java.scratch.close()


def close_gateway(gateway: JavaGateway) -> None:
    """End the Java process of a gateway by closing the process's standard input."""
    with contextlib.suppress(Py4JError, OSError):
        gateway.shutdown()
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    if process is None:
        return
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
