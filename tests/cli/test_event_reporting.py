"""How much a server tells of what happens."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import pytest

from icemelt.cli.event_reporting import EventReporting, LogLevel
from icemelt.observe.emitting import emit
from icemelt.observe.events import TableCompacted, TableRebased

PROGRAM = """
from icemelt.cli.event_reporting import EventReporting, LogLevel
from icemelt.observe.emitting import emit
from icemelt.observe.events import TableCompacted, TableRebased
with EventReporting(LogLevel.INFO).report():
    emit(TableCompacted("main.public.t", 9, 1))
    emit(TableRebased("4f", "main.public.t", 0.1))
"""


def test_a_line_has_its_time_level_and_logger() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=os.environ
    )
    (line,) = ran.stderr.splitlines()
    said = "INFO icemelt.maintenance: table compacted: table=main.public.t files_rewritten=9"
    assert said in line


@pytest.mark.parametrize(("level", "count"), [(LogLevel.DEBUG, 2), (LogLevel.WARNING, 0)])
def test_what_is_of_less_consequence_is_left_out(
    caplog: pytest.LogCaptureFixture, level: LogLevel, count: int
) -> None:
    before = logging.getLogger("icemelt").level
    with EventReporting(level).report():
        emit(TableCompacted("main.public.t", 9, 1))
        emit(TableRebased("4f", "main.public.t", 0.1))
    assert len(caplog.records) == count
    assert logging.getLogger("icemelt").level == before
