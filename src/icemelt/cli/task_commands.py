"""The command `icemelt tasks`: list the tasks of a lake, run one."""

from __future__ import annotations

from typing import Annotated, Optional

import typer
from typer.core import TyperGroup

from icemelt.cli.arguments import CatalogOption, WarehouseOption, lake_of
from icemelt.cli.formats import OutputFormat

__all__ = ["tasks_app"]

_LIST = "list"
LakeArgument = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Argument(
        envvar="ICEMELT_LAKE", show_default=False, help="The lake's folder. [default: ./lake]"
    ),
]


class _ListByDefault(TyperGroup):
    """Commands of which the list needs no name: `icemelt tasks ./lake --watch`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put the name of the list before arguments that name no command."""
        names = {*self.commands, *ctx.help_option_names}
        if not args or args[0] not in names:
            args = [_LIST, *args]
        return super().parse_args(ctx, args)


tasks_app = typer.Typer(
    help="Tasks of a lake: list (without a command: icemelt tasks LAKE), run.", cls=_ListByDefault
)


@tasks_app.command(_LIST)
def tasks_list(
    lake: LakeArgument = None,
    *,
    watch: Annotated[
        bool, typer.Option("--watch", help="Draw the list again every two seconds.")
    ] = False,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
    format_: Annotated[
        OutputFormat, typer.Option("--format", help="How the list is written.")
    ] = OutputFormat.TABLE,
) -> None:
    """List the tasks: state, schedule, last run, next time, failures in a row.

    \b
    Whether a scheduler is alive is told on standard error.
    Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli import tasks_command  # noqa: PLC0415 - --help needs none of it

    chosen = lake_of(lake, catalog, warehouse)
    code = tasks_command.watch(chosen) if watch else tasks_command.show(chosen, format_)
    raise typer.Exit(code)


@tasks_app.command("run")
def tasks_run(
    name: Annotated[str, typer.Argument(help="The root task, as SQL names it.")],
    lake: LakeArgument = None,
    *,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Ask for the run, and do not wait for its end.")
    ] = False,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
    format_: Annotated[
        OutputFormat, typer.Option("--format", help="How the runs are written.")
    ] = OutputFormat.TABLE,
) -> None:
    """Run a task and those after it, as EXECUTE TASK does, and show how each has ended.

    \b
    A scheduler executes it: a server, icemelt scheduler, or session.scheduler().
    Exit codes: 0 all succeeded, 1 one failed or nobody runs it, 2 wrong usage, 130 interrupted.
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli import tasks_command  # noqa: PLC0415 - --help needs none of it

    chosen = lake_of(lake, catalog, warehouse)
    raise typer.Exit(tasks_command.run(chosen, name, format_, waits=not no_wait))
