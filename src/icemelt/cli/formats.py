"""The formats that commands write."""

from __future__ import annotations

import enum

__all__ = ["Format", "ReportFormat"]


class Format(enum.StrEnum):
    """How rows are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class ReportFormat(enum.StrEnum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
