"""Take the server's folders out of a guest's errors."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from icemelt.errors import FileRefused, IcemeltError
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.storage.locations import local_path, plain_form

__all__ = [
    "hide_folders",
    "hide_folders_in",
    "hide_places",
    "hiding_places",
    "shown_error",
    "shown_location",
]

_HIDDEN = "…"
# the characters that may follow a folder's name
_FOLDER_END = r"(?=[/\s'\"`,;:.)\]]|$)"
# a location or an absolute path, at a place where one may begin; not an address of the web
_IN_PATH = r"[^\s'\"`,;()\[\]{}<>|]"
_PATH = (
    r"(?<![\w./…~)\]])(?<!http:)(?<!https:)"
    rf"(?:(?!https?:)[A-Za-z][\w+.-]{{0,20}}:(?=/))?/+(?!/){_IN_PATH}+"
)
_ODD = re.compile(r"[\s'\"`,;()\[\]{}<>|]")
# paths of examples in hints, and of the server's requests
_EXAMPLE = re.compile(
    r"/(?:folder|path(?:/of/\w+)?|v1/.*|openapi\.json|health|livez|readyz|metrics)"
    r"|s3a://bucket/(?:path|lake)"
)
# what a path may show: a file of a table from the table's folder on, or a file's name; a temporary
# folder `icemelt-…` has the name of the host
_TABLE_FILE = re.compile(
    r"/((?!icemelt-)[^/]+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:/.*)?)$"
)
_FILE_NAME = re.compile(
    r"/([^/]+\.(?:parquet|avro|puffin|orc|json|csv|tsv|txt|arrow|jar|db|crc|gz|bz2|zst|lz4|snappy))$"
)


@contextlib.contextmanager
def hiding_places(core: Core) -> Iterator[None]:
    """Take the server's folders out of a guest's errors.

    A table's file keeps the path in the warehouse, any other file its name.

    Paths below the guest's own places stay. A session of another user than a guest sees the full
    text.
    """
    try:
        yield
    except IcemeltError as error:
        hide_places(core, error)
        raise


def hide_places(core: Core, error: IcemeltError) -> None:
    """Take the server's folders out of an error, if the session is a guest's."""
    locations = core.reach.locations
    if locations is not None:
        places = [core.database.warehouse, core.relations.scratch.location]
        hide_folders_in(error, places, locations)


def shown_location(core: Core, location: str) -> str:
    """Return a location as a session sees it: `…` for a guest who may not name it.

    Args:
        core: the session's parts.
        location: the place of a stage, or of a pipe.
    """
    if core.reach.locations is None:
        return location
    try:
        core.reach.resolve(location, hadoop_locations(core.iceberg))
    except FileRefused:
        return _HIDDEN
    return location


def shown_error(core: Core, text: str | None) -> str | None:
    """Return the kept text of an error, without the server's folders if the session is a guest's.

    Args:
        core: the session's parts.
        text: the text, None for no error.
    """
    if text is None or core.reach.locations is None:
        return text
    places = [core.database.warehouse, core.relations.scratch.location]
    return hide_folders(text, places, core.reach.locations)


def hide_folders_in(error: IcemeltError, places: Sequence[str], shown: Sequence[str] = ()) -> None:
    """Take folders out of an error's message and hint, as `hide_folders` does.

    An error whose texts are the statement's own and icemelt's stays as it is.

    Args:
        error: the error, changed in place.
        places: the server's folders.
        shown: the folders that stay visible.
    """
    if error.names_places:
        error.message = hide_folders(error.message, places, shown)
        error.hint = hide_folders(error.hint, places, shown)
        error.args = (error.message, *error.args[1:])


def hide_folders(text: str, places: Sequence[str], shown: Sequence[str] = ()) -> str:
    """Return a text without the folders of its absolute paths and locations.

    A path keeps its file's name, and a table's file the path from the table's folder on. All paths
    are treated alike, wherever they are: were the server's own folders treated differently, a guest
    could find out by a text with a guess whether the guess is one of them.

    Args:
        text: the text.
        places: the server's folders: a name with spaces or quotes, as other paths cannot have in a
            text, is hidden as well.
        shown: folders that stay visible, with all below.

    >>> hide_folders("File 'file:/srv/lake/a.parquet' is damaged: /opt/x.", ["/srv/lake"])
    "File '…/a.parquet' is damaged: …."
    >>> hide_folders("There is no file at '/srv/lake/in/a.csv'.", ["/srv"], ["/srv/lake/in"])
    "There is no file at '/srv/lake/in/a.csv'."
    """
    hidden = [*places, str(Path.cwd()), str(Path.home()), sys.prefix]
    visible = {folder: folder for folder in shown if folder not in {"", "/"}}
    visible |= {os.path.realpath(path): path for path in filter(None, map(local_path, visible))}
    odd = filter(_ODD.search, (plain_form(place).rstrip("/") for place in hidden))
    pattern = re.compile(
        rf"(?P<scheme>file:/*(?=/))?(?P<shown>{_any_of(visible)}){_FOLDER_END}"
        rf"|(?:file:/*(?=/))?(?:{_any_of(odd)}){_FOLDER_END}(?P<below>{_IN_PATH}*)"
        rf"|(?P<path>{_PATH})"
    )

    def replacement(match: re.Match[str]) -> str:
        if match["shown"] is not None:
            return f"{match['scheme'] or ''}{visible[match['shown']]}"
        return _shorten(match["path"] or f"/_{match['below']}")

    return pattern.sub(replacement, text)


def _any_of(folders: Iterable[str]) -> str:
    """Return a pattern of folders, the longest first; without folders it matches nothing."""
    return "|".join(map(re.escape, sorted(folders, key=len, reverse=True))) or "(?!)"


def _shorten(path: str) -> str:
    """Return a path without its folders; the end of a sentence behind the path stays."""
    name = path.rstrip(".:")
    if _EXAMPLE.fullmatch(name):
        return path
    kept = _TABLE_FILE.search(name) or _FILE_NAME.search(name)
    return f"{_HIDDEN}{'' if kept is None else '/' + kept[1]}{path[len(name) :]}"
