r"""Follow a folder of log files, and write each of their lines into a table exactly once.

    icemelt sql ./lake -c "CREATE TABLE logs (file VARCHAR, line BIGINT, text VARCHAR)"
    icemelt serve ./lake
    ICEMELT_KEY=ice_… python examples/export_logs.py /var/log/web \
      --table main.public.logs

Killed at any moment and started again, it goes on after the offset token that was committed last:
`file:line`, so `web-0007.log:20` says that lines 1 to 20 of that file are in the table, and all
files before it. With `--once` it ends when all is written.

Files are read in the order of their names, which is the order in which they are written: a new
file's name comes after those of all others, as `web-2024-05-01.log` does, and says that the one
before it is complete. A file may be deleted once a line of a later one is committed, and is never
renamed. What a program writes at the end of the last file, until it ends the line, is left there.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from icemelt.errors import IcemeltError
from icemelt.ingest import ChannelInvalid, ChannelTaken, StreamingIngestClient

# in one append, and between two looks into the folder
BYTES, SECONDS = 1 << 20, 1.0


@dataclass(frozen=True, slots=True)
class Position:
    """So many lines of a file, and all files before it, are read; `byte` is where they end."""

    file: str
    line: int = 0
    byte: int = 0


def after(token: str | None, folder: Path) -> Position:
    """Return the position that an offset token stands for; None is the beginning."""
    file, _, number = (token or ":0").rpartition(":")
    path, line = folder / file, int(number)
    # one that is gone is read to its end
    if not path.is_file():
        return Position(file, line)
    with path.open("rb") as lines:
        return Position(file, line, sum(map(len, itertools.islice(lines, line))))


def unread(folder: Path, pattern: str, at: Position) -> Iterator[tuple[Position, list[bytes]]]:
    """Yield the lines after a position, some at a time, and the position after them."""
    files = sorted(path.name for path in folder.glob(pattern) if path.name >= at.file)
    for file in files:
        start = at if at.file == file else Position(file)
        yield from unread_of(folder, start, is_complete=file != files[-1])


def unread_of(
    folder: Path, at: Position, *, is_complete: bool
) -> Iterator[tuple[Position, list[bytes]]]:
    """Yield the lines of one file; a last one without an end is one where that is complete."""
    with (folder / at.file).open("rb") as file:
        file.seek(at.byte)
        while lines := file.readlines(BYTES):
            half = b"" if is_complete or lines[-1].endswith(b"\n") else lines.pop()
            at = Position(at.file, at.line + len(lines), at.byte + sum(map(len, lines)))
            if lines:
                yield at, lines
            if half:
                return


def export(client: StreamingIngestClient, arguments: argparse.Namespace) -> None:
    """Write what comes after the committed offset token, for ever or until all is written."""
    channel, status = client.open_channel(arguments.channel, *arguments.table.split("."))
    at = after(status.latest_committed_offset_token, arguments.folder)
    while True:
        for end, lines in unread(arguments.folder, arguments.pattern, at):
            channel.append_rows(rows(end, lines), end_offset_token=f"{end.file}:{end.line}")
            at = end
        # not before this returns is it known that they are there
        channel.wait_for_flush()
        if arguments.once:
            return
        time.sleep(SECONDS)


def rows(end: Position, lines: list[bytes]) -> list[dict[str, Any]]:
    """Return the rows of lines that end at a position."""
    texts = (line.decode(errors="replace").rstrip("\r\n") for line in lines)
    first = end.line - len(lines) + 1
    return [{"file": end.file, "line": n, "text": text} for n, text in enumerate(texts, first)]


def main() -> None:
    """Export, and begin again at the committed token where the channel became invalid."""
    parser = argparse.ArgumentParser(description="Write the lines of log files into a table.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", required=True, help="DATABASE.SCHEMA.TABLE")
    parser.add_argument("--pattern", default="*.log", help="of the files' names (%(default)s)")
    parser.add_argument("--channel", default="export_logs", help="one for each folder")
    parser.add_argument("--once", action="store_true", help="end when all is written")
    parser.add_argument("--url", default=os.environ.get("ICEMELT_URL"))
    parser.add_argument("--key", default=os.environ.get("ICEMELT_KEY"))
    arguments = parser.parse_args()
    with StreamingIngestClient(arguments.url, arguments.key) as client:
        while True:
            try:
                return export(client, arguments)
            except ChannelTaken:
                # another exporter writes it now
                raise
            except ChannelInvalid as error:
                print(error, file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except IcemeltError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
