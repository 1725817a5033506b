"""TIMESTAMP_TZ that is converted at once: `'…'::TIMESTAMP_TZ::DATE`, and the same in AT.

icemelt has no values with an offset of their own. A text that becomes one, and then another type,
is the same value as the text that becomes that type: an instant, or its own wall clock.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["ZONED_FUNCTIONS", "as_instant", "unzoned_operand"]

ZONED_FUNCTIONS = ("TO_TIMESTAMP_TZ", "TRY_TO_TIMESTAMP_TZ")
_TARGETS = {
    exp.DType.TIMESTAMPLTZ: "TO_TIMESTAMP_LTZ",
    exp.DType.TIMESTAMPNTZ: "TO_TIMESTAMP_NTZ",
    exp.DType.TIMESTAMP: "TO_TIMESTAMP_NTZ",
    exp.DType.DATETIME: "TO_TIMESTAMP_NTZ",
    exp.DType.DATE: "TO_DATE",
}


def unzoned_operand(operand: exp.Expr, target: exp.DataType) -> exp.Expr:
    """Return the operand of a cast to `target` without a TIMESTAMP_TZ in between.

    >>> from sqlglot import parse_one
    >>> cast = parse_one("CAST(CAST(a AS TIMESTAMPTZ) AS DATE)")
    >>> unzoned_operand(cast.this, cast.to).sql()
    'a'
    """
    inner = operand.unnest()
    function = _TARGETS.get(target.this)
    if function is None:
        return operand
    if isinstance(inner, exp.Cast) and inner.to.this == exp.DType.TIMESTAMPTZ:
        value: exp.Expr = inner.this
        if isinstance(inner, exp.TryCast):
            return exp.TryCast(this=value.copy(), to=target.copy())
        return value
    if isinstance(inner, exp.Anonymous) and inner.name.upper() in ZONED_FUNCTIONS:
        prefix = "TRY_" if inner.name.upper().startswith("TRY_") else ""
        arguments = [argument.copy() for argument in inner.expressions]
        return exp.Anonymous(this=f"{prefix}{function}", expressions=arguments)
    return operand


def as_instant(node: exp.Expr) -> exp.Expr:
    """Return a TIMESTAMP_TZ as a TIMESTAMP_LTZ, which is the same instant; else the expression."""
    target = exp.DataType.build("TIMESTAMPLTZ")
    operand = unzoned_operand(node, target)
    return node if operand is node else exp.Cast(this=operand.copy(), to=target)
