"""`icemelt statements`: list and cancel the statements on a lake's servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from icemelt.catalog.running import list_running, request_cancel
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

__all__ = ["cancel", "show"]

_COLUMNS = ("statement_id", "user", "key_id", "status", "submitted_on", "started_on", "text")


def show(lake: Lake, format_: OutputFormat) -> int:
    """List the statements running or waiting on servers; return the exit code."""
    try:
        with open_catalog(lake) as database:
            running = list_running(database)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    rows = [
        (
            statement.statement_id,
            statement.user,
            statement.key_id,
            statement.status,
            as_datetime(statement.submitted_at),
            None if statement.started_at is None else as_datetime(statement.started_at),
            statement.text,
        )
        for statement in running
    ]
    write_list(Outcome(_COLUMNS, rows, 0), format_)
    return SUCCEEDED


def cancel(lake: Lake, statement_id: str) -> int:
    """Ask the server of a statement to cancel; return the exit code."""
    try:
        with open_catalog(lake) as database:
            if not request_cancel(database, statement_id):
                raise ObjectNotFound(
                    f"No server of the lake runs a statement {statement_id!r}.",
                    hint="icemelt statements list",
                )
    except IcemeltError as error:
        show_error(error)
        return FAILED
    say(f"The server is asked to cancel statement {statement_id}.")
    return SUCCEEDED
