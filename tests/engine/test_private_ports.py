"""Another user of the machine reaches Spark's ports, and gets nothing without the secret."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark import SparkContext, accumulators
from pyspark.sql import SparkSession
from waiting import wait_until

from icemelt.cli.serve_command import _LAUNCHING
from icemelt.engine.start.configuration import LaunchOptions, Machine, spark_configuration
from icemelt.engine.start.java_process import require_open_files
from icemelt.engine.start.log import new_log
from icemelt.spark_java import close_accumulators

PROGRAM = Path(__file__).parent / "ask_spark.py"
MACHINE = Machine(cores=2, memory=16 << 30)
# Spark's frame of a question: its length, kind 3, a number, and the length of what is asked
QUESTION = struct.pack(">qbqi", 8 + 1 + 8 + 4 + 5, 3, 7, 5) + b"hello"


def environment(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm.org.apache.spark.SparkEnv.get()


@pytest.mark.slow
def test_a_stranger_without_the_secret_is_refused_by_each_endpoint(spark: SparkSession) -> None:
    secret = str(environment(spark).securityManager().getSecretKey())
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "127.0.0.1", str(spark.conf.get("spark.driver.port"))],
        env=os.environ | {"STRANGER_SECRET": secret},
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    strangers = [each["outcome"] for each in told if each["secret"] != "right"]
    assert len(strangers) == 10
    assert all(outcome.startswith("refused") for outcome in strangers), strangers
    # the same questions are answered to who has the secret
    friends = [each["outcome"] for each in told if each["secret"] == "right"]
    assert friends == ["answered", "found", "found", "found", "found"]
    assert spark.range(5).count() == 5


@pytest.mark.parametrize("which", ["driver", "blocks"])
def test_each_port_asks_for_the_secret_first(spark: SparkSession, which: str) -> None:
    driver = int(str(spark.conf.get("spark.driver.port")))
    port = (
        driver if which == "driver" else environment(spark).blockManager().blockManagerId().port()
    )
    with socket.create_connection(("127.0.0.1", port), timeout=30) as stranger:
        stranger.sendall(QUESTION)
        answer = stranger.recv(65_536)
    assert b"Expected SaslMessage" in answer


def test_the_secret_is_nowhere_to_be_read(spark: SparkSession) -> None:
    secret = str(environment(spark).securityManager().getSecretKey())
    assert len(secret) >= 64
    java = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    shown = [Path(f"/proc/{java}/{name}").read_bytes() for name in ("cmdline", "environ")]
    shown.append(new_log().read_bytes())
    shown.append(repr(spark.sparkContext.getConf().getAll()).encode())
    assert not any(secret.encode() in text for text in shown)


class Context:
    """What a context has of the port to which Java sends what accumulators count."""

    def __init__(self) -> None:
        self._accumulatorServer: Any = accumulators._start_update_server("secret", False)  # noqa: FBT003
        self.address = self._accumulatorServer.server_address

    def is_open(self) -> bool:
        try:
            socket.create_connection(self.address, timeout=5).close()
        except ConnectionRefusedError:
            return False
        return True


def test_who_holds_the_port_of_accumulators_keeps_no_spark_from_ending() -> None:
    assert not _LAUNCHING.has_accumulators
    context = Context()
    with socket.create_connection(context.address) as stranger:
        stranger.sendall(b"x")
        close_accumulators(cast("SparkContext", context))
        # PySpark's own `stop` waits for none
        assert context._accumulatorServer is None
    wait_until(lambda: not context.is_open(), 20)
    close_accumulators(cast("SparkContext", context))


def test_a_spark_whose_executors_would_need_the_secret_is_left_to_its_user() -> None:
    for master, expected in (("local[*]", "true"), ("local", "true"), ("spark://host:7077", None)):
        conf = spark_configuration(LaunchOptions(master=master), MACHINE, [], Path("/tmp"))
        assert conf.get("spark.authenticate") == expected
    options = LaunchOptions(conf={"spark.authenticate": "false"})
    assert spark_configuration(options, MACHINE, [], Path("/tmp"))["spark.authenticate"] == "false"


def test_too_few_files_are_told_before_java_is_started() -> None:
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128));"
        "from icemelt.engine.start.launch import launch_spark; launch_spark()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "SparkNotStarted: Spark did not start: a process may open 128 files here" in done.stderr
    assert "ulimit -n 4096" in done.stderr
    require_open_files()
