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

__all__ = ["evaluate_number", "evaluate_text", "evaluate_time"]

_QUOTED = re.compile(r"^'([^'\\]*)'$")
_NUMBER = re.compile(r"^-?\d+(\.\d+)?$")


def evaluate_time(core: Core, expression: str) -> int:
    """Return a time in milliseconds since 1970; text is read in the session's time zone."""
    literal = _QUOTED.match(expression.strip())
    if literal is not None:
        parsed = _iso(literal.group(1), core.settings.timezone)
        if parsed is not None:
            return parsed
    value = _evaluate(core, f"unix_millis(CAST(({expression}) AS TIMESTAMP))")
    return int(_present(value))


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


def evaluate_text(core: Core, expression: str) -> str:
    """Return a string."""
    literal = _QUOTED.match(expression.strip())
    if literal is not None:
        return literal.group(1)
    return str(_present(_evaluate(core, f"CAST(({expression}) AS STRING)")))


def _evaluate(core: Core, expression: str) -> object:
    with translated(core.spark):
        return run_sql(core, f"SELECT {expression}").collect()[0][0]


def _present(value: object) -> str:
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
