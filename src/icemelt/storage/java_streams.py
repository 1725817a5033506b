"""Java's streams of bytes as Python's, and what stores call of Java."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["SHOWN", "Java", "JavaSink", "JavaStream"]

# the method that makes a text of any Java object, for `Java.strings`
SHOWN = ("java.util.Objects", "toString", "java.lang.Object")
_WRITTEN_AT_ONCE = 4 << 20


class Java(Protocol):
    """Java's classes, and lists of Java's in one call."""

    def java_class(self, class_name: str) -> Any:
        """Return a class by its full name, to call its static methods and constructors."""
        ...

    def load_class(self, name: str) -> Any:
        """Return a `java.lang.Class`; a missing class raises Java's error."""
        ...

    def to_list(self, java_iterable: Any) -> Any:
        """Return the elements of a Java iterable as a Java list."""
        ...

    def strings(self, java_list: Any, *chain: tuple[str, ...]) -> list[str]:
        """Return the strings given by a chain of methods for the elements of a Java list."""
        ...


@dataclass(frozen=True, slots=True)
class JavaStream:
    """A Java InputStream as a Python byte stream."""

    stream: Any

    def read(self, size: int = -1, /) -> bytes:
        """Return the next `size` bytes, fewer at the end; all that are left for -1."""
        return bytes(self.stream.readAllBytes() if size < 0 else self.stream.readNBytes(size))

    def close(self) -> None:
        """Close the stream."""
        self.stream.close()


@dataclass(frozen=True, slots=True)
class JavaSink:
    """A Java OutputStream that takes Python's bytes."""

    stream: Any

    def write(self, data: bytes, /) -> None:
        """Write bytes, in parts: one call of Java's has its arguments as text, several times."""
        for start in range(0, len(data), _WRITTEN_AT_ONCE):
            self.stream.write(data[start : start + _WRITTEN_AT_ONCE])
