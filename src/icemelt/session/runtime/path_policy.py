"""Decide which files the statements of a session may name, and find the path to open."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from icemelt.errors import FileRefused
from icemelt.storage.hadoop_locations import HadoopLocations
from icemelt.storage.locations import local_form, require_nameable, shorten, store_and_path
from icemelt.storage.places import ResolvedPath

__all__ = [
    "ALLOW_ALL",
    "GuestLimit",
    "PathPolicy",
]

_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class PathPolicy:
    """The places where COPY INTO may read and write, anywhere without `locations`."""

    locations: tuple[str, ...] | None = None

    def resolve(self, given: str, hadoop: HadoopLocations, named: str = "") -> ResolvedPath:
        """Return the path to open for a location, with its links resolved; nothing is opened yet.

        Args:
            given: the location.
            hadoop: reads locations.
            named: how an error names the location; empty for the path that the statement has.

        Raises:
            FileRefused: the path is not below an allowed location, or is no location.

        >>> iceberg = session._core.iceberg
        >>> hadoop = HadoopLocations(iceberg.functions, iceberg.spark)
        >>> ALLOW_ALL.resolve("/data/a/../b", hadoop).path
        '/data/b'
        >>> PathPolicy(("/data",)).resolve("/data/../etc/passwd", hadoop)
        Traceback (most recent call last):
        ...
        icemelt.errors.FileRefused: Path '/data/../etc/passwd' has '..' in it...
        """
        require_nameable(given)
        local = local_form(given)
        if self.locations is None:
            # links are not resolved: the user made them
            path = given.rstrip("/") if local is None else os.path.abspath(local)  # noqa: PTH100
            return ResolvedPath(given, path, local is not None, is_guarded=False)
        self.validate_no_steps_up(given, named)
        _require_no_braces(given, named)
        path = hadoop.form(given) if local is None else os.path.realpath(local)
        self.validate_inside(path, named or _name_path(given), hadoop)
        return ResolvedPath(given, path, local is not None, is_guarded=True)

    def validate_no_steps_up(self, given: str, named: str = "") -> None:
        """Refuse a path that some file system may read as a step upwards.

        A session with access to all paths may use any path.

        Args:
            given: the path.
            named: as for `resolve`.

        Raises:
            FileRefused: the path has `..`, a backslash or a control character.
        """
        require_nameable(given)
        if self.locations is None:
            return
        if ".." in re.split(r"[/\\]", given) or "\\" in given or _CONTROL_CHARACTER.search(given):
            raise FileRefused(
                f"{named or _name_path(given)} has '..' in it, a backslash or a control character, "
                "which the server does not take.",
                hint="Write the path as it is, without steps upwards.",
            ).about_statement()

    def validate_inside(self, path: str, named: str, hadoop: HadoopLocations) -> None:
        """Refuse a path outside the allowed locations.

        Args:
            path: the path with its links resolved.
            named: how the error names the path, as the beginning of a sentence.
            hadoop: reads locations.

        Raises:
            FileRefused: the path is outside. The message has `named`, and nothing about the files
                there.
        """
        if self.locations is None:
            return
        if not any(_is_below(path, location, hadoop) for location in self.locations):
            raise FileRefused(
                f"{named} is not among the places that the server lets statements read or write, "
                "or leads out of them.",
                hint="Who runs it allows a folder with icemelt serve --location /path/of/folder.",
            ).about_statement()

    def narrow(self, locations: tuple[str, ...] | None, hadoop: HadoopLocations) -> PathPolicy:
        """Return the policy that allows what is below some other locations, too.

        Args:
            locations: the other locations, None for anywhere.
            hadoop: reads locations.

        >>> iceberg = session._core.iceberg
        >>> hadoop = HadoopLocations(iceberg.functions, iceberg.spark)
        >>> PathPolicy(("/data", "/in")).narrow(("/data/of/ann", "/out"), hadoop).locations
        ('/data/of/ann',)
        >>> PathPolicy(("/data",)).narrow(("/out",), hadoop).locations
        ()
        """
        if self.locations is None or locations is None:
            return PathPolicy(locations if self.locations is None else self.locations)
        narrower = [
            *(each for each in self.locations if _is_in_any(each, locations, hadoop)),
            *(each for each in locations if _is_in_any(each, self.locations, hadoop)),
        ]
        return PathPolicy(tuple(dict.fromkeys(narrower)))


ALLOW_ALL = PathPolicy()


@dataclass(slots=True)
class GuestLimit:
    """The places of a process's guests, which its sessions share; None where it has no guests."""

    locations: tuple[str, ...] | None = None


def _is_in_any(location: str, places: tuple[str, ...], hadoop: HadoopLocations) -> bool:
    local = local_form(location)
    path = hadoop.form(location) if local is None else os.path.realpath(local)
    return any(_is_below(path, place, hadoop) for place in places)


def _is_below(path: str, place: str, hadoop: HadoopLocations) -> bool:
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


def _name_path(given: str) -> str:
    return f"Path {shorten(given)}"


def _require_no_braces(given: str, named: str) -> None:
    """Refuse braces: Hadoop expands them to several paths before the check for steps upwards."""
    if "{" in given or "}" in given:
        raise FileRefused(
            f"{named or _name_path(given)} has braces, which the server does not take.",
            hint="Name a folder, and choose by PATTERN or FILES.",
        ).about_statement()
