"""Java's classes, kept in the user's cache: with an archive Spark starts in half the time.

Java calls the technique class data sharing: a Java process writes its loaded classes into an
archive at exit. Later processes map the archive instead of reading, checking and linking every
class (https://docs.oracle.com/en/java/javase/21/vm/class-data-sharing.html). Java ignores a damaged
archive, and an archive made by another Java or with other jars.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from icemelt.engine.start.java import JavaInstallation
from icemelt.engine.start.log import pick_telling_lines
from icemelt.engine.start.places import cache_folder
from icemelt.errors import SetupError

__all__ = ["archive_options", "record_archive"]

_USE, _RECORD = "-XX:SharedArchiveFile=", "-XX:ArchiveClassesAtExit="
# Java would log every class that the archive leaves out
_QUIET = "-Xlog:cds*=off"
# takes a tenth of a second, and keeps Java from running classes damaged on the disk
_VERIFY = "-XX:+VerifySharedSpaces"
_HINT = "Spark starts without one too. Try again without variables for Java: env | grep JAVA"
_UNUSED_SECONDS, _PATIENCE_SECONDS = 30 * 86_400, 60


def archive_options(java: JavaInstallation, jars: Iterable[Path]) -> tuple[str, ...]:
    """Return the arguments for a Java that loads classes from an archive; empty without an archive.

    An archive is code: one that somebody else could have written is not used. `jars` are all jars
    on Java's class path.
    """
    try:
        base, archive = _archive_paths(java, jars)
        archives = [path for path in (base, archive) if path is not None]
        if not all(map(_is_trusted, [*archives, archive.parent])):
            return ()
    except OSError:
        return ()
    for path in archives:
        # the file's time is the time of the last use
        with contextlib.suppress(OSError):
            os.utime(path)
    return (_USE + os.pathsep.join(map(str, archives)), _VERIFY, _QUIET)


@contextlib.contextmanager
def record_archive(java: JavaInstallation, jars: Iterable[Path]) -> Iterator[tuple[str, ...]]:
    """Yield the arguments for a Java that writes an archive at exit, to be started in the block.

    Java must exit before the end of the block. The new archive replaces the old archive.

    Raises:
        SetupError: no archive was written.
        OSError: the cache cannot be written.
    """
    base, archive = _archive_paths(java, jars)
    _delete_unused(archive.parent)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        if base is not None:
            _write_base(java, base, Path(folder))
        written = Path(folder) / archive.name
        use = () if base is None else (f"{_USE}{base}",)
        yield (*use, f"{_RECORD}{written}", _QUIET)
        if not _is_complete(written):
            raise SetupError("Java left no archive of its classes.", hint=_HINT)
        written.replace(archive)


def _archive_paths(java: JavaInstallation, jars: Iterable[Path]) -> tuple[Path | None, Path]:
    """Return the path for the archive of Java's own classes, and the path for the archive of all.

    The first path is None if Java has an archive of its own. The names change if Java would refuse
    the archive: with another Java, or other jars.
    """
    folder = cache_folder("java")
    own = _key([java.home / "lib" / "modules"])
    brings = (java.home / "lib" / "server" / "classes.jsa").exists()
    base = None if brings else folder / f"base-{own}.jsa"
    return base, folder / f"classes-{own}-{_key(jars)}.jsa"


def _is_trusted(path: Path) -> bool:
    """Tell whether only this user, or root, can write a file or folder.

    Raises:
        OSError: it is not there.
    """
    status = path.stat()
    return status.st_uid in {0, os.getuid()} and not status.st_mode & 0o022


def _key(files: Iterable[Path]) -> str:
    # whole seconds: container images keep no more of a time, and Java compares no more
    facts = ((path, path.stat()) for path in files)
    text = "".join(f"{path}\n{stat.st_size} {int(stat.st_mtime)}\n" for path, stat in facts)
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


def _write_base(java: JavaInstallation, base: Path, folder: Path) -> None:
    written = folder / base.name
    command = [java.home / "bin" / "java", "-Xshare:dump", "-Xmx128m", f"{_USE}{written}", _QUIET]
    try:
        ended = subprocess.run(  # noqa: S603 - the Java that runs Spark
            [str(word) for word in command],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_PATIENCE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        told = f"no end after {_PATIENCE_SECONDS} s"
    else:
        told = pick_telling_lines(ended.stdout)
    if not _is_complete(written):
        raise SetupError(f"Java left no archive of its own classes: {told}", hint=_HINT)
    written.replace(base)


def _is_complete(archive: Path) -> bool:
    """Tell whether an archive was written to the end: Java writes the first bytes last."""
    try:
        with archive.open("rb") as file:
            return any(file.read(4))
    except FileNotFoundError:
        return False


def _delete_unused(folder: Path) -> None:
    for archive in folder.glob("*.jsa"):
        with contextlib.suppress(OSError):
            if time.time() - archive.stat().st_mtime > _UNUSED_SECONDS:
                archive.unlink()
