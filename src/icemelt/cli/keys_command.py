"""`icemelt keys`: create, revoke and list the keys of a lake's server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from icemelt.catalog.keys import create_key, list_keys, revoke_key
from icemelt.cli.batch import FAILED, SUCCEEDED
from icemelt.cli.catalog import open_catalog, write_list
from icemelt.cli.failure import show_error
from icemelt.cli.formats import OutputFormat
from icemelt.cli.outcome import Outcome
from icemelt.cli.terminal import say
from icemelt.errors import IcemeltError, ObjectNotFound
from icemelt.times import as_datetime

if TYPE_CHECKING:
    from icemelt.cli.lake import Lake

__all__ = ["create", "revoke", "show"]

_COLUMNS = ("key_id", "name", "created_on", "revoked_on", "statement_timeout")


def create(lake: Lake, name: str, statement_timeout: float | None) -> int:
    """Make a key, and show the key only this once; return the exit code.

    Args:
        lake: the lake.
        name: the client's name.
        statement_timeout: the longest run of the key's statements in seconds; None for the server's
            own limit, 0 for no limit.
    """
    try:
        with open_catalog(lake) as database:
            _, text = create_key(database, name, statement_timeout)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    say(text)
    return SUCCEEDED


def revoke(lake: Lake, key_id: str) -> int:
    """Refuse a key from now on; return the exit code."""
    try:
        with open_catalog(lake) as database:
            if not revoke_key(database, key_id):
                raise ObjectNotFound(
                    f"No key in force has the id {key_id!r}.", hint="icemelt keys list"
                )
    except IcemeltError as error:
        show_error(error)
        return FAILED
    say(f"Key {key_id} is revoked.")
    return SUCCEEDED


def show(lake: Lake, format_: OutputFormat) -> int:
    """List the keys; return the exit code."""
    try:
        with open_catalog(lake) as database, database.read() as connection:
            records = list_keys(connection)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    rows = [
        (
            key.key_id,
            key.name,
            as_datetime(key.created_at),
            None if key.revoked_at is None else as_datetime(key.revoked_at),
            key.statement_timeout,
        )
        for key in records
    ]
    write_list(Outcome(_COLUMNS, rows, 0), format_)
    return SUCCEEDED
