"""A lake that processes serve, one after the other, at one URL and with one key."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ingest.kill_server import Step
from pyspark.sql import SparkSession

import icemelt
from icemelt.session.session import Session

SERVER = Path(__file__).with_name("kill_server.py")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass
class ServedLake:
    """A lake in a folder; its servers use the Java of this process, and outlive no test."""

    spark: SparkSession
    folder: Path
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        """The key that the first server has made."""
        return self._key_file.read_text()

    @property
    def _key_file(self) -> Path:
        return self.folder / "key"

    def session(self) -> Session:
        return icemelt.connect(self.folder, spark=self.spark, maintain_every=None)

    @contextlib.contextmanager
    def server(self, step: Step = Step.NEVER, number: int = 1) -> Iterator[subprocess.Popen[str]]:
        """Give a server that listens; it dies at the so-manieth time that it comes to a step."""
        gateway = self.spark.sparkContext._gateway.gateway_parameters  # type: ignore[union-attr]
        java = {
            "PYSPARK_GATEWAY_PORT": str(gateway.port),
            "PYSPARK_GATEWAY_SECRET": gateway.auth_token,
        }
        more = [str(self.folder), str(self._key_file), str(self.port), step.name, str(number)]
        process = subprocess.Popen(
            [sys.executable, str(SERVER), *more],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **java},
        )
        try:
            assert process.stdout is not None
            # one that died at its start has come to its step before it listened
            process.stdout.readline()
            yield process
        finally:
            process.kill()
            process.communicate()
