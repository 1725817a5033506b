"""Java's command for a Spark whose settings and class path are icemelt's alone.

Spark's own scripts start a second Java to make such a command, and a class that reads settings
before it runs PySpark's server. Without both Spark is ready a second sooner. Where anything is
set that the scripts or that class read, they are run (`submit.py`).
"""

from __future__ import annotations

import os
import shlex
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from icemelt.engine.start.configuration import JAVA_OPTIONS, MEMORY
from icemelt.engine.start.java import VECTOR_MODULE_ARGUMENT, JavaInstallation
from icemelt.engine.start.submit import spark_home

__all__ = ["MODULE_OPTIONS", "PYSPARK_SETTINGS", "java_command", "java_variables", "pack_settings"]

_MAIN_CLASS = "icemelt.spark.Start"
# Spark's own
_DEFAULT_MEMORY = "1g"
# what Spark's `JavaModuleOptions` has, in that order
MODULE_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    VECTOR_MODULE_ARGUMENT,
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/java.net=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
    "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
    "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED",
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "--enable-native-access=ALL-UNNAMED",
)
# what PySpark gives a context that lacks it
PYSPARK_SETTINGS = {
    "spark.serializer.objectStreamReset": "100",
    "spark.rdd.compress": "True",
    "spark.sql.artifact.isolation.enabled": "false",
}


def java_command(
    java: JavaInstallation,
    class_path: Sequence[Path],
    conf: Mapping[str, str],
    options: Iterable[str],
) -> list[str]:
    """Return the command that starts Java.

    Args:
        java: the Java to run.
        class_path: all jars.
        conf: Spark's settings; of these, the memory and the options of Java become arguments.
        options: more arguments of Java.
    """
    memory = conf.get(MEMORY) or os.environ.get("SPARK_DRIVER_MEMORY") or _DEFAULT_MEMORY
    modules = [
        option for option in MODULE_OPTIONS if java.has_vector or option != VECTOR_MODULE_ARGUMENT
    ]
    return [
        *(str(java.home / "bin" / "java"), "-cp", os.pathsep.join(map(str, class_path))),
        *(*options, f"-Xmx{memory}", *shlex.split(conf[JAVA_OPTIONS]), *modules),
        _MAIN_CLASS,
    ]


def java_variables(java: JavaInstallation) -> dict[str, str]:
    """Return the variables that Spark's scripts set, which Spark's Python processes inherit too."""
    return {
        "JAVA_HOME": str(java.home),
        "SPARK_HOME": str(spark_home()),
        "SPARK_ENV_LOADED": "1",
        "PYTHONHASHSEED": "0",
        # else Spark asks for the name of the machine, and warns of what it finds
        "SPARK_LOCAL_IP": os.environ.get("SPARK_LOCAL_IP") or "127.0.0.1",
    }


def pack_settings(*parts: Mapping[str, str]) -> bytes:
    r"""Return settings as `icemelt.spark.Start` reads them: each part with the number of settings.

    >>> pack_settings({"a": "bc"}, {})
    b'\x00\x00\x00\x01\x00\x00\x00\x01a\x00\x00\x00\x02bc\x00\x00\x00\x00'
    """
    packed = bytearray()
    for settings in parts:
        packed += struct.pack(">i", len(settings))
        for text in (text for setting in settings.items() for text in setting):
            content = text.encode(errors="surrogateescape")
            packed += struct.pack(">i", len(content)) + content
    return bytes(packed)
