"""Whether Spark lives: the Java process runs, and the SparkContext has not stopped."""

from __future__ import annotations

import contextlib
import enum
import subprocess
import sys
import time
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from pyspark.sql import SparkSession

from icemelt.engine.start.compatibility import is_alive
from icemelt.engine.start.launch import java_of
from icemelt.spark_java import java_vm

__all__ = ["Ending", "Vitals", "memory_of", "waits_for_java"]

# A Java without memory, or with a signal, closes its sockets before the process ends.
_ENDING_SECONDS = 1.0
# SIGHUP, SIGINT and SIGTERM as exit codes: of a process ended by the signal, and of a Java that
# handles the signal
_ASKED = frozenset({-1, -2, -15, 129, 130, 143})


class Ending(enum.Enum):
    """How a Java process ended.

    ASKED: ended by a signal, as from a terminal or `kill`. BY_ITSELF: ended with an exit code of
    Java, as for lack of memory. OTHER: killed, or still running after the end of Spark.
    """

    ASKED = "asked"
    BY_ITSELF = "by itself"
    OTHER = "other"


@dataclass(slots=True)
class Vitals:
    """Watches a Spark; `process` is the Java process, None if another program started Java.

    Java ends at once if a task runs out of memory or a signal comes. A SparkContext can also stop
    alone: Java then runs on, and gives no useful answer.
    """

    spark: SparkSession
    process: subprocess.Popen[bytes] | None = None
    answered_at: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, spark: SparkSession) -> Vitals:
        """Watch a Spark session's application.

        >>> from icemelt.engine.start.launch import launch_spark
        >>> Vitals.of(launch_spark()).is_over(0.1)
        False
        """
        return cls(spark, java_of(spark))

    def is_over(self, seconds: float) -> bool:
        """Tell whether Spark is gone; wait up to some seconds for the end of Java.

        A debugger or a signal may have stopped Java: the call waits until Java continues or ends.
        """
        if self._has_ended(seconds) or not is_alive(self.spark):
            return True
        self.answered_at = time.monotonic()
        return False

    @property
    def java_has_ended(self) -> bool:
        """Whether the Java process has ended, without a wait; False of another program's Java."""
        return self.process is not None and self.process.poll() is not None

    def cause(self) -> str:
        """Say how an ended Spark came to an end."""
        if self.process is None or not self._has_ended(_ENDING_SECONDS):
            return "its SparkContext has stopped"
        return f"its Java ended with code {self.process.returncode}"

    @property
    def ending(self) -> Ending:
        """How the Java process ended, as far as the exit code shows."""
        code = None if self.process is None else self.process.returncode
        if code in _ASKED:
            return Ending.ASKED
        return Ending.BY_ITSELF if code is not None and code > 0 else Ending.OTHER

    def kill(self) -> None:
        """End Java at once, if started by this process: Spark inside is of no use any more."""
        if self.process is not None:
            self.process.kill()
            # so that others who wait for the process get the exit code
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)

    def _has_ended(self, seconds: float) -> bool:
        if self.process is None:
            # the end of another program's Java cannot be waited for
            time.sleep(seconds)
            return False
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True


def memory_of(spark: SparkSession) -> int:
    """Return the maximal size of the heap of Spark's Java, in bytes.

    >>> from icemelt.engine.start.launch import launch_spark
    >>> memory_of(launch_spark()) > 100 << 20
    True
    """
    java: Any = java_vm(spark)
    return int(java.java.lang.Runtime.getRuntime().maxMemory())


def waits_for_java(thread_id: int | None, seconds: float = 1.0) -> bool:
    """Tell whether a thread of this process waits for one answer of Java for at least `seconds`.

    >>> import threading
    >>> waits_for_java(threading.get_ident(), 0.01)
    False
    """
    call = _call_of_java(thread_id)
    if call is None:
        return False
    # The thread may be in one of many short calls by chance: no event reports the end of a call.
    time.sleep(seconds)
    return _call_of_java(thread_id) is call


def _call_of_java(thread_id: int | None) -> FrameType | None:
    """Return the outermost frame of py4j in a thread's stack; None if the thread is not in py4j."""
    frames = sys._current_frames()  # noqa: SLF001 - Python documents it
    frame, call = frames.get(thread_id or 0), None
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("py4j."):
            call = frame
        frame = frame.f_back
    return call
