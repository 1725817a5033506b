"""Commands for the operator of a server: `icemelt keys` and `icemelt statements`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from icemelt.cli.arguments import CatalogOption, LakeOption, WarehouseOption, lake_of
from icemelt.cli.formats import OutputFormat

__all__ = ["keys_app", "statements_app"]

keys_app = typer.Typer(help="Who may use the server: create, revoke, list.", no_args_is_help=True)

statements_app = typer.Typer(
    help="What the servers of a lake run: list, cancel.", no_args_is_help=True
)


@keys_app.command("create")
def keys_create(
    name: Annotated[str, typer.Argument(help="Whose key it is.")],
    lake: LakeOption = None,
    *,
    statement_timeout: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="SECONDS",
            min=0,
            show_default=False,
            help="How long a statement of it may run; 0 is as long as it takes. [default: as "
            "the server says]",
        ),
    ] = None,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Make a key for a client, and show it, this once."""
    from icemelt.cli import keys_command  # noqa: PLC0415 - --help needs none of it

    chosen = lake_of(lake, catalog, warehouse)
    raise typer.Exit(keys_command.create(chosen, name, statement_timeout))


@keys_app.command("revoke")
def keys_revoke(
    key_id: Annotated[str, typer.Argument(help="The id that `icemelt keys list` shows.")],
    lake: LakeOption = None,
    *,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Refuse a key from now on, and cancel what the server runs for it."""
    from icemelt.cli import keys_command  # noqa: PLC0415 - --help needs none of it

    raise typer.Exit(keys_command.revoke(lake_of(lake, catalog, warehouse), key_id))


@keys_app.command("list")
def keys_list(
    lake: LakeOption = None,
    *,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
    format_: Annotated[
        OutputFormat, typer.Option("--format", help="How the list is written.")
    ] = OutputFormat.TABLE,
) -> None:
    """List the keys, revoked ones too."""
    from icemelt.cli import keys_command  # noqa: PLC0415 - --help needs none of it

    raise typer.Exit(keys_command.show(lake_of(lake, catalog, warehouse), format_))


@statements_app.command("list")
def statements_list(
    lake: LakeOption = None,
    *,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
    format_: Annotated[
        OutputFormat, typer.Option("--format", help="How the list is written.")
    ] = OutputFormat.TABLE,
) -> None:
    """List statements of all keys that run or wait on servers for more than a second."""
    from icemelt.cli import statements_command  # noqa: PLC0415 - --help needs none of it

    raise typer.Exit(statements_command.show(lake_of(lake, catalog, warehouse), format_))


@statements_app.command("cancel")
def statements_cancel(
    statement_id: Annotated[str, typer.Argument(help="The id that the list shows.")],
    lake: LakeOption = None,
    *,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Have the server cancel a statement of any key."""
    from icemelt.cli import statements_command  # noqa: PLC0415 - --help needs none of it

    raise typer.Exit(statements_command.cancel(lake_of(lake, catalog, warehouse), statement_id))
