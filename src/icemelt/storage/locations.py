"""Locations as texts: paths of this machine, stores elsewhere, one location within another."""

from __future__ import annotations

import re

from icemelt.errors import FileRefused

__all__ = [
    "is_within",
    "local_form",
    "local_path",
    "no_location_error",
    "plain_form",
    "require_nameable",
    "shorten",
    "store_and_path",
]

_STORE_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")
_FILE_SCHEME = re.compile(r"^file:", re.IGNORECASE)
_LOCATION = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(/.*)?$", re.DOTALL)
_MAX_CHARACTERS_SHOWN, _MAX_PATH_BYTES = 200, 4096
_SCHEME_ALIASES = {"s3": "s3a", "s3n": "s3a"}


def local_path(location: str) -> str | None:
    """Return a location as a path of this machine, None if the location is elsewhere.

    >>> local_path("file:/tmp/a b"), local_path("s3a://bucket/a"), local_path("/tmp/a")
    ('/tmp/a b', None, '/tmp/a')
    """
    if location.startswith("file:"):
        return "/" + location.removeprefix("file:").lstrip("/")
    return location if location.startswith("/") else None


def plain_form(location: str) -> str:
    """Return a location without the scheme of this machine's files.

    >>> plain_form("file:///tmp/a"), plain_form("s3a://bucket/a")
    ('/tmp/a', 's3a://bucket/a')
    """
    return local_path(location) or location


def local_form(location: str) -> str | None:
    """Return a location that a user wrote as a local path, None if the location is elsewhere.

    The path may be relative, and the scheme may have any case.

    >>> local_form("FILE:///tmp/a"), local_form("in/a"), local_form("//in"), local_form("s3a://b/a")
    ('/tmp/a', 'in/a', '/in', None)
    """
    if _FILE_SCHEME.match(location) is None and _STORE_SCHEME.match(location) is not None:
        return None
    path = plain_form(_FILE_SCHEME.sub("file:", location))
    # to some systems two slashes at the beginning mean another root
    return "/" + path.lstrip("/") if path.startswith("/") else path


def store_and_path(location: str) -> tuple[str, str, list[str]] | None:
    """Return the scheme, the authority and the parts of the path of a location in a store.

    None for a text without a scheme.

    >>> store_and_path("S3a://bucket/in//a?b#c")
    ('s3a', 'bucket', ['in', 'a?b#c'])
    """
    found = _LOCATION.match(location)
    if found is None:
        return None
    parts = [part for part in (found[3] or "").split("/") if part]
    return found[1].lower(), found[2] or "", parts


def is_within(location: str, place: str) -> bool:
    """Tell whether a location is another location of the same store, or below.

    S3 is the same as s3a.

    >>> (
    ...     is_within("s3a://bucket/lake/t", "s3://bucket/lake"),
    ...     is_within("s3://b/lake2", "s3://b/lake"),
    ... )
    (True, False)
    """
    found, wanted = store_and_path(location), store_and_path(place)
    if found is None or wanted is None:
        return False
    (scheme, authority, parts), (base_scheme, base_authority, base) = found, wanted
    store = (_SCHEME_ALIASES.get(scheme, scheme), authority)
    base_store = (_SCHEME_ALIASES.get(base_scheme, base_scheme), base_authority)
    return store == base_store and parts[: len(base)] == base


def require_nameable(given: str) -> None:
    """Refuse a text that no file system can have as a path.

    Hadoop takes hours for 50,000 folders.

    Raises:
        FileRefused: the text is too long, has a zero, or is no Unicode.
    """
    try:
        size = len(given.encode())
    except UnicodeEncodeError:
        raise no_location_error(given) from None
    if "\0" in given or size > _MAX_PATH_BYTES:
        raise no_location_error(given)


def no_location_error(given: str) -> FileRefused:
    """Return the error about a text that is no location."""
    return FileRefused(
        f"Path {shorten(given)} names no file.", hint="Write it as '/path' or 's3a://bucket/path'."
    ).about_statement()


def shorten(given: str) -> str:
    """Return a location for an error, in quotes and not too long."""
    return repr(
        given if len(given) <= _MAX_CHARACTERS_SHOWN else f"{given[:_MAX_CHARACTERS_SHOWN]}…"
    )
