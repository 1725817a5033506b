"""Which files the statements of a session may name."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from icemelt.errors import FileRefused
from icemelt.tables.iceberg import local_path

__all__ = ["EVERYWHERE", "Reach", "is_local"]

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class Reach:
    """The folders and locations below which COPY INTO reads and writes; None is everywhere."""

    locations: tuple[str, ...] | None = None

    def refuse_outside(self, path: str) -> None:
        """Let a path pass that is below one of the locations, wherever its links lead.

        Raises:
            FileRefused: it is not.

        >>> Reach(("/data",)).refuse_outside("/data/../etc/passwd")
        Traceback (most recent call last):
        ...
        icemelt.errors.FileRefused: Path '/data/../etc/passwd' is not among the places...
        """
        if self.locations is None or any(_is_below(path, place) for place in self.locations):
            return
        raise FileRefused(
            f"Path {path!r} is not among the places that the server lets statements read or write.",
            hint="Who runs it allows a folder with icemelt serve --location /path/of/folder.",
        )


EVERYWHERE = Reach()


def is_local(path: str) -> bool:
    """Tell whether a path is of this machine's files."""
    return path.startswith("file:") or _SCHEME.match(path) is None


def _is_below(path: str, place: str) -> bool:
    if is_local(path) != is_local(place):
        return False
    if is_local(path):
        real, base = _real(path), _real(place)
        return os.path.commonpath((real, base)) == base
    given, wanted = urlsplit(path), urlsplit(place)
    if (given.scheme.lower(), given.netloc) != (wanted.scheme.lower(), wanted.netloc):
        return False
    if {".", ".."} & set(given.path.split("/")):
        return False
    base = posixpath.normpath(wanted.path or "/")
    return posixpath.commonpath((posixpath.normpath(given.path or "/"), base)) == base


def _real(path: str) -> str:
    return os.path.realpath(local_path(path) or path)
