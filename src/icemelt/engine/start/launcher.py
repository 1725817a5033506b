"""A program in place of Java, for Spark's scripts: drops an argument and becomes the real Java.

Spark asks every Java for the module `jdk.incubator.vector`. A Java without the module, as the
bundled Java, runs Spark well if the argument is dropped.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from pathlib import Path

from icemelt.engine.start.java import VECTOR_MODULE_ARGUMENT, JavaInstallation
from icemelt.engine.start.places import cache_folder, write_whole

__all__ = ["launcher_home"]

_TEXT = """\
#!/bin/sh
# Runs Java without an argument of Spark's that it does not take.
for argument do
  shift
  [ "$argument" = {dropped} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def launcher_home(java: JavaInstallation) -> Path:
    """Return a folder that replaces the home of a Java without the module at Spark's start.

    >>> from icemelt.engine.start.java import find_java
    >>> (launcher_home(find_java()) / "bin" / "java").is_file()
    True
    """
    program = shlex.quote(str(java.home / "bin" / "java"))
    text = _TEXT.format(dropped=VECTOR_MODULE_ARGUMENT, java=program)
    content = text.encode(errors="surrogateescape")
    home = cache_folder("java") / hashlib.sha256(content).hexdigest()[:16]
    script = home / "bin" / "java"
    if not _is_script(script, content):
        script.parent.mkdir(parents=True, exist_ok=True)
        write_whole(script, content, 0o755)
    return home


def _is_script(script: Path, content: bytes) -> bool:
    try:
        return script.read_bytes() == content and os.access(script, os.X_OK)
    except OSError:
        return False
