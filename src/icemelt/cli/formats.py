"""The formats that commands write."""

from __future__ import annotations

import enum

__all__ = ["Format", "LinesFormat", "OnBadLine", "ReportFormat"]


class Format(enum.StrEnum):
    """How rows are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class ReportFormat(enum.StrEnum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"


class LinesFormat(enum.StrEnum):
    """How rows are read."""

    JSONL = "jsonl"


class OnBadLine(enum.StrEnum):
    """What a line that is no row of the table does."""

    ABORT = "abort"
    CONTINUE = "continue"
