"""The causes of an error of Java's: the class and message of the deepest say what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError

__all__ = ["NO_SPACE", "JavaCause", "causes_of", "find_deepest_cause"]

# what the system says of a full disk
NO_SPACE = ("No space left on device", "File too large", "Disk quota exceeded")
# Java's chains of causes are short; a chain may be a circle
_MOST_CAUSES = 12
# the message of such an exception begins with the path of a file, the reason has none
_OF_FILES = "java.nio.file."


@dataclass(frozen=True, slots=True)
class JavaCause:
    """An exception of Java's: `kind` is the full name of the class."""

    kind: str
    message: str


def causes_of(throwable: Any) -> Iterator[Any]:
    """Yield a Java exception, as py4j gives it, and its causes; nothing for None.

    >>> list(causes_of(None))
    []
    """
    for _ in range(_MOST_CAUSES):
        if throwable is None:
            return
        yield throwable
        throwable = throwable.getCause()


def find_deepest_cause(error: Exception) -> JavaCause | None:
    """Return the deepest cause of an error of py4j's or PySpark's; None for an error of Python's.

    >>> find_deepest_cause(ValueError("no")) is None
    True
    """
    exception = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    cause = None
    try:
        for throwable in causes_of(exception):
            kind = str(throwable.getClass().getName())
            is_of_file = kind.startswith(_OF_FILES)
            message = throwable.getReason() if is_of_file else throwable.getMessage()
            cause = JavaCause(kind, str(message or ""))
    except (Py4JError, OSError, EOFError):
        # Java is gone: what is known by now has to do
        return cause
    return cause
