"""Format the registry's times for results and messages."""

from __future__ import annotations

import datetime

__all__ = ["as_datetime", "format_time"]


def as_datetime(milliseconds: int) -> datetime.datetime:
    """Return milliseconds since 1970 as a time in UTC.

    >>> as_datetime(0).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.datetime.fromtimestamp(milliseconds / 1000, tz=datetime.UTC)


def format_time(milliseconds: int, precision: str = "milliseconds") -> str:
    """Return milliseconds since 1970 as text for a message; `precision` is one of `isoformat`'s.

    >>> format_time(1_704_067_200_123), format_time(1_704_067_200_123, "seconds")
    ('2024-01-01 00:00:00.123 UTC', '2024-01-01 00:00:00 UTC')
    """
    moment = as_datetime(milliseconds).replace(tzinfo=None)
    return f"{moment.isoformat(' ', precision)} UTC"
