"""`icemelt doctor`: check for everything that icemelt needs, and show how to mend the rest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from icemelt.cli.background_session import error_console
from icemelt.cli.batch import FAILED, SUCCEEDED
from icemelt.cli.findings import Finding, Level, write_finding
from icemelt.cli.formats import ReportFormat
from icemelt.cli.machine_checks import (
    check_disk,
    check_jars,
    check_java,
    check_kept_classes,
    check_python,
    check_spark,
    check_starts,
)
from icemelt.cli.progress import watching
from icemelt.cli.terminal import Colour, paint, say
from icemelt.values import as_json

if TYPE_CHECKING:
    from icemelt.cli.lake import Lake

__all__ = ["examine"]


def examine(lake: Lake, format_: ReportFormat, *, start: bool) -> int:
    """Write a report on this machine and a lake; return the exit code.

    Args:
        lake: the lake.
        format_: how the report is written.
        start: whether to start Spark, and download missing jars.
    """
    findings = _findings(lake, start=start)
    if format_ is ReportFormat.JSON:
        written = list(findings)
        say(as_json([finding.document for finding in written]))
    else:
        written = _write(findings)
        say(_summary(written))
    return FAILED if any(finding.level is Level.FAIL for finding in written) else SUCCEEDED


def _findings(lake: Lake, *, start: bool) -> Iterator[Finding]:
    """Yield the findings of all checks, as soon as they are found."""
    yield check_python()
    java = check_java()
    yield java
    jars = check_jars(fetch=start and java.level is Level.OK)
    yield jars
    if start and Level.FAIL not in {java.level, jars.level}:
        with watching(error_console(), "Starting Spark"):
            spark = check_spark()
        yield spark
        if spark.level is Level.OK:
            with watching(error_console(), "Keeping Java's classes for later starts"):
                starts = check_starts()
            yield starts
    elif jars.level is Level.OK and java.level is Level.OK:
        yield check_kept_classes()
    from icemelt.cli.lake_checks import check_lake  # noqa: PLC0415 - slow; much is written before

    yield from check_lake(lake)
    yield from check_disk(lake.path)


def _write(findings: Iterator[Finding]) -> list[Finding]:
    written = []
    for finding in findings:
        write_finding(finding, sys.stdout)
        written.append(finding)
    return written


def _summary(findings: list[Finding]) -> str:
    failed = sum(finding.level is Level.FAIL for finding in findings)
    warned = sum(finding.level is Level.WARN for finding in findings)
    if failed:
        return paint(f"{failed} of {len(findings)} checks failed.", Colour.RED, sys.stdout)
    if warned:
        return paint(f"It works; {warned} to look at.", Colour.YELLOW, sys.stdout)
    return paint("All is well.", Colour.GREEN, sys.stdout)
