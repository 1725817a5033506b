"""The deepest cause of an error of Java's: its class and message say what went wrong."""

from __future__ import annotations

from dataclasses import dataclass

from py4j.protocol import Py4JError

__all__ = ["JavaCause", "find_deepest_cause"]

# Java's chains of causes are short; a chain may be a circle
_MOST_CAUSES = 12
# the message of such an exception begins with the path of a file, the reason has none
_OF_FILES = "java.nio.file."


@dataclass(frozen=True, slots=True)
class JavaCause:
    """An exception of Java's: `kind` is the full name of the class."""

    kind: str
    message: str


def find_deepest_cause(error: Exception) -> JavaCause | None:
    """Return the deepest cause of an error of py4j's or PySpark's; None for an error of Python's.

    >>> find_deepest_cause(ValueError("no")) is None
    True
    """
    exception = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    cause = None
    try:
        for _ in range(_MOST_CAUSES):
            if exception is None:
                break
            kind = str(exception.getClass().getName())
            is_of_file = kind.startswith(_OF_FILES)
            message = exception.getReason() if is_of_file else exception.getMessage()
            cause = JavaCause(kind, str(message or ""))
            exception = exception.getCause()
    except Py4JError:
        # Java is gone: what is known by now has to do
        return cause
    return cause
