"""Builds src/icemelt/engine/icemelt-functions.jar of the sources in java/.

Run it with a JDK 17 after a change of the sources: `python scripts/build_jar.py`. The same sources
make the same bytes on each machine: classes in the order of their names, of one moment, not
compressed. The manifest has the hash of the sources, so that a jar that is older than these is
found without a JDK.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from icemelt.engine.start.jars import FUNCTIONS, ICEBERG, RE2J, ensure_jars
from icemelt.engine.start.submit import spark_home

SOURCES = Path(__file__).parents[1] / "java"
_RELEASE = "17"
# the first that a zip can tell
_MOMENT = (1980, 1, 1, 0, 0, 0)
_REGULAR_FILE = 0o644 << 16


def source_hash() -> str:
    """Return what tells these sources from others."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.relative_to(SOURCES).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def built_from(jar: Path) -> str:
    """Return the hash of the sources that a jar was built of."""
    with zipfile.ZipFile(jar) as file:
        manifest = file.read("META-INF/MANIFEST.MF").decode()
    facts = dict(line.split(": ", 1) for line in manifest.splitlines() if ": " in line)
    return facts["Sources-SHA-256"]


def build(jar: Path, compiler: str) -> None:
    """Compile the sources with a `javac`, and write the jar."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _compile(compiler, folder)
        classes = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*.class"))
        }
    _write(jar, classes)


def _sources() -> list[Path]:
    return sorted(SOURCES.rglob("*.java"))


def _compile(compiler: str, folder: Path) -> None:
    libraries = [*sorted((spark_home() / "jars").glob("*.jar")), *ensure_jars((ICEBERG, RE2J))]
    command = [
        *(compiler, "--release", _RELEASE, "-g:source,lines", "-proc:none", "-nowarn"),
        *("-encoding", "UTF-8", "-d", str(folder)),
        *("-cp", ":".join(map(str, libraries))),
        *map(str, _sources()),
    ]
    if subprocess.run(command, check=False).returncode:  # noqa: S603 - the JDK's compiler
        sys.exit("javac refuses the sources.")


def _write(jar: Path, classes: Mapping[str, bytes]) -> None:
    manifest = f"Manifest-Version: 1.0\nSources-SHA-256: {source_hash()}\n\n"
    with zipfile.ZipFile(jar, "w") as file:
        for name, content in {"META-INF/MANIFEST.MF": manifest.encode(), **classes}.items():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.external_attr = _REGULAR_FILE
            entry.compress_type = zipfile.ZIP_STORED
            file.writestr(entry, content)


if __name__ == "__main__":
    found = shutil.which("javac")
    if found is None:
        sys.exit("javac is not on the PATH: install a JDK of Java 17 or newer.")
    build(FUNCTIONS, found)
    print(f"{FUNCTIONS}: {FUNCTIONS.stat().st_size} bytes")
