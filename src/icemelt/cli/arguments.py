"""Arguments and options for the name of a lake, shared by several commands."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from icemelt.cli.failure import show_error
from icemelt.cli.lake import Lake, choose_lake
from icemelt.errors import IcemeltError

__all__ = ["USAGE", "CatalogOption", "LakeOption", "WarehouseOption", "lake_of"]

# the exit code of wrong usage
USAGE = 2

LakeOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--lake",
        envvar="ICEMELT_LAKE",
        show_default=False,
        help="The lake's folder. [default: ./lake]",
    ),
]
CatalogOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        envvar="ICEMELT_CATALOG",
        metavar="URL",
        help="The catalog, where it is not in the lake's folder: postgresql://user@host/database.",
    ),
]
WarehouseOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        envvar="ICEMELT_WAREHOUSE",
        metavar="PATH",
        help="Where the tables' files are, where that is not in the lake's folder.",
    ),
]


def lake_of(folder: str | None, catalog: str | None, warehouse: str | None) -> Lake:
    """Return the lake named by options, or end the program.

    Args:
        folder: the lake's folder.
        catalog: the URL of the catalog's database.
        warehouse: the folder or bucket of the tables' files.
    """
    try:
        return choose_lake(folder, catalog, warehouse)
    except IcemeltError as error:
        show_error(error)
        raise typer.Exit(USAGE) from error
