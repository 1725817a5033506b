"""Java's classes, kept from one start to the next: with them Spark starts twice as fast.

Java calls it class data sharing: a process that is told so writes the classes that it loaded into
a file when it ends, and later ones map it in place of reading, checking and linking each class
(https://docs.oracle.com/en/java/javase/21/vm/class-data-sharing.html). Java itself passes over an
archive that is cut short or damaged, or whose Java or jars are others than its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from icemelt.engine.java import Java
from icemelt.engine.places import cache_folder

__all__ = ["archive_options"]

_USE, _RECORD = "-XX:SharedArchiveFile=", "-XX:ArchiveClassesAtExit="
# it would tell of each class that is left out
_QUIET = "-Xlog:cds*=off"
# takes a tenth of a second, and keeps Java from running what a disk has damaged
_VERIFY = "-XX:+VerifySharedSpaces"
# processes that end in a day without leaving an archive, after which no other tries
_TRIES = 10
_DAY_SECONDS, _UNUSED_DAYS, _PATIENCE_SECONDS = 86_400, 30, 60


def archive_options(java: Java, jars: Sequence[Path]) -> tuple[str, ...]:
    """Return the arguments with which Java takes classes from an archive, or writes one as it ends.

    `jars` are all that stand on Java's class path. There are no arguments where this Java, or the
    user's cache, does not allow an archive.
    """
    try:
        folder = cache_folder("java")
        key = _key(java, jars)
        base = _base(java, folder)
        if base is None or os.pathsep in str(folder):
            return ()
        archives = filter(_is_complete, sorted(folder.glob(f"classes-{key}-*.jsa")))
        if archive := next(archives, None):
            for another in archives:
                another.unlink(missing_ok=True)
            return _use([*base, archive])
        _delete_old(folder)
        return _record(base, folder, key)
    except OSError:
        return ()


def _key(java: Java, jars: Iterable[Path]) -> str:
    """Return what changes with anything for which Java would refuse an archive."""
    facts = [(path, path.stat()) for path in (java.home / "lib" / "modules", *jars)]
    text = "".join(f"{path}\n{stat.st_size} {stat.st_mtime_ns}\n" for path, stat in facts)
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


def _base(java: Java, folder: Path) -> list[Path] | None:
    """Return the archive of Java's own classes, none where Java brings it; None without any."""
    if (java.home / "lib" / "server" / "classes.jsa").exists():
        return []
    base = folder / f"base-{_key(java, ())}.jsa"
    if not _is_complete(base):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            made = Path(place) / base.name
            program = str(java.home / "bin" / "java")
            command = [program, "-Xshare:dump", f"{_USE}{made}", _QUIET]
            subprocess.run(  # noqa: S603 - the Java that runs Spark
                command, check=False, capture_output=True, timeout=_PATIENCE_SECONDS
            )
            if not _is_complete(made):
                return None
            made.replace(base)
    return [base]


def _is_complete(archive: Path) -> bool:
    """Tell whether an archive was written to its end: Java writes its first bytes last."""
    try:
        with archive.open("rb") as file:
            return any(file.read(4))
    except FileNotFoundError:
        return False


def _use(archives: Sequence[Path]) -> tuple[str, ...]:
    for archive in archives:
        # an archive is as old as its last use
        with contextlib.suppress(OSError):
            os.utime(archive)
    return (_USE + os.pathsep.join(map(str, archives)), _VERIFY, _QUIET)


def _record(base: Sequence[Path], folder: Path, key: str) -> tuple[str, ...]:
    if len(list(folder.glob(f"classes-{key}-*.jsa"))) >= _TRIES:
        return ()
    # Java puts the archive in this file's place; several processes may each write one
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=f"classes-{key}-", suffix=".jsa")
    os.close(descriptor)
    return (*(f"{_USE}{path}" for path in base), f"{_RECORD}{name}", _QUIET)


def _delete_old(folder: Path) -> None:
    """Delete archives that nobody uses, and what is left of those that were never written."""
    now = time.time()
    for archive in folder.glob("*.jsa"):
        days = _UNUSED_DAYS if _is_complete(archive) else 1
        if now - archive.stat().st_mtime > days * _DAY_SECONDS:
            archive.unlink(missing_ok=True)
