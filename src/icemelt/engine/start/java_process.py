"""The Java process that Spark runs in, begun before PySpark is loaded."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from icemelt.engine.scratch import ScratchFolder, open_scratch
from icemelt.engine.start.class_archive import archive_options
from icemelt.engine.start.configuration import (
    LaunchOptions,
    spark_configuration,
    starts_java_directly,
    this_machine,
)
from icemelt.engine.start.jars import spark_jars
from icemelt.engine.start.java import JavaInstallation, find_java
from icemelt.engine.start.java_command import (
    PYSPARK_SETTINGS,
    java_command,
    java_variables,
    pack_settings,
)
from icemelt.engine.start.log import new_log, read_last_words
from icemelt.engine.start.network import network_options, trust_options
from icemelt.engine.start.starting_java import StartingJava, spawn_java
from icemelt.engine.start.submit import spark_home, submit_command, submit_environment
from icemelt.errors import SparkNotStarted
from icemelt.file_modes import open_file

__all__ = [
    "GIVEN_JAVA",
    "BegunJava",
    "begin_java",
    "failed_start_error",
    "find_class_path",
    "launch_java_soon",
    "read_words_of",
    "take_begun_java",
]

# the variable by which a Java that starts Python tells its port
GIVEN_JAVA = "PYSPARK_GATEWAY_PORT"
_SECRET = re.compile(r"secret|password|token|access[.-]?key|credential", re.IGNORECASE)
_MEMORY_WORDS = re.compile(r"heap|memory", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BegunJava:
    """A Java process that was started, and may not have told its address yet.

    Attributes:
        starting: the process; None for the process of a stopped session.
        conf: Spark's settings.
        log: the file with the output of Java.
        log_start: the size of the log when Java was started, in bytes.
        scratch: the folder for temporary files.
        begins_spark: whether Java starts Spark without being asked.
    """

    starting: StartingJava | None
    conf: Mapping[str, str]
    log: Path
    log_start: int
    scratch: ScratchFolder
    begins_spark: bool

    def end(self) -> None:
        """End the process, which nobody has used, and remove its files."""
        if self.starting is not None:
            self.starting.end()
        self.scratch.close()


@dataclass(frozen=True, slots=True)
class _SoonUsed:
    """What `launch_java_soon` began, or why it could not."""

    options: LaunchOptions
    begun: BegunJava | BaseException
    process_id: int


_lock = threading.Lock()
_soon: list[_SoonUsed] = []


def launch_java_soon(options: LaunchOptions) -> None:
    """Start Java for a later `launch_spark` with the same options, which raises what went wrong.

    Modules loaded by the caller in between cost no time. If this process has had a Java already,
    nothing is begun.
    """
    context = sys.modules.get("pyspark.core.context")
    is_left = context is not None and context.SparkContext._gateway is not None
    has_java = is_left or GIVEN_JAVA in os.environ
    with _lock:
        if _soon or has_java:
            return
        begun: BegunJava | BaseException
        try:
            begun = begin_java(options)
        except Exception as error:  # noqa: BLE001 - whoever waits for it raises it
            begun = error
        _soon.append(_SoonUsed(options, begun, os.getpid()))


def take_begun_java(options: LaunchOptions) -> BegunJava | None:
    """Return the Java begun for these options; end a Java that was begun for others.

    Raises:
        SetupError: the Java for these options could not be started.
    """
    with _lock:
        taken, _soon[:] = [*_soon], []
    for soon in taken:
        # a forked process has none of the children of its parent
        if soon.process_id != os.getpid():
            continue
        if soon.options == options:
            if isinstance(soon.begun, BaseException):
                raise soon.begun
            return soon.begun
        if isinstance(soon.begun, BegunJava):
            soon.begun.end()
    return None


def begin_java(options: LaunchOptions, *, is_left: bool = False) -> BegunJava:
    """Start Java, or prepare the Java that a stopped session has left.

    Raises:
        SetupError: Java or the jars are missing, or Java cannot be started.
    """
    require_open_files()
    log = new_log()
    scratch = open_scratch()
    try:
        jars = spark_jars()
        path = None if is_left else find_class_path(options, jars)
        if path is not None and not options.java_options:
            options = replace(options, java_options=archive_options(find_java(), path))
        conf = spark_configuration(options, this_machine(), jars, Path(scratch.location))
        if is_left:
            return BegunJava(None, conf, log, 0, scratch, begins_spark=False)
        return _spawn(_Launch(find_java(), conf, path), log, scratch)
    except BaseException:
        scratch.close()
        raise


def find_class_path(options: LaunchOptions, jars: Sequence[Path]) -> list[Path] | None:
    """Return the jars on Java's class path; None if Spark's scripts choose the path."""
    home = spark_home()
    if not starts_java_directly(options, jars, home):
        return None
    return [*jars, *sorted((home / "jars").glob("*.jar"))]


@dataclass(frozen=True, slots=True)
class _Launch:
    """How to start Java: by icemelt's own command for a class path, or by Spark's scripts."""

    java: JavaInstallation
    conf: Mapping[str, str]
    class_path: Sequence[Path] | None

    def split_conf(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the settings that every user of the machine may read, and the others."""
        secret = {key: value for key, value in self.conf.items() if _SECRET.search(key)}
        return {key: self.conf[key] for key in self.conf if key not in secret}, secret

    def command(self) -> list[str]:
        """Return the program and its arguments, which every user of the machine can read."""
        if self.class_path is None:
            return submit_command(self.split_conf()[0])
        return java_command(self.java, self.class_path, self.conf, trust_options(self.java))

    def variables(self) -> dict[str, str]:
        """Return the variables to add to those of this process."""
        if self.class_path is not None:
            return java_variables(self.java)
        fetches = "spark.jars.packages" in self.conf
        options = network_options(self.java) if fetches else trust_options(self.java)
        return submit_environment(self.java, options)

    def settings(self) -> bytes | None:
        """Return the settings that Java reads from standard input."""
        if self.class_path is None:
            return None
        public, secret = self.split_conf()
        return pack_settings({**PYSPARK_SETTINGS, **public}, secret)


def _spawn(launch: _Launch, log: Path, scratch: ScratchFolder) -> BegunJava:
    with os.fdopen(open_file(log, os.O_APPEND), "ab") as output:
        start = output.tell()
        try:
            starting = spawn_java(
                launch.command(), {**os.environ, **launch.variables()}, output, launch.settings()
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise failed_start_error(str(error), log) from error
    has_own_start = launch.class_path is not None
    return BegunJava(starting, launch.conf, log, start, scratch, begins_spark=has_own_start)


def read_words_of(begun: BegunJava) -> str:
    """Return the lines of the log that best explain why a Java did not start."""
    return read_last_words(begun.log, begun.log_start)


def failed_start_error(reason: str, log: Path) -> SparkNotStarted:
    """Return the error for a reason, with a hint to read the log.

    >>> failed_start_error("No space left", Path("/logs/spark-1.log")).hint
    "Read the whole log: less '/logs/spark-1.log'"
    """
    less = "Give Spark less memory: export SPARK_DRIVER_MEMORY=1g. "
    advice = less if _MEMORY_WORDS.search(reason) else ""
    message = f"Spark did not start: {reason}"
    return SparkNotStarted(message, hint=f"{advice}Read the whole log: less '{log}'")


_FEWEST, _ADVISED = 512, 4096


def require_open_files() -> None:
    """Require a limit of open files high enough for Spark; Java itself raises a lower soft limit.

    Raises:
        SparkNotStarted: the hard limit, raised by root only, is too low.

    >>> require_open_files()
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < _FEWEST:
        raise SparkNotStarted(
            f"Spark did not start: a process may open {most} files here, expected {_FEWEST} at "
            "least.",
            hint=f"Raise the limit: ulimit -n {_ADVISED}, or LimitNOFILE={_ADVISED} of a service.",
        )
