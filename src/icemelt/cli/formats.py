"""The output and input formats of commands."""

from __future__ import annotations

import enum

__all__ = ["LinesFormat", "OnBadLine", "OutputFormat", "ReportFormat"]


class OutputFormat(enum.StrEnum):
    """The format of rows in the output."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class ReportFormat(enum.StrEnum):
    """The format of a report."""

    TEXT = "text"
    JSON = "json"


class LinesFormat(enum.StrEnum):
    """The format of rows in the input."""

    JSONL = "jsonl"


class OnBadLine(enum.StrEnum):
    """The consequence of a line in the input without a valid row."""

    ABORT = "abort"
    CONTINUE = "continue"
