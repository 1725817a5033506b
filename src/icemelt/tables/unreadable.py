"""Tell a damaged file from a Java that fails: both end the reading of a file with an error."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from icemelt.errors import FileDamaged
from icemelt.tables.java_causes import causes_of

__all__ = ["find_java_error", "reading_file"]


@contextmanager
def reading_file(file: str, *, hint: str) -> Iterator[None]:
    """Raise FileDamaged for an exception of a block that reads a file of Iceberg's.

    An error of Java's, as the lack of memory, says nothing of the file, and passes.

    Args:
        file: the file as the message begins, "Metadata file '/lake/…'".
        hint: what to do.

    Raises:
        FileDamaged: the file is missing or not readable.

    >>> with reading_file("Metadata file 'a'", hint="Restore it."):
    ...     raise ValueError("invalid literal …")
    Traceback (most recent call last):
    icemelt.errors.FileDamaged: Metadata file 'a' is missing or damaged: invalid literal ….
    Hint: Restore it.
    """
    try:
        yield
    except Py4JJavaError as error:
        if find_java_error(error.java_exception) is not None:
            raise
        cause = error.java_exception.getMessage() or error.java_exception.toString()
        raise _damaged(file, str(cause).splitlines()[0], hint) from error
    # PySpark has exceptions of its own for some of Java's
    except (PySparkException, OSError, EOFError, ValueError, KeyError, zlib.error) as error:
        raise _damaged(file, str(error).partition("\n")[0], hint) from error


def find_java_error(throwable: Any) -> str | None:
    """Return the text of a `java.lang.Error` among a Java exception and its causes, or None.

    Args:
        throwable: the Java exception, as py4j gives it.
    """
    for cause in causes_of(throwable):
        kind = cause.getClass()
        while kind is not None:
            if kind.getName() == "java.lang.Error":
                return str(cause.toString())
            kind = kind.getSuperclass()
    return None


def _damaged(file: str, cause: str, hint: str) -> FileDamaged:
    return FileDamaged(f"{file} is missing or damaged: {cause.rstrip('.')}.", hint=hint)
