"""A Java process that is starting: until it has told its address, and where it never does.

Java runs PySpark's server of py4j. It writes the port and the secret of the server into a private
folder, and ends with its standard input.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from icemelt.storage.local import remove_tree

__all__ = ["JavaEnded", "StartingJava", "spawn_java"]

_ADDRESS_VARIABLE = "_PYSPARK_DRIVER_CONN_INFO_PATH"
_ADDRESS_FILE = "address"
_PREFIX = "icemelt-java-"
_LOOK_SECONDS = 0.005
# Java's files are private to the user; Hadoop sets the mode of files for other readers by itself
_UMASK = 0o077


class JavaEnded(Exception):
    """The process ended without an address."""


@dataclass(frozen=True, slots=True)
class StartingJava:
    """A process that will tell its address; `folder` is where."""

    process: subprocess.Popen[bytes]
    folder: Path

    def read_address(self) -> tuple[int, str]:
        """Wait for the port and the secret of py4j's server.

        Raises:
            JavaEnded: the process ended before.
        """
        file = self.folder / _ADDRESS_FILE
        try:
            while not file.is_file():
                if self.process.poll() is not None:
                    raise JavaEnded
                # Java writes its address into a file: it has no other way to tell
                time.sleep(_LOOK_SECONDS)
            content = file.read_bytes()
        finally:
            remove_tree(self.folder)
        port, length = struct.unpack_from(">ii", content)
        return port, content[8 : 8 + length].decode()

    def end(self) -> None:
        """End the process, which nobody has used."""
        self.process.kill()
        self.process.communicate()
        remove_tree(self.folder)


def spawn_java(
    command: Sequence[str],
    environment: Mapping[str, str],
    output: BinaryIO,
    settings: bytes | None = None,
) -> StartingJava:
    """Start a command that becomes Java.

    Args:
        command: the program and its arguments.
        environment: the variables of the process.
        output: the log, for standard output and standard error.
        settings: what Java reads from standard input first, None for nothing.

    Raises:
        OSError: the program cannot be run.
        subprocess.SubprocessError: this process is ending.
    """
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    atexit.register(_end_unanswered, folder, os.getpid())
    process = subprocess.Popen(  # noqa: S603 - Java, or Spark's own program
        command,
        env={**environment, _ADDRESS_VARIABLE: str(folder / _ADDRESS_FILE)},
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        umask=_UMASK,
        preexec_fn=partial(_prepare_process, folder),  # noqa: PLW1509 - calls nothing that locks
    )
    if settings is not None and process.stdin is not None:
        # a Java that refuses its arguments reads nothing, and says so in the log
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(settings)
            process.stdin.flush()
    return StartingJava(process, folder)


def _prepare_process(folder: Path) -> None:
    """Leave the process id in a folder, from inside the new process, and ignore Ctrl-C there.

    Java does not start if the folder is gone.
    """
    (folder / str(os.getpid())).touch()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end_unanswered(folder: Path, process_id: int) -> None:
    """End a Java that is still starting when this process ends, and remove the folder.

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
