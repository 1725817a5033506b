"""Times: of the registry, for results and messages, and words that stand for one."""

from __future__ import annotations

import datetime
import re

__all__ = ["as_datetime", "format_time", "is_word_of_spark"]

_WORDS = re.compile(r"\s*(epoch|now|today|tomorrow|yesterday)\b", re.IGNORECASE)


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


def is_word_of_spark(text: str) -> bool:
    """Tell whether a text is a word that Spark reads as a time, and Snowflake does not.

    >>> is_word_of_spark("Yesterday"), is_word_of_spark("2024-01-01")
    (True, False)
    """
    return _WORDS.match(text) is not None
