"""The findings of `icemelt doctor`, and their output."""

from __future__ import annotations

import enum
from dataclasses import asdict, dataclass
from typing import TextIO

from icemelt.cli.terminal import Colour, paint
from icemelt.errors import IcemeltError

__all__ = ["Finding", "Level", "make_failure", "write_finding"]

_NAME_WIDTH = 10


class Level(enum.StrEnum):
    """The severity of a finding."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


_COLOURS = {Level.OK: Colour.GREEN, Level.WARN: Colour.YELLOW, Level.FAIL: Colour.RED}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Args:
        check: the name of the check.
        level: the severity.
        words: what was found.
        mend: what to type to mend a problem.
    """

    check: str
    level: Level
    words: str
    mend: str = ""

    @property
    def document(self) -> dict[str, str]:
        """The finding as a JSON object."""
        return {key: str(value) for key, value in asdict(self).items()}


def make_failure(check: str, error: IcemeltError, level: Level = Level.FAIL) -> Finding:
    """Return an error as a finding.

    Args:
        check: the name of the check.
        error: the error, whose hint is the mend.
        level: the severity.

    >>> from icemelt.errors import JavaNotFound
    >>> make_failure("Java", JavaNotFound("No Java was found.", hint="Install Java 21.")).mend
    'Install Java 21.'
    """
    return Finding(check, level, error.message, error.hint)


def write_finding(finding: Finding, file: TextIO) -> None:
    """Write a finding for a person.

    >>> import sys
    >>> write_finding(Finding("Disk", Level.WARN, "2 GB are free.", "Free some."), sys.stdout)
    warn  Disk        2 GB are free.
                      → Free some.
    """
    level = paint(f"{finding.level.value:<4}", _COLOURS[finding.level], file)
    first, *more = finding.words.splitlines() or [""]
    indent = " " * (4 + 2 + _NAME_WIDTH + 2)
    lines = [f"{level}  {finding.check:<{_NAME_WIDTH}}  {first}", *(indent + line for line in more)]
    lines += [f"{indent}→ {line}" for line in finding.mend.splitlines()]
    file.write("\n".join(lines) + "\n")
    file.flush()
