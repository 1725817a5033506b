"""Division by Snowflake's rule: exact numbers have an exact quotient with six more digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from icemelt.schema import DecimalType, spark_type
from icemelt.sql.analysis.kinds import MAX_DIGITS, exact_digits, kind_of, quotient_scale
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["DIVISIONS", "divide"]

_FEWEST = 6


def divide(left: exp.Expr, right: exp.Expr, operand: Callable[[exp.Expr], str]) -> str:
    """Return the SQL of a quotient.

    Args:
        left: the dividend.
        right: the divisor.
        operand: returns the SQL of a side.

    >>> divide(exp.Literal.number(1), exp.Literal.number(3), lambda node: node.sql())
    'CAST(CAST(1 AS DECIMAL(19,0)) / CAST(3 AS DECIMAL(19,0)) AS DECIMAL(38,6))'
    """
    dividend, divisor = exact_digits(kind_of(left)), exact_digits(kind_of(right))
    if dividend is None or divisor is None:
        return f"{operand(left)} / {operand(right)}"
    scale = quotient_scale(dividend)
    # Spark's quotient has more digits for a longer divisor; more digits make the rounding right.
    long = max(divisor.precision, min(MAX_DIGITS, scale - dividend.scale + _FEWEST))
    divisor = DecimalType(long, divisor.scale)
    sides = ((operand(left), dividend), (operand(right), divisor))
    quotient = " / ".join(f"CAST({sql} AS {spark_type(kind)})" for sql, kind in sides)
    if _spark_scale(dividend, divisor) < scale:
        return quotient
    return f"CAST({quotient} AS DECIMAL({MAX_DIGITS},{scale}))"


def _spark_scale(dividend: DecimalType, divisor: DecimalType) -> int:
    """Return how many digits Spark gives after the point; fewer if the whole were too long."""
    whole = dividend.precision - dividend.scale + divisor.scale
    scale = max(_FEWEST, dividend.scale + divisor.precision + 1)
    return scale if whole + scale <= MAX_DIGITS else max(MAX_DIGITS - whole, min(scale, _FEWEST))


def _safe(zero: str) -> Entry:
    """Return an entry for `DIV0` and the like: the quotient is 0 if the divisor is 0."""

    def build(call: Call) -> str:
        call.need(2)
        test, (left, right) = zero.format(call.sql(1)), map(_number, call.arguments)
        return f"CASE WHEN {test} = 0 THEN 0 ELSE {divide(left, right, call.operand)} END"

    return build


def _number(node: exp.Expr) -> exp.Expr:
    """Return the node as a number: NULL becomes a whole number."""
    return exp.cast(node, "BIGINT") if isinstance(node, exp.Null) else node


DIVISIONS: Mapping[str, Entry] = {
    "DIV0": _safe("{}"),
    "DIV0NULL": _safe("coalesce({}, 0)"),
}
