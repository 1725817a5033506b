"""Write out the conversions that Snowflake makes between operands of two types, and Spark does not.

Snowflake also knows NaN and minus zero, and Iceberg's bounds of a file do not. Tables that a query
reads are guarded where the tables become relations (`equality.compared_here`). The target of
UPDATE, DELETE and MERGE stays a table, so its columns are guarded here.
"""

from __future__ import annotations

import re

from sqlglot import exp

from icemelt.schema import DataType, DecimalType, Primitive
from icemelt.sql.analysis.kinds import (
    MAX_DIGITS,
    exact_operand,
    is_kind,
    is_numeric,
    is_variant,
    kind_of,
    product_scale,
    set_kind,
)
from icemelt.sql.analysis.trees import replace_node

__all__ = ["coerce"]

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_TEXT = (exp.Like, exp.ILike, exp.RegexpLike, exp.DPipe)
_PATHS = (exp.Column, exp.Dot, exp.Bracket, exp.JSONExtract)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_WRITTEN_AS_TEXT = ("float", "double", "timestamp", "timestamptz", "variant")
_STRIP_FUNCTION = "STRIP_NULL_VALUE"
_CONCATENATING = frozenset({"CONCAT", "CONCAT_WS", "LISTAGG", "STRING_AGG"})
_TARGETS = {
    "string": exp.DType.TEXT,
    "long": exp.DType.DOUBLE,
    "double": exp.DType.DOUBLE,
    "boolean": exp.DType.BOOLEAN,
    "date": exp.DType.DATE,
    "timestamp": exp.DType.TIMESTAMPNTZ,
    "timestamptz": exp.DType.TIMESTAMPLTZ,
}
_TEXT_FUNCTIONS = frozenset(
    {"UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "LENGTH", "LEN", "SUBSTR", "SUBSTRING", "LEFT"}
    | {
        "RIGHT",
        "CONCAT",
        "CONCAT_WS",
        "REPLACE",
        "SPLIT",
        "SPLIT_PART",
        "STRTOK",
        "STARTSWITH",
        "ENDSWITH",
    }
    | {"CONTAINS", "REGEXP_LIKE", "REGEXP_REPLACE", "REGEXP_SUBSTR", "LISTAGG", "INITCAP", "LPAD"}
    | {"RLIKE", "REGEXP", "REGEXP_COUNT", "REGEXP_INSTR", "REGEXP_SUBSTR_ALL", "LIKE", "ILIKE"}
    | {"RPAD", "REVERSE", "STRTOK_TO_ARRAY", "CHARINDEX", "POSITION", "TO_DATE", "DATE"}
    | {"TO_TIMESTAMP", "TO_TIMESTAMP_NTZ", "TO_TIMESTAMP_LTZ", "TO_CHAR", "TO_VARCHAR"}
    | {"TO_NUMBER", "TO_DECIMAL", "TO_DOUBLE", "TRY_TO_NUMBER", "TRY_TO_DATE", "STRING_AGG"}
)
_NUMBER_FUNCTIONS = frozenset(
    {"SUM", "AVG", "ROUND", "ABS", "CEIL", "FLOOR", "SQRT", "POWER", "MEDIAN", "STDDEV", "VARIANCE"}
)


def coerce(node: exp.Expr) -> None:
    """Cast the operands of a node to the types for the node, or for the other operand.

    A variant is cast to the other operand's type, and a text beside a number is read as a number.
    An operand of LIKE or || that is a double, a time or a variant is written as text.

    >>> from sqlglot import parse_one
    >>> comparison = parse_one("PARSE_JSON(a) = 'x'", read="snowflake").transform(
    ...     lambda each: (
    ...         exp.Anonymous(this="PARSE_JSON") if isinstance(each, exp.ParseJSON) else each
    ...     )
    ... )
    >>> coerce(comparison)
    >>> comparison.sql()
    "CAST(PARSE_JSON() AS TEXT) = 'x'"
    """
    match node:
        case exp.Anonymous():
            _coerce_arguments(node)
        case exp.Between():
            _coerce_members(node.this, [node.args["low"], node.args["high"]])
            _compare_in_spark(node.this, node.args["low"], node.args["high"])
        case exp.In() if node.expressions:
            _coerce_members(node.this, node.expressions)
            _compare_in_spark(node.this, *node.expressions)
        case _ if isinstance(node, _COMPARISONS):
            _coerce_side(node.left, [node.right])
            _coerce_side(node.right, [node.left])
            _compare_in_spark(node.left, node.right)
        case _ if isinstance(node, _ARITHMETIC):
            _cast_variant(node.left, exp.DType.DOUBLE)
            _cast_variant(node.right, exp.DType.DOUBLE)
            _read_as_number(node.left, [node.right])
            _read_as_number(node.right, [node.left])
            if isinstance(node, exp.Mul):
                _round_product(node)
        case _ if isinstance(node, _TEXT):
            _cast_to_text(node.this)
            _cast_to_text(node.expression)
        case _:
            pass


def _coerce_members(side: exp.Expr, others: list[exp.Expr]) -> None:
    if isinstance(side, exp.Tuple):
        return
    _coerce_side(side, others)
    for other in others:
        _read_as_number(other, [side])
        _read_as_boolean(other, [side])


def _coerce_side(side: exp.Expr, others: list[exp.Expr]) -> None:
    if not is_variant(side):
        _read_as_number(side, others)
        _read_as_boolean(side, others)
        return
    targets = [_cast_target(kind_of(other)) for other in others]
    if targets and targets[0] is not None:
        _cast_variant(side, targets[0])


def _compare_in_spark(*operands: exp.Expr) -> None:
    """Let Spark alone compare columns of doubles, as `equality.compared_here` does."""
    for operand in operands:
        inner = operand.unnest()
        if is_kind(inner, "float", "double") and isinstance(inner, _PATHS):
            guarded = exp.Anonymous(this="NANVL", expressions=[inner.copy(), inner.copy()])
            set_kind(guarded, kind_of(inner))
            replace_node(guarded, inner)


def _cast_target(kind: DataType | None) -> exp.DType | None:
    match kind:
        case DecimalType():
            return exp.DType.DOUBLE
        case Primitive(name):
            return _TARGETS.get(name)
        case _:
            return None


def _coerce_arguments(node: exp.Anonymous) -> None:
    name = node.name.upper()
    if name == "COUNT":
        _strip_json_nulls(node)
    if name in _TEXT_FUNCTIONS:
        target = exp.DType.TEXT
    elif name in _NUMBER_FUNCTIONS:
        target = exp.DType.DOUBLE
    else:
        return
    for argument in list(node.expressions):
        _cast_variant(argument, target)
        if name in _CONCATENATING:
            _cast_to_text(argument)


def _strip_json_nulls(node: exp.Anonymous) -> None:
    """Count a JSON null as NULL."""
    counted = node.expressions
    if len(counted) == 1 and isinstance(counted[0], exp.Distinct):
        counted = counted[0].expressions
    for argument in list(counted):
        is_call = isinstance(argument, exp.Anonymous)
        if is_variant(argument) and not (is_call and argument.name.upper() == _STRIP_FUNCTION):
            replace_node(
                exp.Anonymous(this=_STRIP_FUNCTION, expressions=[argument.copy()]), argument
            )


def _read_as_number(side: exp.Expr, others: list[exp.Expr]) -> None:
    """Read a text beside numbers as a decimal or double; Spark would read a whole number."""
    if not is_kind(side, "string") or not others or not all(map(is_numeric, others)):
        return
    if isinstance(side, exp.Literal) and _NUMBER.fullmatch(side.name.strip()):
        replace_node(_number_literal(side.name.strip()), side)
        return
    floating = any(is_kind(other, "float", "double") for other in others)
    kind = exp.DataType.build("DOUBLE" if floating else "DECIMAL(38, 9)")
    replace_node(exp.Cast(this=side.copy(), to=kind), side)


def _read_as_boolean(side: exp.Expr, others: list[exp.Expr]) -> None:
    """Read a text beside booleans as a boolean: Spark does not know the words `on` and `off`."""
    if not is_kind(side, "string") or not others:
        return
    if not all(is_kind(operand, "boolean") for operand in others):
        return
    if not isinstance(side, exp.Literal):
        replace_node(exp.Cast(this=side.copy(), to=exp.DataType.build("BOOLEAN")), side)
    elif side.name.strip().lower() in {"on", "off"}:
        replace_node(exp.Boolean(this=side.name.strip().lower() == "on"), side)


def _number_literal(text: str) -> exp.Expr:
    literal = exp.Literal.number(text.lstrip("+-"))
    return exp.Paren(this=exp.Neg(this=literal)) if text.startswith("-") else literal


def _round_product(node: exp.Mul) -> None:
    """Round a product to twelve digits after the decimal point, unless a factor has more digits.

    Spark gives a product the digits of both factors together.
    """
    factors = [exact_operand(side) for side in (node.left, node.right)]
    scales = [factor.scale for factor in factors if factor is not None]
    digits = sum(factor.precision for factor in factors if factor is not None) + 1
    scale = product_scale(*scales) if len(scales) == len(factors) else None
    if scale is None or scale == sum(scales) or digits > MAX_DIGITS:
        return
    rounded = exp.Cast(to=exp.DataType.build(f"DECIMAL({digits - sum(scales) + scale}, {scale})"))
    if "written" in node.meta:
        rounded.meta["written"] = node.meta.pop("written")
    replace_node(rounded, node)
    rounded.set("this", node)


def _cast_to_text(node: exp.Expr) -> None:
    if is_kind(node, *_WRITTEN_AS_TEXT):
        replace_node(exp.Cast(this=node.copy(), to=exp.DataType.build("TEXT")), node)


def _cast_variant(node: exp.Expr, target: exp.DType) -> None:
    if is_variant(node):
        replace_node(exp.Cast(this=node.copy(), to=exp.DataType(this=target, nested=False)), node)
