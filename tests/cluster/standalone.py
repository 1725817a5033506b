"""A Spark cluster of processes on this machine: a master and workers, as users' clusters have them.

The executors' Python has no PySpark: no statement of icemelt's may need it there.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from waiting import wait_until

from icemelt.engine.start.java import find_java
from icemelt.engine.start.submit import spark_home, submit_environment

__all__ = ["Cluster", "link_spark", "start_cluster"]

_PATIENCE_SECONDS = 60
_BACKEND = "CoarseGrainedExecutorBackend"
_MASTER, _WORKER = (
    f"org.apache.spark.deploy.{name}" for name in ("master.Master", "worker.Worker")
)


@dataclass
class Cluster:
    """A running cluster.

    Attributes:
        url: the master, as `icemelt.connect(master=…)` takes it.
        folder: where the workers keep their executors' folders, and all write their logs.
        python: a Python without PySpark.
        environment: further variables of its processes, which executors inherit.
        processes: the master and its workers.
    """

    url: str
    folder: Path
    python: str
    environment: Mapping[str, str]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def executors(self) -> list[int]:
        """Return the ids of the processes of the executors."""
        return self._children({process.pid for process in self.processes[1:]})

    def _children(self, parents: set[int]) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            # a process may end while it is looked at
            with contextlib.suppress(OSError):
                status = re.search(r"\) . (\d+)", (entry / "stat").read_text())
                if status is None or int(status[1]) not in parents:
                    continue
                if _BACKEND.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
        return found

    def kill_executor(self, number: int) -> None:
        """Kill one of the executors, if there are any; its worker starts another one."""
        running = self.executors()
        if running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(running[number % len(running)], signal.SIGKILL)

    def replace_worker(self, number: int) -> None:
        """Kill a worker with its executors, and start another one."""
        lost = self.processes.pop(1 + number % (len(self.processes) - 1))
        orphans = self._children({lost.pid})
        lost.kill()
        lost.wait()
        # they would end by themselves, when they miss their worker
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.add_worker()

    def add_worker(self) -> None:
        """Start a worker of one core and one GB."""
        options = [
            "--cores",
            "1",
            "--memory",
            "1g",
            "--work-dir",
            str(self.folder / "work"),
            self.url,
        ]
        self.processes.append(_start(self.folder, self.environment, _WORKER, *options))


@contextlib.contextmanager
def start_cluster(
    folder: Path, environment: Mapping[str, str], workers: int = 2
) -> Iterator[Cluster]:
    """Start a master and workers of one core each, and end them after the block.

    Args:
        folder: a folder of the cluster's own.
        environment: further variables of its processes.
        workers: how many workers.
    """
    folder.mkdir(parents=True)
    link_spark(folder / "spark")
    _log_to_standard_error(folder / "spark" / "conf")
    master = _start(folder, environment, _MASTER, "--port", "0")
    cluster = Cluster("", folder, _plain_python(), environment, [master])
    try:
        log = folder / "Master.log"
        wait_until(lambda: bool(_address(log)), _PATIENCE_SECONDS)
        cluster.url = _address(log)
        for _ in range(workers):
            cluster.add_worker()
        registered = "Registering worker"
        wait_until(lambda: log.read_text().count(registered) >= workers, _PATIENCE_SECONDS)
        yield cluster
    finally:
        for pid in cluster.executors():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in reversed(cluster.processes):
            process.kill()
            process.wait()


def _start(
    folder: Path, more: Mapping[str, str], main: str, *options: str
) -> subprocess.Popen[bytes]:
    """Start a process of the cluster, whose lines go to a log."""
    environment = {
        **os.environ,
        **more,
        **submit_environment(find_java(), ()),
        "SPARK_HOME": str(folder / "spark"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
    }
    for name in ("PYTHONPATH", "PYSPARK_PYTHON", "JDK_JAVA_OPTIONS"):
        environment.pop(name, None)
    command = [str(folder / "spark" / "bin" / "spark-class"), main, "--host", "127.0.0.1"]
    log = folder / f"{main.rpartition('.')[2]}.log"
    with log.open("ab") as lines:
        return subprocess.Popen(
            [*command, "--webui-port", "0", *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=lines,
            cwd=folder,
        )


def _address(log: Path) -> str:
    found = re.search(r"spark://127\.0\.0\.1:\d+", log.read_text() if log.exists() else "")
    return found[0] if found else ""


def link_spark(home: Path) -> None:
    """Make a Spark of links: its workers put their folders beside their programs.

    Args:
        home: the folder of that Spark.
    """
    home.mkdir()
    for name in ("bin", "jars"):
        (home / name).symlink_to(spark_home() / name)


def _log_to_standard_error(conf: Path) -> None:
    """Have Spark tell the master's address, which its quiet default does not."""
    conf.mkdir()
    text = "rootLogger.level = info\nrootLogger.appenderRef.out.ref = out\n"
    text += (
        "appender.out.type = Console\nappender.out.name = out\nappender.out.target = SYSTEM_ERR\n"
    )
    text += "appender.out.layout.type = PatternLayout\nappender.out.layout.pattern = %m%n\n"
    (conf / "log4j2.properties").write_text(text)


def _plain_python() -> str:
    """Return a Python without PySpark: that of which this environment was made."""
    python = str(Path(sys.base_prefix) / "bin" / "python3")
    command = [python, "-c", "import pyspark"]
    assert subprocess.run(command, check=False, capture_output=True).returncode, python
    return python
