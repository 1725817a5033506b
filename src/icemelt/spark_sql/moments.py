"""Texts as dates and times without a format, as Snowflake recognizes them (AUTO).

Spark reads `2024` as a year and `20107-01-01` as a date, and no other order of day and month.
"""

from __future__ import annotations

import re

from icemelt.schema import Primitive, spark_type, sql_type
from icemelt.spark_sql.once import evaluate_once

__all__ = ["EPOCH", "from_text", "wall_clock"]

_DATE = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_ISO = rf"^\s*{_DATE}([ T].*)?\s*$"
_ISO_LITERAL = re.compile(rf"'{_DATE}([ T][0-9:. +Z-]*)?'")
_DIGITS = r"^\s*[+-]?[0-9]+\s*$"
_DIGITS_LITERAL = re.compile(r"'[+-]?[0-9]{1,18}'")
_CLOCK = r"( +[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2})?"
_WRITTEN = rf"^\s*([0-9]{{1,2}}/[0-9]{{1,2}}/|[0-9]{{1,2}}-[A-Za-z]{{3}}-)[0-9]{{4}}{_CLOCK}\s*$"
_FORM = "[M/d/yyyy][d-MMM-yyyy][ H:m:s]"
# From these numbers on digits are milliseconds, microseconds and nanoseconds.
_MILLISECONDS, _MICROSECONDS, _NANOSECONDS = 31536 * 10**6, 31536 * 10**9, 31536 * 10**12
EPOCH = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"


def from_text(sql: str, target: Primitive, *, safe: bool) -> str:
    """Return a text as a date or a time of type `target`; `sql` is the text.

    Any other text is an error, or NULL if `safe` is true. `2024-05-01`, `05/01/2024` and
    `01-MAY-2024` are dates, with a time of day behind the date or without. Digits alone count
    seconds since 1970, or smaller units if the number is large.

    >>> from_text("'2024-05-01'", Primitive("date"), safe=False)
    "CAST('2024-05-01' AS DATE)"
    """
    word = "TRY_CAST" if safe else "CAST"
    if _ISO_LITERAL.fullmatch(sql):
        return f"{word}({sql} AS {spark_type(target)})"
    if _DIGITS_LITERAL.fullmatch(sql) and abs(int(sql[1:-1])) < _NANOSECONDS:
        # a constant, by which files are left out
        instant = f"timestamp_micros({_micros_of(int(sql[1:-1]))}L)"
        return instant if target.name == "timestamptz" else _wall_clock_as(instant, target)
    return evaluate_once(sql, lambda text: _recognize(text, target, word, safe=safe))


def wall_clock(instant: str) -> str:
    """Return the wall clock of UTC at an instant, whatever the session's zone is."""
    seconds = f"CAST(unix_micros({instant}) AS DECIMAL(38,6)) / 1000000"
    return f"({EPOCH} + make_dt_interval(0, 0, 0, {seconds}))"


def _recognize(sql: str, target: Primitive, word: str, *, safe: bool) -> str:
    plain = f"{word}({sql} AS {spark_type(target)})"
    refused = f"raise_error(concat('icemelt-moment:{sql_type(target)}:', left({sql}, 100)))"
    branches = [f"WHEN {sql} RLIKE {_literal(_ISO)} THEN {plain}"]
    branches.append(f"WHEN {sql} RLIKE {_literal(_DIGITS)} THEN {_from_digits(sql, target, word)}")
    read = _parse_written(f"trim({sql})", target)
    read = read if safe else f"coalesce({read}, {refused})"
    branches.append(f"WHEN {sql} RLIKE {_literal(_WRITTEN)} THEN {read}")
    if not safe:
        branches.append(f"WHEN {sql} IS NOT NULL THEN {refused}")
    return f"CASE {' '.join(branches)} END"


def _from_digits(sql: str, target: Primitive, word: str) -> str:
    def micros(n: str) -> str:
        return (
            f"CASE WHEN abs({n}) < {_MILLISECONDS} THEN {n} * 1000000 "
            f"WHEN abs({n}) < {_MICROSECONDS} THEN {n} * 1000 "
            f"WHEN abs({n}) < {_NANOSECONDS} THEN {n} ELSE floor({n} / 1000) END"
        )

    number = f"{word}(trim({sql}) AS DECIMAL(38,0))"
    instant = f"timestamp_micros({word}({evaluate_once(number, micros)} AS BIGINT))"
    return _wall_clock_as(instant, target) if target.name != "timestamptz" else instant


def _micros_of(number: int) -> int:
    if abs(number) < _MILLISECONDS:
        return number * 1_000_000
    return number * 1_000 if abs(number) < _MICROSECONDS else number


def _parse_written(sql: str, target: Primitive) -> str:
    """Read a wall clock as UTC, so no session's summer time removes an hour."""
    if target.name == "timestamptz":
        return f"try_to_timestamp({sql}, '{_FORM}')"
    return _wall_clock_as(f"try_to_timestamp(concat({sql}, ' +00:00'), '{_FORM} XXX')", target)


def _wall_clock_as(instant: str, target: Primitive) -> str:
    moment = wall_clock(instant)
    return moment if target.name == "timestamp" else f"CAST({moment} AS DATE)"


def _literal(pattern: str) -> str:
    escaped = pattern.replace("\\", "\\\\")
    return f"'{escaped}'"
