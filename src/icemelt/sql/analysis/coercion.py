"""Write out the conversions that Snowflake makes between operands of two types, and Spark does not.

Snowflake also knows NaN and minus zero, and Iceberg's bounds of a file do not. Tables that a query
reads are guarded where the tables become relations (`equality.compared_here`). The target of
UPDATE, DELETE and MERGE stays a table, so its columns are guarded here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    results_of,
    set_kind,
)
from icemelt.sql.analysis.memberships import QUERY_VALUE, compare_query
from icemelt.sql.analysis.trees import columns_of_tuples, quoted_column, replace_node
from icemelt.sql.analysis.units import interval_parts
from icemelt.times import is_word_of_spark

__all__ = ["coerce", "coerce_branches", "coerce_rows"]

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_TEXT = (exp.Like, exp.ILike, exp.RegexpLike, exp.DPipe)
_PATHS = (exp.Column, exp.Dot, exp.Bracket, exp.JSONExtract)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_WRITTEN_AS_TEXT = ("float", "double", "timestamp", "timestamptz", "variant")
_TIMES = ("date", "timestamp", "timestamptz")
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
_OF_ZERO = frozenset({"ZEROIFNULL", "NULLIFZERO"})
_NUMBER_FUNCTIONS = frozenset(
    {"SUM", "AVG", "ROUND", "ABS", "CEIL", "FLOOR", "SQRT", "POWER", "MEDIAN", "STDDEV", "VARIANCE"}
    | {"ZEROIFNULL", "NULLIFZERO", "MOD", "DIV0", "DIV0NULL", "SIGN", "TRUNC", "TRUNCATE"}
)
_ADDING = frozenset({"DATEADD", "TIMESTAMPADD", "TIMEADD"})
_MOMENT_FUNCTIONS = _ADDING | frozenset(
    {"DATEDIFF", "TIMESTAMPDIFF", "TIMEDIFF", "DATE_TRUNC", "DATE_PART", "LAST_DAY", "NEXT_DAY"}
    | {"PREVIOUS_DAY", "ADD_MONTHS", "MONTHS_BETWEEN", "TIME_SLICE", "DAYNAME", "MONTHNAME"}
    | {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFMONTH", "DAYOFWEEK", "DAYOFYEAR", "HOUR"}
    | {"MINUTE", "SECOND", "WEEKISO", "DAYOFWEEKISO", "YEAROFWEEK", "YEAROFWEEKISO", "WEEKOFYEAR"}
)


# the type as which a function takes a variant
_TYPE_OF_ARGUMENTS = {
    **dict.fromkeys(_TEXT_FUNCTIONS, exp.DType.TEXT),
    **dict.fromkeys(_MOMENT_FUNCTIONS, exp.DType.TIMESTAMPNTZ),
    **dict.fromkeys(_NUMBER_FUNCTIONS, exp.DType.DOUBLE),
}


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
    for condition in _conditions_in(node):
        _read_as_condition(condition)
    _unify(_results_of(node))
    _coerce_searches(node)
    match node:
        case exp.Anonymous():
            _coerce_arguments(node)
        case exp.Between() | exp.In():
            _coerce_compared(node)
        case _ if isinstance(node, _COMPARISONS):
            _coerce_compared(node)
        case exp.Add() | exp.Sub() if _has_one_interval(node):
            _add_interval(node)
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


def _coerce_compared(node: exp.Expr) -> None:
    """Cast the operands that a predicate compares."""
    match node:
        case exp.Between():
            _coerce_members(node.this, [node.args["low"], node.args["high"]])
            _compare_in_spark(node.this, node.args["low"], node.args["high"])
        case exp.In() if node.expressions:
            _coerce_members(node.this, node.expressions)
            _compare_in_spark(node.this, *node.expressions)
        case exp.In() if isinstance(node.args.get("query"), exp.Expr):
            _coerce_query(node, node.args["query"])
        case _ if isinstance(node, _COMPARISONS) and isinstance(node.left, exp.Tuple):
            _coerce_members(node.left, [node.right])
        case _ if isinstance(node, _COMPARISONS):
            _coerce_side(node.left, [node.right])
            _coerce_side(node.right, [node.left])
            _compare_in_spark(node.left, node.right)


def coerce_rows(rows: list[list[exp.Expr]]) -> None:
    """Read the texts of VALUES as the type of the other values of their column.

    Snowflake converts them; Spark refuses a text beside a number.

    Args:
        rows: the values of each row, all of one length. They are replaced in their tree.
    """
    for column in zip(*rows, strict=True):
        _unify(column)


def coerce_branches(branches: list[exp.Expr]) -> None:
    """Read the texts in the SELECT lists of a set operation as the other branches' types.

    Args:
        branches: the queries, whose SELECT lists are of one length; those of other queries than a
            SELECT, and of `*`, are left alone.
    """
    lists = [branch.expressions for branch in branches if isinstance(branch, exp.Select)]
    if len(lists) < len(branches) or len(set(map(len, lists))) > 1:
        return
    for column in zip(*lists, strict=True):
        if not any(value.is_star for value in column):
            _unify([value.unalias() for value in column])


def _unify(values: Sequence[exp.Expr]) -> None:
    """Read the texts among values that become one column as the type of the others.

    Values beside a variant become variants.
    """
    known = [value for value in values if not isinstance(value.unnest(), exp.Null)]
    if any(map(is_variant, known)):
        _make_variants(known)
        return
    others = [value for value in known if not is_kind(value, "string")]
    if not others:
        return
    target = _written_time(others)
    for text in (value for value in known if is_kind(value, "string")):
        if target is not None:
            replace_node(exp.Cast(this=text.copy(), to=exp.DataType(this=target)), text)
        else:
            _read_as_number(text, others)
            _read_as_boolean(text, others)


def _make_variants(values: Sequence[exp.Expr]) -> None:
    for value in values:
        if not is_variant(value):
            made = exp.Anonymous(this="TO_VARIANT", expressions=[value.copy()])
            replace_node(made, value)


def _written_time(values: list[exp.Expr]) -> exp.DType | None:
    """Return the type of times that all values have, None for others and for several."""
    kinds = set(map(kind_of, values))
    kind = kinds.pop() if len(kinds) == 1 else None
    return _TARGETS[kind.name] if isinstance(kind, Primitive) and kind.name in _TIMES else None


def _coerce_searches(node: exp.Expr) -> None:
    """Read the subject of CASE or DECODE, and what it is compared with, as one type."""
    if isinstance(node, exp.Case) and node.this is not None:
        _coerce_members(node.this, [branch.this for branch in node.args["ifs"]])
    elif isinstance(node, exp.Anonymous) and node.name.upper() == "DECODE" and node.expressions:
        _coerce_members(node.expressions[0], node.expressions[1:-1:2])


def _coerce_members(side: exp.Expr, others: list[exp.Expr]) -> None:
    if isinstance(side, exp.Tuple):
        for value, *members in columns_of_tuples([side, *others]):
            _cast_variants([value, *members])
        return
    _coerce_side(side, others)
    _cast_variants([side, *others])
    for other in others:
        _read_as_number(other, [side])
        _read_as_time(other, [side])
        _read_as_boolean(other, [side])


def _cast_variants(values: Sequence[exp.Expr]) -> None:
    """Cast variants to the type of the first value beside them that is none."""
    targets = [_cast_target(kind_of(value)) for value in values]
    target = next((each for each in targets if each is not None), None)
    for value in values:
        if value.parent is not None:
            _cast_variant(value, target)


def _coerce_query(node: exp.In, query: exp.Expr) -> None:
    """Cast a variant to the type of the values that a query gives, or those to the other type."""
    if is_variant(node.this):
        _cast_variant(node.this, _cast_target(kind_of(query)))
    elif is_variant(query):
        target = _cast_target(kind_of(node.this))
        if target is not None:
            kind = exp.DataType(this=target, nested=False)
            compare_query(node, exp.Cast(this=quoted_column(QUERY_VALUE), to=kind))


def _coerce_side(side: exp.Expr, others: list[exp.Expr]) -> None:
    if not is_variant(side):
        _read_as_time(side, others)
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


def _results_of(node: exp.Expr) -> list[exp.Expr]:
    """Return the operands of which CASE or a function gives one: they become one type."""
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        branches = [branch.args["true"] for branch in node.args["ifs"]]
        return branches if default is None else [*branches, default]
    if not isinstance(node, exp.Anonymous):
        return []
    return results_of(node.name.upper(), node.expressions)


def _coerce_arguments(node: exp.Anonymous) -> None:
    name = node.name.upper()
    if name == "COUNT":
        _strip_json_nulls(node)
    if name in _OF_ZERO:
        for argument in list(node.expressions):
            _read_as_number(argument, [exp.Literal.number(0)])
    if name in _ADDING and len(node.expressions) > 1:
        # unit, number, moment
        _cast_variant(node.expressions[1], exp.DType.DOUBLE)
    # NULLIF gives its first argument as it is
    if name == "EQUAL_NULL" or (
        name == "NULLIF" and not any(map(is_variant, node.expressions[:1]))
    ):
        _cast_variants(node.expressions)
    target = _TYPE_OF_ARGUMENTS.get(name)
    arguments = list(node.expressions) if target is not None else []
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        arguments = list(arguments[0].expressions)
    for argument in arguments:
        _cast_variant(argument, target)
        if name in _CONCATENATING:
            _cast_to_text(argument)


def _conditions_in(node: exp.Expr) -> list[exp.Expr]:
    """Return the operands that a node takes as conditions."""
    match node:
        case exp.And() | exp.Or():
            return [node.left, node.right]
        case exp.Not() | exp.Where() | exp.Having() | exp.Qualify():
            return [node.this]
        case exp.Join() if node.args.get("on") is not None:
            return [node.args["on"]]
        case exp.Case() if node.this is None:
            return [branch.this for branch in node.args["ifs"]]
        case exp.Anonymous() if node.name.upper() == "IFF":
            return node.expressions[:1]
        case _:
            return []


def _read_as_condition(node: exp.Expr) -> None:
    """Read a number, a text, a variant or NULL as a condition, as Snowflake does."""
    inner = node.unnest()
    if isinstance(inner, exp.Null) or is_numeric(node) or is_kind(node, "string", "variant"):
        replace_node(exp.Cast(this=node.copy(), to=exp.DataType.build("BOOLEAN")), node)


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


def _read_as_time(side: exp.Expr, others: list[exp.Expr]) -> None:
    """Cast a word beside a time, such as `yesterday`: Spark would read it as one of its times.

    Other texts are left to Spark, which looks for them in the files' bounds.
    """
    is_word = isinstance(side, exp.Literal) and side.is_string and is_word_of_spark(side.name)
    target = _written_time(others) if is_word else None
    if target is not None:
        replace_node(exp.Cast(this=side.copy(), to=exp.DataType(this=target)), side)


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


def _has_one_interval(node: exp.Binary) -> bool:
    sides = [isinstance(side.unnest(), exp.Interval) for side in (node.left, node.right)]
    return sides == [False, True] or (sides == [True, False] and isinstance(node, exp.Add))


def _add_interval(node: exp.Binary) -> None:
    """Write the sum of a time and an interval as DATEADD, part by part: their order matters."""
    sides = (node.left, node.right)
    time, interval = sides if isinstance(node.right.unnest(), exp.Interval) else sides[::-1]
    parts = interval_parts(interval.unnest())
    if parts is None:
        return
    moved = time.copy()
    for number, unit in parts:
        amount: exp.Expr = exp.Literal.number(abs(number))
        if (number < 0) != isinstance(node, exp.Sub):
            amount = exp.Neg(this=amount)
        moved = exp.Anonymous(this="DATEADD", expressions=[exp.Literal.string(unit), amount, moved])
    if "written" in node.meta:
        moved.meta["written"] = node.meta["written"]
    replace_node(moved, node)


def _cast_to_text(node: exp.Expr) -> None:
    if is_kind(node, *_WRITTEN_AS_TEXT):
        replace_node(exp.Cast(this=node.copy(), to=exp.DataType.build("TEXT")), node)


def _cast_variant(node: exp.Expr, target: exp.DType | None) -> None:
    if target is not None and is_variant(node):
        replace_node(exp.Cast(this=node.copy(), to=exp.DataType(this=target, nested=False)), node)
