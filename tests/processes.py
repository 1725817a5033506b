"""Sessions in processes of their own: to be limited, raced or killed.

As a program: `python processes.py LAKE` opens a session and runs a statement for each line of
standard input, a JSON string; it answers each with one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

__all__ = ["Answer", "ProcessSession", "limit_files", "set_writable", "without_privileges"]


@dataclass(frozen=True)
class Answer:
    """What a statement gave: rows, or an error's code and message."""

    rows: list[tuple[Any, ...]]
    statement_id: str = ""
    code: str = ""
    message: str = ""
    hint: str = ""


class ProcessSession:
    """A session on a lake in a folder; `privileged` False takes root's power over modes away.

    Its transactions lapse after `lapse` seconds, None is as long as users' do.
    """

    def __init__(
        self,
        folder: Path,
        *,
        privileged: bool = True,
        master: str = "local[1]",
        lapse: float | None = None,
    ) -> None:
        command = [sys.executable, __file__, str(folder), master, *([str(lapse)] if lapse else [])]
        self.process = subprocess.Popen(
            command if privileged else without_privileges(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.java_id: int | None = None

    def ready(self) -> Self:
        """Wait until the session is open."""
        opened = self._read()
        assert opened is not None, "the session did not open"
        self.java_id = opened["java"]
        return self

    def start(self, statement: str) -> None:
        """Give a statement; `answer` waits for its end."""
        if self.java_id is None:
            self.ready()
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(statement) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Answer | None:
        """Return what the oldest unanswered statement gave, None where the process is gone."""
        told = self._read()
        if told is None:
            return None
        told["rows"] = [tuple(row) for row in told["rows"]]
        return Answer(**told)

    def sql(self, statement: str) -> Answer:
        """Run a statement."""
        self.start(statement)
        answer = self.answer()
        assert answer is not None, "the process is gone"
        return answer

    def kill(self) -> None:
        """Kill Python at once; Java goes by itself when it sees that."""
        self.process.send_signal(signal.SIGKILL)
        self._wait()

    def close(self) -> None:
        """End the session in order."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self._wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.kill()

    def _wait(self) -> None:
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue

    def _read(self) -> dict[str, Any] | None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else None


def without_privileges(command: list[str]) -> list[str]:
    """Return a command that heeds the modes of files also where root runs it."""
    if os.geteuid() != 0:
        return command
    setpriv = shutil.which("setpriv")
    assert setpriv is not None, "root heeds no modes of files without setpriv of util-linux"
    dropped = "-dac_override,-dac_read_search"
    return [setpriv, f"--bounding-set={dropped}", "--inh-caps=-all", *command]


def set_writable(folder: Path, *, writable: bool) -> None:
    """Let nobody write a folder and what is in it, or let its owner."""
    for place, _, files in os.walk(folder):
        Path(place).chmod(0o755 if writable else 0o555)
        for name in files:
            (Path(place) / name).chmod(0o644 if writable else 0o444)


def limit_files(process_id: int, size: int) -> int:
    """Limit the size of files that a process may write; return the limit there was."""
    before, hard = resource.prlimit(process_id, resource.RLIMIT_FSIZE)
    resource.prlimit(process_id, resource.RLIMIT_FSIZE, (size, hard))
    return before


def _serve(folder: str, master: str, lapse: str | None = None) -> None:
    import icemelt  # noqa: PLC0415 - only the program needs it
    from icemelt.errors import IcemeltError  # noqa: PLC0415
    from icemelt.transactions import keeping  # noqa: PLC0415

    keeping.LEASE_SECONDS = float(lapse or keeping.LEASE_SECONDS)
    session = icemelt.connect(folder, master=master, memory="1g", maintain_every=None)
    java = session.spark._jvm.java.lang.ProcessHandle.current().pid()
    _tell({"java": java})
    for line in sys.stdin:
        try:
            result = session.sql(json.loads(line))
            _tell({"rows": result.fetchall(), "statement_id": result.statement_id})
        except IcemeltError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            _tell({"rows": [], **told})
        except Exception as error:  # noqa: BLE001 - the test shall see that it was no error of ours
            _tell({"rows": [], "code": type(error).__name__, "message": str(error)})
    session.close()


def _tell(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value, default=str) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
