"""The process of `stream_victim.py` as its killer sees it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from torture.journal import Journal

__all__ = ["VictimProcess", "is_running"]

_PROGRAM = Path(__file__).with_name("stream_victim.py")


class VictimProcess:
    """A victim: `journal` has what it did, `told` what it said of its latest plan.

    `over` is set where a plan ends.
    """

    def __init__(self, url: str, folder: Path, name: str, seed: str, lapse: int) -> None:
        command = [sys.executable, str(_PROGRAM), url, str(folder / "warehouse"), name, seed]
        temporary = folder / "temporary"
        temporary.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [*command, str(lapse)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # what dead sessions leave there goes with the test
            env={**os.environ, "TMPDIR": str(temporary)},
        )
        self.journal = Journal()
        self.told: list[dict[str, Any]] = []
        self.over = threading.Event()
        self.session_id, self.java_id, self.killed_at = "", 0, ""
        self._is_ready = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def order(self, plan: dict[str, Any], seconds: float) -> None:
        """Wait until it is ready, and let it work until it is killed as planned."""
        assert self._is_ready.wait(seconds), "Spark does not start"
        assert self.process.poll() is None, "it ended before it was ready: its error is above"
        self._is_ready.clear()
        self.over.clear()
        self.told.clear()
        self.killed_at = ""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(plan) + "\n")
        self.process.stdin.flush()

    def end(self, *, by_signal: bool) -> None:
        """Check that it ended as was planned: killed by itself, or alive without Java."""
        if by_signal:
            self.kill()
        assert self.killed_at, f"it failed: {self.told[-3:]}"
        assert self.process.poll() == (-signal.SIGKILL if by_signal else None), self.told[-3:]

    def kill(self) -> None:
        """Kill it where it still runs, and hear the rest."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._listener.join()
        if self.process.stdin is not None:
            self.process.stdin.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                if line.endswith("\n"):
                    self._hear(json.loads(line))
        self.process.wait()
        self._is_ready.set()
        self.over.set()

    def _hear(self, told: dict[str, Any]) -> None:
        if "ready" in told:
            self.session_id, self.java_id = told["ready"], told["java"]
            self._is_ready.set()
            return
        self.told.append(told)
        self.journal.hear(told)
        self.killed_at = told.get("killed_at", self.killed_at)
        if "closed" in told:
            self.over.set()


def is_running(process_id: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody has asked for does not."""
    command = ["ps", "-o", "stat=", "-p", str(process_id)]
    state = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")
