"""The exporter of logs and its server are killed: every line is there once, in its file's order."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from examples.background import Background
from examples.running import SECONDS, running, started, wait_for_more
from ingest.kill_server import Step
from ingest.served_lake import ServedLake
from pyspark.sql import SparkSession

from icemelt.ingest import ChannelName
from icemelt.names import QualifiedName

PROGRAM = "export_logs.py"
CHANNELS = [ChannelName(QualifiedName("main", "public", "logs"), "export_logs")]
# of a file, and seconds in the middle of each
LINES, PAUSE = 155, 0.002


class Logs(Background):
    """Writes logs as a program may: half a line, the other half, file after file.

    It stops in the middle of a line.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.folder.mkdir()
        self.written: dict[str, list[str]] = defaultdict(list)
        self._half: tuple[str, str, bytes] | None = None

    def end_line(self) -> None:
        """Write the other half of the last line."""
        assert self._half is not None
        name, text, half = self._half
        with (self.folder / name).open("ab") as file:
            file.write(half.rstrip(b"\n") + b"\n")
        self.written[name].append(text)

    def work(self) -> None:
        """Write."""
        number = 0
        while self._half is None:
            number += 1
            self._write_file(f"web-{number:04}.log")

    def _write_file(self, name: str) -> None:
        with (self.folder / name).open("wb", buffering=0) as file:
            for number in range(1, LINES + 1):
                text = f"{name} größer: {number}" if number % 10 else ""
                # the last line of a file has no end
                line = text.encode() + (b"\n" if number < LINES else b"")
                # before its end: a line that is written whole is no half of one
                cut = number % len(line)
                file.write(line[:cut])
                if self.ended.wait(PAUSE):
                    self._half = name, text, line[cut:]
                    return
                file.write(line[cut:])
                self.written[name].append(text)


def exported(lake: ServedLake) -> dict[str, list[str]]:
    """Return the lines of each file in the order in which they were committed."""
    with lake.session() as session:
        rows = session.sql("SELECT file, line, text FROM logs ORDER BY _row_id").fetchall()
    found: dict[str, list[str]] = defaultdict(list)
    for file, line, text in rows:
        found[file].append(text)
        assert line == len(found[file])
    return found


@pytest.mark.slow
def test_killed_exporters_and_servers_neither_lose_nor_double_lines(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake, folder = ServedLake(spark, tmp_path), tmp_path / "logs"
    with lake.session() as session:
        session.sql("CREATE TABLE logs (file VARCHAR, line BIGINT, text VARCHAR)")
    options = (PROGRAM, str(folder), "--table", "main.public.logs")
    with (
        Logs(folder) as logs,
        lake.server(Step.NOTE, 2) as server,
        running(lake, *options) as exporter,
    ):
        assert server.wait(SECONDS) == -9
        with lake.server():
            wait_for_more(lake, CHANNELS)
            exporter.kill()
            with running(lake, *options):
                wait_for_more(lake, CHANNELS)
            logs.stop()
            assert started(lake, *options, "--once").wait(SECONDS) == 0
            assert exported(lake) == logs.written
            logs.end_line()
            assert started(lake, *options, "--once").wait(SECONDS) == 0
    assert exported(lake) == logs.written
