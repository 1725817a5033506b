"""`icemelt serve` as a program of its own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["ICEMELT", "SECONDS", "Server", "server"]

ICEMELT = (sys.executable, "-m", "icemelt")
SECONDS = 120


class Server:
    """A server of a lake in a process of its own; `key` is the first one, where it made one."""

    def __init__(
        self, lake: Path, *options: str, program: Sequence[str] = ICEMELT, **environment: str
    ) -> None:
        command = [*program, "serve", str(lake), "--port", "0", *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        self.key = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"ice_\S+", line):
                self.key = found.group()
            if found := re.search(r"http://\S+", line):
                self.url = found.group()
                return
        raise AssertionError(f"it ended with {self.process.wait()}")

    def java(self) -> int:
        """Return the id of the Java process that Spark runs in."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.process.pid and (folder / "comm").read_text() == "java\n":
                    return int(folder.name)
        raise AssertionError("the server has no Java")

    def end(self, number: signal.Signals) -> int:
        """Send a signal, and wait for the end."""
        self.process.send_signal(number)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return self.process.wait(SECONDS)


@contextlib.contextmanager
def server(
    lake: Path, *options: str, program: Sequence[str] = ICEMELT, **environment: str
) -> Iterator[Server]:
    running = Server(lake, *options, program=program, **environment)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()
        if running.process.stdout is not None:
            running.process.stdout.close()
