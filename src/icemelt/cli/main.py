"""The `icemelt` command: subcommands and options."""

from __future__ import annotations

import atexit
import contextlib
import gc
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from icemelt.cli.arguments import USAGE, CatalogOption, LakeOption, WarehouseOption, lake_of
from icemelt.cli.event_reporting import EventReporting, LogLevel
from icemelt.cli.failure import show_error, show_unexpected
from icemelt.cli.formats import LinesFormat, OnBadLine, OutputFormat, ReportFormat
from icemelt.cli.loading import loading_while_java_starts
from icemelt.cli.server_commands import keys_app, statements_app
from icemelt.cli.task_commands import tasks_app
from icemelt.errors import IcemeltError

__all__ = ["app", "main"]

app = typer.Typer(
    name="icemelt",
    help="What changed in a table between two points in time? SQL on open lakehouse tables.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(keys_app, name="keys")
app.add_typer(statements_app, name="statements")
app.add_typer(tasks_app, name="tasks")

LakeArgument = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Argument(
        envvar="ICEMELT_LAKE",
        show_default=False,
        help="The lake's folder; made where there is none. [default: ./lake]",
    ),
]


def main() -> None:
    """Run the command of the process's arguments, and exit with the command's code."""
    sys.excepthook = show_unexpected
    # at the end nothing is looked through for garbage: it takes half a second
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        # a character missing in the terminal's encoding must not end the program
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    typer.main.get_command(app)(prog_name="icemelt")


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - the protocol of typer's callbacks
    if wanted:
        from icemelt.version import version  # noqa: PLC0415 - reads the package's metadata

        typer.echo(f"icemelt {version()}")
        raise typer.Exit


@app.callback()
def _common(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


@app.command()
def sql(  # noqa: PLR0913 - each is an option of the command
    lake: LakeArgument = None,
    *,
    command: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("-c", "--command", metavar="STATEMENT", help="Run this; may repeat."),
    ] = None,
    file: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("-f", "--file", metavar="FILE", help="Run a script; - is standard input."),
    ] = None,
    format_: Annotated[
        OutputFormat, typer.Option("--format", help="How rows are written.")
    ] = OutputFormat.TABLE,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
    timing: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--timing/--no-timing",
            show_default=False,
            help="Show how long statements take. [default: on a terminal]",
        ),
    ] = None,
    database: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="The current database. [default: main]"),
    ] = None,
    schema: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="The current schema. [default: public]"),
    ] = None,
) -> None:
    """Run SQL: a shell, or statements of the command line, of files, or of standard input.

    \b
    Statements end with a semicolon. They run up to the first that fails.
    Exit codes: 0 all ran, 1 one failed, 2 wrong usage, 130 interrupted.

    \b
    --format table  for people: fits the terminal, at most 1,000 rows there
    --format json   one object per row; exact decimals and binaries (hex) are strings,
                    times ISO 8601, NaN and Infinity strings, NULL is null
    --format csv    with a header; NULL is nothing, an empty string is ""
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli.background_session import Start  # noqa: PLC0415
    from icemelt.cli.batch import Output  # noqa: PLC0415 - --help needs none of it
    from icemelt.cli.sql_command import run_sql  # noqa: PLC0415

    start = Start(lake_of(lake, catalog, warehouse), database, schema)
    output = Output(format_, timing)
    raise typer.Exit(run_sql(start, command or [], file or [], output))


@app.command()
def doctor(
    lake: LakeArgument = None,
    *,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
    start: Annotated[
        bool,
        typer.Option("--start", help="Start Spark too, and keep what makes later starts faster."),
    ] = False,
    format_: Annotated[
        ReportFormat, typer.Option("--format", help="How the report is written.")
    ] = ReportFormat.TEXT,
) -> None:
    """Check what icemelt needs on this machine and of a lake; say how to mend what is wrong.

    \b
    Exit codes: 0 nothing failed, 1 something failed.
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli.doctor import examine  # noqa: PLC0415 - --help needs none of it

    raise typer.Exit(examine(lake_of(lake, catalog, warehouse), format_, start=start))


@app.command()
def maintain(
    lake: LakeArgument = None,
    *,
    every: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="DURATION", help="Do it again and again: 90s, 30m, 1h or 1d after each."
        ),
    ] = None,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
    format_: Annotated[
        ReportFormat, typer.Option("--format", help="How the report is written.")
    ] = ReportFormat.TEXT,
) -> None:
    """Remove versions past retention, compact small files, and clear what dead sessions left.

    \b
    What a stream or an open transaction needs stays; writers go first.
    Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli.maintain_command import (  # noqa: PLC0415 - --help needs none of it
        parse_duration,
        run_maintenance,
    )

    try:
        seconds = None if every is None else parse_duration(every)
    except IcemeltError as error:
        show_error(error)
        raise typer.Exit(USAGE) from error
    raise typer.Exit(run_maintenance(lake_of(lake, catalog, warehouse), seconds, format_))


@app.command()
def serve(  # noqa: PLR0913 - each is an option
    lake: LakeArgument = None,
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 is any free one.")] = 8787,
    max_client_lag: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long rows wait for others, at most.")
    ] = 1.0,
    max_request: Annotated[
        int, typer.Option(metavar="MIB", min=1, max=1024, help="How large a request may be.")
    ] = 64,
    location: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="PATH",
            show_default=False,
            help="Where COPY INTO of clients may read and write; may be given again. "
            "[default: nowhere]",
        ),
    ] = None,
    statement_timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0, help="How long a statement may run; 0 is as long as it takes."
        ),
    ] = 3600.0,
    max_result: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            metavar="MIB",
            min=1,
            show_default=False,
            help="How large the rows of a result may be: an eighth of Java's memory at most. "
            "[default: 256]",
        ),
    ] = None,
    max_tables: Annotated[
        int,
        typer.Option(min=1, help="How many tables the open channels of a key may be of."),
    ] = 1_000,
    max_channels: Annotated[
        int, typer.Option(min=1, help="How many open channels a key may have.")
    ] = 20_000,
    no_scheduler: Annotated[
        bool, typer.Option("--no-scheduler", help="Run no tasks: other processes do.")
    ] = False,
    no_keys: Annotated[
        bool, typer.Option("--no-keys", help="Let everybody in who reaches the address.")
    ] = False,
    allowed_host: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Without keys: a host that requests may be for, as a proxy's; may be given "
            "again. [default: localhost and --host]",
        ),
    ] = None,
    log_level: Annotated[
        LogLevel,
        typer.Option(help="How much is told on standard error of what happens in the lake."),
    ] = LogLevel.WARNING,
    open_telemetry: Annotated[
        bool,
        typer.Option(
            "--open-telemetry",
            help="Send traces and metrics to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names.",
        ),
    ] = False,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Take rows for the lake's tables, and SQL, over HTTP, until Ctrl-C or SIGTERM.

    \b
    Clients need a key: the first start makes one and shows it, `icemelt keys` makes more.
    Exit codes: 0 ended, 1 failed, 2 wrong usage.
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli.serve_command import run_server  # noqa: PLC0415 - --help needs none of it
    from icemelt.server.run import ServerSettings  # noqa: PLC0415

    settings = ServerSettings(
        host,
        port,
        max_client_lag,
        keys=not no_keys,
        most_bytes=max_request << 20,
        locations=tuple(location or ()),
        allowed_hosts=tuple(allowed_host or ()),
        statement_timeout=statement_timeout,
        most_result_bytes=None if max_result is None else max_result << 20,
        most_tables=max_tables,
        most_channels=max_channels,
        runs_tasks=not no_scheduler,
    )
    telling = EventReporting(log_level, open_telemetry=open_telemetry)
    raise typer.Exit(run_server(lake_of(lake, catalog, warehouse), settings, telling))


@app.command()
def scheduler(  # noqa: PLR0913 - each is an option
    lake: LakeArgument = None,
    *,
    parallel: Annotated[
        int, typer.Option(min=1, max=64, help="How many tasks may run at once.")
    ] = 4,
    lease: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1,
            max=3600,
            help="How long after its last sign of life others take over what it runs.",
        ),
    ] = 30.0,
    location: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="PATH",
            show_default=False,
            help="Where tasks and pipes of a server's clients may read and write, as "
            "`icemelt serve` has it; may be given again. [default: where they might when written]",
        ),
    ] = None,
    log_level: Annotated[
        LogLevel,
        typer.Option(help="How much is told on standard error of what happens in the lake."),
    ] = LogLevel.ERROR,
    open_telemetry: Annotated[
        bool,
        typer.Option(
            "--open-telemetry",
            help="Send traces and metrics to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names.",
        ),
    ] = False,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Run the tasks of a lake, until Ctrl-C or SIGTERM; others may run beside it.

    \b
    Each run that ends is a line: for people on a terminal, JSON in a pipe.
    At the end no further run begins, and those under way have 30 seconds.
    Exit codes: 0 ended, 1 failed, 2 wrong usage.
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli.scheduler_command import (  # noqa: PLC0415 - --help needs none
        SchedulerSettings,
        run_scheduler,
    )

    telling = EventReporting(log_level, open_telemetry=open_telemetry)
    settings = SchedulerSettings(parallel, lease, None if location is None else tuple(location))
    raise typer.Exit(run_scheduler(lake_of(lake, catalog, warehouse), settings, telling))


@app.command()
def ingest(  # noqa: PLR0913 - each is an option
    file: Annotated[str, typer.Argument(help="The lines; - is standard input.")] = "-",
    *,
    table: Annotated[str, typer.Option(metavar="NAME", help="The table that takes the rows.")],
    _format: Annotated[
        LinesFormat, typer.Option("--format", help="jsonl: an object on each line.")
    ] = LinesFormat.JSONL,
    channel: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Under a name it goes on where it stopped. [default: one of its own]",
        ),
    ] = None,
    on_error: Annotated[
        OnBadLine, typer.Option(help="Whether a bad line ends it, or is left out.")
    ] = OnBadLine.ABORT,
    url: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            envvar="ICEMELT_URL",
            show_default=False,
            help="A server, in place of a lake that is opened here.",
        ),
    ] = None,
    key: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(envvar="ICEMELT_KEY", show_default=False, help="The key for the server."),
    ] = None,
    lake: LakeOption = None,
    catalog: CatalogOption = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Write lines of JSON as rows into a table.

    \b
    icemelt ingest --table clicks < clicks.jsonl
    Exit codes: 0 all rows are committed, 1 a line was bad or it failed, 2 wrong usage.
    """  # noqa: D301 - \b keeps lines as they are
    from icemelt.cli.ingest_command import (  # noqa: PLC0415 - --help needs none of it
        IngestDestination,
        Ingestion,
        run_ingestion,
    )

    target = IngestDestination(lake_of(lake, catalog, warehouse), url, key)
    raise typer.Exit(run_ingestion(target, Ingestion(file, table, channel, on_error)))


@app.command()
def demo(
    folder: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Argument(help="An empty folder for it. [default: a new temporary one]"),
    ] = None,
) -> None:
    """Show change queries on all flights that left New York in 2013, in about a minute."""
    from icemelt.engine.start.configuration import LaunchOptions  # noqa: PLC0415

    with loading_while_java_starts(LaunchOptions()):
        from icemelt.cli.demo import run_demo  # noqa: PLC0415 - --help needs none of it

    try:
        run_demo(None if folder is None else Path(folder))
    except IcemeltError as error:
        show_error(error)
        raise typer.Exit(1) from error
