"""The Java process that Spark runs in: begun, and ended."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from py4j.java_gateway import JavaGateway
from py4j.protocol import Py4JError
from pyspark import SparkConf
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

from icemelt.engine.scratch import ScratchFolder, open_scratch
from icemelt.engine.start.class_archive import archive_options
from icemelt.engine.start.configuration import (
    LaunchOptions,
    has_own_class_path,
    spark_configuration,
    this_machine,
)
from icemelt.engine.start.jars import spark_jars
from icemelt.engine.start.java import find_java
from icemelt.engine.start.log import new_log, read_last_words
from icemelt.engine.start.network import network_options, trust_options
from icemelt.engine.start.submit import spark_home, submit_environment, submit_program
from icemelt.errors import SparkNotStarted
from icemelt.file_modes import open_file
from icemelt.storage.local import remove_tree

__all__ = [
    "JavaProcess",
    "begin_java",
    "close_gateway",
    "end_java",
    "failed_start_error",
    "find_class_path",
    "to_spark_conf",
]

# for the end of Java, which may be writing an archive of classes
_PATIENCE_SECONDS = 60
# Java's files are private to the user; Hadoop sets the mode of files for other readers by itself
_UMASK = 0o077
_SECRET = re.compile(r"secret|password|token|access[.-]?key|credential", re.IGNORECASE)
_MEMORY_WORDS = re.compile(r"heap|memory", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JavaProcess:
    """A running Java process, with the settings to start Spark inside."""

    gateway: JavaGateway
    conf: Mapping[str, str]
    log: Path
    scratch: ScratchFolder


def begin_java(options: LaunchOptions, left: JavaGateway | None) -> JavaProcess:
    """Start Java, or take over the process `left` by a stopped session.

    Raises:
        SetupError: Java or the jars are missing, or Java does not start.
    """
    require_open_files()
    log = new_log()
    scratch = open_scratch()
    try:
        jars = spark_jars()
        path = None if left or options.java_options else find_class_path(options, jars)
        if path is not None:
            options = replace(options, java_options=archive_options(find_java(), path))
        conf = spark_configuration(options, this_machine(), jars, Path(scratch.location))
        java = left or _start_java(conf, log, in_order=bool(options.java_options))
        return JavaProcess(java, conf, log, scratch)
    except BaseException:
        scratch.close()
        raise


def find_class_path(options: LaunchOptions, jars: Sequence[Path]) -> list[Path] | None:
    """Return the jars on Java's class path; None if unknown jars may be on the path."""
    if not has_own_class_path(options, jars):
        return None
    return [*jars, *sorted((spark_home() / "jars").glob("*.jar"))]


def _start_java(conf: Mapping[str, str], log: Path, *, in_order: bool) -> JavaGateway:
    java = find_java()
    fetches = "spark.jars.packages" in conf
    options = network_options(java) if fetches else trust_options(java)
    # the command line can be read by every user of the machine
    public_conf = {key: value for key, value in conf.items() if not _SECRET.search(key)}
    with os.fdopen(open_file(log, os.O_APPEND), "ab") as output:
        start = output.tell()
        arguments = _ProcessArguments(submit_environment(java, options, in_order=in_order))
        arguments["executable"] = str(submit_program())
        arguments["umask"] = _UMASK
        arguments["stdout"] = arguments["stderr"] = output
        try:
            gateway = launch_gateway(to_spark_conf(public_conf), arguments)  # type: ignore[no-untyped-call]
        except (PySparkException, Py4JError, OSError) as error:
            raise failed_start_error(read_last_words(log, start) or str(error), log) from error
    return cast("JavaGateway", gateway)


class _ProcessArguments(dict[str, Any]):
    """Arguments of Popen: adds icemelt's environment to the environment set last by PySpark.

    The variables of this process stay unchanged: other threads may be reading the variables.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__()
        self._environment = environment

    def __setitem__(self, key: str, value: Any) -> None:
        if key == "env":
            value = {**value, **self._environment}
            self._place = Path(value["_PYSPARK_DRIVER_CONN_INFO_PATH"]).parent
            atexit.register(_end_unanswered, self._place, os.getpid())
        elif key == "preexec_fn":
            value = partial(_leave_process_id, self._place, value)
        super().__setitem__(key, value)


def _leave_process_id(folder: Path, then: Callable[[], None]) -> None:
    """Write Java's process id into a folder, from inside the new process.

    Java does not start if the folder is gone.
    """
    (folder / str(os.getpid())).touch()
    then()


def _end_unanswered(folder: Path, process_id: int) -> None:
    """End a Java that is still starting when this process ends, and remove PySpark's folder.

    Java writes its address into the folder, and only then waits for the end of standard input.
    Without the folder Java would do neither, and run for ever.
    """
    ended = folder.with_name(f"{folder.name}-ended")
    if os.getpid() != process_id:
        return
    try:
        # from here on no Java leaves a process id in the folder
        folder.rename(ended)
    except FileNotFoundError:
        # Java has answered, and ends with its standard input
        return
    for java in (int(file.name) for file in ended.iterdir() if file.name.isdigit()):
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            if os.waitpid(java, os.WNOHANG) == (0, 0):
                os.kill(java, signal.SIGKILL)
    remove_tree(ended)


def to_spark_conf(conf: Mapping[str, str]) -> SparkConf:
    """Return settings as PySpark takes settings.

    >>> to_spark_conf({"spark.app.name": "a"}).get("spark.app.name")
    'a'
    """
    result = SparkConf(loadDefaults=False)
    for key, value in conf.items():
        result.set(key, value)
    return result


def failed_start_error(reason: str, log: Path) -> SparkNotStarted:
    """Return the error for a reason, with a hint to read the log.

    >>> failed_start_error("No space left", Path("/logs/spark-1.log")).hint
    "Read the whole log: less '/logs/spark-1.log'"
    """
    less = "Give Spark less memory: export SPARK_DRIVER_MEMORY=1g. "
    advice = less if _MEMORY_WORDS.search(reason) else ""
    message = f"Spark did not start: {reason}"
    return SparkNotStarted(message, hint=f"{advice}Read the whole log: less '{log}'")


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
