"""The jar of icemelt's own functions: of these sources, in each session, in a Spark handed in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from build_jar import build, built_from, source_hash
from pyspark.sql import SparkSession

from icemelt.engine.functions import OWN, keep_harmless
from icemelt.engine.java_functions import add_java_functions
from icemelt.engine.start.jars import FUNCTIONS, ensure_jars
from icemelt.engine.start.java import find_java
from icemelt.engine.start.submit import spark_home, submit_environment

_PROGRAM = Path(__file__).parent / "handed_in.py"
# the compiler that made the jar; another one writes other bytes
_JDK = "javac 17."


def test_the_jar_is_of_the_sources_that_are_here() -> None:
    assert built_from(FUNCTIONS) == source_hash(), "run: python scripts/build_jar.py"


def test_a_build_of_the_sources_is_the_jar(tmp_path: Path) -> None:
    compiler = shutil.which("javac")
    if compiler is None:
        pytest.skip("there is no JDK")
    jar = tmp_path / "built.jar"
    build(jar, compiler)
    version = subprocess.run([compiler, "-version"], capture_output=True, text=True, check=True)
    if version.stdout.startswith(_JDK):
        assert jar.read_bytes() == FUNCTIONS.read_bytes()
    with zipfile.ZipFile(jar) as built, zipfile.ZipFile(FUNCTIONS) as shipped:
        assert built.namelist() == shipped.namelist()


def test_others_may_call_what_there_is(spark: SparkSession) -> None:
    session, guest = spark.newSession(), spark.newSession()
    before = _functions(session)
    add_java_functions(session)
    added = _functions(session) - before
    assert added == OWN
    assert not added & _functions(spark.newSession())
    add_java_functions(guest)
    keep_harmless(guest)
    assert added <= _functions(guest)


def _functions(spark: SparkSession) -> set[str]:
    registry = spark._jsparkSession.sessionState().functionRegistry()
    return set(registry.listFunction().mkString(",").split(","))


@pytest.mark.slow
@pytest.mark.parametrize("master", ["local[1]", "local-cluster[1,1,1024]"])
def test_a_spark_that_was_handed_in_is_given_the_functions(tmp_path: Path, master: str) -> None:
    home = tmp_path / "spark"
    home.mkdir()
    for name in ("bin", "jars"):
        # its workers put their folders beside their programs
        (home / name).symlink_to(spark_home() / name)
    environment = {
        **os.environ,
        **submit_environment(find_java(), ()),
        "SPARK_HOME": str(home),
    }
    command = [sys.executable, str(_PROGRAM), master, str(tmp_path / "lake"), str(ensure_jars()[0])]
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert json.loads(ended.stdout.splitlines()[-1]) == [["b", 3, True], ["b", 3, True]]
