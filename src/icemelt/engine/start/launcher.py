"""A program in place of Java, for Spark: mends two arguments and becomes the real Java.

Spark asks every Java for the module `jdk.incubator.vector`. A Java without the module, as the
bundled Java, runs Spark well if the argument is dropped. Spark also names one jar twice, and leaves
the order of the other jars to the disk; an archive of classes belongs to one list of jars.
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
# Runs Java without an argument of Spark's that it does not take, on jars in one order.
jars=$(LC_ALL=C; printf ':%s' {jars}/*.jar)
for argument do
  shift
  case $argument in
{dropped}    *:{jars}/\\*)
      argument=${{argument%:{jars}/\\*}}
      argument=${{argument%:{jars}/slf4j-api-*.jar}}$jars ;;
  esac
  set -- "$@" "$argument"
done
exec {java} "$@"
"""


def launcher_home(java: JavaInstallation, jars: Path) -> Path:
    """Return a folder that replaces a Java's home at Spark's start; `jars` is Spark's jar folder.

    >>> from icemelt.engine.start.java import find_java
    >>> (launcher_home(find_java(), Path("/opt/spark/jars")) / "bin" / "java").is_file()
    True
    """
    text = _TEXT.format(
        dropped="" if java.has_vector else f"    {VECTOR_MODULE_ARGUMENT}) continue ;;\n",
        jars=shlex.quote(str(jars)),
        java=shlex.quote(str(java.home / "bin" / "java")),
    )
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
