"""Checks of `icemelt doctor` on this machine: Python, Java, jars, Spark, disk."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path

from icemelt.cli.findings import Finding, Level, make_failure
from icemelt.engine.start.jars import ICEBERG, ensure_jars, missing_jars, spark_jars
from icemelt.engine.start.java import find_java
from icemelt.engine.start.places import cache_folder, log_folder
from icemelt.errors import IcemeltError

__all__ = [
    "check_disk",
    "check_jars",
    "check_java",
    "check_kept_classes",
    "check_python",
    "check_spark",
    "check_starts",
    "find_existing_folder",
]

# statements whose Java classes are kept
_USUAL = (
    "CREATE TABLE t (id INT, name VARCHAR)",
    "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')",
    "CREATE STREAM s ON TABLE t",
    "UPDATE t SET name = upper(name) WHERE id = 1",
    "MERGE INTO t USING (SELECT 2 AS id) AS u ON t.id = u.id WHEN MATCHED THEN DELETE",
    "SELECT name, count(*) FROM t GROUP BY name ORDER BY name",
    "CREATE TABLE u AS SELECT id, METADATA$ACTION AS action FROM s",
    "SHOW STREAMS",
    "COPY INTO '{folder}/files/' FROM t FILE_FORMAT = (TYPE = CSV) HEADER = TRUE",
    (
        "COPY INTO t FROM '{folder}/files/' FILE_FORMAT = (TYPE = CSV, PARSE_HEADER = TRUE) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    ),
    "DELETE FROM t WHERE name IS NULL",
    "OPTIMIZE t",
    "SELECT u.action, sum(s.id) FROM s JOIN u ON u.id = s.id GROUP BY ALL HAVING count(*) > 0",
    "EXPLAIN SELECT * FROM s",
)
_OLDEST_PYTHON = (3, 11)
_SPARK = "4.1."
_MEGABYTE = 1_000_000
_LITTLE_SPACE = 5_000
_NO_SPACE = 200


def check_python() -> Finding:
    """Check the versions of Python and PySpark.

    >>> check_python().level.value
    'ok'
    """
    python = platform.python_version()
    try:
        spark = importlib.metadata.version("pyspark")
    except importlib.metadata.PackageNotFoundError:
        spark = "missing"
    words = f"{python} with PySpark {spark} ({sys.executable})"
    if sys.version_info < _OLDEST_PYTHON:
        return Finding("Python", Level.FAIL, words, "Use Python 3.11 or later.")
    if not spark.startswith(_SPARK):
        mend = "pip install --force-reinstall icemelt"
        return Finding("Python", Level.FAIL, f"{words}: expected PySpark {_SPARK}x", mend)
    return Finding("Python", Level.OK, words)


def check_java() -> Finding:
    """Check for a Java able to run Spark."""
    try:
        java = find_java()
    except IcemeltError as error:
        return make_failure("Java", error)
    return Finding("Java", Level.OK, f"{java.version}, by {java.source} ({java.home})")


def check_jars(*, fetch: bool) -> Finding:
    """Check for the jars; download missing jars with `fetch`."""
    missing = missing_jars()
    if missing and not fetch and not os.environ.get("ICEMELT_JARS"):
        what = "Iceberg" if ICEBERG in missing else " and ".join(jar.artifact for jar in missing)
        size = sum(jar.size for jar in missing) / _MEGABYTE
        words = f"{what} is not here yet; the first start fetches {size:.3g} MB."
        return Finding("Jars", Level.WARN, words, "icemelt doctor --start")
    try:
        jars = ensure_jars()
    except IcemeltError as error:
        return make_failure("Jars", error)
    return Finding("Jars", Level.OK, f"Iceberg {ICEBERG.version} ({jars[0].parent})")


def check_spark() -> Finding:
    """Start Spark, run a query, and stop Spark."""
    from icemelt.engine.start.launch import launch_spark, stop  # noqa: PLC0415 - loads Spark
    from icemelt.session.runtime.spark_errors import translated  # noqa: PLC0415

    begin = time.monotonic()
    try:
        spark = launch_spark()
        with translated(spark):
            answer = spark.sql("SELECT 1").collect()[0][0]
    except IcemeltError as error:
        return make_failure("Spark", error)
    seconds = time.monotonic() - begin
    words = f"{spark.version} started and answered {answer} in {seconds:.1f} s"
    stop(spark)
    return Finding("Spark", Level.OK, f"{words} (log: {log_folder()})")


def check_kept_classes() -> Finding:
    """Check for an archive of Java's classes that fits this Java and these jars."""
    from icemelt.engine.start.class_archive import archive_options  # noqa: PLC0415
    from icemelt.engine.start.configuration import LaunchOptions  # noqa: PLC0415
    from icemelt.engine.start.java_process import find_class_path  # noqa: PLC0415

    path = find_class_path(LaunchOptions(), spark_jars())
    if path is None:
        words = "Java's class path is not icemelt's own: each start loads all classes"
        mend = "unset HADOOP_CONF_DIR SPARK_CONF_DIR SPARK_SUBMIT_OPTS"
        return Finding("Starts", Level.WARN, words, mend)
    if not archive_options(find_java(), path):
        words = "Java's classes are not kept: each start loads all, which takes twice the time"
        return Finding("Starts", Level.WARN, words, "icemelt doctor --start")
    return Finding("Starts", Level.OK, f"Java's classes are kept ({cache_folder('java')})")


def check_starts() -> Finding:
    """Keep Java's loaded classes in an archive: later starts take half the time."""
    from icemelt.engine.start.launch import record_classes  # noqa: PLC0415 - loads Spark
    from icemelt.session import connect  # noqa: PLC0415

    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            record_classes() as spark,
            connect(folder, spark=spark, maintain_every=None) as session,
        ):
            for statement in _USUAL:
                session.sql(statement.format(folder=folder)).fetchall()
    except IcemeltError as error:
        return make_failure("Starts", error, Level.WARN)
    except OSError as error:
        words = f"Java's classes cannot be kept: {error}"
        return Finding("Starts", Level.WARN, words, "Make room, or the cache writable: df -h ~")
    return Finding("Starts", Level.OK, "Java's classes are kept: from now on Spark starts faster")


def check_disk(lake: Path | None) -> list[Finding]:
    """Check the free space on the disks of the lake and of temporary files."""
    places = [("Disk", lake), ("Temporary", Path(tempfile.gettempdir()))]
    return [
        _space(check, find_existing_folder(place)) for check, place in places if place is not None
    ]


def find_existing_folder(path: Path) -> Path:
    """Return the innermost existing folder of a path.

    >>> find_existing_folder(Path("/no/such/folder")).as_posix()
    '/'
    """
    return next(part for part in (path, *path.parents) if part.exists())


def _space(check: str, place: Path) -> Finding:
    free = shutil.disk_usage(place).free // _MEGABYTE
    words = f"{free / 1000:,.1f} GB are free at {place}"
    if free < _NO_SPACE:
        return Finding(check, Level.FAIL, words, "Free disk space: du -xh / | sort -h | tail")
    if free < _LITTLE_SPACE:
        return Finding(check, Level.WARN, words, "Free disk space: du -xh / | sort -h | tail")
    return Finding(check, Level.OK, words)
