"""The one jar that Spark lacks: Iceberg's Spark runtime, fetched once by Spark's own resolver.

Set ICEMELT_JARS to a folder that holds it, and nothing is ever fetched.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from icemelt.engine.java import find_java
from icemelt.engine.log import last_words
from icemelt.engine.network import network_options
from icemelt.engine.places import cache_folder
from icemelt.engine.submit import submit_environment, submit_program
from icemelt.errors import JarsUnavailable

__all__ = ["ICEBERG", "Jar", "ensure_jars"]

_FOLDER_VARIABLE = "ICEMELT_JARS"
_PATIENCE_SECONDS = 900
# spark-submit runs a main class after it has resolved packages: this one prints a version
_HARMLESS_CLASS = "org.apache.hadoop.util.VersionInfo"


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar by its Maven coordinates, and what its file must be.

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
        """The name that `spark.jars.packages` takes."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def file_name(self) -> str:
        """The name of its file, as repositories call it."""
        return f"{self.artifact}-{self.version}.jar"


ICEBERG = Jar(
    group="org.apache.iceberg",
    artifact="iceberg-spark-runtime-4.1_2.13",
    version="1.12.0",
    size=48_309_426,
    sha256="3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
)


def ensure_jars() -> tuple[Path, ...]:
    """Return the jars that Spark must be given, fetching what is not there yet.

    Raises:
        JarsUnavailable: a jar is not there and cannot be fetched, or is not what it should be.

    >>> [jar.name for jar in ensure_jars()]
    ['iceberg-spark-runtime-4.1_2.13-1.12.0.jar']
    """
    own_folder = os.environ.get(_FOLDER_VARIABLE)
    if own_folder:
        return (_given(ICEBERG, Path(own_folder)),)
    path = cache_folder("jars") / ICEBERG.file_name
    if not _has_size(path, ICEBERG):
        _fetch(ICEBERG, path)
    return (path,)


def _given(jar: Jar, folder: Path) -> Path:
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


def _fetch(jar: Jar, path: Path) -> None:
    """Put a jar in its place in one step, so that processes may do this at the same time."""
    _tell(f"Fetching Iceberg for Spark ({jar.size // 1_000_000} MB), once …")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="fetch-") as name:
        folder = Path(name)
        _resolve(jar, folder)
        found = next(folder.rglob(f"*{jar.file_name}"), None)
        if found is None or _sha256(found) != jar.sha256:
            raise _unavailable(jar, path, "what came is not that file")
        found.replace(path)


def _tell(line: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - a wait that must be explained


def _resolve(jar: Jar, folder: Path) -> None:
    """Let Spark resolve a jar into a folder, under the Ivy settings of the user's Spark."""
    java = find_java()
    command = [
        str(submit_program()),
        *("--master", "local[1]"),
        *("--conf", f"spark.jars.ivy={folder}"),
        *("--packages", jar.coordinates),
        *("--class", _HARMLESS_CLASS),
        "spark-internal",
    ]
    environment = os.environ | submit_environment(java, network_options(java))
    log = folder / "log"
    target = cache_folder("jars") / jar.file_name
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
            raise _unavailable(jar, target, f"no end after {_PATIENCE_SECONDS} s") from None
    if ended.returncode != 0:
        raise _unavailable(jar, target, last_words(log))


def _unavailable(jar: Jar, path: Path, reason: str) -> JarsUnavailable:
    return JarsUnavailable(
        f"{jar.coordinates} is not on this machine and could not be fetched: {reason}",
        hint="Try again with a network (a mirror is set with spark.jars.ivySettings in"
        f" spark-defaults.conf), or put {jar.file_name} into '{path.parent}',"
        f" or set {_FOLDER_VARIABLE} to a folder that holds it.",
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
