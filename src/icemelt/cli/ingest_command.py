"""`icemelt ingest`: write lines of JSON as rows of a table, through a channel."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from icemelt.cli.background_session import error_console
from icemelt.cli.batch import FAILED, INTERRUPTED, SUCCEEDED
from icemelt.cli.failure import show_error
from icemelt.cli.formats import OnBadLine
from icemelt.cli.ingest_lines import TOKEN_PREFIX, Batch, split_batches
from icemelt.cli.progress import watching
from icemelt.cli.terminal import complain, say
from icemelt.drawing import count_rows
from icemelt.errors import FileRefused, IcemeltError
from icemelt.observe.emitting import tolerate

if TYPE_CHECKING:
    from icemelt.cli.lake import Lake
    from icemelt.ingest import StreamingIngestClient

__all__ = ["IngestDestination", "Ingestion", "run_ingestion"]


@dataclass(frozen=True, slots=True)
class IngestDestination:
    """The place of the table: a server, or a lake opened in this process.

    Args:
        lake: the lake, used without a URL.
        url: the server's URL, None for the lake.
        key: the key for the server.
    """

    lake: Lake
    url: str | None
    key: str | None


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The lines to read, the table, and the channel.

    Args:
        file: the file's path, `-` for standard input.
        table: the table's name.
        channel: the channel's name. A named channel can be resumed: committed lines are skipped.
            Without a name a new channel is opened, and dropped at the end.
        on_error: what happens at a bad line.
    """

    file: str
    table: str
    channel: str | None
    on_error: OnBadLine


def run_ingestion(target: IngestDestination, ingestion: Ingestion) -> int:
    """Ingest lines; return the exit code: 1 for a bad line or a failure."""
    try:
        with _open_input(ingestion.file) as file, _open_client(target) as client:
            return _ingest(client, ingestion, file)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    except KeyboardInterrupt:
        complain("Interrupted: what was appended is committed.")
        return INTERRUPTED


def _ingest(client: StreamingIngestClient, ingestion: Ingestion, file: BinaryIO) -> int:
    """Append a file's lines to a channel, after the committed lines; return the exit code."""
    name = ingestion.channel or f"icemelt ingest {uuid.uuid4()}"
    full = _parse_full_name(ingestion.table)
    channel, status = client.open_channel(name, *full, on_error=ingestion.on_error.value)
    token = status.latest_committed_offset_token or ""
    is_mine = token.startswith(TOKEN_PREFIX)
    done = int(token.removeprefix(TOKEN_PREFIX)) if is_mine else 0
    taken = bad = 0
    try:
        for batch in _show_progress(split_batches(file, done), file):
            for rows, errors in batch.append(channel, ingestion.on_error):
                taken, bad = taken + rows, bad + errors
    except IcemeltError:
        with tolerate(IcemeltError, to="close the channel of a file that failed"):
            channel.close(drop=ingestion.channel is None)
        complain(f"Before that: {_summarize(taken, bad, done)}")
        raise
    channel.close(drop=ingestion.channel is None)
    say(_summarize(taken, bad, done))
    return FAILED if bad else SUCCEEDED


def _show_progress(split_batches: Iterator[Batch], file: BinaryIO) -> Iterator[Batch]:
    """Show on a terminal how much of the file is read, while its batches are appended."""
    from rich.progress import (  # noqa: PLC0415 - --help needs none of it
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )

    console = error_console()
    if not console.is_terminal:
        yield from split_batches
        return
    total = _size(file)
    bar = [BarColumn()] if total else []
    with Progress(
        TextColumn("{task.description}"),
        *bar,
        TransferSpeedColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task("0 lines", total=total)
        read = 0
        for batch in split_batches:
            yield batch
            read += sum(map(len, batch.lines))
            progress.update(task, completed=read, description=f"{batch.last:,} lines")


def _summarize(taken: int, bad: int, done: int) -> str:
    """Return the summary of an ingestion in a line.

    Args:
        taken: the number of rows appended.
        bad: the number of bad lines.
        done: the number of lines committed before.

    >>> _summarize(10, 0, 0), _summarize(1, 2, 5)
    ('10 rows.', '1 row, 2 bad lines left out, 5 lines passed over that were committed before.')
    """
    parts = [count_rows(taken)]
    if bad:
        parts.append(f"{bad:,} bad line{'' if bad == 1 else 's'} left out")
    if done:
        lines = f"{done:,} line{'' if done == 1 else 's'}"
        parts.append(f"{lines} passed over that were committed before")
    return ", ".join(parts) + "."


@contextlib.contextmanager
def _open_input(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as file:
            yield file
    except OSError as error:
        raise FileRefused(
            f"File {name!r} cannot be read: {error.strerror}.",
            hint="icemelt ingest --table t < file",
        ) from error


@contextlib.contextmanager
def _open_client(target: IngestDestination) -> Iterator[StreamingIngestClient]:
    """Open a client of the server, or of the lake in this process."""
    from icemelt.ingest import StreamingIngestClient  # noqa: PLC0415 - --help needs none of it

    if target.url is not None:
        with StreamingIngestClient(target.url, target.key) as client:
            yield client
        return
    target.lake.require_existing()
    with watching(error_console(), "Starting Spark"):
        session = target.lake.open()
    with session, session.ingest_client() as client:
        yield client


def _parse_full_name(table: str) -> tuple[str, str, str]:
    """Return the database, schema and table of a name.

    >>> _parse_full_name("clicks"), _parse_full_name("web.clicks")
    (('main', 'public', 'clicks'), ('main', 'web', 'clicks'))
    """
    from icemelt.sql.dialect.written_names import written_name  # noqa: PLC0415 - --help needs none of it

    full = written_name(table).within("main", "public")
    return full.database, full.schema, full.name


def _size(file: BinaryIO) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return os.fstat(file.fileno()).st_size or None
    return None
