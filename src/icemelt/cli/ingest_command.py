"""`icemelt ingest`: lines of JSON become rows of a table, through a channel."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from icemelt.cli.batch import FAILED, INTERRUPTED, SUCCEEDED
from icemelt.cli.connection import error_console
from icemelt.cli.failure import show_error
from icemelt.cli.progress import watching
from icemelt.cli.terminal import complain, say
from icemelt.errors import FileRefused, IcemeltError
from icemelt.values import visible

if TYPE_CHECKING:
    from icemelt.cli.lake import Lake
    from icemelt.ingest import Channel, RowError, StreamingIngestClient

__all__ = ["Ingestion", "Target", "run_ingestion"]

_MOST_LINES, _MOST_BYTES = 10_000, 4 << 20
_SHOWN_ERRORS = 20
_LINE = "line:"


@dataclass(frozen=True, slots=True)
class Target:
    """A server at a URL under a key, or else a lake that is opened here."""

    lake: Lake
    url: str | None
    key: str | None


@dataclass(frozen=True, slots=True)
class Ingestion:
    """What is read, into which table, and through which channel.

    Under a channel's name it can be gone on with: lines that are committed are passed over. Without
    one it has a channel of its own, which is dropped at the end.
    """

    file: str
    table: str
    channel: str | None
    on_error: str


def run_ingestion(target: Target, ingestion: Ingestion) -> int:
    """Ingest lines; return the exit code: 1 where a line was bad, or something failed."""
    try:
        with _opened(ingestion.file) as file, _client(target) as client:
            return _ingest(client, ingestion, file)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    except KeyboardInterrupt:
        complain("Interrupted: what was appended is committed.")
        return INTERRUPTED


def _ingest(client: StreamingIngestClient, ingestion: Ingestion, file: BinaryIO) -> int:
    name = ingestion.channel or f"icemelt ingest {uuid.uuid4()}"
    full = _full(ingestion.table)
    channel, status = client.open_channel(name, *full, on_error=ingestion.on_error)
    token = status.latest_committed_offset_token or ""
    done = int(token.removeprefix(_LINE)) if token.startswith(_LINE) else 0
    taken = bad = 0
    try:
        for batch in _shown(_batches(file, done), file):
            rows, errors = batch.append(channel)
            taken, bad = taken + rows, bad + errors
    except IcemeltError:
        with contextlib.suppress(IcemeltError):
            channel.close(drop=ingestion.channel is None)
        complain(f"Before that: {_told(taken, bad, done)}")
        raise
    channel.close(drop=ingestion.channel is None)
    say(_told(taken, bad, done))
    return FAILED if bad else SUCCEEDED


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some lines with their numbers, those that are empty left out; `last` counts these, too."""

    lines: list[bytes]
    numbers: list[int]
    last: int

    def append(self, channel: Channel) -> tuple[int, int]:
        """Append the lines; return how many were taken, and how many were bad."""
        from icemelt.ingest import RowsRefused  # noqa: PLC0415 - --help needs none of it
        from icemelt.ingest.rows import read_json  # noqa: PLC0415

        token = f"{_LINE}{self.last}"
        try:
            answer = channel.append_rows(read_json(b"".join(self.lines)), end_offset_token=token)
        except RowsRefused as refused:
            self._show(refused.errors)
            raise
        self._show(answer.errors)
        return answer.rows, answer.bad_rows

    def _show(self, errors: tuple[RowError, ...]) -> None:
        for error in errors[:_SHOWN_ERRORS]:
            column = "" if error.column is None else f", column {error.column!r}"
            complain(f"Line {self.numbers[error.row]}{column}: {visible(error.reason)}")
        if len(errors) > _SHOWN_ERRORS:
            complain(f"… and {len(errors) - _SHOWN_ERRORS:,} more.")


def _batches(file: BinaryIO, done: int) -> Iterator[_Batch]:
    lines: list[bytes] = []
    numbers: list[int] = []
    size = last = 0
    for last, line in enumerate(file, 1):
        if last <= done:
            continue
        if line.strip():
            lines.append(line if line.endswith(b"\n") else line + b"\n")
            numbers.append(last)
            size += len(line)
        if len(lines) == _MOST_LINES or size >= _MOST_BYTES:
            yield _Batch(lines, numbers, last)
            lines, numbers, size = [], [], 0
    if lines:
        yield _Batch(lines, numbers, last)


def _shown(batches: Iterator[_Batch], file: BinaryIO) -> Iterator[_Batch]:
    """Show how far the file is read while its batches are dealt with."""
    from rich.progress import (  # noqa: PLC0415 - --help needs none of it
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )

    console = error_console()
    if not console.is_terminal:
        yield from batches
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
        for batch in batches:
            yield batch
            read += sum(map(len, batch.lines))
            progress.update(task, completed=read, description=f"{batch.last:,} lines")


def _told(taken: int, bad: int, done: int) -> str:
    """Return what was done in a line.

    >>> _told(10, 0, 0), _told(1, 2, 5)
    ('10 rows.', '1 row, 2 bad lines left out, 5 lines passed over that were committed before.')
    """
    parts = [f"{taken:,} row{'' if taken == 1 else 's'}"]
    if bad:
        parts.append(f"{bad:,} bad line{'' if bad == 1 else 's'} left out")
    if done:
        lines = f"{done:,} line{'' if done == 1 else 's'}"
        parts.append(f"{lines} passed over that were committed before")
    return ", ".join(parts) + "."


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
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
def _client(target: Target) -> Iterator[StreamingIngestClient]:
    from icemelt.ingest import StreamingIngestClient  # noqa: PLC0415 - --help needs none of it

    if target.url is not None:
        with StreamingIngestClient(target.url, target.key) as client:
            yield client
        return
    with watching(error_console(), "Starting Spark"):
        session = target.lake.open()
    with session, session.ingest_client() as client:
        yield client


def _full(table: str) -> tuple[str, str, str]:
    """Return the database, schema and table that a name says.

    >>> _full("clicks"), _full("web.clicks")
    (('main', 'public', 'clicks'), ('main', 'web', 'clicks'))
    """
    from icemelt.sql.written_names import written_name  # noqa: PLC0415 - --help needs none of it

    full = written_name(table).within("main", "public")
    return full.database, full.schema, full.name


def _size(file: BinaryIO) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return os.fstat(file.fileno()).st_size or None
    return None
