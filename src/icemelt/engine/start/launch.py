"""The only SparkSession of this process: started, found again, watched and stopped."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from py4j.java_gateway import JavaGateway
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession, SQLContext

from icemelt.engine.start.class_archive import record_archive
from icemelt.engine.start.compatibility import check_compatible, check_java_process, is_alive
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.start.gateway import (
    JavaProcess,
    answer_java,
    close_gateway,
    connect_given_java,
    end_java,
    make_context,
)
from icemelt.engine.start.jars import spark_jars
from icemelt.engine.start.java import find_java
from icemelt.engine.start.java_process import (
    begin_java,
    failed_start_error,
    find_class_path,
    take_begun_java,
)
from icemelt.engine.start.log import pick_telling_lines
from icemelt.errors import SetupError, SparkDied, SparkNotStarted
from icemelt.spark_java import close_accumulators

__all__ = [
    "LaunchOptions",
    "check_compatible",
    "is_alive",
    "java_of",
    "launch_spark",
    "record_classes",
    "running_spark",
    "stop",
]

_NOISY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")

_NOISY_MESSAGES = frozenset(
    {
        "KeyboardInterrupt while sending command.",
        "Exception while sending command.",
        "Exception occurred while shutting down connection",
    }
)


@dataclass(frozen=True, slots=True)
class _StartedSpark:
    """The Spark started by this process."""

    context: SparkContext
    java: JavaProcess
    process_id: int


# PySpark allows one SparkContext in a process, in class attributes; icemelt keeps its state alike
_lock = threading.RLock()
_started: list[_StartedSpark] = []


@contextlib.contextmanager
def record_classes() -> Iterator[SparkSession]:
    """Start Spark for a block, and keep the classes loaded by Java for later starts.

    Raises:
        SetupError: Spark does not start, or the classes cannot be kept.
    """
    path = find_class_path(LaunchOptions(), spark_jars())
    if path is None:
        raise SetupError(
            "Java's class path is not icemelt's own.", hint="unset HADOOP_CONF_DIR SPARK_CONF_DIR"
        )
    with record_archive(find_java(), path) as java_options:
        spark = launch_spark(LaunchOptions(java_options=java_options))
        try:
            yield spark
        finally:
            stop(spark)


def launch_spark(options: LaunchOptions | None = None) -> SparkSession:
    """Return the SparkSession of this process; start Spark if no Spark runs.

    A running session is returned unchanged, and `options` are ignored.

    Raises:
        SetupError: Java or the jars are missing, Spark does not start, or the running Spark does
            not meet icemelt's needs.

    >>> spark = launch_spark(LaunchOptions(master="local[1]"))
    >>> spark is launch_spark()
    True
    >>> spark.sql("SELECT 1 AS one").collect()
    [Row(one=1)]
    """
    with _lock:
        _require_no_fork()
        _quieten_pyspark()
        spark = _find_running()
        if spark is not None:
            check_compatible(spark)
            return spark
        return _start(options or LaunchOptions())


def running_spark() -> SparkSession:
    """Return the SparkSession of this process, without starting Spark.

    Raises:
        SparkDied: no Spark runs.

    >>> running_spark() is launch_spark()
    True
    """
    with _lock:
        spark = _find_running()
    if spark is None:
        raise SparkDied("No Spark runs in this process.", hint="icemelt.connect(…) starts one.")
    return spark


def java_of(spark: SparkSession) -> subprocess.Popen[bytes] | None:
    """Return the Java process that `launch_spark` started for a session, else None."""
    with _lock:
        for started in _started:
            if spark.sparkContext is started.context:
                process: subprocess.Popen[bytes] | None = getattr(
                    started.java.gateway, "proc", None
                )
                return process
    return None


def _quieten_pyspark() -> None:
    """Keep PySpark and py4j from writing raised errors to standard error as well."""
    for name in _NOISY_LOGGERS:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("py4j.clientserver").addFilter(_tells_more_than_the_error)
    logging.getLogger().addFilter(_tells_more_than_the_error)


def _tells_more_than_the_error(record: logging.LogRecord) -> bool:
    """Tell whether a log record is worth reading: py4j writes stacks at Ctrl-C and Java's end."""
    return record.msg not in _NOISY_MESSAGES


def stop(spark: SparkSession) -> None:
    """End a Spark started by `launch_spark`, with the Java process; leave any other Spark alone."""
    with _lock:
        for started in _started:
            if spark.sparkContext is started.context:
                _end(started)
                return


def _find_running() -> SparkSession | None:
    """Return the session of the running context; clear away a dead context."""
    context = SparkContext._active_spark_context
    if context is None:
        return None
    with contextlib.suppress(Py4JError, OSError):
        spark = SparkSession._instantiatedSession or SparkSession(context)
        if is_alive(spark):
            return spark
    _abandon(context)
    if _started:
        _forget()
    return None


def _require_no_fork() -> None:
    if any(started.process_id != os.getpid() for started in _started):
        raise SparkNotStarted(
            "This process was forked from one that runs Spark, and cannot have its own.",
            hint="Start processes with multiprocessing.get_context('spawn').",
        )


def _start(options: LaunchOptions) -> SparkSession:
    java = _take_java(options)
    try:
        return _start_session(java, options)
    except BaseException:
        java.scratch.close()
        raise


def _take_java(options: LaunchOptions) -> JavaProcess:
    """Return the Java begun for these options, one left by a stopped session, or a new one."""
    begun = take_begun_java(options)
    if begun is not None:
        return answer_java(begun)
    left = _find_left_gateway()
    return answer_java(begin_java(options, is_left=left is not None), left)


def _start_session(java: JavaProcess, options: LaunchOptions) -> SparkSession:
    """Start Spark in a Java process; Java ends if Spark does not start."""
    before = signal.getsignal(signal.SIGINT)
    try:
        context = make_context(java)
        _put_interrupt_back(before)
        return _make_session(_StartedSpark(context, java, os.getpid()), options)
    except (PySparkException, Py4JError, ValueError, OSError) as error:
        # before Java ends: the text of an error is fetched from Java
        reason = _find_reason(java, error)
        close_gateway(java.gateway)
        _forget()
        raise failed_start_error(reason, java.log) from None


def _find_reason(java: JavaProcess, error: Exception) -> str:
    """Return the reason why Spark did not start: the end of Java, or the words of an error."""
    process = getattr(java.gateway, "proc", None)
    is_cut_off = isinstance(error, Py4JNetworkError | OSError)
    if is_cut_off and process is not None and process.poll() is not None:
        return f"its Java ended with code {process.returncode}."
    return pick_telling_lines(str(error))


def _make_session(started: _StartedSpark, options: LaunchOptions) -> SparkSession:
    if not options.has_accumulators:
        close_accumulators(started.context)
    _started[:] = [started]
    _delete_at_exit(started)
    if options.is_local and "PYSPARK_PYTHON" not in os.environ:
        # Python functions run in the environment that icemelt is in
        started.context.pythonExec = sys.executable
    return SparkSession(started.context)


def _find_left_gateway() -> JavaGateway | None:
    """Return the Java process that a stopped session left, or that started this process."""
    left: JavaGateway | None = SparkContext._gateway or connect_given_java()
    if left is None:
        return None
    with contextlib.suppress(Py4JError, OSError):
        check_java_process(left)
        return left
    _forget()
    return None


def _delete_at_exit(started: _StartedSpark) -> None:
    """Have Java remove the scratch folder at exit, also after Python was killed."""
    jvm: Any = started.java.gateway.jvm
    folder = jvm.java.io.File(started.java.scratch.location)
    jvm.org.apache.spark.util.ShutdownHookManager.registerShutdownDeleteDir(folder)


def _end(started: _StartedSpark) -> None:
    close_accumulators(started.context)
    if _runs(started.context):
        started.context.stop()
    _abandon(started.context)
    _forget()


def _runs(context: SparkContext) -> bool:
    try:
        return not context._jsc.sc().isStopped()
    except (Py4JError, OSError, AttributeError):
        # a context stopped from Python has no `_jsc`
        return False


def _abandon(context: SparkContext) -> None:
    """Stop the Python half of a context; without `_jsc` the context does not call Java."""
    context._jsc = None
    close_accumulators(context)
    context.stop()


def _forget() -> None:
    """Clear PySpark's references to an ended Java process, so that a new process can start."""
    for started in _started:
        end_java(started.java)
    _started.clear()
    with SparkContext._lock:
        SparkContext._gateway = None
        SparkContext._jvm = None
        SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None
    SparkSession._activeSession = None
    SQLContext._instantiatedContext = None


def _put_interrupt_back(before: Any) -> None:
    """Undo PySpark's handler of Ctrl-C.

    PySpark's handler calls Java on the connection in use by the interrupted call, and so loses the
    interrupt. The handler also cancels the Spark jobs of every session; sessions cancel their own.
    """
    if threading.current_thread() is threading.main_thread() and before is not None:
        signal.signal(signal.SIGINT, before)
