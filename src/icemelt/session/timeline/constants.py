"""The value of a constant expression: a point's time, its offset, its statement id."""

from __future__ import annotations

import datetime
import math
import re
import zoneinfo

from icemelt.errors import PointNotConstant, ValueRefused
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.times import is_word_of_spark

__all__ = ["evaluate_number", "evaluate_text", "evaluate_time"]

_QUOTED = re.compile(r"^'([^'\\]*)'$")
_NUMBER = re.compile(r"^-?\d+(\.\d+)?$")


def evaluate_time(core: Core, expression: str, argument: str = "") -> int:
    """Return a time in milliseconds since 1970; text is read in the session's time zone.

    Args:
        core: the session's parts.
        expression: the expression, in Spark SQL.
        argument: the argument of a function that the time is for; empty for a point.

    Raises:
        PointNotConstant: the time is NULL.
        ValueRefused: the text is no time.
    """
    literal = _QUOTED.match(expression.strip())
    if literal is not None and is_word_of_spark(literal.group(1)):
        raise ValueRefused(
            f"The text {expression.strip()} is no time.",
            hint="Write '2024-12-31 12:00:00', or DATEADD(day, -1, CURRENT_TIMESTAMP()).",
        ).with_sqlstate("22007")
    if literal is not None:
        parsed = _iso(literal.group(1), core.settings.timezone)
        if parsed is not None:
            return parsed
    value = _evaluate(core, f"unix_millis(CAST(({expression}) AS TIMESTAMP))")
    return int(_present(value, argument))


def evaluate_number(core: Core, expression: str) -> float:
    """Return a number."""
    if _NUMBER.match(expression.strip()):
        value = float(expression)
    else:
        value = float(_present(_evaluate(core, f"CAST(({expression}) AS DOUBLE)")))
    if not math.isfinite(value):
        raise ValueRefused(
            f"An offset is a number of seconds, and a version a number; found {value}.",
            hint="OFFSET => -60",
        )
    return value


def evaluate_text(core: Core, expression: str, argument: str = "") -> str:
    """Return a string.

    Args:
        core: the session's parts.
        expression: the expression, in Spark SQL.
        argument: the argument of a function that the text is for; empty for a point.

    Raises:
        PointNotConstant: the text is NULL.
    """
    literal = _QUOTED.match(expression.strip())
    if literal is not None:
        return literal.group(1)
    return str(_present(_evaluate(core, f"CAST(({expression}) AS STRING)"), argument))


def _evaluate(core: Core, expression: str) -> object:
    with translated(core.spark):
        return run_sql(core, f"SELECT {expression}").collect()[0][0]


def _present(value: object, argument: str = "") -> str:
    if value is None and argument:
        raise PointNotConstant(f"{argument} is NULL.", hint=f"Leave {argument} out, or give it.")
    if value is None:
        raise PointNotConstant(
            "The point is NULL.",
            hint="Give a time, an offset or a statement id; LAST_QUERY_ID() knows this session's.",
        )
    return str(value)


def _iso(text: str, timezone: str) -> int | None:
    try:
        moment = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        try:
            moment = moment.replace(tzinfo=zoneinfo.ZoneInfo(timezone))
        except zoneinfo.ZoneInfoNotFoundError as error:
            raise ValueRefused(
                f"Time zone {timezone!r} is not known.", hint="ALTER SESSION SET TIMEZONE = 'UTC'"
            ) from error
    return int(moment.timestamp() * 1000)
