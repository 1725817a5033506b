"""Spark starts silently, outlives Ctrl-C, ends with Python, and starts again after it died.

A Spark that dies would take the other tests' with it: these run programs of their own.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from icemelt.engine.start.compatibility import check_compatible
from icemelt.engine.start.configuration import LaunchOptions, Machine, spark_configuration
from icemelt.engine.start.jars import ensure_jars
from icemelt.engine.start.java import find_java
from icemelt.engine.start.log import pick_telling_lines
from icemelt.engine.start.submit import submit_environment
from icemelt.errors import SparkIncompatible
from icemelt.session import connect

pytestmark = pytest.mark.turns(4)

_MACHINE = Machine(cores=2, memory=16 << 30)
_JAR = Path("/jars/iceberg.jar")

# Each program tells what it saw as lines of JSON, the only thing that may be on its output.
_BEGIN = """
import json, os, pathlib, signal, socket, sys, time, warnings
warnings.simplefilter("error")
warnings.filterwarnings("ignore", "unclosed", ResourceWarning)
from dataclasses import replace
from pyspark import SparkContext
from icemelt.engine.start.java_process import launch_java_soon
from icemelt.engine.start.launch import (
    LaunchOptions, check_compatible, is_alive, launch_spark, stop
)
from icemelt.errors import IcemeltError

def tell(**facts):
    print(json.dumps(facts), flush=True)

def refusal(call):
    try:
        call()
    except IcemeltError as error:
        return f"{error.code}: {error}"
    return "none"

def process(spark):
    return spark.sparkContext._gateway.proc

one = LaunchOptions(master="local[1]", memory="1g", conf={
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
    "spark.sql.catalog.lake.warehouse": os.environ.get("WAREHOUSE", ""),
})
"""
_INTERRUPTED = """
spark = launch_spark(one)
folder = str(pathlib.Path(spark.conf.get("spark.local.dir")).parent)
pid = process(spark).pid
try:
    # told inside the block: the interrupt may come as soon as the line is read
    tell(process=pid, folder=folder)
    time.sleep(60)  # until the interrupt, and not for ever where none comes
except KeyboardInterrupt:
    pass
spark.sql("CREATE TABLE lake.t USING iceberg AS SELECT id FROM range(3)")
spark.sql("MERGE INTO lake.t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
tell(rows=spark.table("lake.t").count(), files=os.listdir())
time.sleep(60)  # until it is killed, or its test is no more
"""
_DYING = """
first = launch_spark(one)
tell(same=launch_spark() is first)
# any user of the machine may connect, send a part of a token, and hold the connection
stranger = socket.create_connection(first.sparkContext._accumulatorServer.server_address)
stranger.sendall(b"x")
process(first).kill()
process(first).wait()
tell(first_is_alive=is_alive(first))
# whoever brings jars has Spark load all of them
conf = {"spark.jars.excludes": "none:none", "spark.password": "secret"}
# a server's takes no accumulators
second = launch_spark(replace(one, conf=conf, has_accumulators=False))
tell(port=second.sparkContext._accumulatorServer)
shown = "secret" in pathlib.Path(f"/proc/{process(second).pid}/cmdline").read_text()
tell(rows=second.range(5).count(), first_is_still_dead=not is_alive(first), shown=shown)
check_compatible(second.newSession())
java = process(second)
stop(second)
tell(ended=java.poll() is not None, second_is_alive=is_alive(second))
tell(ctrl_c_is_back=signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
_FOREIGN = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
tell(running=refusal(launch_spark))
spark.stop()
tell(left_behind=refusal(launch_spark), handed_in=refusal(lambda: check_compatible(spark)))
"""
_FAILING = """
tell(size=refusal(lambda: launch_spark(LaunchOptions(memory="1t1"))))
tell(master=refusal(lambda: launch_spark(LaunchOptions(master="locally", memory="1g"))))
tell(left=SparkContext._gateway is not None)
"""
_PACKAGED = """
spark = launch_spark(replace(one, packages=("org.xerial:sqlite-jdbc:3.53.1.0",)))
jars = spark.sparkContext.getConf().get("spark.jars").split(",")
tell(jars=sorted(jar.rpartition("/")[2] for jar in jars))
"""
_SOON = """
launch_java_soon(LaunchOptions(memory="1t1"))
launch_java_soon(one)
tell(failed=refusal(lambda: launch_spark(LaunchOptions(memory="1t1"))))
launch_java_soon(LaunchOptions(memory="900m"))
spark = launch_spark(one)
tell(memory=spark.conf.get("spark.driver.memory"))
launch_java_soon(one)
tell(same=launch_spark() is spark)
stop(spark)
launch_java_soon(one)
again = launch_spark(one)
tell(rows=again.range(5).count(), another=again is not spark)
folders = pathlib.Path(again.conf.get("spark.local.dir")).parent.parent.glob("icemelt-scratch-*")
tell(folders=len(list(folders)))
"""


@contextmanager
def _program(text: str, folder: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program in a process group and a folder of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", _BEGIN + text],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=os.environ | submit_environment(find_java(), ()) | variables,
        start_new_session=True,
    )
    try:
        with process:
            yield process
    finally:
        process.kill()


def _facts(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("{"), line + process.stdout.read()
    return json.loads(line)


def _runs(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def _eventually_gone(process_id: int, folder: Path) -> bool:
    for _ in range(300):
        if not _runs(process_id) and not folder.exists():
            return True
        time.sleep(0.1)  # it is no child of this process, which could wait for it
    return False


@pytest.fixture
def jars(tmp_path: Path) -> str:
    """A folder of the jars whose name must be written with care."""
    folder = tmp_path / "jars of 100% #1 é"
    folder.mkdir()
    for jar in ensure_jars():
        shutil.copy(jar, folder)
    return str(folder)


@pytest.mark.slow
def test_ctrl_c_leaves_spark_alone_and_a_kill_of_python_ends_it(tmp_path: Path, jars: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    variables = {
        "ICEMELT_JARS": jars,
        "SPARK_HOME": "/another/spark",
        "WAREHOUSE": str(tmp_path / "warehouse"),
    }
    with _program(_INTERRUPTED, work, **variables) as python:
        started = _facts(python)
        os.killpg(python.pid, signal.SIGINT)
        assert _facts(python) == {"rows": 2, "files": []}
        assert _runs(started["process"])
        # where Java is killed too, the next session finds the folder by its lock
        assert (Path(started["folder"]) / "owner.lock").exists()
        python.kill()
        assert _eventually_gone(started["process"], Path(started["folder"]))


@pytest.mark.slow
def test_spark_starts_again_after_its_java_process_died(tmp_path: Path, jars: str) -> None:
    with _program(_DYING, tmp_path, ICEMELT_JARS=jars) as python:
        assert _facts(python) == {"same": True}
        assert _facts(python) == {"first_is_alive": False}
        assert _facts(python) == {"port": None}
        assert _facts(python) == {"rows": 5, "first_is_still_dead": True, "shown": False}
        assert _facts(python) == {"ended": True, "second_is_alive": False}
        assert _facts(python) == {"ctrl_c_is_back": True}


def test_executors_get_the_jars_of_packages(tmp_path: Path, jars: str) -> None:
    with _program(_PACKAGED, tmp_path, ICEMELT_JARS=jars) as python:
        told = _facts(python)["jars"]
    assert "org.xerial_sqlite-jdbc-3.53.1.0.jar" in told
    assert [jar for jar in told if jar.startswith("iceberg-spark-runtime")]


def test_a_spark_without_iceberg_is_refused(tmp_path: Path) -> None:
    with _program(_FOREIGN, tmp_path) as python:
        assert python.stdout is not None
        told = [line for line in python.stdout if line.startswith("{")]
    running, left = map(json.loads, told)
    assert running["running"].startswith(
        "spark-incompatible: The SparkSession has no Iceberg on its class path."
    )
    assert "'org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0'" in running["running"]
    assert "left a Java process in which Iceberg is missing" in left["left_behind"]
    assert left["handed_in"].startswith("spark-died: The SparkSession handed in has stopped.")


def test_a_start_that_fails_tells_why(tmp_path: Path) -> None:
    with _program(_FAILING, tmp_path) as python:
        size = _facts(python)["size"].splitlines()
        master = _facts(python)["master"].splitlines()
        assert _facts(python) == {"left": False}
    assert size[0] == "spark-not-started: Spark did not start: Invalid maximum heap size: -Xmx1t1"
    assert size[1].startswith("Hint: Give Spark less memory: export SPARK_DRIVER_MEMORY=1g. Read")
    assert master[0].startswith("spark-not-started: Spark did not start: ")
    assert "'locally'" in master[0]


@pytest.mark.slow
def test_java_is_started_before_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    with _program(_SOON, tmp_path, TMPDIR=str(tmp_path / "temporary")) as python:
        assert "Invalid maximum heap size: -Xmx1t1" in _facts(python)["failed"]
        assert _facts(python) == {"memory": "1g"}
        assert _facts(python) == {"same": True}
        assert _facts(python) == {"rows": 5, "another": True}
        # those of the Java that was for other options, or ended, are gone
        assert _facts(python) == {"folders": 1}


def test_connect_starts_what_the_command_line_has_begun() -> None:
    given = inspect.signature(connect).parameters
    for each in fields(LaunchOptions):
        if each.name in given:
            default = getattr(LaunchOptions(), each.name)
            assert (given[each.name].default or default) == default
    assert LaunchOptions(conf={}) == LaunchOptions()


def test_a_session_of_spark_connect_is_refused_at_once() -> None:
    kind = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})
    with pytest.raises(SparkIncompatible, match="one of Spark Connect"):
        check_compatible(kind())


def test_something_else_than_a_session_is_refused() -> None:
    with pytest.raises(SparkIncompatible, match=r"found builtins\.str"):
        check_compatible("local[*]")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gigabytes", "expected"), [(1, "1024m"), (4, "1638m"), (16, "6553m"), (64, "8192m")]
)
def test_memory_is_a_part_of_the_machines(
    gigabytes: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_DRIVER_MEMORY", raising=False)
    machine = Machine(2, gigabytes << 30)
    conf = spark_configuration(LaunchOptions(), machine, [_JAR], Path("/scratch"))
    assert conf["spark.driver.memory"] == expected


def test_a_cluster_keeps_its_own_network_and_gets_the_jar() -> None:
    options = LaunchOptions(master="yarn", conf={"spark.jars": "/mine.jar"})
    conf = spark_configuration(options, _MACHINE, [_JAR], Path("/scratch"))
    assert conf["spark.jars"] == "file:///jars/iceberg.jar,/mine.jar"
    assert not {"spark.driver.host", "spark.sql.shuffle.partitions"} & conf.keys()


def test_executors_in_other_processes_get_the_jar() -> None:
    conf = spark_configuration(
        LaunchOptions(master="local-cluster[2,1,1024]"), _MACHINE, [_JAR], Path("/scratch")
    )
    assert conf["spark.jars"] == "file:///jars/iceberg.jar"
    assert "spark.driver.extraClassPath" not in conf


def test_packages_and_the_jar_are_loaded_together() -> None:
    options = LaunchOptions(packages=("a:b:1",), conf={"spark.jars.packages": "c:d:2"})
    conf = spark_configuration(options, _MACHINE, [_JAR], Path("/scratch"))
    assert conf["spark.jars.packages"] == "a:b:1,c:d:2"
    assert conf["spark.jars"] == "file:///jars/iceberg.jar"
    assert "spark.driver.extraClassPath" not in conf


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("only this", "only this"),
        ('Exception in thread "main" java.io.IOException: No space left', "No space left"),
        ("An error occurred while calling o1.\n: a.b.CException: x is invalid\n\tat d", "x"),
    ],
)
def test_javas_own_words_are_left_out(text: str, expected: str) -> None:
    assert expected in pick_telling_lines(text)
    assert "Exception" not in pick_telling_lines(text)
