"""How Spark's own program is started: path and environment."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from icemelt.engine.start.java import JavaInstallation
from icemelt.engine.start.launcher import launcher_home
from icemelt.errors import SparkNotStarted

__all__ = ["spark_home", "submit_command", "submit_environment", "submit_program"]

_OPTIONS = "SPARK_SUBMIT_OPTS"


def spark_home() -> Path:
    """Return the folder of the Spark inside the PySpark package.

    SPARK_HOME is ignored: the variable may name another version, which PySpark cannot talk to.

    >>> (spark_home() / "jars").is_dir()
    True
    """
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SparkNotStarted("PySpark is not installed.", hint="pip install 'pyspark==4.1.4'")
    return Path(spec.origin).parent


def submit_program() -> Path:
    """Return `spark-submit`, the program that starts all others.

    >>> submit_program().name
    'spark-submit'
    """
    return spark_home() / "bin" / "spark-submit"


def submit_command(conf: Mapping[str, str]) -> list[str]:
    """Return the command that starts a Java for PySpark; variables may add arguments.

    >>> submit_command({"spark.app.name": "a"})[1:]
    ['--conf', 'spark.app.name=a', 'pyspark-shell']
    """
    settings = [word for key in conf for word in ("--conf", f"{key}={conf[key]}")]
    more = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))
    return [str(submit_program()), *settings, *more]


def submit_environment(java: JavaInstallation, java_options: Iterable[str]) -> dict[str, str]:
    """Return the variables for `spark-submit`, in addition to the variables of this process.

    Args:
        java: the Java to run.
        java_options: arguments of Java.

    >>> variables = submit_environment(
    ...     JavaInstallation(Path("/opt/java"), 21, "PATH"), ["-Dname=a b"]
    ... )
    >>> variables["JAVA_HOME"], variables["SPARK_SUBMIT_OPTS"]
    ('/opt/java', '"-Dname=a b"')
    """
    given = [os.environ[_OPTIONS]] if os.environ.get(_OPTIONS) else []
    options = " ".join([*given, *map(_quote_option, java_options)])
    home = java.home if java.has_vector else launcher_home(java)
    return {
        "JAVA_HOME": str(home),
        "SPARK_HOME": str(spark_home()),
        "SPARK_CONNECT_MODE": "0",
        _OPTIONS: options,
    }


def _quote_option(option: str) -> str:
    """Return an option in quotes: Spark splits the text of options like a shell."""
    return '"' + re.sub(r'(["\\])', r"\\\1", option) + '"'
