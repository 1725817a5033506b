"""icemelt's own command for Java: it is what Spark's scripts and PySpark would make of it."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark.java_gateway
import pytest
from pyspark.core.context import DEFAULT_CONFIGS
from pyspark.sql import SparkSession

from icemelt.engine.start.configuration import LaunchOptions, starts_java_directly
from icemelt.engine.start.gateway import IMPORTS
from icemelt.engine.start.jars import spark_jars
from icemelt.engine.start.java import VECTOR_MODULE_ARGUMENT, JavaInstallation, find_java
from icemelt.engine.start.java_command import MODULE_OPTIONS, PYSPARK_SETTINGS, java_command
from icemelt.engine.start.submit import submit_environment, submit_program

_JARS = [Path("/j/iceberg.jar")]
_NOWHERE = Path("/no/spark")
# tells what Spark is like, and Python's processes of it
_PROGRAM = """
import json, os
from pyspark.ml.functions import array_to_vector, vector_to_array
from icemelt.engine.start.launch import LaunchOptions, launch_spark, stop
conf = {"spark.test.secret": "hidden", "spark.test.shown": "é"}
spark = launch_spark(LaunchOptions(master="local[1]", memory="1g", conf=conf))
java = spark._jvm.java.lang
frame = spark.sql("SELECT array(1.0D, 2.0D) AS a")
[row] = frame.select(vector_to_array(array_to_vector("a")).alias("a")).collect()
[variables] = spark.sparkContext.parallelize([0], 1).map(lambda _: dict(os.environ)).collect()
system = java.System.getProperties()
print(json.dumps({
    "conf": dict(spark.sparkContext.getConf().getAll()),
    "session": spark.conf.getAll,
    "module options": [
        option for option in java.management.ManagementFactory.getRuntimeMXBean()
        .getInputArguments() if option.startswith(("--add", "--enable"))
    ],
    "properties": {
        name: str(system[name]) for name in list(system.keySet())
        if name.startswith(("spark.", "io.netty", "jdk.reflect"))
    },
    "level": str(spark._jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel()),
    "python": {name: variables.get(name) for name in ("PYTHONHASHSEED", "SPARK_HOME")},
    "vector": row.a,
    "command": open(f"/proc/{java.ProcessHandle.current().pid()}/cmdline").read(),
}))
stop(spark)
"""


def test_the_options_are_those_of_spark(spark: SparkSession) -> None:
    options = spark._jvm.org.apache.spark.launcher.JavaModuleOptions
    assert tuple(options.defaultModuleOptionArray()) == MODULE_OPTIONS


def test_the_names_are_those_that_pyspark_imports() -> None:
    source = inspect.getsource(pyspark.java_gateway.launch_gateway)
    assert tuple(re.findall(r'java_import\(gateway.jvm, "(.*?)"\)', source)) == IMPORTS


def test_the_settings_are_those_that_pyspark_gives() -> None:
    assert {key: str(value) for key, value in DEFAULT_CONFIGS.items()} == PYSPARK_SETTINGS


def test_java_without_the_module_is_not_asked_for_it() -> None:
    conf = {"spark.driver.memory": "1g", "spark.driver.extraJavaOptions": "-Da='b c'"}
    for has_vector in (False, True):
        java = JavaInstallation(Path("/opt/java"), 21, "PATH", has_vector)
        command = java_command(java, _JARS, conf, ["-Dc=d"])
        assert (VECTOR_MODULE_ARGUMENT in command) is has_vector
        assert command[:6] == [
            *("/opt/java/bin/java", "-cp", "/j/iceberg.jar", "-Dc=d", "-Xmx1g", "-Da=b c")
        ]


@pytest.mark.parametrize(
    "options",
    [
        LaunchOptions(master="yarn"),
        LaunchOptions(packages=("a:b:1",)),
        LaunchOptions(conf={"spark.jars": "/a.jar"}),
        LaunchOptions(conf={"spark.driver.extraJavaOptions": "-Da=b"}),
        LaunchOptions(conf={"spark.driver.defaultJavaOptions": "-Da=b"}),
        LaunchOptions(conf={"spark.kerberos.principal": "ann"}),
        LaunchOptions(conf={"spark.log.structuredLogging.enabled": "true"}),
    ],
    ids=str,
)
def test_what_sparks_scripts_read_is_left_to_them(options: LaunchOptions) -> None:
    assert not starts_java_directly(options, _JARS, _NOWHERE)


@pytest.mark.parametrize("name", ["SPARK_CONF_DIR", "HADOOP_CONF_DIR", "SPARK_SUBMIT_OPTS"])
def test_so_are_their_variables_and_files(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for each in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "SPARK_SUBMIT_OPTS", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(each, raising=False)
    assert starts_java_directly(LaunchOptions(), _JARS, tmp_path)
    (tmp_path / "conf").mkdir()
    assert not starts_java_directly(LaunchOptions(), _JARS, tmp_path)
    (tmp_path / "conf").rmdir()
    monkeypatch.setenv(name, "/somewhere")
    assert not starts_java_directly(LaunchOptions(), _JARS, tmp_path)


def _ask(**variables: str) -> dict[str, Any]:
    without = {"PYSPARK_SUBMIT_ARGS", "SPARK_SUBMIT_OPTS", "SPARK_LOCAL_IP"}
    environment = {key: value for key, value in os.environ.items() if key not in without}
    output = subprocess.check_output(
        [sys.executable, "-c", _PROGRAM],
        text=True,
        env=environment | variables,
        stderr=subprocess.DEVNULL,
    )
    facts: dict[str, Any] = json.loads(output)
    return facts


@pytest.mark.slow
def test_spark_is_as_its_own_scripts_start_it() -> None:
    own = _ask()
    scripts = _ask(PYSPARK_SUBMIT_ARGS="--conf spark.test.scripts=yes pyspark-shell")
    assert scripts["conf"].pop("spark.test.scripts") == "yes"
    # of this run, or of the program that reads the arguments of scripts; jars are given otherwise
    for facts in (own, scripts):
        commands = facts.pop("command")
        assert "hidden" not in commands
        assert "hidden" not in str(facts["properties"])
        assert facts["conf"]["spark.test.secret"] == "hidden"
        assert facts["conf"]["spark.test.shown"] == "é"
        for part in ("conf", "session", "properties"):
            facts[part] = {key: facts[part][key] for key in facts[part] if not _of_run(key)}
        assert facts.pop("vector") == [1.0, 2.0]
    scripts["session"].pop("spark.test.scripts", None)
    scripts["properties"].pop("spark.test.scripts", None)
    # which PySpark sets later
    for key in PYSPARK_SETTINGS:
        own["properties"].pop(key, None)
    assert own == scripts


def _of_run(name: str) -> bool:
    return name.startswith(
        (
            *("spark.app.i", "spark.app.s", "spark.driver.extra", "spark.driver.port"),
            *("spark.jars", "spark.local.dir", "spark.repl", "spark.sql.warehouse.dir"),
            "spark.submit",
        )
    )


_GIVEN = """
import json, os
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.start.java_process import launch_java_soon
from icemelt.engine.start.launch import launch_spark
launch_java_soon(LaunchOptions())
spark = launch_spark()
[row] = spark.sql("SELECT 40 + 2 AS a").collect()
port = spark.sparkContext._gateway.gateway_parameters.port
print(json.dumps({"a": row.a, "same": port == int(os.environ["PYSPARK_GATEWAY_PORT"])}))
"""


@pytest.mark.slow
def test_a_program_that_spark_submit_runs_uses_its_java(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_GIVEN)
    jars = ",".join(map(str, spark_jars()))
    java = find_java()
    output = subprocess.check_output(
        [
            *(str(submit_program()), "--master", "local[1]", "--jars", jars),
            *("--conf", f"spark.pyspark.python={sys.executable}", str(tmp_path / "program.py")),
        ],
        text=True,
        env=os.environ | submit_environment(java, ()),
        stderr=subprocess.DEVNULL,
    )
    [line] = [line for line in output.splitlines() if line.startswith("{")]
    assert json.loads(line) == {"a": 42, "same": True}
