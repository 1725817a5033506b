"""Take the server's folders out of a guest's errors."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from icemelt.errors import IcemeltError
from icemelt.session.runtime.core import Core
from icemelt.storage.locations import local_path, plain_form

__all__ = ["hide_folders", "hide_folders_in", "hide_places", "hiding_places"]

# the characters that may follow a folder's name
_FOLDER_END = r"(?=[/\s'\"`,;:.)\]]|$)"


@contextlib.contextmanager
def hiding_places(core: Core) -> Iterator[None]:
    """Take the server's folders out of a guest's errors.

    A table's file keeps the path in the warehouse.

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


def hide_folders_in(error: IcemeltError, places: Sequence[str], shown: Sequence[str] = ()) -> None:
    """Take folders out of an error's message and hint.

    Args:
        error: the error, changed in place.
        places: the folders; the working directory, home and Python's prefix are hidden as well.
        shown: folders inside the hidden folders that stay visible.
    """
    error.message = hide_folders(error.message, places, shown)
    error.hint = hide_folders(error.hint, places, shown)
    error.args = (error.message, *error.args[1:])


def hide_folders(text: str, places: Sequence[str], shown: Sequence[str] = ()) -> str:
    """Return a text without some folders.

    Args:
        text: the text.
        places: the folders; the working directory, home and Python's prefix are hidden as well.
        shown: folders inside the hidden folders that stay visible.

    >>> hide_folders("File 'file:/srv/lake/t-1/a.parquet' is damaged.", ["/srv/lake"])
    "File 't-1/a.parquet' is damaged."
    >>> hide_folders("There is no file at '/srv/lake/in/a.csv'.", ["/srv"], ["/srv/lake/in"])
    "There is no file at '/srv/lake/in/a.csv'."
    """
    if not text:
        return text
    hidden = [*places, str(Path.cwd()), str(Path.home()), sys.prefix]
    visible = {folder: folder for folder in shown}
    visible |= {os.path.realpath(path): path for path in filter(None, map(local_path, shown))}
    roots = sorted(
        {*visible, *(plain_form(place).rstrip("/") for place in hidden)} - {"", "/"},
        key=len,
        reverse=True,
    )
    named = "|".join(map(re.escape, roots))
    pattern = re.compile(rf"(?P<scheme>file:/*(?=/))?(?P<root>{named}){_FOLDER_END}(?P<slash>/?)")

    def replacement(match: re.Match[str]) -> str:
        place = visible.get(match["root"])
        return "" if place is None else f"{match['scheme'] or ''}{place}{match['slash']}"

    return pattern.sub(replacement, text)
