"""Open a lake's catalog for commands without Spark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from icemelt.catalog.database import Database, open_database, sqlite_url
from icemelt.cli.formats import OutputFormat
from icemelt.cli.outcome import Outcome
from icemelt.cli.render import write_outcome, write_terminal

if TYPE_CHECKING:
    from icemelt.cli.lake import Lake

__all__ = ["open_catalog", "write_list"]


@contextmanager
def open_catalog(lake: Lake) -> Iterator[Database]:
    """Open the catalog of an existing lake.

    Raises:
        CatalogError: there is no lake, or the catalog cannot be opened.
    """
    file = lake.catalog_file
    lake.require_existing()
    url = lake.catalog if file is None else sqlite_url(file)
    database = open_database(url or "", lake.warehouse_place)
    try:
        yield database
    finally:
        database.close()


def write_list(outcome: Outcome, format_: OutputFormat) -> None:
    """Write a list, as a table for a terminal or in a format for a program."""
    if format_ is OutputFormat.TABLE and sys.stdout.isatty():
        write_terminal(outcome, Console(), timing=False)
    else:
        write_outcome(outcome, format_, sys.stdout)
