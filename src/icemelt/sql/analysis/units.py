"""Units of time and parts of a date, by Snowflake's names."""

from __future__ import annotations

from sqlglot import exp

__all__ = [
    "DAY_OF_WEEK",
    "DAY_OF_WEEK_ISO",
    "DAY_OF_YEAR",
    "EPOCHS",
    "UNITS",
    "YEAR_OF_WEEK",
    "is_unit",
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
}
DAY_OF_WEEK = ("DAYOFWEEK", "DOW", "DW", "WEEKDAY")
DAY_OF_WEEK_ISO = ("DAYOFWEEKISO", "DAYOFWEEK_ISO", "DOW_ISO")
DAY_OF_YEAR = ("DAYOFYEAR", "DOY")
YEAR_OF_WEEK = ("YEAROFWEEK", "YEAROFWEEKISO")
EPOCHS = {
    "EPOCH": "SECOND",
    "EPOCH_SECOND": "SECOND",
    "EPOCH_SECONDS": "SECOND",
    "EPOCH_MILLISECOND": "MILLISECOND",
    "EPOCH_MILLISECONDS": "MILLISECOND",
    "EPOCH_MICROSECOND": "MICROSECOND",
    "EPOCH_MICROSECONDS": "MICROSECOND",
}
_PARTS = frozenset((*DAY_OF_WEEK, *DAY_OF_WEEK_ISO, *DAY_OF_YEAR, *YEAR_OF_WEEK, *EPOCHS))
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
        return function in _UNIT_FIRST
    # of two names in DATE_TRUNC the first is the unit
    is_taken = function in _UNIT_FIRST and _names_unit(call.expressions[0])
    return column.index == 1 and function in _UNIT_SECOND and not is_taken


def _names_unit(node: exp.Expr) -> bool:
    is_word = isinstance(node, exp.Column) or (isinstance(node, exp.Literal) and node.is_string)
    return is_word and node.name.upper() in UNITS
