"""How Spark's own program is started: path and environment."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterable
from pathlib import Path

from icemelt.engine.start.java import JavaInstallation
from icemelt.engine.start.launcher import launcher_home
from icemelt.errors import SparkNotStarted

__all__ = ["spark_home", "submit_environment", "submit_program"]

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


def submit_environment(
    java: JavaInstallation, java_options: Iterable[str], *, in_order: bool = False
) -> dict[str, str]:
    """Return the variables for `spark-submit`, in addition to the variables of this process.

    Args:
        java: the Java to run.
        java_options: arguments of Java.
        in_order: whether Java finds Spark's jars always in the same order.

    >>> variables = submit_environment(
    ...     JavaInstallation(Path("/opt/java"), 21, "PATH"), ["-Dname=a b"]
    ... )
    >>> variables["JAVA_HOME"], variables["SPARK_SUBMIT_OPTS"]
    ('/opt/java', '"-Dname=a b"')
    """
    given = [os.environ[_OPTIONS]] if os.environ.get(_OPTIONS) else []
    options = " ".join([*given, *map(_quote_option, java_options)])
    as_it_is = java.has_vector and not in_order
    home = java.home if as_it_is else launcher_home(java, spark_home() / "jars")
    return {"JAVA_HOME": str(home), "SPARK_HOME": str(spark_home()), _OPTIONS: options}


def _quote_option(option: str) -> str:
    """Return an option in quotes: Spark splits the text of options like a shell."""
    return '"' + re.sub(r'(["\\])', r"\\\1", option) + '"'
