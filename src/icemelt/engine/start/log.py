"""Logs of Spark's processes: a log file for every process, and the last words for an error."""

from __future__ import annotations

import os
import re
from pathlib import Path

from icemelt.engine.start.places import log_folder

__all__ = ["new_log", "pick_telling_lines", "read_last_words"]

_KEPT_LOGS = 20
_TAIL_BYTES = 65_536
_MOST_LINES = 3
_FRAME = re.compile(r"^\s+at |^\s*\.\.\. \d+ more|^\s*$")
_NOISE = re.compile(
    r"^WARNING: |^Picked up |^NOTE: |^\s*::|log4j|\bWARN\b|^Setting default log level"
    r"|^An error occurred while calling |^Error: Could not create the Java Virtual Machine"
    r"|^Error: A fatal exception has occurred"
)
_JAVA = re.compile(
    r'^Exception in thread "[^"]*" |^(?:Caused by)?: |\b[\w.$]+\.[\w$]+(?:Exception|Error): '
)
_TELLING = re.compile(
    r"exception|error|could not|cannot|not found|unresolved|invalid", re.IGNORECASE
)


def new_log() -> Path:
    """Return the log file of this process; remove the oldest logs of ended processes.

    >>> new_log().suffix
    '.log'
    """
    folder = log_folder()
    ended = (log for log in folder.glob("spark-*.log") if not _is_written(log))
    for old in sorted(ended, key=_age)[:-_KEPT_LOGS]:
        old.unlink(missing_ok=True)
    return folder / f"spark-{os.getpid()}.log"


def read_last_words(log: Path, start: int = 0) -> str:
    r"""Return the lines of a log that best explain a failure, from an offset in bytes on.

    >>> import tempfile
    >>> log = Path(tempfile.mkdtemp()) / "log"
    >>> _ = log.write_text("WARNING: x\nError: no space left on device\n\tat a.b.c(D.java:1)\n")
    >>> read_last_words(log)
    'Error: no space left on device'
    """
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(start, size - _TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return pick_telling_lines(text)


def pick_telling_lines(text: str) -> str:
    r"""Return the lines of a text from Java that best explain a failure, without names of classes.

    >>> pick_telling_lines("x\n: a.SparkException: Could not parse Master URL: 'x'\n\tat a.b")
    "Could not parse Master URL: 'x'"
    """
    lines = [line.strip() for line in text.splitlines() if not _FRAME.search(line)]
    lines = [line for line in lines if not _NOISE.search(line)]
    hits = [line for line in lines if _TELLING.search(line)]
    words = (_JAVA.sub("", line) for line in (hits or lines)[-_MOST_LINES:])
    return "\n".join(dict.fromkeys(words))


def _is_written(log: Path) -> bool:
    """Tell whether the process named in a log's file name still runs."""
    process = log.stem.removeprefix("spark-")
    try:
        # signal 0 only asks; a log stays longer if another process has the id by now
        os.kill(int(process), 0)
    except PermissionError:
        return True
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    return True


def _age(log: Path) -> float:
    try:
        return log.stat().st_mtime
    except OSError:
        return 0.0
