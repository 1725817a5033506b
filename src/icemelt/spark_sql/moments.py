"""Texts as dates and times without a format, as Snowflake recognizes them (AUTO).

Spark reads `2024` as a year and `20107-01-01` as a date, and no other order of day and month.
"""

from __future__ import annotations

import re

from icemelt.schema import Primitive, spark_type
from icemelt.spark_sql.once import evaluate_once

__all__ = ["EPOCH", "cut_seconds", "from_text", "wall_clock"]

_DATE = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_DATE_LITERAL = re.compile(rf"'{_DATE}'")
_ISO_LITERAL = re.compile(rf"'{_DATE}([ T][0-9]{{1,2}}:[0-9]{{1,2}}:[0-9:.]*( ?[+-][0-9:]+|Z)?)?'")
_DIGITS_LITERAL = re.compile(r"'[+-]?[0-9]{1,18}'")
_AUTO = "'AUTO'"
_WORDS = {"date": "date", "timestamp": "clock", "timestamptz": "instant"}
# From these numbers on digits are milliseconds, microseconds and nanoseconds.
_MILLISECONDS, _MICROSECONDS, _NANOSECONDS = 31536 * 10**6, 31536 * 10**9, 31536 * 10**12
EPOCH = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"


def from_text(sql: str, target: Primitive, *, safe: bool, form: str = _AUTO) -> str:
    """Return a text as a date or a time of type `target`.

    Any other text is an error, or NULL if `safe` is true. Without a format `2024-05-01`,
    `05/01/2024` and `01-MAY-2024` are dates, with a time of day behind the date or without, and so
    is `Thu, 21 Dec 2000 16:01:07 +0200`. Digits alone count seconds since 1970, or smaller units if
    the number is large.

    Args:
        sql: the text.
        target: the type.
        safe: whether a text of another form gives NULL.
        form: the format in Snowflake's letters, a text in Spark SQL.

    >>> from_text("'2024-05-01'", Primitive("date"), safe=False)
    "CAST('2024-05-01' AS DATE)"
    >>> from_text("`a`", Primitive("timestamp"), safe=True)
    "icemelt_read_clock(`a`, 'AUTO')"
    """
    if form == _AUTO:
        constant = _constant(sql, target, safe=safe)
        if constant is not None:
            return constant
    zone = ", current_timezone()" if target.name == "timestamptz" else ""
    return f"icemelt_{'read' if safe else 'need'}_{_WORDS[target.name]}({sql}, {form}{zone})"


def wall_clock(instant: str) -> str:
    """Return the wall clock of UTC at an instant, whatever the session's zone is."""
    seconds = f"CAST(unix_micros({instant}) AS DECIMAL(38,6)) / 1000000"
    return f"({EPOCH} + make_dt_interval(0, 0, 0, {seconds}))"


def cut_seconds(sql: str, digits: int) -> str:
    """Return a time with fewer digits of its seconds: Snowflake cuts the others off.

    >>> cut_seconds("`t`", 0)
    '(`t` - make_dt_interval(0, 0, 0, CAST(extract(SECOND FROM `t`) % 1 AS DECIMAL(18,6))))'
    """
    step = "1" if digits == 0 else f"0.{'1'.zfill(digits)}"

    def cut(time: str) -> str:
        rest = f"CAST(extract(SECOND FROM {time}) % {step} AS DECIMAL(18,6))"
        return f"({time} - make_dt_interval(0, 0, 0, {rest}))"

    return evaluate_once(sql, cut)


def _constant(sql: str, target: Primitive, *, safe: bool) -> str | None:
    """Return a literal that Spark reads alike: a constant, by which files are left out."""
    word = "TRY_CAST" if safe else "CAST"
    literal = _DATE_LITERAL if target.name == "date" else _ISO_LITERAL
    if literal.fullmatch(sql):
        return f"{word}({sql} AS {spark_type(target)})"
    if _DIGITS_LITERAL.fullmatch(sql) and abs(int(sql[1:-1])) < _NANOSECONDS:
        instant = f"timestamp_micros({_micros_of(int(sql[1:-1]))}L)"
        return instant if target.name == "timestamptz" else _wall_clock_as(instant, target)
    return None


def _micros_of(number: int) -> int:
    if abs(number) < _MILLISECONDS:
        return number * 1_000_000
    return number * 1_000 if abs(number) < _MICROSECONDS else number


def _wall_clock_as(instant: str, target: Primitive) -> str:
    moment = wall_clock(instant)
    return moment if target.name == "timestamp" else f"CAST({moment} AS DATE)"
