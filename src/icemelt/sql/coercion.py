"""What Spark has to be told of operands: Snowflake converts variants, and knows NaN and minus zero.

The tables that a query reads are guarded where they become relations (`equality.compared_here`);
the target of UPDATE, DELETE and MERGE stays a table, and its columns are guarded here.
"""

from __future__ import annotations

from sqlglot import exp

from icemelt.schema import DataType, DecimalType, Primitive
from icemelt.sql.kinds import is_kind, is_variant, kind_of, set_kind

__all__ = ["coerce"]

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_TEXT = (exp.Like, exp.ILike, exp.RegexpLike, exp.DPipe)
_PATHS = (exp.Column, exp.Dot, exp.Bracket, exp.JSONExtract)
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
    | {"RIGHT", "CONCAT", "CONCAT_WS", "REPLACE", "SPLIT", "SPLIT_PART", "STARTSWITH", "ENDSWITH"}
    | {"CONTAINS", "REGEXP_LIKE", "REGEXP_REPLACE", "REGEXP_SUBSTR", "LISTAGG", "INITCAP", "LPAD"}
    | {"RPAD", "REVERSE", "MD5", "SHA1", "SHA2", "CHARINDEX", "POSITION", "TO_DATE", "DATE"}
    | {"TO_TIMESTAMP", "TO_TIMESTAMP_NTZ", "TO_TIMESTAMP_LTZ", "TO_CHAR", "TO_VARCHAR"}
    | {"TO_NUMBER", "TO_DECIMAL", "TO_DOUBLE", "TRY_TO_NUMBER", "TRY_TO_DATE"}
)
_NUMBER_FUNCTIONS = frozenset(
    {"SUM", "AVG", "ROUND", "ABS", "CEIL", "FLOOR", "SQRT", "POWER", "MEDIAN", "STDDEV", "VARIANCE"}
)


def coerce(node: exp.Expr) -> None:
    """Cast variants among the operands of one node to what the node or the others need.

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
            _arguments(node)
        case exp.Between():
            _beside(node.this, [node.args["low"], node.args["high"]])
            _keep_here(node.this, node.args["low"], node.args["high"])
        case exp.In() if node.expressions:
            _beside(node.this, node.expressions)
            _keep_here(node.this, *node.expressions)
        case _ if isinstance(node, _COMPARISONS):
            _beside(node.left, [node.right])
            _beside(node.right, [node.left])
            _keep_here(node.left, node.right)
        case _ if isinstance(node, _ARITHMETIC):
            for side in (node.left, node.right):
                _cast(side, exp.DType.DOUBLE)
        case _ if isinstance(node, _TEXT):
            _cast(node.this, exp.DType.TEXT)
            _cast(node.expression, exp.DType.TEXT)
        case _:
            pass


def _beside(side: exp.Expr, others: list[exp.Expr]) -> None:
    if not is_variant(side):
        return
    targets = [_target(kind_of(other)) for other in others]
    if targets and targets[0] is not None:
        _cast(side, targets[0])


def _keep_here(*operands: exp.Expr) -> None:
    """Let Spark alone compare columns of doubles, as `equality.compared_here` does."""
    for operand in operands:
        inner = operand.unnest()
        if is_kind(inner, "float", "double") and isinstance(inner, _PATHS):
            kept = exp.Anonymous(this="NANVL", expressions=[inner.copy(), inner.copy()])
            set_kind(kept, kind_of(inner))
            inner.replace(kept)


def _target(kind: DataType | None) -> exp.DType | None:
    match kind:
        case DecimalType():
            return exp.DType.DOUBLE
        case Primitive(name):
            return _TARGETS.get(name)
        case _:
            return None


def _arguments(node: exp.Anonymous) -> None:
    name = node.name.upper()
    if name in _TEXT_FUNCTIONS:
        target = exp.DType.TEXT
    elif name in _NUMBER_FUNCTIONS:
        target = exp.DType.DOUBLE
    else:
        return
    for argument in list(node.expressions):
        _cast(argument, target)


def _cast(node: exp.Expr, target: exp.DType) -> None:
    if is_variant(node):
        node.replace(exp.Cast(this=node.copy(), to=exp.DataType(this=target, nested=False)))
