"""Decide which files the statements of a session may name, and find the path to open."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from icemelt.errors import FileRefused
from icemelt.spark_java import hadoop_configuration
from icemelt.storage.locations import local_form, store_and_path
from icemelt.storage.places import ResolvedPath
from icemelt.tables.iceberg import Iceberg

__all__ = [
    "ALLOW_ALL",
    "Hadoop",
    "PathPolicy",
]

_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")
_MAX_CHARACTERS_SHOWN = 200
_MAX_PATH_BYTES = 4096
_VIEW_FS_CLASS = "org.apache.hadoop.fs.viewfs.ViewFileSystem"


class Hadoop:
    """Locations as Hadoop reads them: `#` and `?` are plain characters, `..` is resolved."""

    def __init__(self, iceberg: Iceberg) -> None:
        self._iceberg = iceberg
        self._path_class: Any = iceberg.functions.java_class("org.apache.hadoop.fs.Path")
        self._forms: dict[str, str] = {}
        self._views: dict[str, Any] = {}

    def form(self, location: str) -> str:
        """Return a location in Hadoop's own spelling, which Hadoop reads as the same location.

        Raises:
            FileRefused: Hadoop cannot read the location.
        """
        if location in self._forms:
            return self._forms[location]
        try:
            read = str(self._path_class(location).toString())
            again = str(self._path_class(read).toString())
        except (PySparkException, Py4JJavaError) as error:
            raise _no_location(location) from error
        if again != read:
            raise _no_location(location)
        self._forms[location] = read
        return read

    def on_this_machine(self, location: str) -> str | None:
        """Return the local path behind a location of Hadoop's ViewFS, None for any other location.

        Raises:
            FileRefused: the store of the location cannot be reached.
        """
        try:
            path, missing = self._path_class(location), list[str]()
            view = self._view(path)
            if view is None:
                return None
            while not view.exists(path):
                missing.insert(0, str(path.getName()))
                path = path.getParent()
            uri = view.resolvePath(path).toUri()
        except (PySparkException, Py4JJavaError) as error:
            raise _no_location(location) from error
        if uri.getScheme() != "file":
            return None
        return os.path.realpath("/".join([str(uri.getPath()), *missing]))

    def _view(self, path: Any) -> Any:
        """Return the file system of a path, or None if the file system is no ViewFS.

        A ViewFS shows the files of other stores.
        """
        uri = path.toUri()
        store = f"{uri.getScheme()}://{uri.getAuthority()}"
        if store not in self._views:
            conf = hadoop_configuration(self._iceberg.spark)
            system = path.getFileSystem(conf)
            is_view = self._iceberg.functions.load_class(_VIEW_FS_CLASS).isInstance(system)
            self._views[store] = system if is_view else None
        return self._views[store]


@dataclass(frozen=True, slots=True)
class PathPolicy:
    """The places where COPY INTO may read and write, anywhere without `locations`."""

    locations: tuple[str, ...] | None = None

    def resolve(self, given: str, hadoop: Hadoop) -> ResolvedPath:
        """Return the path to open for a location, with its links resolved; nothing is opened yet.

        Raises:
            FileRefused: the path is not below an allowed location, or is no location.

        >>> hadoop = Hadoop(session._core.iceberg)
        >>> ALLOW_ALL.resolve("/data/a/../b", hadoop).path
        '/data/b'
        >>> PathPolicy(("/data",)).resolve("/data/../etc/passwd", hadoop)
        Traceback (most recent call last):
        ...
        icemelt.errors.FileRefused: Path '/data/../etc/passwd' has '..' in it...
        """
        _require_nameable(given)
        local = local_form(given)
        if self.locations is None:
            # links are not resolved: the user made them
            path = given.rstrip("/") if local is None else os.path.abspath(local)  # noqa: PTH100
            return ResolvedPath(given, path, local is not None, is_guarded=False)
        self.validate_no_steps_up(given)
        _require_no_braces(given)
        path = hadoop.form(given) if local is None else os.path.realpath(local)
        self.validate_inside(path, given, hadoop)
        return ResolvedPath(given, path, local is not None, is_guarded=True)

    def validate_no_steps_up(self, given: str) -> None:
        """Refuse a path that some file system may read as a step upwards.

        A session with access to all paths may use any path.

        Raises:
            FileRefused: the path has `..`, a backslash or a control character.
        """
        _require_nameable(given)
        if self.locations is None:
            return
        if ".." in re.split(r"[/\\]", given) or "\\" in given or _CONTROL_CHARACTER.search(given):
            raise FileRefused(
                f"Path {_shorten(given)} has '..' in it, a backslash or a control character, which "
                "the server does not take.",
                hint="Write the path as it is, without steps upwards.",
            )

    def validate_inside(self, path: str, given: str, hadoop: Hadoop) -> None:
        """Refuse a path outside the allowed locations.

        Args:
            path: the path with its links resolved.
            given: the path in the statement, for the error.
            hadoop: reads locations.

        Raises:
            FileRefused: the path is outside. The message has `given`, and nothing about the files
                there.
        """
        if self.locations is None:
            return
        if not any(_is_below(path, location, hadoop) for location in self.locations):
            raise FileRefused(
                f"Path {_shorten(given)} is not among the places that the server lets statements "
                "read or write, or leads out of them.",
                hint="Who runs it allows a folder with icemelt serve --location /path/of/folder.",
            )


ALLOW_ALL = PathPolicy()


def _is_below(path: str, place: str, hadoop: Hadoop) -> bool:
    """Tell whether a path with resolved links is in a place, in the same store.

    A path in a ViewFS must also be below the place on this machine.
    """
    local = local_form(place)
    if local is not None:
        base = Path(os.path.realpath(local))
        return path.startswith("/") and Path(path).is_relative_to(base)
    found, wanted = store_and_path(path), store_and_path(hadoop.form(place))
    if found is None or wanted is None or found[:2] != wanted[:2]:
        return False
    given, base_parts = found[2], wanted[2]
    if ".." in given or given[: len(base_parts)] != base_parts:
        return False
    real = hadoop.on_this_machine(path)
    if real is None:
        return True
    view = hadoop.on_this_machine(hadoop.form(place))
    return view is not None and Path(real).is_relative_to(view)


def _require_nameable(given: str) -> None:
    """Refuse a text that no file system can have as a path.

    Hadoop takes hours for 50,000 folders.
    """
    try:
        size = len(given.encode())
    except UnicodeEncodeError:
        raise _no_location(given) from None
    if "\0" in given or size > _MAX_PATH_BYTES:
        raise _no_location(given)


def _require_no_braces(given: str) -> None:
    """Refuse braces: Hadoop expands them to several paths before the check for steps upwards."""
    if "{" in given or "}" in given:
        raise FileRefused(
            f"Path {_shorten(given)} has braces, which the server does not take.",
            hint="Name a folder, and choose by PATTERN or FILES.",
        )


def _no_location(given: str) -> FileRefused:
    return FileRefused(
        f"Path {_shorten(given)} names no file.", hint="Write it as '/path' or 's3a://bucket/path'."
    )


def _shorten(given: str) -> str:
    return repr(
        given if len(given) <= _MAX_CHARACTERS_SHOWN else f"{given[:_MAX_CHARACTERS_SHOWN]}…"
    )
