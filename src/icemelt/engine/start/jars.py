"""The jars that Spark lacks, fetched once by Spark's own resolver.

The jars are Iceberg's Spark runtime, a file system for Hadoop that writes local files without a
process for every file, and the engine of regular expressions. If ICEMELT_JARS names a folder with
the jars, nothing is ever fetched. One more jar, with icemelt's own functions, comes with icemelt
(ADR 16).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from icemelt.engine.start.java import find_java
from icemelt.engine.start.log import read_last_words
from icemelt.engine.start.network import network_options
from icemelt.engine.start.places import cache_folder
from icemelt.engine.start.submit import submit_environment, submit_program
from icemelt.errors import JarsUnavailable

__all__ = [
    "FUNCTIONS",
    "ICEBERG",
    "LOCAL_FILES",
    "RE2J",
    "Jar",
    "ensure_jars",
    "missing_jars",
    "spark_jars",
]

# built of the sources in java/ by scripts/build_jar.py
FUNCTIONS = Path(__file__).parents[1] / "icemelt-functions.jar"

_FOLDER_VARIABLE = "ICEMELT_JARS"
_PATIENCE_SECONDS = 900
# spark-submit runs a main class after resolving packages: this class prints a version
_HARMLESS_CLASS = "org.apache.hadoop.util.VersionInfo"


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar by Maven coordinates, with the expected size (bytes) and hash of the file.

    >>> ICEBERG.file_name
    'iceberg-spark-runtime-4.1_2.13-1.12.0.jar'
    """

    group: str
    artifact: str
    version: str
    size: int
    sha256: str

    @property
    def coordinates(self) -> str:
        """The name for `spark.jars.packages`."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def file_name(self) -> str:
        """The name of the file in Maven repositories."""
        return f"{self.artifact}-{self.version}.jar"


ICEBERG = Jar(
    group="org.apache.iceberg",
    artifact="iceberg-spark-runtime-4.1_2.13",
    version="1.12.0",
    size=48_309_426,
    sha256="3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
)

# Hadoop runs `chmod` twice for every file written to a local folder (ADR 8)
LOCAL_FILES = Jar(
    group="com.globalmentor",
    artifact="hadoop-bare-naked-local-fs",
    version="0.1.0",
    size=9_106,
    sha256="e0cc30fb0531eb0b59468dc0abf5b257533d2365b5e9f45e795edd707aa78c62",
)

# Java's own regular expressions take exponential time, or exhaust the stack and kill Spark (ADR 16)
RE2J = Jar(
    group="com.google.re2j",
    artifact="re2j",
    version="1.8",
    size=114_335,
    sha256="7b52c72156dd7f98b3237a5b35c1d34fba381b21048c89208913ad80a45dfbd7",
)
_JARS = (ICEBERG, LOCAL_FILES, RE2J)


def spark_jars() -> tuple[Path, ...]:
    """Return all jars to give to Spark.

    Raises:
        JarsUnavailable: a jar is missing and cannot be fetched, or is not the expected file.

    >>> spark_jars()[-1].name
    'icemelt-functions.jar'
    """
    return (*ensure_jars(), FUNCTIONS)


def ensure_jars(jars: Sequence[Jar] = _JARS) -> tuple[Path, ...]:
    """Return the paths of jars, after fetching the missing ones.

    Raises:
        JarsUnavailable: a jar is missing and cannot be fetched, or is not the expected file.

    >>> [jar.name for jar in ensure_jars()]
    ['iceberg-spark-runtime-4.1_2.13-1.12.0.jar', 'hadoop-bare-naked-local-fs-0.1.0.jar',
     're2j-1.8.jar']
    """
    own_folder = os.environ.get(_FOLDER_VARIABLE)
    if own_folder:
        return tuple(_find_given_jar(jar, Path(own_folder)) for jar in jars)
    cache = cache_folder("jars")
    missing = missing_jars(jars)
    if missing:
        _fetch(missing, cache)
    return tuple(cache / jar.file_name for jar in jars)


def missing_jars(jars: Sequence[Jar] = _JARS) -> tuple[Jar, ...]:
    """Return the jars still to be fetched.

    >>> ensure_jars() and missing_jars()
    ()
    """
    cache = cache_folder("jars")
    return tuple(jar for jar in jars if not _has_size(cache / jar.file_name, jar))


def _find_given_jar(jar: Jar, folder: Path) -> Path:
    path = folder / jar.file_name
    if _has_size(path, jar):
        return path.absolute()
    found = f"a file of {path.stat().st_size} bytes" if path.is_file() else "none"
    raise JarsUnavailable(
        f"{_FOLDER_VARIABLE} must hold {jar.file_name} ({jar.size} bytes), found {found}:"
        f" '{folder}'.",
        hint=f"Put {jar.coordinates} there, or unset {_FOLDER_VARIABLE} to have it fetched.",
    )


def _has_size(path: Path, jar: Jar) -> bool:
    try:
        return path.stat().st_size == jar.size
    except OSError:
        return False


def _fetch(jars: Sequence[Jar], cache: Path) -> None:
    """Put every jar into the cache by one atomic rename: several processes may fetch at once."""
    size = sum(jar.size for jar in jars) / 1_000_000
    _tell(f"Fetching what Spark lacks ({size:.0f} MB), once …")
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetch-") as name:
        folder = Path(name)
        _resolve(jars, folder)
        for jar in jars:
            file = next(folder.rglob(f"*{jar.file_name}"), None)
            if file is None or _sha256(file) != jar.sha256:
                raise _unavailable([jar], "what came is not that file")
            file.replace(cache / jar.file_name)


def _tell(line: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - a wait that must be explained


def _resolve(jars: Sequence[Jar], folder: Path) -> None:
    """Have Spark resolve jars into a folder, under the Ivy settings of the user's Spark."""
    java = find_java()
    command = [
        str(submit_program()),
        *("--master", "local[1]"),
        *("--conf", f"spark.jars.ivy={folder}"),
        *("--packages", ",".join(jar.coordinates for jar in jars)),
        *("--class", _HARMLESS_CLASS),
        "spark-internal",
    ]
    environment = os.environ | submit_environment(java, network_options(java))
    log = folder / "log"
    with log.open("wb") as output:
        try:
            ended = subprocess.run(  # noqa: S603 - Spark's own program
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=_PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _unavailable(jars, f"no end after {_PATIENCE_SECONDS} s") from None
    if ended.returncode != 0:
        raise _unavailable(jars, read_last_words(log))


def _unavailable(jars: Sequence[Jar], reason: str) -> JarsUnavailable:
    coordinates = " and ".join(jar.coordinates for jar in jars)
    files = " and ".join(jar.file_name for jar in jars)
    there = "is not on this machine" if len(jars) == 1 else "are not on this machine"
    return JarsUnavailable(
        f"{coordinates} {there} and could not be fetched: {reason}",
        hint="Try again with a network (a mirror is set with spark.jars.ivySettings in"
        f" spark-defaults.conf), or put {files} into '{cache_folder('jars')}',"
        f" or set {_FOLDER_VARIABLE} to a folder that holds them.",
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
