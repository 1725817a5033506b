"""Units of time and parts of a date, by Snowflake's names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

__all__ = [
    "DAY_OF_WEEK",
    "DAY_OF_WEEK_ISO",
    "DAY_OF_YEAR",
    "EPOCHS",
    "UNITS",
    "YEAR_OF_WEEK",
    "ZONE_HOUR",
    "interval_parts",
    "is_unit",
    "is_unit_first",
]

UNITS = {
    **dict.fromkeys(("Y", "YY", "YYY", "YYYY", "YR", "YEARS", "YRS", "YEAR"), "YEAR"),
    **dict.fromkeys(("Q", "QTR", "QTRS", "QUARTERS", "QUARTER"), "QUARTER"),
    **dict.fromkeys(("MM", "MON", "MONS", "MONTHS", "MONTH"), "MONTH"),
    **dict.fromkeys(("W", "WK", "WEEKOFYEAR", "WOY", "WY", "WEEKS", "WEEK"), "WEEK"),
    **dict.fromkeys(("WEEK_ISO", "WEEKISO", "WEEKOFYEARISO", "WEEKOFYEAR_ISO"), "WEEK"),
    **dict.fromkeys(("D", "DD", "DAYS", "DAYOFMONTH", "DAY"), "DAY"),
    **dict.fromkeys(("H", "HH", "HR", "HOURS", "HRS", "HOUR"), "HOUR"),
    **dict.fromkeys(("M", "MI", "MIN", "MINUTES", "MINS", "MINUTE"), "MINUTE"),
    **dict.fromkeys(("S", "SEC", "SECONDS", "SECS", "SECOND"), "SECOND"),
    **dict.fromkeys(("MS", "MSEC", "MILLISECONDS", "MILLISECOND"), "MILLISECOND"),
    **dict.fromkeys(("US", "USEC", "MICROSECONDS", "MICROSECOND"), "MICROSECOND"),
    **dict.fromkeys(("NS", "NSEC", "NANOSEC", "NANOSECONDS", "NANOSECOND"), "NANOSECOND"),
    **dict.fromkeys(("NSECOND", "NSECONDS", "NANOSECS"), "NANOSECOND"),
}
DAY_OF_WEEK = ("DAYOFWEEK", "DOW", "DW", "WEEKDAY")
DAY_OF_WEEK_ISO = ("DAYOFWEEKISO", "DAYOFWEEK_ISO", "WEEKDAY_ISO", "DOW_ISO", "DW_ISO")
DAY_OF_YEAR = ("DAYOFYEAR", "YEARDAY", "DOY", "DY")
ZONE_HOUR = ("TIMEZONE_HOUR", "TZH")
YEAR_OF_WEEK = ("YEAROFWEEK", "YEAROFWEEKISO")
EPOCHS = {
    "EPOCH": "SECOND",
    "EPOCH_SECOND": "SECOND",
    "EPOCH_SECONDS": "SECOND",
    "EPOCH_MILLISECOND": "MILLISECOND",
    "EPOCH_MILLISECONDS": "MILLISECOND",
    "EPOCH_MICROSECOND": "MICROSECOND",
    "EPOCH_MICROSECONDS": "MICROSECOND",
    "EPOCH_NANOSECOND": "NANOSECOND",
    "EPOCH_NANOSECONDS": "NANOSECOND",
}
_PARTS = frozenset(
    (*DAY_OF_WEEK, *DAY_OF_WEEK_ISO, *DAY_OF_YEAR, *YEAR_OF_WEEK, *EPOCHS, *ZONE_HOUR)
)
_INTERVAL_PART = re.compile(r"\s*(?P<number>[+-]?[0-9]{1,18})\s*(?P<unit>[A-Za-z]*)\s*")
_UNIT_FIRST = (
    *("DATEADD", "TIMESTAMPADD", "TIMEADD", "DATEDIFF", "TIMESTAMPDIFF", "TIMEDIFF"),
    *("DATE_TRUNC", "DATE_PART"),
)
_UNIT_SECOND = ("DATE_TRUNC", "TRUNC", "TRUNCATE", "LAST_DAY")


def is_unit(column: exp.Expr) -> bool:
    """Tell whether a name is a unit of time in the place of a function's unit."""
    call, name = column.parent, column.name.upper()
    if not isinstance(call, exp.Anonymous) or column.args.get("table") is not None:
        return False
    function = call.name.upper()
    is_part = function == "DATE_PART" and name in _PARTS
    if name not in UNITS and not is_part:
        return False
    if column.index == 0:
        if function == "DATE_TRUNC" and len(call.expressions) == 2:  # noqa: PLR2004
            return is_unit_first(call.expressions)
        return function in _UNIT_FIRST
    # of two names in DATE_TRUNC the first is the unit
    is_taken = function in _UNIT_FIRST and _names_unit(call.expressions[0])
    return column.index == 1 and function in _UNIT_SECOND and not is_taken


def interval_parts(interval: exp.Expr) -> list[tuple[int, str]] | None:
    """Return the numbers and units of a literal interval; None for any other interval.

    A number without a unit counts seconds. The order is that of the text.

    >>> interval_parts(exp.Interval(this=exp.Literal.string("1 year, 3 mons, 5")))
    [(1, 'YEAR'), (3, 'MONTH'), (5, 'SECOND')]
    """
    literal = interval.this
    if not isinstance(literal, exp.Literal):
        return None
    parts = []
    for text in f"{literal.name} {interval.text('unit')}".split(","):
        match = _INTERVAL_PART.fullmatch(text)
        unit = None if match is None else UNITS.get((match["unit"] or "SECOND").upper())
        if match is None or unit is None:
            return None
        parts.append((int(match["number"]), unit))
    return parts


def is_unit_first(arguments: Sequence[exp.Expr]) -> bool:
    """Tell whether the first of the two arguments of DATE_TRUNC is its unit.

    >>> is_unit_first([exp.column("d"), exp.Literal.string("month")])
    False
    """
    first, second = arguments
    if isinstance(second, exp.Literal) and _names_unit(second):
        return isinstance(first, exp.Literal)
    return not isinstance(second, (exp.Literal, exp.Var)) or first.name.upper() in UNITS


def _names_unit(node: exp.Expr) -> bool:
    is_word = isinstance(node, exp.Column) or (isinstance(node, exp.Literal) and node.is_string)
    return is_word and node.name.upper() in UNITS
