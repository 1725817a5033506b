"""A simulated S3 on this machine, for tests whose tables or files lie in an object store."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from waiting import wait_until

__all__ = [
    "AWS_BUNDLE",
    "HADOOP_CONNECTOR",
    "SERVER",
    "hadoop_settings",
    "make_bucket",
    "start_store",
    "store_environment",
]

# as docs/production.md has them: for tables, and for files of stages
AWS_BUNDLE = "org.apache.iceberg:iceberg-aws-bundle:1.12.0"
HADOOP_CONNECTOR = (
    "org.apache.hadoop:hadoop-aws:3.4.2",
    *(
        f"software.amazon.awssdk:{name}:2.57.8"
        for name in ("s3", "s3-transfer-manager", "sts", "apache-client")
    ),
)
SERVER = Path(__file__).parents[1] / ".venv-s3" / "bin" / "moto_server"


@contextlib.contextmanager
def start_store() -> Iterator[str]:
    """Start an empty store, and end it after the block; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [SERVER, "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: _is_open(port), seconds=30)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _is_open(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def make_bucket(address: str, name: str) -> None:
    """Make a bucket in a store."""
    # whose signature nobody looks at
    headers = {"Authorization": "AWS a:b"}
    request = urllib.request.Request(f"{address}/{name}", headers=headers, method="PUT")  # noqa: S310 - http
    with urllib.request.urlopen(request):  # noqa: S310 - http
        pass


def store_environment(address: str) -> dict[str, str]:
    """Return what the environment of a driver and its executors says of a store."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "simulated",
        "AWS_SECRET_ACCESS_KEY": "simulated",
    }


def hadoop_settings(address: str) -> dict[str, str]:
    """Return Spark's settings of Hadoop's connector for a store."""
    return {
        # all of Amazon's clients, 600 MB
        "spark.jars.excludes": "software.amazon.awssdk:bundle",
        "spark.hadoop.fs.s3a.endpoint": address,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
    }
